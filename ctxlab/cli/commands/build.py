"""`ctxlab build`: what would be sent, and how it came to be."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

from ctxlab.secrets import masked_data

if TYPE_CHECKING:
    from ctxlab.cli.inputs.files import Inputs
    from ctxlab.pipeline import Trace


def print_json(value: object, *, as_it_is: bool = False) -> None:
    """The value as UTF-8, nothing else, its secrets masked; `as_it_is` for what goes on from here, as messages do."""
    text = json.dumps(value if as_it_is else masked_data(value), ensure_ascii=False, indent=2)
    # Half a surrogate pair has no UTF-8; JSON can write it as an escape.
    text = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def print_text(inputs: Inputs, trace: Trace) -> None:
    """Head, steps with their causes, messages, and the bar."""
    from ctxlab.cli.output.messages import messages
    from ctxlab.cli.output.progress import progress
    from ctxlab.cli.output.run_text import Steps, estimate, head, losses, notes, sent_before
    from ctxlab.cli.output.terminal import Screen
    from ctxlab.cli.output.token_bar import bar
    from ctxlab.display.short_texts import counted
    from ctxlab.pipeline.explain.affordable_counts import AffordableCounts

    screen = Screen()
    with progress("counting tokens"):  # counted once here, remembered below; what is cut only where that is quick
        counts = AffordableCounts(trace)
        for step in trace.steps:
            counts.context_tokens(step.after.drafts)
    head(screen, trace)
    sent_before(screen, trace.start.input)
    losses(screen, inputs.losses)
    notes(screen, trace.start.notes)
    screen.blank()
    Steps(screen, trace).all(trace)
    screen.blank()
    after = f" after {trace.steps[-1].id}" if inputs.options.until and trace.steps else ""
    many = counted(len(trace.result.drafts), "message")
    screen.line(
        (f"{many}{after}, {counted(trace.tokens, 'token')}", "strong"),
        (_around(trace), "dim"),
        ("" if screen.coloured else MARKS, "dim"),
    )
    messages(screen, trace)
    screen.blank()
    bar(screen, trace)
    estimate(screen, trace)


def _around(trace: Trace) -> str:
    """The tokens of every message that aren't its text's; empty where there are none."""
    each = trace.services.tokenizer.message_tokens
    return f", {each} of each message around its text" if each and trace.result.drafts else ""


MARKS = "   ‹…› is what a step put in or rewrote"

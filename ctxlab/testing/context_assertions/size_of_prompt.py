"""The size of a prompt in words: its largest pieces, its sources, and whether a budget alone keeps it small."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.display.short_texts import counted
from ctxlab.display.source_styles import ROOM
from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import Trace
from ctxlab.prompt import BuiltMessage, Prompt
from ctxlab.testing.context_assertions.message_references import shown_name

MOST_NAMED = 3
LARGE = "budget_tokens=100_000"


def size_in_words(trace: Trace) -> str:
    """The largest pieces with their tokens, and the tokens of every source, a line each."""
    prompt = trace.prompt
    largest = sorted(_pieces(prompt, trace), key=lambda each: -each[1])[:MOST_NAMED]
    named = ", ".join([f"{name} ({tokens:,})" for name, tokens in largest])
    sources = sorted(prompt.tokens_by_source.items(), key=lambda each: -each[1])
    by_source = ", ".join([f"{source} {tokens:,}" for source, tokens in sources if tokens and source not in ROOM])
    return f"the largest are {named}\nby source: {by_source}"


def cut_in_words(trace: Trace, tokens: int) -> str:
    """A clause for a run that a limiter cut to no more than these tokens; empty for one of which size can be told."""
    report = trace.result.report(BudgetReport)
    if report is None or report.budget_tokens > tokens or report.overhead_tokens is not None:
        return ""
    if not report.cut and not report.shortened:
        return ""
    gone = [
        f"{counted(n, 'message')} {what}" for n, what in ((report.cut, "cut"), (report.shortened, "shortened")) if n
    ]
    return (
        f"this can't fail: the run's own budget of {report.budget_tokens:,} made it so ({', '.join(gone)})\n"
        f"build it with a larger budget, such as {LARGE}, to see its size"
    )


def _pieces(prompt: Prompt[BuiltMessage], trace: Trace) -> Iterator[tuple[str, int]]:
    for message in prompt.messages:
        alone = len(message.joined) == 1
        for part in message.joined:
            yield shown_name(trace, part.key), message.tokens if alone else part.tokens
    if prompt.tools_tokens:
        yield "tool definitions", prompt.tools_tokens

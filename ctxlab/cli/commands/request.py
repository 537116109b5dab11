"""`ctxlab request`: the body that a vendor gets, what it would refuse, and what its form has no place for."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctxlab.cli.output.run_text import MARKS, STYLES, tokenizer_words
from ctxlab.cli.output.terminal import Screen, harmless, one_line
from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook import LoreScan
from ctxlab.providers import Payload, path_text, payload, provider_named, provider_of_model
from ctxlab.providers.models import OTHER_MODEL

if TYPE_CHECKING:
    from ctxlab.cli.inputs.files import Inputs

PROBLEMS_LEFT = 3
"""Exit code where the vendor would refuse the request."""
LONGEST_VALUE = 100
"""Characters of a text in the body that are printed for people; JSON has them all."""


def print_request(inputs: Inputs, provider: str, *, as_json: bool) -> int:
    """The body as JSON alone, or the request for people; problems give the exit code 3."""
    found = _payload(inputs, provider)
    inputs.announce()
    if as_json:
        sys.stdout.buffer.write(found.as_bytes() + b"\n")
        sys.stdout.buffer.flush()
        for problem in found.problems:
            print(f"ctxlab: {harmless(str(problem))}", file=sys.stderr)  # noqa: T201
    else:
        _print_text(Screen(), found)
    return PROBLEMS_LEFT if any(problem.level == "error" for problem in found.problems) else 0


def _payload(inputs: Inputs, name: str) -> Payload:
    """The request of a run that is built for the model that it names, as a budget and files depend on it."""
    provider = provider_named(name)
    trace = inputs.trace()
    found = payload(trace, provider)
    own, said = trace.start.input.model, found.notes
    if inputs.options.model is None and (own is None or provider_of_model(own) is not provider):
        with_model = replace(inputs, options=replace(inputs.options, model=found.model.name))
        found = payload(with_model.trace(), provider)
        kept = [note for note in said if OTHER_MODEL in note.details]  # of the model that wasn't asked for by name
        found = replace(found, notes=(*kept, *found.notes))
    return found


def _print_text(screen: Screen, found: Payload) -> None:
    screen.line((f"{found.provider.title} ", "strong"), (found.model.name, "strong"), f"   POST {found.url}")
    screen.line(_size(found))
    errors = [problem for problem in found.problems if problem.level == "error"]
    if errors:
        screen.line((f"{counted(len(errors), 'problem')}: the vendor would refuse it", "bad"))
    else:
        screen.line("no problem is left")
    for problem in found.problems:
        style = "bad" if problem.level == "error" else "warn"
        screen.line((f"× {harmless(problem.place or 'the request')}: ", style), harmless(problem.reason), hang=2)
        screen.line(("  " + harmless(problem.mend), "dim"), hang=2)
    for text, times in Counter(str(loss) for loss in found.losses).items():
        often = f" ({times} times)" if times > 1 else ""
        screen.line((f"! {harmless(text)}{often}", "warn"), hang=2)
    screen.line(f"counted with {harmless(tokenizer_words(found.trace))}", hang=2)
    _print_left_out(screen, found)
    for note in (*found.trace.result.notes, *found.notes):
        screen.line((f"{MARKS[note.level]} {harmless(note.text)}", STYLES[note.level]), hang=2)
    for mark in found.marks.marks if found.marks else ():
        upto = "cached up to" if mark.effective else "no mark at"
        screen.line((f"· {upto} {path_text(mark.path)}, {mark.tokens:,} tokens: {harmless(mark.reason)}", "dim"))
    screen.blank()
    for line in _lines(found):
        screen.line(line)


def _print_left_out(screen: Screen, found: Payload) -> None:
    """A line for each step that left messages of the conversation out, with its reason."""
    for group in found.trace.result.dropped:
        many = counted(len(group.drafts), "message")
        reason = group.cause.reason or group.cause.rule
        screen.line((f"! {many} left out by {group.cause.processor}: {harmless(reason)}", "warn"), hang=2)
    lore = found.trace.result.report(LoreScan)
    for one in lore.decisions if lore is not None else ():
        if one.gate == "budget":
            title = one_line(one.title, cells=40)
            screen.line((f"! lore {title} left out by the budget of lore: {harmless(one.reason)}", "warn"), hang=2)


def _size(found: Payload) -> str:
    cost = found.cost()
    words = [counted(found.tokens, "token"), "no JSON" if found.size is None else f"{found.size:,} bytes"]
    if cost.input_usd is not None:
        words.append(f"US$ {cost.input_usd:.4f} in")
    if cost.most_usd is not None:
        words.append(f"at most US$ {cost.most_usd:.4f}")
    return ", ".join(words)


def _lines(found: Payload) -> Iterator[str]:
    """The body with its long texts shortened, and beside each message's values which message they are."""
    text = json.dumps(_shortened(found.as_data()["body"]), ensure_ascii=False, indent=2)
    yield from map(harmless, text.split("\n"))


def _shortened(value: Any) -> Any:
    match value:
        case str() if len(value) > LONGEST_VALUE:
            return f"{one_line(value, cells=LONGEST_VALUE)} ({len(value):,} characters)"
        case dict():
            return {key: _shortened(item) for key, item in value.items()}
        case list():
            return [_shortened(item) for item in value]
        case _:
            return value

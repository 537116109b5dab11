"""`ctxlab render`: the text that a model reads of a build, and what its template does to the messages."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

from ctxlab.cli.commands.build import print_json
from ctxlab.cli.output.terminal import Screen, harmless
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.rendering import RenderedPrompt, TextAnswer, rendered
from ctxlab.secrets import masked

if TYPE_CHECKING:
    from pathlib import Path

    from ctxlab.cli.inputs.files import Inputs
    from ctxlab.rendering.server import ServedPrompt

REFUSED = 3
"""Exit code where the template or the server refuses the messages."""
NOWHERE = 1
"""Exit code where words that were asked for are and were nowhere."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The part of a rendering to print: the answer on a text or a key, else all of it; with tokens, as JSON."""

    why: str | None = None
    tokens: bool = False
    as_json: bool = False


def print_rendered(inputs: Inputs, template: Path, given: dict[str, Any], asked: Asked) -> int:
    """The text and what the template does, or an answer; a refusal gives the exit code 3."""
    found = rendered(inputs.trace(), template, **given)
    if asked.why is not None:
        return _print_answer(inputs, found.why(asked.why), as_json=asked.as_json)
    inputs.announce()
    if asked.as_json:
        data = found.as_data()
        print_json(data if asked.tokens else {**data, "tokens": None})
    else:
        _print_text(Screen(), found, tokens=asked.tokens)
    is_refused = found.served is not None and found.served.outcome == "refused"
    return REFUSED if found.rendered is None or is_refused else 0


def _print_answer(inputs: Inputs, answer: TextAnswer, *, as_json: bool) -> int:
    inputs.announce()
    if as_json:
        print_json(answer.as_data())
    else:
        screen = Screen()
        for sentence in answer.sentences:
            screen.line(harmless(masked(sentence)), hang=2)
    return 0 if answer.is_known else NOWHERE


def _print_text(screen: Screen, found: RenderedPrompt, *, tokens: bool) -> None:
    if found.rendered is not None:
        for line in masked(found.text).split("\n"):
            screen.line(harmless(line))
        screen.blank()
        size = f"{counted(len(found.text), 'character')} of {counted(len(found.trace.result.drafts), 'message')}"
        screen.line((f"{size}, as {found.engine} renders them with {plain(found.template.name, 60)}", "strong"))
    if tokens and found.rendered is not None:
        screen.line(_tokens(found))
    for effect in found.effects:
        style = "warn" if effect.kind in ("refused", "dropped", "cut", "moved") else "dim"
        screen.line((f"{effect.kind:<10} ", style), plain(effect.sentence, 1_000))
        if effect.remedy is not None:
            settings = " ".join(
                f"--set {quote(f'{name}={_value(value)}')}" for name, value in effect.remedy.settings.items()
            )
            screen.line((f"{'':<10} → {plain(effect.remedy.sentence, 200)} {harmless(settings)}", "dim"))
        elif effect.advice:
            screen.line((f"{'':<10} → {plain(effect.advice, 200)}", "dim"))
    if found.typed_parts_help:
        screen.line("With messages as lists of typed parts the template carries them all, in order: --typed-parts")
    if found.rendered is not None and not found.effects:
        screen.line("The template carries every message, in order.")
    if found.served is not None:
        _print_served(screen, found.served)


def _print_served(screen: Screen, served: ServedPrompt) -> None:
    screen.blank()
    screen.line((plain(served.sentence, 1_000), "dim" if served.outcome == "whole" else "warn"), hang=2)
    for cut in served.cuts:
        screen.line(("cut        ", "warn"), plain(cut.sentence, 1_000))
    for remedy in served.remedies:
        settings = " ".join(
            f"--set {quote(f'{name}={_value(value)}')}" for name, value in (remedy.settings or {}).items()
        )
        screen.line((f"{'':<10} → {plain(remedy.sentence, 300)} {harmless(settings)}".rstrip(), "dim"))
    facts = served.server.facts
    screen.line((f"as {facts.title} {facts.version} does, {facts.date}", "dim"))


def _tokens(found: RenderedPrompt) -> str:
    if found.tokens is None:
        return (
            "Its vocabulary isn't at hand, so that its tokens can't be counted; name the model's folder as --template."
        )
    sources = ", ".join(f"{name} {count:,}" for name, count in found.budget().items())
    return f"{counted(found.tokens, 'token')} by the model's own vocabulary: {sources}"


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

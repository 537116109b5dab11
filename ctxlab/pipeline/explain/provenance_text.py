"""Provenance in words: the writer of some characters (macro, rule, lore), and the text that they replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ctxlab.context import Cause, Origin, Span
from ctxlab.display.short_texts import short
from ctxlab.lazy_dataclass import dataclass

Lead = Literal["", "in place of", "with"]


@dataclass(frozen=True, slots=True)
class ProvenanceLine:
    """One line of a span's provenance: its characters, their writer and the rule that put them there, in words.

    `lead` is its relation to the line above: `in place of` it is the text that the line above replaced, `with` it is a
    part of that text which a rule had put there.
    """

    depth: int
    lead: Lead
    text: str
    words: str
    was_put: bool

    def __str__(self) -> str:
        return f"{'  ' * self.depth}{self.lead}{' ' if self.lead else ''}{_shown(self.text)} {self.words}"


def provenance_lines(span: Span, *, indent: int = 0) -> Iterator[str]:
    """Lines with the writer of a span, its rule, and the text that it replaced, the oldest innermost."""
    pad = "  " * indent
    yield from (f"{pad}{line}" for line in span_provenance(span))


def span_provenance(span: Span, *, depth: int = 0, lead: Lead = "") -> Iterator[ProvenanceLine]:
    """A span's provenance as a tree: the replaced text is below it, with the parts that were put into that."""
    yield ProvenanceLine(depth, lead, span.text, written_by(span), span.cause is not None)
    yield from _replaced_by(span, depth + 1)


def _replaced_by(span: Span, depth: int) -> Iterator[ProvenanceLine]:
    was = span.was
    if len(was) == 1:
        yield from span_provenance(was[0], depth=depth, lead="in place of")
    if len(was) < 2:
        return
    own = [part for part in was if part.cause is None] or was
    writers = " and ".join(dict.fromkeys(_origin(part.origin) for part in own))
    yield ProvenanceLine(depth, "in place of", "".join(part.text for part in was), f"from {writers}", was_put=False)
    for part in was:
        if part.cause is not None:
            yield from span_provenance(part, depth=depth + 1, lead="with")


def written_by(span: Span) -> str:
    """The writer of a span and the rule that put it there, in words.

    For example: from macro {{char}}, which stood at character 8, substitute phase.
    """
    origin, cause = span.origin, span.cause
    if cause is None:
        return f"from {_origin(origin)}"
    if cause.words and not cause.rewrites and origin.kind == "macro":
        return f"from {done_by(cause)}"
    if cause.quotes:
        because = f", because {cause.reason}" if cause.reason else ""
        return f"from {_origin(origin)} “{cause.rule}”{because}"
    if cause.rewrites:
        return f"from {_origin(origin)}, rewritten by {done_by(cause)}"
    return f"from {_origin(origin)}, put there by {cause}"


def done_by(cause: Cause) -> str:
    """A cause as the doer of something: `macro {{char}}, which stood at character 8`, else as it is written."""
    return cause.words or str(cause)


def _origin(origin: Origin) -> str:
    return f"{origin.kind} {origin.ref}".strip()


def _shown(text: str) -> str:
    return repr(short(text, 60))

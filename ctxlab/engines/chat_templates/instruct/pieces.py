"""Pieces of a text that is being put together: characters of a message, or of the preset itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxlab.context import Origin, Span, Text
from ctxlab.engines.chat_templates.rendered_text import Stretch
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of one field of one message; `message` is None of the preset's own. `offset` is their place there."""

    text: Text
    message: int | None = None
    field: str = "template"
    offset: int = 0

    def __str__(self) -> str:
        return str(self.text)

    def cut(self, start: int, end: int) -> Piece:
        """The characters from `start` up to `end`."""
        return Piece(self.text.cut(start, end), self.message, self.field, self.offset + start)

    def without(self, characters: str, *, front: bool = False, back: bool = False) -> Piece:
        """Without some characters at its ends."""
        words = str(self)
        start = len(words) - len(words.lstrip(characters)) if front else 0
        end = len(words.rstrip(characters)) if back else len(words)
        return self.cut(start, max(start, end))


def plain(pieces: Iterable[Piece]) -> str:
    """Their characters alone."""
    return "".join([str(piece) for piece in pieces])


def ends_line(pieces: Sequence[Piece]) -> bool:
    """Whether the last character is a line feed."""
    return next((str(piece).endswith("\n") for piece in reversed(pieces) if piece.text), False)


def trimmed(pieces: Sequence[Piece], characters: str, *, front: bool = False, back: bool = False) -> list[Piece]:
    """Without some characters at the ends of all of them together."""
    found = [piece for piece in pieces if piece.text]
    while front and found:
        found[0] = found[0].without(characters, front=True)
        if found[0].text:
            break
        del found[0]
    while back and found:
        found[-1] = found[-1].without(characters, back=True)
        if found[-1].text:
            break
        del found[-1]
    return found


def as_text(pieces: Iterable[Piece]) -> tuple[Text, tuple[Stretch, ...]]:
    """One text of them, and which message each stretch of it is of."""
    spans: list[Span] = []
    stretches: list[Stretch] = []
    at = 0
    for piece in pieces:
        size = len(piece.text)
        if not size:
            continue
        spans += piece.text.spans
        last = stretches[-1] if stretches else None
        goes_on = last is not None and (last.message, last.field) == (piece.message, piece.field)
        if last is not None and goes_on and (piece.message is None or last.offset + at - last.start == piece.offset):
            stretches[-1] = last._replace(end=at + size)
        else:
            offset = 0 if piece.message is None else piece.offset
            stretches.append(Stretch(at, at + size, piece.message, piece.field, offset))
        at += size
    return Text(spans), tuple(stretches)


def own(text: str, origin: Origin) -> Piece:
    """Characters of the preset."""
    return Piece(Text.of(text, origin))

"""The text that a template makes of messages, and which message each stretch of it is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from ctxlab.context import Text
from ctxlab.lazy_dataclass import dataclass

Engine = Literal["transformers", "llama.cpp", "sillytavern"]


class Stretch(NamedTuple):
    """Characters `start` up to `end` of a rendered text that are of one thing.

    `message` is the position of a message among those that were handed in, None of the template's own characters and
    of the definitions of tools. `field` names what of the message it is: `content`, `reasoning`, `calls`, `name`,
    `role`; without a message `template`, `special` or `tools`. `offset` is the place of the first character in that
    field's text; characters that are written otherwise there, such as escapes, are as many as here.
    """

    start: int
    end: int
    message: int | None
    field: str
    offset: int = 0


class LostText(NamedTuple):
    """A text that the template writes and its engine loses, by a tag in a `line`.

    `messages` are the positions of those that it has words of.
    """

    text: str
    line: int
    messages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RenderedText:
    """A rendered text with the origin of each character.

    `traced` is whether the origins were followed; else all of the text is the template's. `engine` is the program
    whose rendering it is: `transformers`, `llama.cpp` or `sillytavern`. `lost` is what the template wrote that isn't
    in the text, by no wish of its own.
    """

    text: Text
    stretches: tuple[Stretch, ...]
    template: str
    engine: Engine
    traced: bool = True
    lost: tuple[LostText, ...] = ()


def cut(rendered: RenderedText, start: int, end: int) -> RenderedText:
    """The characters `start` up to `end` of a rendered text."""
    kept = [
        Stretch(
            max(each.start, start) - start,
            min(each.end, end) - start,
            each.message,
            each.field,
            each.offset + max(0, start - each.start),
        )
        for each in rendered.stretches
        if each.end > start and each.start < end
    ]
    return replace(rendered, text=rendered.text.cut(start, end), stretches=tuple(kept))


def joined(parts: Sequence[RenderedText]) -> RenderedText:
    """Rendered texts behind each other, the first of which says how they were rendered."""
    stretches: list[Stretch] = []
    at = 0
    for part in parts:
        stretches += [each._replace(start=each.start + at, end=each.end + at) for each in part.stretches]
        at += len(part.text)
    text = Text(span for part in parts for span in part.text.spans)
    return replace(parts[0], text=text, stretches=tuple(stretches), traced=all(part.traced for part in parts))

"""The text that a template makes of messages, and which message each stretch of it is of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ctxlab.context import Text

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


@dataclass(frozen=True, slots=True)
class RenderedText:
    """A rendered text with the origin of each character.

    `traced` is whether the origins were followed; else all of the text is the template's. `engine` is the program
    whose rendering it is: `transformers`, `llama.cpp` or `sillytavern`.
    """

    text: Text
    stretches: tuple[Stretch, ...]
    template: str
    engine: Engine
    traced: bool = True

"""Break up a model's markup where it stands in the words of messages."""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic import Field

from ctxlab.context import Cause, Context, Edit, Text
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.pipeline import Processor, ProcessorSettings, Services

ID = "break-markup"
CAUSE = Cause(ID, "markup-in-words", "a server that reads markup in messages would take it for the template's own")
MARKUP = lazy_pattern(r"<[|｜][^<>|｜\s]{1,60}[|｜]>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>")
"""Markup of chat templates by its form, such as `<|im_end|>`."""


class BreakMarkup(Processor):
    """Put a blank into a model's markup in the words of messages, so that it is read as words."""

    id = ID
    name = "Markup in words"
    description = "Puts a blank behind the first character of a model's markup where messages have it in their words."
    priority = 390
    default_enabled = False
    needs = ("history",)

    class Settings(ProcessorSettings):
        marks: str = Field(
            "",
            title="Markup",
            description="Texts to break up, with blanks between them, such as <|im_end|>; else all that looks so.",
        )

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        marks = tuple(sorted({mark for mark in self.settings.marks.split() if len(mark) > 1}))
        return ctx.edit(lambda draft: draft.edit_text(lambda text: _broken(text, marks)))


def _broken(text: Text, marks: tuple[str, ...]) -> Text:
    """The text with a blank in each mark; one that is left where two overlapped is broken up in the next round."""
    while edits := [Edit(at, at, " ", CAUSE) for at in _places(str(text), marks)]:
        text = text.splice(edits)
    return text


def _places(text: str, marks: tuple[str, ...]) -> list[int]:
    if marks and not any(mark in text for mark in marks):
        return []
    return [found.start() + 1 for found in (_any_of(marks) if marks else MARKUP).finditer(text)]


@lru_cache(maxsize=16)
def _any_of(marks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, marks)))

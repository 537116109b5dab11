"""Example dialogue of a card or of lore as messages: blocks, and in each a message for every speaker's turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from ctxlab.context import Text
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.processors.injection.one_message import trimmed

START = "<START>"
STARTS = lazy_pattern(START, re.IGNORECASE)
USER, CHARACTER = "example_user", "example_assistant"
"""Names under which SillyTavern sends examples."""


@dataclass(frozen=True, slots=True)
class ExampleTurn:
    """The words of one speaker in an example; `name` is the speaker's."""

    speaker: str
    name: str
    text: Text


@dataclass(frozen=True, slots=True)
class ExampleBlock:
    """An example dialogue: its turns, and the words that no speaker says."""

    turns: tuple[ExampleTurn, ...] = ()
    unspoken: Text = field(default_factory=Text)


@dataclass(frozen=True, slots=True)
class Speakers:
    """Names by which lines are told apart; `members` are those of a group."""

    user: str
    character: str
    members: tuple[str, ...] = ()

    def is_user(self, line: str) -> bool:
        return line.startswith(f"{self.user}:")

    def is_character(self, line: str) -> bool:
        return any(line.startswith(f"{name}:") for name in (self.character, *self.members))

    def called(self, line: str, before: str) -> str:
        """The name of the character that this line begins; the one before where it is the speaking character's own."""
        if line.startswith(f"{self.character}:") or not self.members:
            return before
        return line.partition(":")[0]


def example_blocks(text: Text, speakers: Speakers) -> Iterator[ExampleBlock]:
    """The blocks between `<START>` lines; what stands before the first one is a block too."""
    text = trimmed(text)
    words = str(text)
    if not words or words == START:
        return
    marks = list(STARTS.finditer(words))
    starts = [mark.end() for mark in marks]
    ends = [*(mark.start() for mark in marks), len(words)]
    if words.startswith(START):  # only this spelling begins the text; another one leaves an empty block before it
        ends = ends[1:]
    else:
        starts = [0, *starts]
    for start, end in zip(starts, ends, strict=True):
        yield _block(trimmed(text.cut(start, end)), speakers)


def _block(text: Text, speakers: Speakers) -> ExampleBlock:
    """Lines up to the next speaker's are one turn; those before the first speaker go to that one."""
    turns: list[ExampleTurn] = []
    begin, at = 0, 0
    role, character = "", speakers.character
    for line in str(text).split("\n"):
        now = USER if speakers.is_user(line) else CHARACTER if speakers.is_character(line) else role
        if role and now != role:
            turns.append(_turn(text.cut(begin, at), role, speakers.user if role == USER else character))
            begin = at
        if now == CHARACTER and speakers.is_character(line) and not speakers.is_user(line):
            character = speakers.called(line, character)
        role = now
        at += len(line) + 1
    rest = text.cut(begin, len(text))
    if not role:
        return ExampleBlock((), rest)
    return ExampleBlock((*turns, _turn(rest, role, speakers.user if role == USER else character)))


def _turn(text: Text, role: str, name: str) -> ExampleTurn:
    """The words without the first mention of the speaker's name before a colon, and without blanks around them."""
    before, mark, after = str(text).partition(f"{name}:")
    if mark:
        kept = (*text.cut(0, len(before)).spans, *text.cut(len(text) - len(after), len(text)).spans)
        text = Text(kept)
    return ExampleTurn(role, name, trimmed(text))

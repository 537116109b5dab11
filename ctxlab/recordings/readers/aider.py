"""Aider's chat histories (Markdown) as requests: one for each answer; `####` is the user, `>` the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ctxlab.display.short_texts import counted
from ctxlab.errors import BrokenFile
from ctxlab.formats.requests.blocks import Data
from ctxlab.formats.requests.reply_usage import NO_USAGE, RecordedUsage
from ctxlab.formats.results import Loss
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.recordings.builder import START, RecordingBuilder

PROGRAM: Final = "Aider"
USER: Final = "#### "
NOTE: Final = "> "
ASKED: Final = lazy_pattern(r"^#### ", re.MULTILINE)
BEGUN: Final = "# aider chat started at "
PAGE: Final = lazy_pattern(r'^(?:</div>\s*$|<div class="chat-transcript")', re.MULTILINE)
"""Lines of a web page that a history was put on."""
PICTURE: Final = lazy_pattern(r"!\[[^]]*\]\([^)]*\)\s*$")
COMMAND: Final = lazy_pattern(r"/[a-z-]+(?:\s|$)")
TOKENS: Final = lazy_pattern(r"Tokens: ([\d.,]+)(k?) sent,(?:.*?,)? ([\d.,]+)(k?) received")


def is_history(place: Path) -> bool:
    """Whether a file is called Markdown and has a user's line of a history in it."""
    try:
        return place.suffix.lower() == ".md" and ASKED.search(place.read_text("utf-8")) is not None
    except (OSError, UnicodeDecodeError):
        return False


def read(place: Path, name: str, builder: RecordingBuilder) -> None:
    """The answers of a history. Raises BrokenFile for a file that is no UTF-8."""
    builder.program = PROGRAM
    try:
        text = place.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenFile(f"{name} can't be read: {error}") from None
    leaf, head, notes, commands = START, builder.head_of("openai-chat"), 0, 0
    pieces = [*_pieces(text)]
    for number, (role, words) in enumerate(pieces):
        if role == "begin":
            leaf = START
        elif role == "note":
            notes += 1
        else:
            message: Data = {"role": role, "content": words}
            if role == "assistant":
                after = pieces[number + 1][1] if number + 1 < len(pieces) and pieces[number + 1][0] == "note" else ""
                answer: Data = {"choices": [{"index": 0, "message": message}]}
                builder.request(leaf, head, usage=_usage(after), reply=answer)
            commands += role == "user" and COMMAND.match(words) is not None
            leaf = builder.add(leaf, (message,), "openai-chat", place=name)
    if notes:
        builder.losses.append(
            Loss("", f"{notes} notes of the program between messages, which it doesn't send; left out")
        )
    if commands:
        asked = counted(commands, "command")
        builder.losses.append(Loss("", f"{asked} of the user; what the program sent in its place isn't there"))
    builder.losses.append(Loss("", "the history has neither system text nor files, so that requests are not whole"))


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The runs of lines of one speaker; what stands before the first is the page that a history was put on."""
    lines: list[str] = []
    role = ""
    is_page = PAGE.search(text) is not None
    for line in text.splitlines():
        if is_page and (PAGE.match(line) or PICTURE.match(line)):
            continue
        now = _role_of(line, role)
        if now != role and (line.strip() or not role):
            yield from _piece(role, lines)
            role, lines = now, []
        lines.append(line)
    yield from _piece(role, lines)


def _role_of(line: str, before: str) -> str:
    """The speaker of a line; a page's own words before the first line of a speaker are nobody's."""
    if line.startswith(BEGUN):
        return "begin"
    if line.startswith(USER):
        return "user"
    if line.startswith(NOTE) or (line.startswith(">") and before != "assistant"):
        return "note"
    return before if not line.strip() or before in ("", "assistant") else "assistant"


def _piece(role: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    mark = {"user": USER, "note": NOTE}.get(role, "")
    words = "\n".join(line.removeprefix(mark).rstrip() for line in lines).strip()
    if role and (words or role == "begin"):
        yield role, words


def _usage(note: str) -> RecordedUsage:
    """The tokens that the program notes after an answer, in thousands where it says so."""
    found = TOKENS.search(note)
    if found is None:
        return NO_USAGE
    given, output = (_count(found[n], found[n + 1]) for n in (1, 3))
    return RecordedUsage(given, None, None, output)


def _count(digits: str, thousands: str) -> int | None:
    try:
        return round(float(digits.replace(",", "")) * (1000 if thousands else 1))
    except ValueError:
        return None

"""The log of a turn as a file of JSON lines, and the session that a broken off one gives."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import IO, Any, Final, cast

import orjson

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.event_json import event_data, event_from_data
from ctxlab.chat.events import Compressed, TurnCancelled, TurnEvent, TurnFailed, TurnFinished, TurnStarted
from ctxlab.chat.placed_turns import find_turn, is_turn, placed, split_turns, words_above
from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.errors import BrokenFile, CtxlabError, ReadError, Refused, WriteError

BROKEN_OFF: Final = "the program ended before the turn did"
LINE_START: Final = b'{"event":"'
"""The beginning of each line of a log."""


class EventLog:
    """A file to which events are added, each as a line that is there when the next thing happens."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser()
        try:
            self._file: IO[bytes] | None = self.path.open("ab+")
            self._end_broken_line(self._file)
        except (OSError, ValueError) as error:  # a path with NUL is no value
            raise WriteError(f"log {os.fspath(path)!r} can't be written: {reason(error)}") from error

    def __repr__(self) -> str:
        return f"EventLog({os.fspath(self.path)!r})"

    def add(self, event: TurnEvent) -> None:
        if self._file is not None:
            self._file.write(event_line(event))
            self._file.flush()

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    @staticmethod
    def _end_broken_line(file: IO[bytes]) -> None:
        """Begin a line of its own, where the last one was never ended."""
        if file.seek(0, os.SEEK_END) > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
                file.flush()


def event_line(event: TurnEvent) -> bytes:
    """The line of an event. Halves of characters and numbers of any size are kept as they are."""
    data = event_data(event)
    try:
        return orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # what that one doesn't write, such as a lone surrogate
        try:
            return json.dumps(_plain(data), separators=(",", ":")).encode() + b"\n"
        except (ValueError, RecursionError) as error:
            raise WriteError(f"an event {type(event).__name__} can't be written as JSON: {error}") from error


def reason(error: OSError | ValueError) -> str:
    """The words for why a file couldn't be opened."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _plain(value: Any) -> Any:
    """A value as JSON can have it: what is of another type becomes its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in cast("Sequence[Any]", value)]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


@checked_arguments
def read_events(path: str | os.PathLike[str]) -> tuple[TurnEvent, ...]:
    """The events of a log. A line that was broken off because its program ended is left out."""
    try:
        content = Path(path).expanduser().read_bytes()
    except (OSError, ValueError) as error:
        raise ReadError(f"{os.fspath(path)!r} can't be read: {reason(error)}") from error
    lines = content.split(b"\n")
    found: list[TurnEvent] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line, parse_constant=lambda name: None)
        except (ValueError, RecursionError) as error:
            ends = number == len(lines) or _starts_turn(lines[number])
            if ends and LINE_START.startswith(line[: len(LINE_START)]):
                continue
            raise BrokenFile(f"{os.fspath(path)}, line {number}: this is no JSON") from error
        try:
            found.append(event_from_data(data))
        except BrokenFile as error:
            raise BrokenFile(f"{os.fspath(path)}, line {number}: {error}") from None
    return tuple(found)


def _starts_turn(line: bytes) -> bool:
    return not line.strip() or b'"TurnStarted"' in line[:40]


@checked_arguments
def recover(session: Session, path: str | os.PathLike[str]) -> Session:
    """The session with the turns of a log that it doesn't have yet, of a program that ended in the middle of one.

    What came of the reply is kept and marked as failed. `session` is the one before the turn, or one with turns of the
    log: those that it has word for word are left out, and where an id is another message's, the turn gets a new one.
    Refuses the log of another session, and a turn on messages that aren't as they were.
    """
    used: set[str] = set()
    for turn in split_turns(read_events(path)):
        started = turn[0]
        if not isinstance(started, TurnStarted):
            raise BrokenFile(f"{os.fspath(path)} doesn't begin with the start of a turn")
        if started.session_id and started.session_id != session.id:
            raise Refused(f"{os.fspath(path)} is a log of session {started.session_id!r}, not of {session.id!r}")
        about = f"{counted(len(turn), 'event')} of {os.fspath(path)} don't fit session {session.id!r}"
        try:
            session, reply = _with_turn(session, turn, started, used)
        except CtxlabError as error:
            raise Refused(f"{about}: {error}") from error
        except (AttributeError, KeyError, TypeError, ValueError, AssertionError) as error:
            raise BrokenFile(f"{about}: a field has another form than in the log of a turn") from error
        used.add(reply)
    return session


def _with_turn(
    session: Session, turn: Sequence[TurnEvent], started: TurnStarted, used: set[str]
) -> tuple[Session, str]:
    """The session with one turn of a log, and the id of its first reply in there."""
    known = session.nodes.get(started.reply_id)
    if known is not None and known.status == "generating":
        raise Refused(f"it has the reply {known.id!r} begun and not ended; recover the session from before the turn")
    if known is not None and known.id not in used and is_turn(session, known.id, turn):
        return session, known.id
    parent = _parent(session, started)
    found = find_turn(session, parent, turn, used) if known is not None else None
    if found is not None:
        return session, found
    if any(isinstance(event, Compressed) for event in turn) and (known is not None or parent != started.parent):
        raise Refused(
            f"the id {started.reply_id!r} or {started.parent!r} is another message's, and the turn has a summary, "
            "which names messages by their ids; recover the session from before the turn"
        )
    ended = isinstance(turn[-1], TurnFinished | TurnCancelled | TurnFailed)
    after = placed(session, started, turn if ended else (*turn, TurnFailed(BROKEN_OFF)), parent)
    made = find_turn(after, parent, turn, {*used, *session.nodes})
    return after, made or started.reply_id


def _parent(session: Session, started: TurnStarted) -> str | None:
    """The message under which a turn of a log belongs: the one with its parent's id, or else with its words."""
    parent, words = started.parent, started.parent_words
    if not words or words_above(session, parent) == words:
        return parent
    found = [key for key in session.nodes if words_above(session, key) == words]
    if not found:
        raise Refused(f"the message {parent!r} on which the turn was begun isn't there, or its words are others")
    return found[-1]

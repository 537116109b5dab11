"""The log of a turn as a file of JSON lines, and the session that a broken off one gives."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

import orjson

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.event_json import event_data, event_from_data
from ctxlab.chat.events import TurnCancelled, TurnEvent, TurnFailed, TurnFinished, TurnStarted
from ctxlab.chat.fold import folded
from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.errors import BrokenFile, CtxlabError, ReadError, Refused, WriteError

BROKEN_OFF: Final = "the program ended before the turn did"


class EventLog:
    """A file to which events are added, each as a line that is there when the next thing happens."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser()
        try:
            self._file: IO[bytes] | None = self.path.open("ab+")
            self._end_broken_line(self._file)
        except OSError as error:
            raise WriteError(f"log {os.fspath(path)!r} can't be written: {error.strerror or error}") from error

    def __repr__(self) -> str:
        return f"EventLog({os.fspath(self.path)!r})"

    def add(self, event: TurnEvent) -> None:
        if self._file is not None:
            self._file.write(orjson.dumps(event_data(event), option=orjson.OPT_APPEND_NEWLINE))
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


@checked_arguments
def read_events(path: str | os.PathLike[str]) -> tuple[TurnEvent, ...]:
    """The events of a log. A line that was broken off because its program ended is left out."""
    try:
        content = Path(path).expanduser().read_bytes()
    except OSError as error:
        raise ReadError(f"{os.fspath(path)!r} can't be read: {error.strerror or error}") from error
    lines = content.split(b"\n")
    found: list[TurnEvent] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            if number == len(lines) or _starts_turn(lines[number]):
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

    What came of the reply is kept and marked as failed. `session` is the one before the turn, or one with whole turns
    of the log: those are left out.
    """
    for turn in _turns(read_events(path)):
        started = turn[0]
        if not isinstance(started, TurnStarted):
            raise BrokenFile(f"{os.fspath(path)} doesn't begin with the start of a turn")
        known = session.nodes.get(started.reply_id)
        if known is not None and known.status != "generating":
            continue
        if known is not None:
            raise Refused(
                f"session {session.id!r} has the reply {started.reply_id!r} of this log, begun and not ended; "
                "recover the session from before the turn"
            )
        ended = isinstance(turn[-1], TurnFinished | TurnCancelled | TurnFailed)
        try:
            session = folded(session, turn if ended else (*turn, TurnFailed(BROKEN_OFF)))
        except CtxlabError as error:
            about = f"{counted(len(turn), 'event')} of {os.fspath(path)} don't fit session {session.id!r}"
            raise Refused(f"{about}: {error}") from error
    return session


def _turns(events: Sequence[TurnEvent]) -> list[list[TurnEvent]]:
    found: list[list[TurnEvent]] = []
    for event in events:
        if isinstance(event, TurnStarted) or not found:
            found.append([])
        found[-1].append(event)
    return found

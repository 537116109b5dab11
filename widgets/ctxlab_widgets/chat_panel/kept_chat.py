"""The conversation of a chat, kept beside the file that it was read from, so that a restart goes on with it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

from ctxlab import formats
from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError

SUFFIX = ".chat.json"
FORMAT = "native"
MOST_BYTES = 400_000_000
"""A larger file isn't read."""

Stamp = tuple[int, int] | None


class Found(NamedTuple):
    """The conversation that is looked for in a file, None where it isn't there, and all others."""

    own: Session | None
    others: tuple[Session, ...]


class KeptChat:
    """One conversation in a file of its own, which is written whole; other conversations in it stay.

    What another program wrote there meanwhile is never written over. `begun` is the conversation as the chat was given
    it, `told` a sentence on what was found.
    """

    def __init__(self, path: Path, begun: Session) -> None:
        self.path, self.begun = path, begun
        self.told = ""
        self.problem = ""
        self.is_going_on = False
        self._lock = threading.Lock()
        self._written: Session = begun
        self._stamp: Stamp = None

    @classmethod
    def beside(cls, source: Path, begun: Session) -> KeptChat:
        """The place beside a file; of a file that is such a place itself it is that file."""
        name = source.name
        return cls(source if name.endswith(SUFFIX) else source.with_name(name + SUFFIX), begun)

    def take(self) -> Session:
        """The conversation to go on with: the one that was kept, else the one that the chat was given."""
        with self._lock:
            try:
                self._stamp = self._stamp_now()
                own = self._read().own
            except (CtxlabError, OSError) as problem:
                self.problem = f"{self.path.name} can't be read, so this conversation isn't kept: {problem}"
                return self.begun
        if own is None or own == self.begun:
            return self.begun
        self._written, self.is_going_on = own, True
        self.told = f"This goes on with {_messages(own)} kept in {self.path.name}."
        return own

    def keep(self, session: Session) -> str:
        """Write the conversation where it is another one than was written. Returns a sentence where that can't be."""
        with self._lock:
            if session.id != self.begun.id or session is self._written or self.problem:
                return ""
            try:
                now = self._stamp_now()
                found = self._read() if now is not None else Found(None, ())
                if now != self._stamp and found.own is not None and found.own != self._written:
                    return (
                        f"{self.path.name} was changed by another chat: this one is kept no longer, save it elsewhere"
                    )
                self._replace(session, found.others)
            except (CtxlabError, OSError) as problem:
                return f"the conversation isn't kept for a restart: {problem}"
            self._written = session
            return ""

    def put_aside(self) -> str:
        """Give the file of what was kept another name. Returns that name; empty where nothing was kept."""
        with self._lock:
            if self._stamp_now() is None:
                return ""
            stem = self.path.name.removesuffix(SUFFIX)
            number = 1
            while (aside := self.path.with_name(f"{stem}.{number}{SUFFIX}")).exists():
                number += 1
            self.path.rename(aside)
            self._written, self._stamp, self.problem = self.begun, None, ""
            self.told, self.is_going_on = "", False
            return aside.name

    def _replace(self, session: Session, others: tuple[Session, ...]) -> None:
        formats.write([*others, session] if others else session, self.path, format=FORMAT)
        self._stamp = self._stamp_now()

    def _read(self) -> Found:
        if self._stamp_now() is None:
            return Found(None, ())
        sessions = formats.read(self.path).sessions
        own = next((each for each in sessions if each.id == self.begun.id), None)
        return Found(own, tuple(each for each in sessions if each.id != self.begun.id))

    def _stamp_now(self) -> Stamp:
        """Time and size of the file; None where there is none. Raises CtxlabError for what is no plain file."""
        if not self.path.is_symlink() and not self.path.exists():
            return None
        if self.path.is_symlink() or not self.path.is_file():
            raise CtxlabError(f"{self.path.name} is no plain file")
        stat = self.path.stat()
        if stat.st_size > MOST_BYTES:
            raise CtxlabError(f"{self.path.name} has more than {MOST_BYTES:,} bytes")
        return stat.st_mtime_ns, stat.st_size


def _messages(session: Session) -> str:
    return counted(sum(not node.is_empty_root and not node.is_summary for node in session.path()), "message")

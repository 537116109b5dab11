"""Drafts: the text being typed into each conversation of a chat, and its place in a file or in a workspace."""

from __future__ import annotations

import threading
from typing import NamedTuple, Protocol

from ctxlab.documents import Asset


class KeepsDrafts(Protocol):
    """A place where drafts are kept: a file beside a session's, or a workspace."""

    def read(self, session_id: str, /) -> str: ...

    def write(self, session_id: str, text: str, /) -> str:
        """Keep a text, or take it out where it is empty. Returns a sentence where it can't be kept."""
        ...


class Draft(NamedTuple):
    """A text that is being typed, and the files that go with it."""

    text: str = ""
    files: tuple[Asset, ...] = ()

    def behind(self, texts: list[str], files: list[Asset]) -> Draft:
        """This draft with messages in front of it that were not sent."""
        own = [self.text] if self.text.strip() else []
        return Draft("\n\n".join([*(text for text in texts if text.strip()), *own]), (*files, *self.files))


class Drafts:
    """The drafts of one chat's conversations by id. Without a store they are kept as long as the chat lives.

    The file gets only what was changed here, so that chats on one file don't write over each other's drafts.
    """

    def __init__(self, store: KeepsDrafts | None) -> None:
        self._store = store
        self._left: dict[str, Draft] = {}
        self._kept: dict[str, str] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def take(self, conversation: str) -> Draft:
        """The draft of a conversation that is shown from now on."""
        with self._lock:
            left = self._left.pop(conversation, None)
            if left is not None or self._store is None:
                return left or Draft()
            self._kept[conversation] = self._store.read(conversation)
            return Draft(self._kept[conversation])

    def leave(self, conversation: str, draft: Draft) -> str:
        """Put a draft by until its conversation is shown again. Returns a sentence where the file can't have it."""
        problem = self.keep(conversation, draft.text)
        with self._lock:
            self._left[conversation] = draft
        return problem

    def keep(self, conversation: str, text: str) -> str:
        """Write a text that was changed into the file. Returns a sentence where that can't be."""
        with self._lock:
            if self._store is None or self._is_closed or self._kept.get(conversation, "") == text:
                return ""
            problem = self._store.write(conversation, text)
            if not problem:
                self._kept[conversation] = text
            return problem

    def close(self) -> None:
        """Write nothing more."""
        with self._lock:
            self._is_closed = True

"""Functions as models for chats, and a chat whose messages to the page are kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ctxlab import Library, Session
from ctxlab_widgets import ChatPanel

LONG = 20.0
"""Seconds after which a test that waits has failed."""


def because(messages: list[dict[str, Any]]) -> str:
    return "Because."


class HeldModel:
    """Gives its words one by one, and waits before each but the first until it is let go on."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.calls = 0

    def __call__(self, messages: list[dict[str, Any]]) -> Iterator[str]:
        self.calls += 1
        for n, word in enumerate(self.words):
            if n:
                assert self.go_on.wait(LONG)
            yield word
            self.begun.set()


class Page:
    """A chat with what it sends to its page."""

    def __init__(self, session: Session | Library | None = None, *args: Any, **options: Any) -> None:
        self.sent: list[tuple[dict[str, Any], Any]] = []
        self.sessions: list[Session] = []
        self.panel = ChatPanel(session if session is not None else chat(), *args, draft_wait_seconds=0.0, **options)
        self.panel.send = self._sent
        self.panel.observe(lambda change: self.sessions.append(change["new"]), "session")

    def _sent(self, content: dict[str, Any], buffers: Any = None) -> None:
        self.sent.append((content, buffers))

    def asks(self, command: str, *, buffers: Any = (), **fields: Any) -> str:
        """Send a command as the page does; what is refused comes back as the sentence."""
        self.panel._handle_custom_msg({"command": command, **fields}, list(buffers))
        return self.panel.error

    def done(self) -> Session:
        session = self.panel.wait(LONG)
        self.panel.rest(LONG)
        return session

    def shown(self, trait: str) -> Any:
        text = getattr(self.panel, trait)
        return json.loads(text) if text else None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as the page has them."""
        rows, delta = self.shown("view")["rows"], self.shown("delta")
        return [*rows[: delta["start"]], *delta["rows"], *rows[delta["end"] :]] if delta else rows

    def row(self, key: str) -> dict[str, Any]:
        return next(row for row in self.rows if row["key"] == key)

    @property
    def pieces(self) -> list[dict[str, Any]]:
        return [content for content, _ in self.sent if content.get("kind") == "pieces"]


def chat() -> Session:
    session = Session(id="s").append("", role="system", id="root")
    session = session.append("Hello, 沈砚.", id="u1").append("Good evening.", role="assistant", id="a1")
    return session.append("Who keeps the light?", id="u2").append("I do.", role="assistant", id="a2")


def until(page: Page, is_so: Callable[[], bool]) -> None:
    """Wait until something is so that the chat's threads bring about."""
    end = threading.Event()
    for _ in range(int(LONG / 0.01)):
        if is_so():
            return
        end.wait(0.01)
    raise AssertionError("it never came about")

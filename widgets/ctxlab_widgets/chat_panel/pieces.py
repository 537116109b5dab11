"""The pieces of a running turn, joined so that one message goes to the page in a while and none waits longer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

INTERVAL = 0.016
"""Seconds between two messages to the page: a frame of its screen."""


class PieceSender:
    """Sends what was added, joined: at once where nothing went out for `interval` seconds, else when they are over.

    `send` gets one message at a time and is called in a thread of its own, never under a lock of a caller.
    """

    def __init__(self, send: Callable[[dict[str, Any]], object], *, interval: float = INTERVAL) -> None:
        self._send, self._interval = send, interval
        self._condition = threading.Condition()
        self._text: list[str] = []
        self._thought: list[str] = []
        self._fields: dict[str, Any] = {}
        self._is_waiting = self._is_sending = self._is_closed = False
        self._thread: threading.Thread | None = None

    def add(self, *, text: str = "", thought: str = "", **fields: Any) -> None:
        """Add to the next message: pieces are joined, of other fields the newest counts."""
        with self._condition:
            if self._is_closed:
                return
            self._text += [text] if text else []
            self._thought += [thought] if thought else []
            self._fields |= fields
            self._is_waiting = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="ctxlab-chat-pieces", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def flush(self) -> None:
        """Wait until everything that was added has gone out."""
        with self._condition:
            self._condition.wait_for(lambda: self._is_closed or not (self._is_waiting or self._is_sending))

    def close(self) -> None:
        """Send nothing more."""
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()

    def _run(self) -> None:
        last = -self._interval
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._is_waiting or self._is_closed)
                self._condition.wait_for(lambda: self._is_closed, timeout=max(0.0, last + self._interval - monotonic()))
                if self._is_closed:
                    return
                message = {"text": "".join(self._text), "thought": "".join(self._thought), **self._fields}
                self._text, self._thought, self._fields = [], [], {}
                self._is_waiting, self._is_sending = False, True
            last = monotonic()
            is_sent = False
            try:
                self._send(message)
                is_sent = True
            finally:  # where nothing can be sent, nobody is to wait for it
                with self._condition:
                    self._is_sending, self._is_closed = False, self._is_closed or not is_sent
                    self._condition.notify_all()

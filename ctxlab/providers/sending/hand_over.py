"""Items that one thread reads, handed to another, which may stop waiting for it at any time."""

from __future__ import annotations

import socket
import threading
from collections import deque
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class HandOver(Generic[T]):
    """A queue between two threads that either may close: nothing is put in afterwards, and nobody waits any more."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._changed = threading.Condition()
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    def put(self, item: T) -> bool:
        """Hand over an item; False where nobody takes it any more."""
        with self._changed:
            if not self._closed:
                self._items.append(item)
                self._changed.notify_all()
            return not self._closed

    def take(self, seconds: float) -> T | None:
        """The next item; None when none came in these seconds, or when it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._closed, seconds)
            return self._items.popleft() if self._items and not self._closed else None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._items.clear()
            self._changed.notify_all()


class Line:
    """The socket of a request, once it has one: hanging up ends a read that waits in another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: Any = None
        self._hung_up = False

    def connected(self, stream: Any) -> None:
        """Take the socket of a network stream of httpx; from then on `hang_up` reaches it."""
        take = getattr(stream, "get_extra_info", None)
        with self._lock:
            self._socket = take("socket") if callable(take) else None
            if self._hung_up:
                self._shut_down()

    def released(self) -> None:
        """The socket is somebody else's now."""
        with self._lock:
            self._socket = None

    def hang_up(self) -> None:
        with self._lock:
            self._hung_up = True
            self._shut_down()

    def _shut_down(self) -> None:
        if isinstance(self._socket, socket.socket):
            try:
                # Not the method of a TLS socket, which would take its state from under the thread that reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            except OSError:  # it is closed already
                self._socket = None

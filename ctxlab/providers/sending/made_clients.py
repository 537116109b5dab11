"""Clients that ctxlab makes for its own requests, and who gets to know of each before it is used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

Listener = Callable[[Any], None]
_listeners: tuple[Listener, ...] = ()
_lock = threading.Lock()


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Have a function called with every client of HTTP that is made for a request, in any thread, during a block."""
    global _listeners
    with _lock:
        _listeners = (*_listeners, listener)
    try:
        yield
    finally:
        with _lock:
            _listeners = tuple(each for each in _listeners if each is not listener)


def announce(client: Any) -> None:
    """Tell all who listen of a client."""
    for listener in _listeners:
        listener(client)

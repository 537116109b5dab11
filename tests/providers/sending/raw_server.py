"""A server that sends bytes as they are written down, for answers that no vendor's fake gives."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self


def answer(body: bytes, *, status: str = "200 OK", kind: str = "application/json", **headers: str) -> bytes:
    """An HTTP answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def head(kind: str = "text/event-stream") -> bytes:
    """The beginning of an answer that ends when the connection does."""
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode()


class RawServer:
    """Gives each connection the next of some answers, and ends it.

    A `silent` one keeps the connection and says no more; one that is `deaf` answers before it reads a request.
    """

    def __init__(self, *answers: bytes, silent: bool = False, deaf: bool = False) -> None:
        self._deaf = deaf
        self.answers: Sequence[bytes] = answers
        self.requests: list[bytes] = []
        self._silent = silent
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._listener.close()

    def _serve(self) -> None:
        for one in self.answers:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                if not self._deaf:
                    self.requests.append(request_of(connection))
                connection.sendall(one)
                if self._silent:
                    self._closing.wait(60)
        self._listener.close()


def request_of(connection: socket.socket) -> bytes:
    """A request with its body."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += connection.recv(65536)
    beginning, _, body = found.partition(b"\r\n\r\n")
    sizes = [line.split(b":")[1] for line in beginning.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while len(body) < int(sizes[0]):
        body += connection.recv(65536)
    return beginning + b"\r\n\r\n" + body

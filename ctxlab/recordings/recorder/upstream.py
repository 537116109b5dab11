"""A request to the endpoint, as it came, over a connection of its own; redirects are answers like any other."""

from __future__ import annotations

import http.client
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.recorder.headers import Pairs

CONNECT_SECONDS: Final = 30.0
MOST_AT_ONCE: Final = 65_536


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The only server that is contacted: scheme, host, port, and the path that stands before every other."""

    scheme: str
    host: str
    port: int | None
    path: str

    @property
    def origin(self) -> str:
        """The address without a path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{f':{self.port}' if self.port else ''}"


def endpoint_of(address: str) -> Endpoint:
    """The endpoint of an address, such as https://api.openai.com/v1; raises WrongArgument for one that is none."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise WrongArgument(f"the endpoint {address!r} is no address: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise WrongArgument(f"the endpoint {address!r} is no address; it begins with https:// or http://")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise WrongArgument("the endpoint takes no user, query or fragment; keys come with the requests")
    if not (address.isascii() and address.isprintable()) or " " in address:
        raise WrongArgument("the endpoint has a character that no address has")
    return Endpoint(parts.scheme, host, port, parts.path.rstrip("/"))


class Upstream:
    """One request and its answer. `abort` ends it from any thread."""

    def __init__(self, endpoint: Endpoint, *, stall_seconds: float) -> None:
        self._endpoint = endpoint
        self._stall_seconds = stall_seconds
        self._line: socket.socket | None = None
        self._aborted = threading.Event()
        self._connection = _connection(endpoint)

    def connect(self) -> None:
        """Reach the endpoint; raises OSError where it can't be."""
        self._connection.connect()
        line: socket.socket = self._connection.sock
        line.settimeout(self._stall_seconds)
        with suppress(OSError):
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._line = line
        if self._aborted.is_set():
            self.abort()

    def send(self, method: str, target: str, headers: Pairs, content: bytes) -> http.client.HTTPResponse:
        """The head of the answer. Raises OSError and HTTPException."""
        connection = self._connection
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", urlsplit(self._endpoint.origin).netloc)
        for name, value in headers:
            connection.putheader(name, value.encode("latin-1", "replace"))
        connection.endheaders(content or None)
        return connection.getresponse()

    def abort(self) -> None:
        """Hang up: whoever reads gets an error or an end."""
        self._aborted.set()
        if self._line is not None:
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()


def _connection(endpoint: Endpoint) -> http.client.HTTPConnection:
    if endpoint.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(endpoint.host, endpoint.port, timeout=CONNECT_SECONDS, context=context)
    return http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=CONNECT_SECONDS)


class BrokenOff(OSError):
    """The endpoint ended in the middle of its answer."""


def pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The bytes of an answer's body as they come. Raises BrokenOff, TimeoutError, OSError and HTTPException."""
    length = response.length
    got = 0
    while piece := response.read1(MOST_AT_ONCE):
        got += len(piece)
        yield piece
    if length is not None and got < length:
        raise BrokenOff(f"the endpoint sent {got:,} of {length:,} bytes")


class HangUpWatch:
    """Calls `gone` when the other side of a socket hangs up; ends with the block."""

    def __init__(self, line: socket.socket, gone: threading.Event, upstream: Upstream) -> None:
        self._line, self._gone, self._upstream = line, gone, upstream
        self._wake, self._sleeper = socket.socketpair()
        self._thread = threading.Thread(target=self._watch, name="ctxlab-record-watch", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._wake.close()
        self._thread.join()
        self._sleeper.close()

    def _watch(self) -> None:
        try:
            ready, _, _ = select.select([self._line, self._sleeper], [], [])
            if self._sleeper not in ready and not self._line.recv(1, socket.MSG_PEEK):
                self._gone.set()
                self._upstream.abort()
        except (OSError, ValueError):  # reset, or closed already
            self._gone.set()
            self._upstream.abort()

"""One connection of a program: each request goes to the endpoint, its answer comes back as it comes."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Final, Protocol

from ctxlab.recordings.recorder.bodies import readable_only
from ctxlab.recordings.recorder.exchange_log import ExchangeLog, OpenExchange
from ctxlab.recordings.recorder.headers import Pairs, end_to_end
from ctxlab.recordings.recorder.raw_exchange import Ending
from ctxlab.recordings.recorder.request_body import request_body
from ctxlab.recordings.recorder.upstream import BrokenOff, Endpoint, HangUpWatch, Upstream, pieces

_METHODS: Final = frozenset({f"do_{name}" for name in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")})
_OURS: Final = frozenset({"host", "content-length", "expect"})
"""Headers that go by the connection to the endpoint, or that are answered here."""
_WITHOUT_BODY: Final = frozenset({204, 304})


class _Shared(Protocol):
    routes: Mapping[str, Endpoint]
    log: ExchangeLog
    stall_seconds: float
    open_requests: int
    idle: threading.Condition


class _ClientGone(OSError):
    """The program that asked is gone."""


class ProxyHandler(BaseHTTPRequestHandler):
    """Reads a request whole, passes it on, and passes the answer back piece by piece."""

    protocol_version = "HTTP/1.1"
    server_version = "ctxlab-record"
    sys_version = ""
    timeout = 600
    disable_nagle_algorithm = True
    server: _Shared  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: addresses may hold keys."""

    def _pass_on(self) -> None:
        content = self._content()
        if isinstance(content, int):
            self._refuse(content, "the request's body can't be read")
            return
        found = self._endpoint()
        if found is None:
            names = ", ".join(prefix or "/" for prefix in self.server.routes)
            self._refuse(404, f"nothing is recorded at this path; it begins with one of: {names}")
            return
        endpoint, target = found
        with self._counted():
            headers = self._headers_to_send()
            exchange = self.server.log.begin(self.command, f"{endpoint.origin}{target}", self.headers.items(), content)
            try:
                self._exchange(exchange, endpoint, target, headers, content)
            finally:
                exchange.end("unknown", "the recorder failed")  # counts only where nothing else ended it

    def __getattr__(self, name: str) -> object:
        """`do_GET` and its kin: every method passes."""
        if name in _METHODS:
            return self._pass_on
        raise AttributeError(name)

    @contextmanager
    def _counted(self) -> Generator[None]:
        with self.server.idle:
            self.server.open_requests += 1
        try:
            yield
        finally:
            with self.server.idle:
                self.server.open_requests -= 1
                self.server.idle.notify_all()

    def _exchange(
        self, exchange: OpenExchange, endpoint: Endpoint, target: str, headers: Pairs, content: bytes
    ) -> None:
        upstream = Upstream(endpoint, stall_seconds=self.server.stall_seconds)
        gone = threading.Event()
        begun = False
        try:
            with HangUpWatch(self.connection, gone, upstream):
                try:
                    upstream.connect()
                except OSError as error:
                    self._failed(exchange, 502, *_unreached(error, endpoint, gone=gone.is_set()))
                    return
                response = upstream.send(self.command, target, headers, content)
                begun = True
                exchange.head(response.status, response.getheaders())
                self._answer(exchange, response, gone)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close_connection = True
            ended, sentence = _ending(error, exchange, self.server.stall_seconds, gone=gone.is_set())
            if begun:
                exchange.end(ended, sentence)
            else:
                self._failed(exchange, 504 if ended == "stalled" else 502, ended, sentence)
        finally:
            upstream.close()

    def _answer(self, exchange: OpenExchange, response: http.client.HTTPResponse, gone: threading.Event) -> None:
        headers = end_to_end(response.getheaders())
        has_body = self.command != "HEAD" and response.status not in _WITHOUT_BODY
        chunked = has_body and response.length is None
        if chunked and self.request_version == "HTTP/1.0":
            chunked, self.close_connection = False, True
        self._write_head(response.status, response.reason, headers, chunked=chunked)
        for piece in pieces(response) if has_body else ():
            exchange.piece(piece)
            self._write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if gone.is_set() and response.length is None and not _ended_itself(response):
            raise _ClientGone
        if chunked:
            self._write(b"0\r\n\r\n")
        exchange.end("whole")

    def _write_head(self, status: int, reason: str, headers: Pairs, *, chunked: bool) -> None:
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers)]
        lines += ["Transfer-Encoding: chunked"] if chunked else []
        lines += ["Connection: close"] if self.close_connection else []
        self._write("\r\n".join([*lines, "", ""]).encode("latin-1", "replace"))

    def _write(self, data: bytes) -> None:
        try:
            self.wfile.write(data)
        except OSError as error:
            raise _ClientGone from error

    def _failed(self, exchange: OpenExchange, status: int, ended: Ending, sentence: str) -> None:
        """Record that no answer came, and answer that in the place of the endpoint."""
        exchange.end(ended, sentence)
        if ended != "client":
            self._refuse(status, self.server.log.masked(sentence))

    def _refuse(self, status: int, sentence: str) -> None:
        self.close_connection = True
        body = json.dumps({"error": {"type": "ctxlab_record", "message": f"ctxlab record: {sentence}"}}).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        self._write_head(status, self.responses.get(status, ("Error",))[0], headers, chunked=False)
        self._write(b"" if self.command == "HEAD" else body)

    def _endpoint(self) -> tuple[Endpoint, str] | None:
        """The endpoint of a path and the path there; None for one that belongs to none, or for a whole address."""
        if not self.path.startswith("/"):
            return None
        for prefix, endpoint in self.server.routes.items():
            rest = self.path.removeprefix(prefix)
            if self.path.startswith(prefix) and rest[:1] in ("/", "?", ""):
                return endpoint, (f"{endpoint.path}{rest}" or "/")
        return None

    def _headers_to_send(self) -> Pairs:
        coded = [
            (name, readable_only(value) if name.lower() == "accept-encoding" else value)
            for name, value in end_to_end(self.headers.items())
            if name.lower() not in _OURS
        ]
        has_body = "content-length" in self.headers or "transfer-encoding" in self.headers
        return [*coded, ("Content-Length", str(self._size))] if has_body else coded

    _size = 0

    def _content(self) -> bytes | int:
        content = request_body(self.rfile, self.headers)
        self._size = len(content) if isinstance(content, bytes) else 0
        return content


def _ended_itself(response: http.client.HTTPResponse) -> bool:
    """Whether a body of chunks came to its last one."""
    return bool(response.chunked) and response.isclosed()


def _unreached(error: OSError, endpoint: Endpoint, *, gone: bool) -> tuple[Ending, str]:
    if gone:
        return "client", "the client hung up before the endpoint was reached"
    return "unreachable", f"{endpoint.origin} can't be reached: {error.strerror or error}"


def _ending(error: Exception, exchange: OpenExchange, stall_seconds: float, *, gone: bool) -> tuple[Ending, str]:
    """The end of an exchange by an error, and a sentence on it."""
    came = f"{exchange.size:,} bytes of the reply" if exchange.status is not None else "an answer"
    if gone or isinstance(error, _ClientGone):
        return "client", f"the client hung up {'after' if exchange.status is not None else 'before'} {came} had come"
    if isinstance(error, TimeoutError):
        return "stalled", f"the endpoint sent nothing for {stall_seconds:g} s after {came}" if exchange.size else (
            f"the endpoint sent nothing for {stall_seconds:g} s"
        )
    if isinstance(error, BrokenOff):
        return "broken", str(error)
    if isinstance(error, http.client.IncompleteRead | http.client.RemoteDisconnected | ConnectionError):
        return "broken", f"the endpoint hung up {'after' if exchange.status is not None else 'before'} {came}"
    if isinstance(error, OSError):
        return "broken", f"the connection to the endpoint broke: {error.strerror or type(error).__name__}"
    return "rubbish", f"the endpoint answered something that is no HTTP ({type(error).__name__})"

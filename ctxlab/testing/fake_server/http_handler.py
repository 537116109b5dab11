"""The HTTP of the fake server: bodies read whole, answers written whole or as chunks, slow or broken by script."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ctxlab.recordings.recorder.request_body import request_body
from ctxlab.testing.fake_server.exchange import Answered, Exchange

MALFORMED = b'data: {"broken": \n\n'


class LocalServer(ThreadingHTTPServer):
    """An HTTP server of this machine alone, with what its handlers share."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, port: int, exchange: Exchange, log: Callable[[str], None] | None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.exchange = exchange
        self.log = log
        self.closing = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing is printed when a client goes away in the middle of an answer; other errors are ours and raise."""
        import sys

        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    server_version = "ctxlab-fake"
    sys_version = ""
    timeout = 60
    server: LocalServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        self._take("POST")

    def do_GET(self) -> None:
        self._take("GET")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the line of a request comes from the exchange, which knows what is secret."""

    def _take(self, method: str) -> None:
        content = request_body(self.rfile, self.headers)
        if isinstance(content, int):
            self.close_connection = True
            self.send_error(content)
            return
        line, answered = self.server.exchange.take(method, self.path, dict(self.headers.items()), content)
        if self.server.log is not None:
            self.server.log(line)
        self._wait(answered.reply.delay_seconds)
        if answered.events is None:
            self._write_whole(answered)
        else:
            self._write_events(answered)

    def _wait(self, seconds: float) -> None:
        """So many seconds go by, or less when the server is closed."""
        if seconds > 0:
            self.server.closing.wait(seconds)

    def _head(self, answered: Answered, **headers: str) -> None:
        self.send_response(answered.status)
        for name, value in {**answered.headers, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def _write_whole(self, answered: Answered) -> None:
        reply, body = answered.reply, answered.body
        self._head(answered, content_type="application/json", content_length=str(len(body)))
        if reply.break_after is not None:
            self.wfile.write(body[: len(body) // 2])
            self._cut()
        elif reply.malformed_after is not None:
            self.wfile.write(body[: len(body) // 2].ljust(len(body)))
        else:
            self.wfile.write(body)

    def _write_events(self, answered: Answered) -> None:
        reply = answered.reply
        self._head(answered, content_type="text/event-stream; charset=utf-8", transfer_encoding="chunked")
        for number, one in enumerate(answered.events or ()):
            if reply.break_after == number:
                return self._cut()
            if reply.malformed_after == number:
                self._chunk(MALFORMED)
            self._wait(reply.pause_seconds)
            self._chunk(one)
        self._chunk(b"")
        return None

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def _cut(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

"""A recorder between a program and its endpoint: everything passes unchanged, and is written down."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.recordings.recorder.exchange_log import ExchangeLog
from ctxlab.recordings.recorder.proxy_handler import ProxyHandler
from ctxlab.recordings.recorder.upstream import Endpoint, endpoint_of

STALL_SECONDS: Final = 600.0


class ProxyServer(ThreadingHTTPServer):
    """An HTTP server of this machine alone, with what its handlers share."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, port: int, routes: Mapping[str, Endpoint], log: ExchangeLog, stall_seconds: float) -> None:
        super().__init__(("127.0.0.1", port), ProxyHandler)
        self.routes, self.log, self.stall_seconds = routes, log, stall_seconds
        self.open_requests = 0
        self.idle = threading.Condition()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing is printed when a client goes away; other errors are ours and raise."""
        import sys

        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class RecordingProxy:
    """Listens at 127.0.0.1, passes on what comes to the endpoint, and what it answers back, and records both.

    `to` is an address, or several by the beginning of their local path ({"/openai": "https://api.openai.com/v1"}); the
    local address stands in the place of each as it is. Nothing else is ever contacted, and redirects are passed on.
    Headers pass unchanged but those of one line (RFC 9110, 7.6.1), and of Accept-Encoding only what can be read here.
    An endpoint that sends nothing for `stall_seconds` is hung up on. `secrets` are masked in the file, as are all keys
    that requests bring.

    Raises WrongArgument for a wrong address, CtxlabError for a port that is taken, WriteError for a file that can't be
    written.
    """

    def __init__(
        self,
        to: str | Mapping[str, str],
        file: str | os.PathLike[str],
        *,
        port: int = 0,
        stall_seconds: float = STALL_SECONDS,
        program: str = "",
        secrets: Iterable[str] = (),
    ) -> None:
        if not 0 <= port <= 65_535:
            raise WrongArgument(f"port takes a number from 0 (any free one) to 65535, not {port}")
        if stall_seconds <= 0:
            raise WrongArgument(f"stall_seconds is more than 0, not {stall_seconds:g}")
        routes = {"": to} if isinstance(to, str) else dict(to)
        self._routes = {prefix: endpoint_of(address) for prefix, address in routes.items()}
        self.log = ExchangeLog(file, program=program, secrets=secrets)
        try:
            self._server = ProxyServer(port, self._routes, self.log, stall_seconds)
        except OSError as error:
            self.log.close()
            raise CtxlabError(f"port {port} can't be had: {error.strerror}; port 0 takes a free one") from error
        run = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="ctxlab-record", daemon=True)
        run.start()

    @property
    def url(self) -> str:
        """The address that stands in the place of the endpoint's."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self, *, wait_seconds: float = 0.2) -> None:
        """End it: exchanges that are on their way have so long, what came of them is written."""
        self._server.shutdown()
        with self._server.idle:
            self._server.idle.wait_for(lambda: not self._server.open_requests, wait_seconds)
        self._server.server_close()
        self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"RecordingProxy({self.url}, {self.log.requests} requests)"

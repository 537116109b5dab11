"""The fake server: started and ended in a test or a notebook, and asked afterwards what it got."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from ctxlab.argument_checks import checked_arguments
from ctxlab.errors import CtxlabError
from ctxlab.testing.fake_server.exchange import Exchange
from ctxlab.testing.fake_server.files import FakeUpload
from ctxlab.testing.fake_server.http_handler import LocalServer
from ctxlab.testing.fake_server.refusal import Refusal, Vendor
from ctxlab.testing.fake_server.routes import BASES
from ctxlab.testing.fake_server.script import FakeRequest, Script, answers_of


class FakeServer:
    """A server on this machine that speaks as the vendors do, and refuses what they refuse, with their error bodies.

    It speaks Chat Completions (OpenAI's, DeepSeek's and the compatible ones), Responses, Anthropic's Messages and
    Gemini, whole and streamed, with calls, signed thinking, and prompt caches that are counted, and takes files where
    OpenAI and Anthropic take them. Any key that isn't empty passes.

    `script` says what it answers: nothing is an echo, a text or a `FakeReply` is given to every request, a list of them
    in order, a function gets each `FakeRequest`. Without `strict` only what can't be read is refused. Without `record`
    the requests are not kept. With `trust_signatures` any signature of the right shape passes, without it only those
    that the server gave, and `signatures`: the thinking of each that it is told of.

    >>> with FakeServer("Hello") as server:
    ...     server.base_url("openai").startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        script: Script = None,
        *,
        port: int = 0,
        strict: bool = True,
        record: bool = True,
        trust_signatures: bool = True,
        signatures: Mapping[str, str] | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        if not 0 <= port <= 65_535:
            raise CtxlabError(f"port takes a number from 0 (any free one) to 65535, not {port}")
        self._exchange = Exchange(
            answers_of(script), strict, record, trust_signatures, signatures=dict(signatures or {})
        )
        self._port, self._log = port, log
        self._server: LocalServer | None = None

    def start(self) -> Self:
        """The server, which answers from now on, until `close()`."""
        if self._server is None:
            try:
                self._server = LocalServer(self._port, self._exchange, self._log)
            except OSError as error:
                raise CtxlabError(
                    f"port {self._port} can't be had: {error.strerror}; port 0 takes a free one"
                ) from error
            # It looks for the end of the server ten times a second unless told otherwise.
            run = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="fake-server", daemon=True)
            run.start()
        return self

    def close(self) -> None:
        """End it; answers that are still waiting go out at once."""
        if self._server is not None:
            server, self._server = self._server, None
            server.closing.set()
            server.shutdown()
            server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The address without a path, such as http://127.0.0.1:8080."""
        if self._server is None:
            raise CtxlabError("the fake server is not running; `with FakeServer() as server:` starts it")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @checked_arguments
    def base_url(self, vendor: Vendor) -> str:
        """The address that a client of this vendor takes as its base."""
        return self.url + BASES[vendor]

    @property
    def requests(self) -> tuple[FakeRequest, ...]:
        """All requests that came, in their order."""
        return tuple(self._exchange.requests)

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Everything that was wrong with the requests, where the server isn't strict too."""
        return tuple(self._exchange.refusals)

    @property
    def uploads(self) -> tuple[FakeUpload, ...]:
        """All files that were taken at OpenAI's and Anthropic's doors for them, in their order."""
        return tuple(self._exchange.uploads.values())

    def __repr__(self) -> str:
        state = self.url if self._server is not None else "not running"
        return f"FakeServer({state}, {len(self.requests)} requests, {len(self.refusals)} refusals)"

    def _repr_html_(self) -> str:
        from ctxlab.display.html_table import heading, html_table

        rows = ((one.vendor, one.path, one.model, len(one.content), _why(one)) for one in self.requests)
        return heading(self) + html_table(("vendor", "path", "model", "bytes", "refusals"), rows, of="requests")


def _why(request: FakeRequest) -> str:
    return "; ".join(f"{refusal.rule} at {refusal.place}" for refusal in request.refusals)

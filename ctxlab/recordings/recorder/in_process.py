"""Recording inside a program: the transport of a client is one that writes down what passes, for as long as a block."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import kind_in_words
from ctxlab.errors import WrongArgument
from ctxlab.providers.sending.made_clients import listening
from ctxlab.recordings.recorder.bodies import readable_only
from ctxlab.recordings.recorder.exchange_log import ExchangeLog, OpenExchange

DEFAULT_FILE: Final = "recording.ctxrec.jsonl"
_INSIDE: Final = (("_client",), ("_api_client", "_httpx_client"), ("_api_client", "_async_httpx_client"))
"""Attributes under which the vendors' clients have their clients of HTTP."""


@contextmanager
@checked_arguments
def recording(
    client: Any = None, file: str | os.PathLike[str] = DEFAULT_FILE, *, program: str = ""
) -> Generator[ExchangeLog]:
    """Record what a client sends and gets while the block runs, to a file that grows (`.ctxrec.jsonl`).

    `client` is one of the official clients of OpenAI, Anthropic and Google, asynchronous or not, or a client of httpx;
    without one it is ctxlab's own sending. What is sent isn't changed, but that replies are asked for in codings that
    can be read here. Keys are masked. The file is whole when the block has ended.

    Raises WrongArgument for another kind of client, WriteError for a file that can't be written.
    """
    inner = () if client is None else tuple(_http_clients(client))
    if client is not None and not inner:
        raise WrongArgument(
            f"client is {kind_in_words(client)}; it takes a client of openai, anthropic, google.genai or httpx"
        )
    with ExchangeLog(Path(file), program=program) as log:
        if client is None:
            with listening(lambda made: _listen_to(made, log)):
                yield log
            return
        undo = [each for one in inner for each in _replaced(one, log)]
        try:
            yield log
        finally:
            for holder, name, before in undo:
                _set(holder, name, before)


def _http_clients(client: Any) -> Iterator[Any]:
    if _is_http_client(client):
        yield client
        return
    for path in _INSIDE:
        found = client
        for name in path:
            found = getattr(found, name, None)
        if _is_http_client(found):
            yield found


def _is_http_client(value: Any) -> bool:
    transport = getattr(value, "_transport", None)
    return any(callable(getattr(transport, name, None)) for name in ("handle_request", "handle_async_request"))


def _listen_to(client: Any, log: ExchangeLog) -> None:
    for inner in _http_clients(client):
        _replaced(inner, log)


def _replaced(client: Any, log: ExchangeLog) -> list[tuple[Any, Any, Any]]:
    """Put recording transports in the place of a client's own; gives what was where."""
    mounts: Any = getattr(client, "_mounts", {})
    places = [(client, "_transport"), *((mounts, pattern) for pattern in mounts)]
    undo: list[tuple[Any, Any, Any]] = []
    for holder, name in places:
        before = holder[name] if isinstance(holder, dict) else getattr(holder, name)
        if before is not None:
            undo.append((holder, name, before))
            _set(holder, name, RecordingTransport(before, log))
    return undo


def _set(holder: Any, name: Any, value: Any) -> None:
    if isinstance(holder, dict):
        holder[name] = value
    else:
        setattr(holder, name, value)


class RecordingTransport:
    """A transport of httpx, synchronous or not, that writes down what passes through another one."""

    def __init__(self, inner: Any, log: ExchangeLog) -> None:
        self._inner, self._log = inner, log

    def handle_request(self, request: Any) -> Any:
        """The answer of the transport inside, its body written down as it is read."""
        exchange = self._begin(request, request.read())
        try:
            response = self._inner.handle_request(request)
        except BaseException as error:
            _failed(exchange, error)
            raise
        return self._answered(exchange, response, _stream_class(response, "SyncByteStream", _Recorded))

    async def handle_async_request(self, request: Any) -> Any:
        """The answer of the transport inside, its body written down as it is read."""
        exchange = self._begin(request, await request.aread())
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as error:
            _failed(exchange, error)
            raise
        return self._answered(exchange, response, _stream_class(response, "AsyncByteStream", _AsyncRecorded))

    def _begin(self, request: Any, content: bytes) -> OpenExchange:
        if "accept-encoding" in request.headers:
            request.headers["accept-encoding"] = readable_only(request.headers["accept-encoding"])
        return self._log.begin(request.method, str(request.url), request.headers.multi_items(), content)

    def _answered(self, exchange: OpenExchange, response: Any, stream: Any) -> Any:
        exchange.head(response.status_code, response.headers.multi_items())
        if response.is_closed:  # a transport made it up, as fakes do, and nobody reads its body again
            for piece in response.stream if type(response.stream).__name__ == "ByteStream" else ():
                exchange.piece(piece)
            exchange.end("whole")
            return response
        response.stream = stream(response.stream, exchange)
        return response

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __enter__(self) -> Any:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._inner.__exit__(*error)

    async def __aenter__(self) -> Any:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._inner.__aexit__(*error)


class _Recorded:
    """A body that is written down while it is read."""

    def __init__(self, inner: Any, exchange: OpenExchange) -> None:
        self._inner, self._exchange = inner, exchange

    def __iter__(self) -> Iterator[bytes]:
        try:
            for piece in self._inner:
                self._exchange.piece(piece)
                yield piece
        except GeneratorExit:
            raise
        except BaseException as error:
            _failed(self._exchange, error)
            raise
        self._exchange.end("whole")

    def close(self) -> None:
        """Whoever reads is done; where the body isn't, it hung up."""
        self._inner.close()
        _hung_up(self._exchange)


class _AsyncRecorded:
    """A body that is written down while it is read, asynchronously."""

    def __init__(self, inner: Any, exchange: OpenExchange) -> None:
        self._inner, self._exchange = inner, exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._inner:
                self._exchange.piece(piece)
                yield piece
        except GeneratorExit:
            raise
        except BaseException as error:
            _failed(self._exchange, error)
            raise
        self._exchange.end("whole")

    async def aclose(self) -> None:
        """Whoever reads is done; where the body isn't, it hung up."""
        await self._inner.aclose()
        _hung_up(self._exchange)


def _stream_class(response: Any, base: str, recorded: type) -> type:
    """A class of streams that the very httpx takes that the response is of: it asks of what class they are."""
    package = import_module(type(response).__module__.partition(".")[0])
    return type(recorded.__name__, (recorded, getattr(package, base)), {})


def _hung_up(exchange: OpenExchange) -> None:
    if _is_whole(exchange):  # readers of events stop at the last one, before the end of the body
        exchange.end("whole")
    exchange.end("client", f"the client hung up after {exchange.size:,} bytes of the reply had come")


def _is_whole(exchange: OpenExchange) -> bool:
    end = b"".join(exchange.pieces[-4:])[-4096:]
    return any(mark in end for mark in (b"data: [DONE]", b'"message_stop"', b'"response.completed"'))


def _failed(exchange: OpenExchange, error: BaseException) -> None:
    """End an exchange by an error of httpx, which is known by its name, for there are two packages of it."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"ConnectError", "ConnectTimeout", "ProxyError", "PoolTimeout"}:
        exchange.end("unreachable", f"the endpoint can't be reached: {error or type(error).__name__}")
    elif names & {"ReadTimeout", "WriteTimeout"}:
        exchange.end("stalled", "the endpoint sent nothing for as long as the client waits")
    elif "RemoteProtocolError" in names and exchange.status is None and "disconnect" not in str(error).lower():
        exchange.end("rubbish", f"the endpoint answered something that is no HTTP: {error}")
    elif names & {"NetworkError", "ProtocolError", "OSError"}:
        exchange.end("broken", f"the endpoint hung up: {error or type(error).__name__}")
    else:  # cancelled, interrupted
        exchange.end("client", f"the client hung up ({type(error).__name__})")

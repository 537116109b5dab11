"""Posting a request through the vendors' own clients, or through a plain one: always the very bytes of the payload."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from ctxlab.assets.transcription.loaded_models import optional_module
from ctxlab.errors import WrongArgument
from ctxlab.providers.payload import Payload
from ctxlab.providers.sending.hand_over import Line
from ctxlab.providers.sending.keys import Key
from ctxlab.providers.sending.made_clients import announce
from ctxlab.providers.sending.time_limits import TimeLimits
from ctxlab.wires import GEMINI, RESPONSES, WIRES

NO_KEY: Final = "none"
"""Key that a client is made with where none is sent: it insists on one."""
OF_ACCOUNT: Final = ("OpenAI-Organization", "OpenAI-Project")
"""Headers that OpenAI's client takes from the environment, and that are nobody else's business."""
ENDS_OF_CONNECTING: Final = ("connect_tcp.complete", "start_tls.complete", "connect_unix_socket.complete")


def _sdk_of(payload: Payload) -> str | None:
    """The vendor's own client; Gemini's rewrites the body, so that its requests go through a plain one."""
    wire = WIRES.get(payload.provider.wire, GEMINI)
    return wire.module if wire is not GEMINI else None


def check_client(payload: Payload, client: Any) -> None:
    """Raise MissingExtra where the vendor's client isn't installed, WrongArgument for one that doesn't fit."""
    sdk = _sdk_of(payload)
    if client is None:
        optional_module(sdk or "httpx2", extra=sdk or "gemini", purpose=f"sending to {payload.provider.title}")
        return
    name = type(client).__name__
    method = getattr(client, "post", None)
    if not callable(method) or not (_is_sdk(client) or _is_plain(client)):
        raise WrongArgument(f"client is a {name}; it takes {_fitting(sdk)}")
    if inspect.iscoroutinefunction(method) or inspect.iscoroutinefunction(getattr(client, "send", None)):
        raise WrongArgument(f"client is a {name}, which is asynchronous; it takes {_fitting(sdk)}")
    packages = {kind.__module__.partition(".")[0] for kind in type(client).__mro__}
    if _is_sdk(client) and sdk not in packages:
        raise WrongArgument(f"client is a {name}, not one for {payload.provider.title}; it takes {_fitting(sdk)}")


def _fitting(sdk: str | None) -> str:
    own = {"openai": "openai.OpenAI(...), or ", "anthropic": "anthropic.Anthropic(...), or "}.get(sdk or "", "")
    return f"{own}httpx2.Client(...)"


def _is_sdk(client: Any) -> bool:
    return hasattr(client, "max_retries") and hasattr(client, "base_url")


def _is_plain(client: Any) -> bool:
    return callable(getattr(client, "build_request", None)) and callable(getattr(client, "send", None))


def target(payload: Payload, client: Any) -> str:
    """The address to post to; behind a client of one's own it goes by that client's base address."""
    if client is None or payload.base_url is not None or not _is_sdk(client):
        return payload.url
    return payload.url.removeprefix(payload.provider.base_url.rstrip("/"))


@contextmanager
def posted(
    payload: Payload, content: bytes, key: Key | None, limits: TimeLimits, client: Any, line: Line
) -> Generator[Any]:
    """The answer to the posted bytes, of httpx's kind and not yet read; it and a client made for it are closed after.

    Statuses of errors are answers too. Whatever a client raises otherwise comes through.
    """
    made = _made(payload, key, limits, line) if client is None else None
    using = made if made is not None else client
    try:
        response = _answer(payload, content, key, using, mine=made is not None)
        try:
            line.connected(response.extensions.get("network_stream"))
            yield response
        finally:
            line.released()
            response.close()
    finally:
        if made is not None:
            made.close()


def _made(payload: Payload, key: Key | None, limits: TimeLimits, line: Line) -> Any:
    """A client for one request, whose socket `line` gets to know as soon as there is one."""
    import httpx2

    def traced(name: str, info: Mapping[str, Any]) -> None:
        if name.endswith(ENDS_OF_CONNECTING):
            line.connected(info.get("return_value"))

    def trace(request: Any) -> None:
        request.extensions = {**request.extensions, "trace": traced}

    timeout = httpx2.Timeout(limits.of_socket, connect=limits.connect_seconds)
    hooks: dict[str, Any] = {"request": [trace]}
    sdk = _sdk_of(payload)
    if sdk is None:
        plain = httpx2.Client(timeout=timeout, event_hooks=hooks)
        announce(plain)
        return plain
    import importlib

    module: Any = importlib.import_module(sdk)
    plain = module.DefaultHttpxClient(timeout=timeout, event_hooks=hooks)
    announce(plain)
    make = module.OpenAI if sdk == "openai" else module.Anthropic
    # Headers of a request go to the log of Anthropic's client; those of a client don't.
    return make(
        default_headers=payload.provider.auth(key.reveal()) if key else None,
        api_key=key.reveal() if key else NO_KEY,
        base_url=payload.base_url or payload.provider.base_url,
        max_retries=0,
        timeout=timeout,
        http_client=plain,
    )


def _unwanted(payload: Payload, key: Key | None, omit: Any) -> dict[str, Any]:
    """Marks at headers that a client would send on its own: its kind of key where the vendor has another, accounts."""
    with_key = {name.lower() for name in payload.provider.auth(key.reveal())} if key else set[str]()
    names = ["Authorization", *(() if payload.provider.name in OF_OPENAI else OF_ACCOUNT)]
    return {name: omit for name in names if name.lower() not in with_key}


def _answer(payload: Payload, content: bytes, key: Key | None, client: Any, *, mine: bool) -> Any:
    url = target(payload, None if mine else client)
    if _is_sdk(client):
        return _answer_of_sdk(payload, content, url, key, client, mine=mine)
    headers = {**payload.headers, **(payload.provider.auth(key.reveal()) if key else {})}
    request = client.build_request("POST", url, content=content, headers=headers)
    return client.send(request, stream=True, follow_redirects=False)


def _answer_of_sdk(payload: Payload, content: bytes, url: str, key: Key | None, client: Any, *, mine: bool) -> Any:
    import importlib

    import httpx2

    sdk: Any = importlib.import_module(WIRES[payload.provider.wire].module)
    headers = {**payload.headers, **(_unwanted(payload, key, sdk.omit) if mine else {})}
    client = client.with_options(api_key=key.reveal()) if key and not mine else client
    # A redirect would carry the key to another address.
    options: dict[str, Any] = {"headers": headers, "max_retries": 0, "follow_redirects": False}
    try:
        return client.post(url, content=content, cast_to=httpx2.Response, stream=True, options=options)
    except sdk.APIStatusError as error:
        return error.response


OF_OPENAI: Final = frozenset({"openai", RESPONSES.name})

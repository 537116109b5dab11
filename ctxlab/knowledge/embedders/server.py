"""A server that speaks OpenAI's protocol: its address and key checked, its client opened, its refusals in words."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import field
from math import inf
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pydantic import SecretStr

from ctxlab.assets.transcription.loaded_models import optional_module
from ctxlab.display.html_table import heading
from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.lazy_dataclass import dataclass

T = TypeVar("T")

NO_KEY = "none"
"""Key that the client sends where there is no key: it insists on one."""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """Settings of a model behind an address; a copy in another process has all of them but the key."""

    base_url: str
    model: str
    key: str | SecretStr | None = field(default=None, repr=False, compare=False)
    key_variable: str | None = None
    retries: int = field(default=3, repr=False)
    wait_seconds: float = field(default=60, repr=False)
    key_stayed_behind: bool = field(default=False, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        key = _checked_key(self)
        if key is not None:
            object.__setattr__(self, "key", key)

    def _repr_html_(self) -> str:
        return heading(self)

    def __reduce__(self) -> tuple[Callable[..., ModelServer], tuple[Any, ...]]:
        settings = (self.base_url, self.model, None, self.key_variable, self.retries, self.wait_seconds)
        return _without_key, (type(self), settings, self.key is not None or self.key_stayed_behind)


def _without_key(kind: type[ModelServer], settings: tuple[Any, ...], had_key: bool) -> ModelServer:  # noqa: FBT001
    found = kind(*settings)
    object.__setattr__(found, "key_stayed_behind", had_key)
    return found


def _checked_key(server: ModelServer) -> SecretStr | None:
    """The key, kept so that it is never shown; raises WrongArgument for a setting that can't be."""
    for name, value in (("base_url", server.base_url), ("model", server.model)):
        if not isinstance(value, str) or not value:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongArgument(f"{name} is a {type(value).__name__}; it takes a text that is not empty")
    key = server.key.get_secret_value() if isinstance(server.key, SecretStr) else server.key
    for name, value in (("key", key), ("key_variable", server.key_variable)):
        if value is not None and not (isinstance(value, str) and value):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongArgument(f"{name} takes a text that is not empty, or None")
    if not isinstance(server.retries, int) or server.retries < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise WrongArgument("retries takes a whole number from 0 on")
    if not isinstance(server.wait_seconds, int | float) or not 0 < server.wait_seconds < inf:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise WrongArgument("wait_seconds takes a number above 0")
    _check_address(server.base_url)
    return SecretStr(key) if key is not None else None


def _check_address(base_url: str) -> None:
    try:
        address = urlsplit(base_url)
    except ValueError:
        raise WrongArgument("base_url is no address that begins with http:// or https://") from None
    if address.scheme not in ("http", "https") or not address.hostname:
        raise WrongArgument("base_url is no address that begins with http:// or https://")
    if address.username or address.password or address.query or address.fragment:
        raise WrongArgument("base_url holds more than an address: give a key as key= or key_variable=")


def opened_client(server: ModelServer, purpose: str) -> Any:
    """OpenAI's client for this address, to be closed; raises MissingExtra where it isn't installed."""
    openai = optional_module("openai", extra="openai", purpose=purpose)
    return openai.OpenAI(
        base_url=server.base_url,
        api_key=_key(server) or NO_KEY,
        max_retries=server.retries,
        timeout=server.wait_seconds,
    )


def _key(server: ModelServer) -> str | None:
    if isinstance(server.key, SecretStr):
        return server.key.get_secret_value()
    if server.key_variable is not None:
        if found := os.environ.get(server.key_variable):
            return found
        raise CtxlabError(f"the environment has no variable {short(server.key_variable)!r} with a key in it")
    if server.key_stayed_behind:
        raise CtxlabError(f"the key for {server.base_url} is not copied to other processes: give key_variable= instead")
    return None


def answered(server: ModelServer, ask: Callable[[], T], wanted: str) -> T:
    """The answer of the client; raises CtxlabError, never with the server's own words, which may repeat the key."""
    import openai

    try:
        return ask()
    except openai.APIStatusError as error:
        raise CtxlabError(
            f"{server.base_url} answered {error.status_code} to {wanted} by {short(server.model)!r}"
        ) from None
    except openai.APIConnectionError:
        raise CtxlabError(
            f"{server.base_url} can't be reached, or sends no answer in {server.wait_seconds:g} s"
        ) from None
    except ValueError:
        raise CtxlabError(f"{server.base_url} sent no {wanted}: its answer can't be read as JSON") from None
    except openai.OpenAIError as error:
        raise CtxlabError(f"{server.base_url} sent no {wanted}: {type(error).__name__}") from None

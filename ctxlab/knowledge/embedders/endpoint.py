"""Vectors from any server that speaks OpenAI's embeddings API."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from ctxlab.assets.transcription.loaded_models import optional_module
from ctxlab.display.html_table import heading
from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.knowledge.embedders.embedder import encodable, unit_rows

if TYPE_CHECKING:
    from ctxlab.knowledge.embedders.embedder import Vectors

MOST_TEXTS = 128
MOST_CHARACTERS = 100_000
"""Texts and characters in one request; OpenAI takes 300,000 tokens."""
NO_KEY = "none"
"""Key that the client sends where there is no key: it insists on one."""


@dataclass(frozen=True, slots=True)
class EndpointEmbedder:
    """Embeds texts by a model behind an address such as "http://127.0.0.1:8000/v1", in batches.

    `key` is the key itself, kept as pydantic's SecretStr: it is never shown and never pickled. `key_variable` names the
    environment variable that holds it, which works in other processes too. Without both no key is sent. A request that
    fails is sent again, up to `retries` times.

    >>> EndpointEmbedder("http://127.0.0.1:8000/v1", "bge-m3", key="secret")
    EndpointEmbedder(base_url='http://127.0.0.1:8000/v1', model='bge-m3', key_variable=None)
    """

    base_url: str
    model: str
    key: str | SecretStr | None = field(default=None, repr=False, compare=False)
    key_variable: str | None = None
    retries: int = field(default=3, repr=False)
    wait_seconds: float = field(default=60, repr=False)
    key_stayed_behind: bool = field(default=False, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, value in (("base_url", self.base_url), ("model", self.model)):
            if not isinstance(value, str) or not value:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise WrongArgument(f"{name} is a {type(value).__name__}; it takes a text that is not empty")
        key = self.key.get_secret_value() if isinstance(self.key, SecretStr) else self.key
        for name, value in (("key", key), ("key_variable", self.key_variable)):
            if value is not None and not (isinstance(value, str) and value):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise WrongArgument(f"{name} takes a text that is not empty, or None")
        if key is not None:
            object.__setattr__(self, "key", SecretStr(key))
        if not isinstance(self.retries, int) or self.retries < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongArgument("retries takes a whole number from 0 on")
        if not isinstance(self.wait_seconds, int | float) or not 0 < self.wait_seconds < inf:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongArgument("wait_seconds takes a number above 0")
        self._check_address()

    def _check_address(self) -> None:
        try:
            address = urlsplit(self.base_url)
        except ValueError:
            raise WrongArgument("base_url is no address that begins with http:// or https://") from None
        if address.scheme not in ("http", "https") or not address.hostname:
            raise WrongArgument("base_url is no address that begins with http:// or https://")
        if address.username or address.password or address.query or address.fragment:
            raise WrongArgument("base_url holds more than an address: give a key as key= or key_variable=")

    def _repr_html_(self) -> str:
        return heading(self)

    def __reduce__(self) -> tuple[Callable[..., EndpointEmbedder], tuple[Any, ...]]:
        settings = (self.base_url, self.model, self.key_variable, self.retries, self.wait_seconds)
        return _without_key, (*settings, self.key is not None or self.key_stayed_behind)

    @property
    def name(self) -> str:
        return "endpoint"

    @property
    def version(self) -> str:
        return f"{self.model} at {self.base_url}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        said = [i for i, text in enumerate(texts) if text.strip()]
        rows: list[Sequence[float]] = []
        if said:
            with self._client() as client:
                for batch in _batches([encodable(texts[i]) for i in said]):
                    rows.extend(self._request(client, batch))
        vectors = unit_rows(rows, len(said), self.model) if said else np.zeros((0, 1), np.float32)
        found = np.zeros((len(texts), vectors.shape[1]), np.float32)
        found[said] = vectors
        return found

    def _client(self) -> Any:
        openai = optional_module("openai", extra="openai", purpose="embedding texts at an address")
        return openai.OpenAI(
            base_url=self.base_url,
            api_key=self._key() or NO_KEY,
            max_retries=self.retries,
            timeout=self.wait_seconds,
        )

    def _key(self) -> str | None:
        if isinstance(self.key, SecretStr):
            return self.key.get_secret_value()
        if self.key_variable is not None:
            if found := os.environ.get(self.key_variable):
                return found
            raise CtxlabError(f"the environment has no variable {short(self.key_variable)!r} with a key in it")
        if self.key_stayed_behind:
            raise CtxlabError(
                f"the key for {self.base_url} is not copied to other processes: give key_variable= instead"
            )
        return None

    def _request(self, client: Any, batch: list[str]) -> list[Sequence[float]]:
        import openai

        try:
            reply = client.embeddings.create(model=self.model, input=batch, encoding_format="float")
        except openai.APIStatusError as error:  # its text is the server's, which may repeat the key
            raise CtxlabError(
                f"{self.base_url} answered {error.status_code} to embeddings by {short(self.model)!r}"
            ) from None
        except openai.APIConnectionError:
            raise CtxlabError(
                f"{self.base_url} can't be reached, or sends no answer in {self.wait_seconds:g} s"
            ) from None
        except openai.OpenAIError as error:
            raise CtxlabError(f"{self.base_url} sent no embeddings: {type(error).__name__}") from None
        return _in_order(getattr(reply, "data", None), len(batch), self.base_url)


def _without_key(
    base_url: str,
    model: str,
    key_variable: str | None,
    retries: int,
    wait_seconds: float,
    had_key: bool,  # noqa: FBT001
) -> EndpointEmbedder:
    found = EndpointEmbedder(base_url, model, None, key_variable, retries, wait_seconds)
    object.__setattr__(found, "key_stayed_behind", had_key)
    return found


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) >= MOST_TEXTS or size + len(text) > MOST_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _in_order(data: Any, count: int, address: str) -> list[Sequence[float]]:
    """The vectors by their index, which need not be the order in which they came."""
    items: list[Any] = list(data) if isinstance(data, list) else []
    by_index: dict[Any, Any] = {getattr(item, "index", None): getattr(item, "embedding", None) for item in items}
    if by_index.keys() != set(range(count)) or len(items) != count:
        raise CtxlabError(f"{address} sent {len(items):,} embeddings for {count:,} texts, or their indexes are wrong")
    return [by_index[i] for i in range(count)]

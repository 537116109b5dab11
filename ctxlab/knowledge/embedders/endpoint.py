"""Vectors from any server that speaks OpenAI's embeddings API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.errors import CtxlabError
from ctxlab.knowledge.embedders.embedder import encodable, unit_rows
from ctxlab.knowledge.embedders.server import ModelServer, answered, opened_client
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.knowledge.embedders.embedder import Vectors

MOST_TEXTS = 128
MOST_CHARACTERS = 100_000
"""Texts and characters in one request; OpenAI takes 300,000 tokens."""


@dataclass(frozen=True, slots=True)
class EndpointEmbedder(ModelServer):
    """Embeds texts by a model behind an address such as "http://127.0.0.1:8000/v1", in batches.

    `key` is the key itself, kept as pydantic's SecretStr: it is never shown and never pickled. `key_variable` names the
    environment variable that holds it, which works in other processes too. Without both no key is sent. A request that
    fails is sent again, up to `retries` times.

    >>> EndpointEmbedder("http://127.0.0.1:8000/v1", "bge-m3", key="secret")
    EndpointEmbedder(base_url='http://127.0.0.1:8000/v1', model='bge-m3', key_variable=None)
    """

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
            with opened_client(self, "embedding texts at an address") as client:
                for batch in _batches([encodable(texts[i]) for i in said]):
                    rows.extend(self._request(client, batch))
        vectors = unit_rows(rows, len(said), self.model) if said else np.zeros((0, 1), np.float32)
        found = np.zeros((len(texts), vectors.shape[1]), np.float32)
        found[said] = vectors
        return found

    def _request(self, client: Any, batch: list[str]) -> list[Sequence[float]]:
        def ask() -> Any:
            return client.embeddings.create(model=self.model, input=batch, encoding_format="float")

        reply = answered(self, ask, "embeddings")
        return _in_order(getattr(reply, "data", None), len(batch), self.base_url)


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

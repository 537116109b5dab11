"""Hits scored anew by any server that speaks Cohere's rerank API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import SecretStr

from ctxlab.context.knowledge_hit import KnowledgeHit
from ctxlab.display.html_table import heading
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.embedders.embedder import encodable
from ctxlab.knowledge.embedders.server import answered, checked_server, opened_client


@dataclass(frozen=True, slots=True)
class EndpointReranker:
    """Scores hits by a model behind an address such as "http://127.0.0.1:8000/v1", at its `/rerank`.

    Key, retries and waiting are as those of `EndpointEmbedder`: `key_variable` names the environment variable that
    holds the key.
    """

    base_url: str
    model: str
    key: str | SecretStr | None = field(default=None, repr=False, compare=False)
    key_variable: str | None = None
    retries: int = field(default=3, repr=False)
    wait_seconds: float = field(default=60, repr=False)
    key_stayed_behind: bool = field(default=False, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        key = checked_server(self)
        if key is not None:
            object.__setattr__(self, "key", key)

    def _repr_html_(self) -> str:
        return heading(self)

    def __reduce__(self) -> tuple[Callable[..., EndpointReranker], tuple[Any, ...]]:
        settings = (self.base_url, self.model, self.key_variable, self.retries, self.wait_seconds)
        return _without_key, (*settings, self.key is not None or self.key_stayed_behind)

    @property
    def name(self) -> str:
        return self.model

    def rerank(self, query: str, hits: Sequence[KnowledgeHit]) -> Sequence[float]:
        """A score for each hit; raises CtxlabError where the server sends none."""
        body = {
            "model": self.model,
            "query": encodable(query),
            "documents": [encodable(hit.text) for hit in hits],
            "top_n": len(hits),
        }
        with opened_client(self, "ranking hits at an address") as client:
            reply = answered(self, lambda: client.post("/rerank", cast_to=object, body=body), "scores")
        return _in_order(reply, len(hits), self.base_url)


def _without_key(
    base_url: str,
    model: str,
    key_variable: str | None,
    retries: int,
    wait_seconds: float,
    had_key: bool,  # noqa: FBT001
) -> EndpointReranker:
    found = EndpointReranker(base_url, model, None, key_variable, retries, wait_seconds)
    object.__setattr__(found, "key_stayed_behind", had_key)
    return found


def _in_order(reply: Any, count: int, address: str) -> list[float]:
    """The scores by the index of their text; they come best first."""
    given: Any = cast("dict[str, Any]", reply).get("results") if isinstance(reply, dict) else None
    items = (
        [cast("dict[str, Any]", each) for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    )
    by_index: dict[int, Any] = {
        i: item.get("relevance_score") for item in items if isinstance(i := item.get("index"), int)
    }
    if by_index.keys() != set(range(count)) or not all(isinstance(each, int | float) for each in by_index.values()):
        raise CtxlabError(f"{address} sent {len(items):,} scores for {count:,} texts, or their indexes are wrong")
    return [float(by_index[i]) for i in range(count)]

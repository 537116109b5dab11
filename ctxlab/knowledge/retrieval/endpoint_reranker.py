"""Hits scored anew by any server that speaks Cohere's rerank API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ctxlab.context.knowledge_hit import KnowledgeHit
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.embedders.embedder import encodable
from ctxlab.knowledge.embedders.server import ModelServer, answered, opened_client
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EndpointReranker(ModelServer):
    """Scores hits by a model behind an address such as "http://127.0.0.1:8000/v1", at its `/rerank`.

    Key, retries and waiting are as those of `EndpointEmbedder`: `key_variable` names the environment variable that
    holds the key.
    """

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

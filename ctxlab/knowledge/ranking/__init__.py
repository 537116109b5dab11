"""Rankers that look at what messages mean, with an embedder."""

from ctxlab.knowledge.ranking.embeddings import EmbeddingsRanker
from ctxlab.knowledge.ranking.hybrid import HybridRanker
from ctxlab.public_names import listed

__all__ = ["EmbeddingsRanker", "HybridRanker"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)

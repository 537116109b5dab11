"""Rankers that look at what messages mean, with an embedder."""

from ctxlab.knowledge.ranking.embeddings import ByEmbeddings
from ctxlab.knowledge.ranking.hybrid import Hybrid
from ctxlab.knowledge.ranking.weights import WEIGHTS, Weights
from ctxlab.public_names import listed

__all__ = ["WEIGHTS", "ByEmbeddings", "Hybrid", "Weights"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)

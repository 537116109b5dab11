"""Embedders: vectors of texts, by models in packages, by any server, and by other packages."""

from ctxlab.knowledge.embedders.embedder import Embedder
from ctxlab.knowledge.embedders.endpoint import EndpointEmbedder
from ctxlab.knowledge.embedders.registry import embedder_for, embedder_named, embedders
from ctxlab.knowledge.embedders.universal_sentence_encoder import UniversalSentenceEncoder
from ctxlab.knowledge.embedders.vector_cache import vectors_of
from ctxlab.knowledge.embedders.word_llama import WordLlama
from ctxlab.public_names import listed

__all__ = [
    "Embedder",
    "EndpointEmbedder",
    "UniversalSentenceEncoder",
    "WordLlama",
    "embedder_for",
    "embedder_named",
    "embedders",
    "vectors_of",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)

"""Retrieval: the bases, their engines, and what they find."""

from ctxlab.knowledge.retrieval.endpoint_reranker import EndpointReranker
from ctxlab.knowledge.retrieval.reranker import Reranker
from ctxlab.knowledge.retrieval.retriever import KnowledgeRetriever
from ctxlab.knowledge.retrieval.search_cache import SearchCache
from ctxlab.public_names import listed

__all__ = ["EndpointReranker", "KnowledgeRetriever", "Reranker", "SearchCache"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)

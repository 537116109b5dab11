from ctxlab.knowledge.retrieval.endpoint_reranker import EndpointReranker as EndpointReranker
from ctxlab.knowledge.retrieval.reranker import Reranker as Reranker
from ctxlab.knowledge.retrieval.retriever import KnowledgeRetriever as KnowledgeRetriever
from ctxlab.knowledge.retrieval.search_cache import SearchCache as SearchCache

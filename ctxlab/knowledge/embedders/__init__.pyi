from ctxlab.knowledge.embedders.embedder import Embedder as Embedder
from ctxlab.knowledge.embedders.endpoint import EndpointEmbedder as EndpointEmbedder
from ctxlab.knowledge.embedders.registry import embedder_for as embedder_for
from ctxlab.knowledge.embedders.registry import embedder_named as embedder_named
from ctxlab.knowledge.embedders.registry import embedders as embedders
from ctxlab.knowledge.embedders.universal_sentence_encoder import UniversalSentenceEncoder as UniversalSentenceEncoder
from ctxlab.knowledge.embedders.vector_cache import vectors_of as vectors_of
from ctxlab.knowledge.embedders.word_llama import WordLlama as WordLlama

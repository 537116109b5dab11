from ctxlab.knowledge.ranking.embeddings import EmbeddingsRanker as EmbeddingsRanker
from ctxlab.knowledge.ranking.hybrid import HybridRanker as HybridRanker

from ctxlab.knowledge.chunks.cut import Chunk as Chunk
from ctxlab.knowledge.chunks.cut import chunks_of as chunks_of

"""Chunks: the pieces of entries that are searched, each with its place."""

from ctxlab.knowledge.chunks.cut import Chunk, chunks_of
from ctxlab.public_names import listed

__all__ = ["Chunk", "chunks_of"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)

"""Indexes: chunks found by likeness and by words, behind one protocol."""

from ctxlab.knowledge.index.memory_index import MemoryIndex
from ctxlab.knowledge.index.protocol import IndexedText, KnowledgeIndex, Scored, WordStatistics
from ctxlab.public_names import listed

__all__ = ["IndexedText", "KnowledgeIndex", "MemoryIndex", "Scored", "WordStatistics"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)

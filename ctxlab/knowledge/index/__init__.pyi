from ctxlab.knowledge.index.memory_index import MemoryIndex as MemoryIndex
from ctxlab.knowledge.index.protocol import IndexedText as IndexedText
from ctxlab.knowledge.index.protocol import KnowledgeIndex as KnowledgeIndex
from ctxlab.knowledge.index.protocol import Scored as Scored
from ctxlab.knowledge.index.protocol import WordStatistics as WordStatistics

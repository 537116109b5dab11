"""Compression: conversations in fewer words."""

from ctxlab.engines.compression.compression_report import CheckedFact, CompressionReport, compression_report
from ctxlab.engines.compression.extractive_summary import Summary, SummarySentence, extractive_summary
from ctxlab.engines.compression.sentences import sentences
from ctxlab.engines.compression.source_text import SourceText
from ctxlab.public_names import listed

__all__ = [
    "CheckedFact",
    "CompressionReport",
    "SourceText",
    "Summary",
    "SummarySentence",
    "compression_report",
    "extractive_summary",
    "sentences",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)

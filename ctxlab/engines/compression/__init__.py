"""Compression: conversations in fewer words."""

from ctxlab.engines.compression.extractive_summary import Summary, SummarySentence, extractive_summary
from ctxlab.engines.compression.sentences import sentences
from ctxlab.public_names import listed

__all__ = ["Summary", "SummarySentence", "extractive_summary", "sentences"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)

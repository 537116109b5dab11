"""Compression of conversations: when, what, by whom, and what it loses; always as a preview first."""

from ctxlab.chat.compression.compress import compression_if_needed, compression_of
from ctxlab.chat.compression.compression import Compression
from ctxlab.chat.compression.legal_cuts import Cut, LegalCuts, MessageRange
from ctxlab.chat.compression.must_keep import WantedItem
from ctxlab.chat.compression.prefix_loss import PrefixLoss
from ctxlab.chat.compression.session_compressions import PastCompression, SessionCompressions, session_compressions
from ctxlab.chat.compression.settings import CompressionSettings, compression_settings, without_default_prompts
from ctxlab.chat.compression.summary_node import with_summary_node, with_summary_nodes
from ctxlab.chat.compression.trigger import PromptSize, TriggerDecision, should_compress, wants_compression
from ctxlab.chat.compression.visible_path import VisiblePath
from ctxlab.chat.compression.wanted import Wanted, refuse_contradictions
from ctxlab.public_names import listed

__all__ = [
    "Compression",
    "CompressionSettings",
    "Cut",
    "LegalCuts",
    "MessageRange",
    "PastCompression",
    "PrefixLoss",
    "PromptSize",
    "SessionCompressions",
    "TriggerDecision",
    "VisiblePath",
    "Wanted",
    "WantedItem",
    "compression_if_needed",
    "compression_of",
    "compression_settings",
    "refuse_contradictions",
    "session_compressions",
    "should_compress",
    "wants_compression",
    "with_summary_node",
    "with_summary_nodes",
    "without_default_prompts",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)

"""Tokens that a vendor adds to messages and charges for files."""

from __future__ import annotations

from ctxlab.engines.tokens import MediaRules, Overhead
from ctxlab.lazy_dataclass import dataclass

MediaTable = tuple[tuple[str, MediaRules], ...]
"""Rules of media by patterns of models' bare names; the first that fits counts."""


@dataclass(frozen=True, slots=True)
class Rates:
    """The tokens that a vendor adds to messages, and its rules for files by patterns of models' bare names."""

    overhead: Overhead
    media: MediaTable = ()


NO_RATES = Rates(Overhead(0, 0, 0, 0, source="", as_of=""))
"""Of a provider that says nothing."""

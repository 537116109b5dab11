"""A message that is being typed, before it is sent: what it takes, what goes and what fires because of it."""

from ctxlab.studies.draft_preview.cache_effect import CacheEffect, cache_effect
from ctxlab.studies.draft_preview.draft_marks import DraftMacro, macros_of
from ctxlab.studies.draft_preview.preview import DraftCut, DraftEntry, Preview, SourceTokens, preview_of

__all__ = [
    "CacheEffect",
    "DraftCut",
    "DraftEntry",
    "DraftMacro",
    "Preview",
    "SourceTokens",
    "cache_effect",
    "macros_of",
    "preview_of",
]

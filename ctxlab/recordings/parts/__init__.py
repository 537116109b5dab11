"""The parts of recorded requests: every stretch of a prompt with its source, its tool, its file and its tokens."""

from ctxlab.recordings.parts.context_parts import ContextParts, parts_of
from ctxlab.recordings.parts.part import SOURCES, Part, Source

__all__ = ["SOURCES", "ContextParts", "Part", "Source", "parts_of"]

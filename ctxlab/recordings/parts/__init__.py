"""The parts of recorded requests: every stretch of a prompt with its source, its tool, its file and its tokens."""

from ctxlab.recordings.parts.context_parts import ContextParts, TokenSums, parts_of

__all__ = ["ContextParts", "TokenSums", "parts_of"]

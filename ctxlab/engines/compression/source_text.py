"""A text that a summary stands for."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that a summary stands for: the id of its message, its role, its words."""

    id: str
    role: str
    text: str

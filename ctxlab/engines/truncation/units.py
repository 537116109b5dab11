"""Units, which can only go or stay whole: one message, or an assistant's tool calls with their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlab.context import Draft
from ctxlab.context.tool_pairs import ToolUnit as Unit
from ctxlab.context.tool_pairs import units_newest_first

__all__ = ["Unit", "newest_first"]


def newest_first(drafts: Sequence[Draft]) -> Iterator[Unit]:
    """Units of the drafts that may be cut, newest first, found as they are asked for: none of them is pinned."""
    return (unit for unit in units_newest_first(drafts) if not any(drafts[i].pinned for i in unit.at))

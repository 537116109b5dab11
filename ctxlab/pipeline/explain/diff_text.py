"""The differences of two results as lines: what, from which place to which, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ctxlab.display.one_line import plain
from ctxlab.pipeline.explain.message_names import key_with_id

if TYPE_CHECKING:
    from ctxlab.pipeline.explain.diff import Diff, DiffRow

MOST_LINES = 10
WORDS = 40
LINE = 300


def diff_text(diff: Diff) -> str:
    """One line a difference, the first ones of many, behind the line that counts them."""
    return "\n".join([repr(diff), *_lines(diff)])


def _lines(diff: Diff) -> Iterator[str]:
    changes = diff.changes
    for row in changes[:MOST_LINES]:
        found = (f"{row.kind}: {_name(row)}", _place(row), _words(row), row.detail, str(row.cause or ""))
        yield f"  {plain('; '.join(part for part in found if part), LINE)}"
    if len(changes) > MOST_LINES:
        yield f"  and {len(changes) - MOST_LINES:,} more"


def _name(row: DiffRow) -> str:
    draft = row.a or row.b
    return key_with_id(draft) if draft is not None and draft.key == row.key else plain(row.key, 2 * WORDS)


def _place(row: DiffRow) -> str:
    if row.at_a is None or row.at_b is None:
        return f"message {row.at_a or row.at_b or '?'}"
    moved = row.kind == "moved" or row.at_a != row.at_b
    return f"from message {row.at_a} to {row.at_b}" if moved else f"message {row.at_a}"


def _words(row: DiffRow) -> str:
    stretch = row.text_change
    if stretch is None:
        return ""
    return f"{plain(stretch[1], WORDS)!r} → {plain(stretch[2], WORDS)!r}"

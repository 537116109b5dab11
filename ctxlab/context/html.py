"""The HTML of a context for the notebook: its messages, and what was dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import counted
from ctxlab.secrets import masked_beginning

if TYPE_CHECKING:
    from ctxlab.context.context import Context

BEGINNING = 400


def context_html(context: Context) -> str:
    """One row a message of the context; below it what was dropped and the notes."""
    rows = (
        (i, draft.key, draft.role, masked_beginning(str(draft.text), BEGINNING))
        for i, draft in enumerate(context.drafts, 1)
    )
    gone = [f"{counted(len(group.drafts), 'message')} dropped: {group.cause}" for group in context.dropped]
    table = html_table(("", "key", "role", "text"), rows, cells=100, of="messages") if context.drafts else ""
    return heading(context) + table + lines([*gone, *(note.text for note in context.notes)])

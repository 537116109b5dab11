"""Messages that a summary stands for, in one line, with the first words of each message."""

from __future__ import annotations

from typing import TypedDict

from ctxlab.chat.compression.summary_node import originals_of
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Session
from ctxlab.pipeline import Trace
from ctxlab_widgets._shared.json_values import as_json

MOST_LISTED = 100
NAME, WORDS = 40, 80


class StandsFor(TypedDict):
    """`words` name the first and the last message; `first` are ids and first words, `more` how many aren't listed."""

    words: str
    first: list[tuple[str, str]]
    more: int


def stands_for(session: Session, node: MessageNode) -> StandsFor | None:
    """The messages that a summary stands for in the end, those behind earlier summaries included; None for others."""
    if not node.is_summary or not node.hides:
        return None
    found = originals_of(session, node.hides)
    missing = sum(key not in session.nodes for key in dict.fromkeys(node.hides))
    words = "stands for" if node.enabled else "is switched off, and would stand for"
    words += f" {counted(len(found), 'message')}" if found else " none of the messages that are there"
    if found:
        ends = dict.fromkeys(plain(each.id, NAME) for each in (found[0], found[-1]))
        words += f": {' to '.join(ends)}"
    if missing:
        words += f"; {missing:,} of its messages {'is' if missing == 1 else 'are'} not in the conversation"
    listed = found[:MOST_LISTED]
    return {
        "words": words,
        "first": [(plain(each.id, NAME), plain(each.content, WORDS)) for each in listed],
        "more": len(found) - len(listed),
    }


def summaries_json(trace: Trace) -> str:
    """As JSON by key of a message what each summary on the run's path stands for; empty where it has none."""
    start = trace.start.input
    path = start.session.path(start.leaf_id) if start.leaf_id is not None else ()
    found = {f"node:{node.id}": stands_for(start.session, node) for node in path}
    known = {key: value for key, value in found.items() if value is not None}
    return as_json(known) if known else ""

"""A change of a tree, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from ctxlab.display.one_line import plain
from ctxlab.pipeline.explain.message_names import LONGEST_ID, WORDS

if TYPE_CHECKING:
    from ctxlab.documents import MessageNode


class Report(TypedDict):
    """A report of what was done last: the verb, the message that it was done to, and the sentence."""

    did: str
    node: str
    text: str


def node_name(node: MessageNode) -> str:
    """A short id, else the first words in quotes.

    >>> from ctxlab import Session
    >>> node_name(Session().append("Who kept the light?", id="0c9d2c1e-77aa").node("0c9d2c1e-77aa"))
    '“Who kept the light?”'
    """
    if len(node.id) <= LONGEST_ID:
        return plain(node.id, LONGEST_ID)
    words = plain(node.content, WORDS)
    return f"“{words}”" if words else "a message without words"


def messages(count: int) -> str:
    """The number with its word.

    >>> messages(1), messages(1200)
    ('1 message', '1,200 messages')
    """
    return f"{count:,} message{'' if count == 1 else 's'}"

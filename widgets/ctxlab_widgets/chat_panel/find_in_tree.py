"""Messages of a whole conversation with some words, for a page that has one branch of it."""

from __future__ import annotations

from ctxlab.documents import Session
from ctxlab.storage.search.folding import folded

MOST_FOUND = 5000
MOST_WORDS = 2000
"""Characters of words that are looked for."""


def found_in_tree(session: Session, words: str) -> list[str]:
    """Ids of the messages on all branches whose text has these words, in the order of the tree.

    Texts are compared as a search of a workspace compares them: without case, width and composition.
    """
    wanted = folded(words[:MOST_WORDS])
    if not wanted.strip():
        return []
    found = (node.id for node in session.in_order() if wanted in folded(node.content))
    return [id for _, id in zip(range(MOST_FOUND), found, strict=False)]

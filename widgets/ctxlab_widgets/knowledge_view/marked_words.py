"""The words of a query in the text of a piece: where they stand, and the text around the first of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ctxlab.engines.ranking.words import words
from ctxlab.secrets import masked
from ctxlab_widgets.lore_view.excerpts import Pieces, Spot, excerpt, marked

MOST_PLAIN = 140
"""Characters of an excerpt in which no word is marked."""


def spots_of(text: str, searched: Iterable[str]) -> list[Spot]:
    """Places of these words, also in another form of the same word, such as `lamps` for `lamp`."""
    wanted = {word: set(words(word)) for word in searched if word}
    forms = sorted({form for word, terms in wanted.items() for form in (word, *terms)}, key=len, reverse=True)
    if not forms:
        return []
    terms = set[str]().union(*wanted.values())
    pattern = "|".join([_pattern(form) for form in forms])
    return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE) if _is_one(match[0], terms, wanted)]


def excerpt_of(text: str, searched: Iterable[str]) -> Pieces:
    """The words around the first places, lit; of a text without them its beginning."""
    spots = spots_of(text, searched)
    if spots:
        return excerpt(text, spots[0], spots)
    line = masked(" ".join(text.split()))
    return [line if len(line) <= MOST_PLAIN else f"{line[:MOST_PLAIN]}…"]


def whole_of(text: str, searched: Iterable[str]) -> Pieces:
    """The whole text with the words lit."""
    return marked(text, spots_of(text, searched))


def _pattern(form: str) -> str:
    return rf"\b{re.escape(form)}[a-z]*" if form.isascii() else re.escape(form)


def _is_one(found: str, terms: set[str], wanted: dict[str, set[str]]) -> bool:
    lower: Sequence[str] = [word.casefold() for word in wanted]
    return found.casefold() in lower or not found.isascii() or not terms.isdisjoint(words(found))

"""Which words of a preset are a card's own and which the preset's: SillyTavern expands their macros apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, Final, cast

CARD_WORDS: Final = "stCardWords"
"""Metadata of a preset: the lengths of the stretches of its content, which are the card's and the preset's in turn."""


def card_words(pieces: Sequence[str]) -> Mapping[str, Any]:
    """The metadata of a content of these pieces, the first one the card's; none where there is nothing to expand."""
    has_macros = any("{{" in piece or "<" in piece or "\r" in piece for piece in pieces)
    return {CARD_WORDS: [len(piece) for piece in pieces]} if has_macros else {}


def stretches_of_card(metadata: Mapping[str, Any], length: int) -> Iterator[tuple[int, int]]:
    """Start and end of each stretch that is the card's in a content of this length; none where that was changed."""
    found = metadata.get(CARD_WORDS)
    if not isinstance(found, Sequence) or not all(isinstance(each, int) for each in cast("Sequence[Any]", found)):
        return
    ends = [0, *accumulate(cast("Sequence[int]", found))]
    if ends[-1] == length:
        yield from [span for span in list(pairwise(ends))[::2] if span[0] < span[1]]

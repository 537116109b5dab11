"""Offsets as pages count them, in UTF-16 units, and as Python does, in characters."""

from __future__ import annotations

from ctxlab.errors import CtxlabError

LARGEST_OF_ONE = 0xFFFF
"""The last character that is one unit; those behind it are two."""


def units_before(text: str, characters: int) -> int:
    """UTF-16 units in front of a character.

    >>> units_before("😀ab", 2)
    3
    """
    return characters + sum(ord(each) > LARGEST_OF_ONE for each in text[:characters])


def characters_before(text: str, units: int) -> int:
    """Characters in front of a place in UTF-16 units; inside of a character it is that one's start.

    Raises CtxlabError for a place that the text doesn't have.

    >>> characters_before("😀ab", 3), characters_before("😀ab", 1)
    (2, 0)
    """
    at = 0
    for number, each in enumerate(text):
        at += 2 if ord(each) > LARGEST_OF_ONE else 1
        if at > units >= 0:
            return number
    if units != at:
        raise CtxlabError(f"the draft has {at:,} places, and {units:,} is none of them: it was changed meanwhile")
    return len(text)

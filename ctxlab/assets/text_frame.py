"""Code fences that hold any text."""

from __future__ import annotations

import re

BACKTICKS = re.compile("`+")
SHORTEST = 3


def text_frame(text: str, *, language: str = "") -> str:
    """The text in a code fence that is longer than the longest run of backticks in it.

    >>> print(text_frame("a ``` b", language="text"))
    ````text
    a ``` b
    ````
    """
    fence = fence_of(text)
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def fence_of(text: str) -> str:
    """Backticks, one more than the longest run of them in the text, at least three."""
    longest = max((len(run) for run in BACKTICKS.findall(text)), default=0)
    return "`" * max(SHORTEST, longest + 1)

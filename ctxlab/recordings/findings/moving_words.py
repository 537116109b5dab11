"""Words that move from one request to the next by themselves: numbers, dates and ids."""

from __future__ import annotations

import re
from typing import Final

from ctxlab.context.equal_stretch import equal_after
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.secrets import masked_stretch

NAMES: Final = (
    "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tue|Wed|Thu|Fri|Sat|Sun|January|February|March|April|May|June|July"
    "|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|AM|PM"
)
MOVING: Final = lazy_pattern(
    rf"[0-9a-fA-F]{{8}}-(?:[0-9a-fA-F]{{4}}-){{3}}[0-9a-fA-F]{{12}}|\b(?=[a-f]*\d)[0-9a-f]{{8,}}\b|\b(?:{NAMES})\b|\d+"
    "|(?:星期|周|礼拜)[一二三四五六日天]|[一二三四五六七八九十]+(?=[年月日号时点分])|[上下]午",
    re.IGNORECASE,
)
"""Ids, names of days and months, and numbers."""


def without_moving(text: str) -> str:
    """A text in which all that moves is the same."""
    return MOVING.sub("0", text)


def around(old: str, new: str) -> tuple[str, str]:
    """The two texts from a few characters before they differ, a line at most."""
    start = equal_after(old, new)
    begin = max(0, start - 20, old.rfind("\n", 0, start) + 1)
    return tuple(masked_stretch(text, begin, start + 20).partition("\n")[0] for text in (old, new))  # type: ignore[return-value]

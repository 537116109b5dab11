"""Counts by `toktok`, where it is installed: tiktoken's, in a tenth of its time, and nothing else than counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ctxlab.engines.tokens.known_characters import all_known

Count = Callable[[str], int]

WORTH: Final = 5_000_000
"""Characters that tiktoken counts in the time that `toktok` takes to load, half a second of CPU."""
SAMPLE: Final = (
    "The keeper's LAMP was lit at 17:45,\n\tsaid été, маяк, 灯塔守护人, 등대 and 🫠!  {don't_count(12345)}\r\n"
)


def fast_count(name: str, judge: Count) -> Count | None:
    """Counts in an encoding by `toktok`; None where it isn't installed or doesn't count as the judge.

    Texts that libraries may split otherwise are always the judge's to count.
    """
    try:
        import toktok
    except ImportError:
        return None
    # Its count of one text: `batch_count` makes itself ready anew for each call, which takes longer than a message.
    load: Any = getattr(toktok, "_encoding", None)
    count: Count | None = load and load(name).count
    if count is None or any(count(part) != judge(part) for part in (SAMPLE, *SAMPLE.split())):
        return None
    return lambda text: count(text) if text.isascii() or all_known(text) else judge(text)

"""Date and time as old English letters tell them."""

from __future__ import annotations

from ctxlab.engines.macros.call import MacroCall
from ctxlab.engines.macros.conversation_time import Moment
from ctxlab.engines.macros.dates import MONTHS, hour12
from ctxlab.engines.macros.registry import macro

QUARTERS = {15: "a quarter past", 30: "half past"}


def _ordinal(number: int) -> str:
    if 11 <= number % 100 <= 13:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _date(moment: Moment) -> str:
    return f"the {_ordinal(moment.day)} day of {MONTHS[moment.month - 1]}, in the year of our Lord {moment.year}"


def _time(moment: Moment) -> str:
    part = "morning" if moment.hour < 12 else "afternoon" if moment.hour < 18 else "evening"
    if moment.minute == 0:
        whole = {0: "the stroke of midnight", 12: "high noon"}
        return whole.get(moment.hour, f"{hour12(moment)} o'clock in the {part}")
    if moment.minute == 45:
        return f"a quarter to {hour12(moment) % 12 + 1} in the {part}"
    before = QUARTERS.get(moment.minute, f"{moment.minute} minutes past")
    return f"{before} {hour12(moment)} in the {part}"


@macro("date_en_ancient", phase="post")
def date_en_ancient(call: MacroCall) -> str:
    """Date, as the 7th day of November, in the year of our Lord 2025."""
    return _date(call.moment)


@macro("datetime_en_ancient", phase="post")
def datetime_en_ancient(call: MacroCall) -> str:
    """Time and date, as half past 2 in the afternoon, on the 7th day of November, in the year of our Lord 2025."""
    return f"{_time(call.moment)}, on {_date(call.moment)}"

"""Date and time macros in plain forms; all of them use the request's time."""

from __future__ import annotations

import re

from ctxlab.engines.macros.call import MacroCall
from ctxlab.engines.macros.clock_and_timeline import Moment
from ctxlab.engines.macros.registry import macro
from ctxlab.lazy_pattern import lazy_pattern

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
TOKENS = "YYYY|YY|MMMM|MMM|MM|M|dddd|ddd|DD|D|HH|H|hh|h|mm|m|ss|s|A|a"
PATTERN = lazy_pattern(TOKENS)
PATTERN_WITH_WORDS = lazy_pattern(rf"\[([^\]]*)\]|{TOKENS}")
DEFAULT_PATTERN = "YYYY-MM-DD HH:mm:ss"


def hour12(moment: Moment) -> int:
    return moment.hour % 12 or 12


def half_day(moment: Moment) -> str:
    return "PM" if moment.hour >= 12 else "AM"


def clock12(moment: Moment) -> str:
    return f"{hour12(moment)}:{moment.minute:02d} {half_day(moment)}"


def clock24(moment: Moment) -> str:
    return f"{moment.hour:02d}:{moment.minute:02d}"


def ymd(moment: Moment) -> str:
    return f"{moment.year}-{moment.month:02d}-{moment.day:02d}"


def long_date(moment: Moment) -> str:
    return f"{MONTHS[moment.month - 1]} {moment.day}, {moment.year}"


@macro("time", phase="post")
def time(call: MacroCall) -> str:
    """Time of day, as 2:30 PM."""
    return clock12(call.moment)


@macro("time24", phase="post")
def time24(call: MacroCall) -> str:
    """Time of day, as 14:30."""
    return clock24(call.moment)


@macro("date", phase="post")
def date(call: MacroCall) -> str:
    """Date, as November 7, 2025."""
    return long_date(call.moment)


@macro("date_ymd", phase="post")
def date_ymd(call: MacroCall) -> str:
    """Date, as 2025-11-07."""
    return ymd(call.moment)


@macro("datetime", phase="post")
def datetime(call: MacroCall) -> str:
    """Date and time, as 2025-11-07 14:30:05."""
    return f"{ymd(call.moment)} {clock24(call.moment)}:{call.moment.second:02d}"


@macro("isotime", phase="post")
def isotime(call: MacroCall) -> str:
    """The instant in UTC, as 2025-11-07T14:30:05.123Z."""
    return call.moment.iso


@macro("timestamp", phase="post")
def timestamp(call: MacroCall) -> str:
    """Milliseconds since 1970."""
    return str(call.moment.epoch_ms)


@macro("weekday", phase="post")
def weekday(call: MacroCall) -> str:
    """Day of the week in English."""
    return WEEKDAYS[call.moment.weekday]


@macro("datetime_format", phase="post", arguments="0-1", rest=True)
def datetime_format(call: MacroCall) -> str:
    """Date and time by a pattern of YYYY MM DD HH mm ss and their like; words stand in [square brackets]."""
    pattern = call.argument(0) or DEFAULT_PATTERN
    return formatted(call.moment, pattern, words=not call.run.reference)


def formatted(moment: Moment, pattern: str, *, words: bool) -> str:
    """The pattern with its tokens replaced by parts of the moment; `words` in brackets are kept."""
    values = _parts(moment)

    def written(match: re.Match[str]) -> str:
        return values[match.group()] if match.group() in values else match.group()[1:-1]

    last = pattern.rfind("]") + 1 if words else 0  # no bracket behind it is closed
    return PATTERN_WITH_WORDS.sub(written, pattern[:last]) + PATTERN.sub(written, pattern[last:])


def _parts(moment: Moment) -> dict[str, str]:
    month, day = MONTHS[moment.month - 1], WEEKDAYS[moment.weekday]
    numbers = {"M": moment.month, "D": moment.day, "H": moment.hour, "h": hour12(moment), "m": moment.minute}
    numbers["s"] = moment.second
    return {
        "YYYY": str(moment.year),
        "YY": f"{moment.year % 100:02d}",
        "MMMM": month,
        "MMM": month[:3],
        "dddd": day,
        "ddd": day[:3],
        "A": half_day(moment),
        "a": half_day(moment).lower(),
        **{token: str(value) for token, value in numbers.items()},
        **{token * 2: f"{value:02d}" for token, value in numbers.items()},
    }

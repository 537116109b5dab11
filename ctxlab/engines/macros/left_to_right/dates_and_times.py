"""Macros of time in SillyTavern's newer engine; all of them use the request's time."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta, timezone

from ctxlab.engines.macros import sillytavern_time
from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.clock_and_timeline import DAYS_OF_MONTH, Moment, moment_at
from ctxlab.engines.macros.dates import MONTHS, WEEKDAYS, clock12, clock24, half_day, hour12, long_date, ymd
from ctxlab.engines.macros.registry import NEWER, Macro, MacroFamily, macro
from ctxlab.lazy_pattern import lazy_pattern

OFFSET = lazy_pattern(r"UTC([+-]\d{1,5})", re.ASCII)
TOKENS = lazy_pattern(
    r"\[([^\]]*)\]|LTS|LT|L{1,4}|l{1,4}|Mo|MMMM|MMM|MM|M|DDDo|DDDD|DDD|Do|DD|D|do|dddd|ddd|dd|d|E|e"
    r"|YYYY|YY|Qo|Q|A|a|HH|H|hh|h|kk|k|mm|m|ss|s|SSS|SS|S|ZZ|Z|X|x|Wo|WW|W|GGGG|GG|wo|ww|w|gggg|gg|z|Y"
)
LOCAL = {
    "LT": "h:mm A", "LTS": "h:mm:ss A", "L": "MM/DD/YYYY", "LL": "MMMM D, YYYY", "LLL": "MMMM D, YYYY h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A", "l": "M/D/YYYY", "ll": "MMM D, YYYY", "lll": "MMM D, YYYY h:mm A",
    "llll": "ddd, MMM D, YYYY h:mm A",
}  # fmt: skip
PLAIN: tuple[tuple[str, str, Callable[[Moment], str]], ...] = (
    ("date", "Date, as November 7, 2025.", long_date),
    ("weekday", "Day of the week in English.", lambda moment: WEEKDAYS[moment.weekday]),
    ("isotime", "Time of day, as 14:30.", clock24),
    ("isodate", "Date, as 2025-11-07.", ymd),
)


def _plain(read: Callable[[Moment], str]) -> Callable[[MacroCall], str]:
    return lambda call: read(call.moment)


plain = MacroFamily(tuple(Macro(name, "post", _plain(read), text, dialect=NEWER) for name, text, read in PLAIN))


@macro("time", phase="post", arguments="0-1", dialect=NEWER)
def time(call: MacroCall) -> str:
    """Time of day, as 2:30 PM; with an argument such as UTC-5 the time there."""
    match = OFFSET.fullmatch(call.argument(0).strip())
    if match is None:
        return clock12(call.moment)
    number = int(match.group(1))
    minutes = number * 60 if abs(number) < 16 else number
    if abs(minutes) >= 1440:
        raise BadCall(f"{match.group(1)} is not hours from UTC, such as +8")
    return clock12(moment_at(call.moment.epoch_ms, timezone(timedelta(minutes=minutes))))


@macro("datetimeformat", phase="post", arguments="1", dialect=NEWER)
def datetimeformat(call: MacroCall) -> str:
    """Date and time by a pattern of YYYY MM DD HH mm ss and their like; words stand in [square brackets]."""
    return formatted(call.moment, call.arguments[0] or "YYYY-MM-DDTHH:mm:ssZ")


@macro("idleDuration", "idle_duration", phase="post", dialect=NEWER)
def idle_duration(call: MacroCall) -> str:
    """Time since the user's last message, the newest message aside, in words; `just now` when there is none."""
    return str(sillytavern_time.idle_duration.macros[0](call))


@macro("timeDiff", phase="post", arguments="2", dialect=NEWER)
def time_diff(call: MacroCall) -> str:
    """The difference of two dates in round words: `3 days ago` where the first is the earlier one, else `in 3 days`."""
    try:
        first, second = (_epoch_ms(call, text) for text in call.arguments)
    except BadCall:
        return "Invalid date"
    words = sillytavern_time.humanized((first - second) / 1000)
    return f"in {words}" if first > second else f"{words} ago"


def _epoch_ms(call: MacroCall, text: str) -> int:
    if sillytavern_time.WRITTEN.fullmatch(text) and not text[:1].isalpha():
        raise BadCall("a time without a date")
    return sillytavern_time.epoch_ms(call, text)


def formatted(moment: Moment, pattern: str) -> str:
    """The pattern with its tokens replaced by parts of the moment, as moment.js reads them."""

    def written(match: re.Match[str]) -> str:
        if match.group(1) is not None:
            return match.group(1)
        token = match.group()
        return formatted(moment, LOCAL[token]) if token in LOCAL else _part(moment, token)

    return TOKENS.sub(written, pattern)


def _part(moment: Moment, token: str) -> str:
    if token.endswith("o"):
        number = _number(moment, token[:-1])
        return f"{number}{_ending(number)}"
    match token:
        case "MMMM" | "MMM":
            return MONTHS[moment.month - 1][: None if token == "MMMM" else 3]
        case "dddd" | "ddd" | "dd":
            return WEEKDAYS[moment.weekday][: {"dddd": None, "ddd": 3, "dd": 2}[token]]
        case "YYYY":
            return f"{moment.year:04d}"
        case "A" | "a":
            return half_day(moment) if token == "A" else half_day(moment).lower()
        case "Z" | "ZZ":
            sign, minutes = "-" if moment.offset_ms < 0 else "+", abs(moment.offset_ms) // 60_000
            return f"{sign}{minutes // 60:02d}{':' if token == 'Z' else ''}{minutes % 60:02d}"
        case "X" | "x":
            return str(moment.epoch_ms if token == "x" else moment.epoch_ms // 1000)
        case "S" | "SS" | "SSS":
            return f"{moment.epoch_ms % 1000:03d}"[: len(token)]
        case "DDDD":
            return f"{_number(moment, 'DDD'):03d}"
        case "GGGG" | "gggg" | "Y":
            return str(_number(moment, token[0]))
        case "z":
            return ""
        case "YY" | "GG" | "gg" | "ww" | "MM" | "DD" | "HH" | "hh" | "mm" | "ss" | "kk" | "WW":
            return f"{_number(moment, token[0]) % 100:02d}"
        case _:
            return str(_number(moment, token))


def _number(moment: Moment, token: str) -> int:
    numbers: dict[str, Callable[[], int]] = {
        "M": lambda: moment.month, "D": lambda: moment.day, "Y": lambda: moment.year, "H": lambda: moment.hour,
        "h": lambda: hour12(moment), "k": lambda: moment.hour or 24, "m": lambda: moment.minute,
        "s": lambda: moment.second, "Q": lambda: (moment.month + 2) // 3, "d": lambda: (moment.weekday + 1) % 7,
        "e": lambda: (moment.weekday + 1) % 7, "E": lambda: moment.weekday + 1, "DDD": lambda: _day_of_year(moment),
        "w": lambda: _week(moment)[1], "g": lambda: _week(moment)[0], "W": lambda: _iso_week(moment),
        "G": lambda: _iso_year(moment),
    }  # fmt: skip
    return numbers[token]()


def _day_of_year(moment: Moment) -> int:
    leap = moment.month > 2 and _is_leap(moment.year)
    return sum(DAYS_OF_MONTH[: moment.month - 1]) + moment.day + leap


def _week(moment: Moment) -> tuple[int, int]:
    """Year and number of a week that begins on Sunday; the first has the first of January in it."""
    day, weekday = _day_of_year(moment), (moment.weekday + 1) % 7
    if day - weekday + 6 > 365 + _is_leap(moment.year):
        return moment.year + 1, 1
    return moment.year, (day - weekday + 12) // 7


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _iso_week(moment: Moment) -> int:
    week = (_day_of_year(moment) - moment.weekday + 9) // 7
    if week < 1:
        return _weeks(moment.year - 1)
    return 1 if week > _weeks(moment.year) else week


def _iso_year(moment: Moment) -> int:
    week = (_day_of_year(moment) - moment.weekday + 9) // 7
    return moment.year - 1 if week < 1 else moment.year + (week > _weeks(moment.year))


def _weeks(year: int) -> int:
    def last_day(of: int) -> int:
        return (of + of // 4 - of // 100 + of // 400) % 7

    return 53 if last_day(year) == 4 or last_day(year - 1) == 3 else 52


def _ending(number: int) -> str:
    if number % 100 // 10 == 1:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")

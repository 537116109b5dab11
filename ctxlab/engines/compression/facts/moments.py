"""Days and times of day in a text, in their English, Chinese and international spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.engines.compression.facts.chinese_numbers import NUMERALS, chinese_number
from ctxlab.engines.compression.facts.fact import Fact, Moment
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.lazy_pattern import lazy_pattern

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTH_NAMES = tuple(each.title() for each in _MONTHS)
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
MONTHS = {name: i for i, long in enumerate(_MONTHS, 1) for name in (long, long[:3])} | {"sept": 9}
WEEKDAYS = {name: i for i, long in enumerate(_DAYS) for name in (long, f"{long}s")} | {
    name: i for i, name in enumerate(["mon", "tue", "wed", "thu", "fri"])
}

_MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len)[::-1])})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?![\d:.%]\d|\d|%)"
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)(?!\d)"
_NUMERAL = rf"(?:\d{{1,2}}|[{NUMERALS}]{{1,3}})"

_DATES = (
    lazy_pattern(
        r"(?<![\d.])(?P<year>(?:1[5-9]|20|21)\d\d)(?P<sep>[-/.])(?P<month>[01]?\d)(?P=sep)(?P<day>[0-3]?\d)(?!\d|[./-]\d)"
    ),
    lazy_pattern(
        rf"(?P<year>(?:\d{{2}}|\d{{4}}|[〇零一二三四五六七八九]{{4}}))\s?年\s?(?P<month>{_NUMERAL})\s?月(?:份|\s?(?P<day>{_NUMERAL})\s?[日号])?"
    ),
    lazy_pattern(rf"(?<!\d)(?P<month>{_NUMERAL})\s?月\s?(?P<day>{_NUMERAL})\s?[日号]"),
    lazy_pattern(rf"\b{_DAY}(?:\s+of)?[\s-]+{_MONTH}(?:,?[\s-]+{_YEAR})?", re.IGNORECASE),
    lazy_pattern(rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?", re.IGNORECASE),
    lazy_pattern(rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}", re.IGNORECASE),
    lazy_pattern(r"(?<![\d./-])(?P<either>[0-3]?\d)/(?P<other>[0-3]?\d)/(?P<year>(?:20|19)\d\d)(?!\d|/\d)"),
    lazy_pattern(r"(?<![\w.])(?P<day>[0-3]?\d)\.\s?(?P<month>[01]?\d)\.\s?(?P<year>(?:20|19)\d\d)(?!\d|\.\d)"),
    lazy_pattern(r"(?<![\d.-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\d-])"),
    lazy_pattern(r"(?P<year>(?:1[5-9]|20|21)\d\d|[〇零一二三四五六七八九]{4})\s?年(?![级前后内])"),
    lazy_pattern(
        r"(?<![\w.,/$€£¥:#-])(?P<year>(?:19[0-9]|20[0-4])\d)(?![\w%]|[.,:/]\d|-\d|\s?(?:tokens?|words?|people|years?|px|元|个|字))"
    ),
)
_MONTH_ALONE = lazy_pattern(
    rf"\b(?:in|since|until|by|last|next|this|of|from|early|late|mid|during)[\s-]+{_MONTH}(?!\w)", re.IGNORECASE
)
_CERTAIN_MONTH = lazy_pattern(
    rf"\b(?P<month>{'|'.join(each.title() for each in _MONTHS if each not in ('may', 'march', 'august'))})\b"
)
_WEEKDAY = lazy_pattern(r"\b(?P<name>(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b", re.IGNORECASE)
_WEEKDAY_SHORT = lazy_pattern(
    r"\b(?:on|by|until|since|next|last|this|every)\s+(?P<name>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b(?!\w|-)"
)
_WEEKDAY_CHINESE = lazy_pattern(r"(?:星期|礼拜|周)(?P<name>[一二三四五六日天1-6])(?!个|\d(?!\d?[:点时]))")

_HALF = r"(?:\s?(?P<half>a\.?m\b\.?|p\.?m\b\.?))"
_TIMES = (
    lazy_pattern(
        rf"(?<![\d.])(?<!\d:)(?P<hour>[0-2]?\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.\d+)?)?(?![\d:]){_HALF}?",
        re.IGNORECASE,
    ),
    lazy_pattern(rf"(?<![\w:.$])(?P<hour>1[0-2]|0?[1-9]){_HALF}", re.IGNORECASE),
    lazy_pattern(
        r"(?<![\w:.])(?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s?o'?clock\b",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"(?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|今晚|明晚|昨晚)\s?(?P<hour>{_NUMERAL})[点时](?:(?P<thirty>半)|(?P<minute>{_NUMERAL})分?)?"
    ),
    lazy_pattern(rf"(?<![\d{NUMERALS}])(?P<hour>{_NUMERAL})[点时](?:(?P<thirty>半)|钟|整|(?P<minute>{_NUMERAL})分)"),
    lazy_pattern(r"(?<![\d.])(?P<hour>\d{1,2})点(?![\d\w])"),
)
_AFTERNOON = ("下午", "傍晚", "晚上", "夜里", "今晚", "明晚", "昨晚")


def moments(text: str, taken: Taken) -> Iterator[Fact]:
    """Days and times that stand in the free places of a text; `text` is of plain width.

    Days that are told from another one, such as *yesterday*, are none.
    """
    for pattern in _DATES:
        for match in pattern.finditer(text):
            yield from _fact(text, match, _day(match.groupdict()), taken)
    for pattern in (_MONTH_ALONE, _CERTAIN_MONTH):
        for match in pattern.finditer(text):
            month = MONTHS.get(match["month"].lower())
            if match["month"][0].isupper() and month and taken.take(*match.span("month")):
                start, end = match.span("month")
                yield Fact("date", start, end, text[start:end], Moment(month=month))
    for match in _WEEKDAY.finditer(text):
        yield from _fact(text, match, Moment(weekday=WEEKDAYS[match["name"].lower()]), taken)
    for match in _WEEKDAY_SHORT.finditer(text):
        start, end = match.span("name")
        if taken.take(start, end):
            day = next(number for number, name in enumerate(_DAYS) if name.startswith(match["name"].lower()))
            yield Fact("date", start, end, text[start:end], Moment(weekday=day))
    for match in _WEEKDAY_CHINESE.finditer(text):
        name = match["name"]
        number = int(name) if name.isdigit() else "一二三四五六日天".index(name) + 1
        yield from _fact(text, match, Moment(weekday=min(number, 7) - 1), taken)
    for pattern in _TIMES:
        for match in pattern.finditer(text):
            yield from _fact(text, match, _time(match.groupdict()), taken)


def _fact(text: str, match: re.Match[str], value: Moment | None, taken: Taken) -> Iterator[Fact]:
    start, end = match.span()
    if value is not None and taken.take(start, end):
        yield Fact("date", start, end, text[start:end], value)


def _number(written: str | None) -> int | None:
    if not written:
        return None
    return int(written) if written.isdigit() and written.isascii() else chinese_number(written)


def _day(found: dict[str, str | None]) -> Moment | None:
    if found.get("either"):
        return _day_between_strokes(*(int(found[name] or 0) for name in ("either", "other", "year")))
    year, day, written = _number(found.get("year")), _number(found.get("day")), found.get("month")
    month = MONTHS.get(written.lower(), None) or _number(written) if written else None
    if written and not (month and 1 <= month <= 12):
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    if year is not None and year < 100:
        year += 2000
    return Moment(year=year, month=month, day=day)


def _day_between_strokes(first: int, second: int, year: int) -> Moment | None:
    """A day as 12/31/2025 or 31/12/2025; where both could be the month either may be."""
    if first > 12:
        first, second = second, first
    if not (1 <= first <= 12 and 1 <= second <= 31):
        return None
    return Moment(year=year, month=first, day=second, is_day_or_month=second <= 12 and first != second)


def _time(found: dict[str, str | None]) -> Moment | None:
    hour = _hour(found["hour"] or "")
    minute = 30 if found.get("thirty") else _number(found.get("minute")) or 0
    if hour is None or hour > 24 or minute > 59:
        return None
    half, part = (found.get("half") or "").lower()[:1], found.get("part") or ""
    is_known = bool(half or part or hour > 12 or hour == 0 or (found["hour"] or "").startswith("0"))
    if half:
        if hour > 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    elif (part in _AFTERNOON and hour < 12) or (part == "中午" and hour < 3):
        hour += 12
    return Moment(hour=hour % 24, minute=minute, second=_number(found.get("second")), is_half_day=not is_known)


def _hour(written: str) -> int | None:
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    return words.index(written.lower()) + 1 if written.lower() in words else _number(written)

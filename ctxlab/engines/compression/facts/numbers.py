"""Numbers in a text with their units, in digits, in English words and in Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.engines.compression.facts.chinese_numbers import (
    DIGITS,
    LARGE,
    NUMERALS,
    SMALL,
    chinese_number,
    two_next_to_each_other,
)
from ctxlab.engines.compression.facts.fact import Fact, Quantity
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.engines.compression.facts.units import BITS, CASE_SENSITIVE, MEASURES, SCALES, UNITS
from ctxlab.lazy_pattern import lazy_pattern

_WORDS = {
    each: i
    for i, each in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
} | {
    each: 10 * i
    for i, each in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_MULTIPLIERS = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}

_WORD = lazy_pattern("[a-z]+")
_DIGITS = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,18})(?:\.\d{1,12})?"
_LATIN_UNITS = "|".join(
    sorted((re.escape(name) for name in UNITS if name[0].isalpha() and name.isascii()), key=len)[::-1]
)
_OTHER_UNITS = "|".join(
    sorted((re.escape(name) for name in [*UNITS, *MEASURES] if not name.isascii() or name == "%"), key=len)[::-1]
)
_UNIT = rf"(?:\s?-?(?P<latin>{_LATIN_UNITS})(?![A-Za-z0-9])|\s?(?P<other>{_OTHER_UNITS})(?:钱|币)?)"
_SCALE = (
    r"(?:(?P<letter>[kKMB])(?![A-Za-z0-9])|\s?(?P<scale>hundred|thousand|million|billion|bn|trillion)\b"
    r"|\s?(?P<wide>十万|百万|千万|[百千万亿])余?)"
)
_ENGLISH_WORDS = "|".join([*_WORDS, *_MULTIPLIERS])
_SIGN = r"(?P<money>US\$|RMB\s?|[$€£¥])?\s?"

_TAIL = rf"(?!\d|[.,]\d)(?P<ordinal>(?:st|nd|rd|th)\b)?{_SCALE}?多?(?:{_UNIT})?(?![A-Za-z_])"
_LOW_UNIT = rf"(?:\s?(?:{_LATIN_UNITS})\b|\s?(?:{_OTHER_UNITS}))?"
"""The unit of a range's lower end, which is that of the other."""
_SIGN_AGAIN = r"(?:US\$|RMB\s?|[$€£¥])?"
_NUMBER = lazy_pattern(
    rf"(?:(?P<minus>(?<![\w)\]-])-(?!\s))|(?<![A-Za-z0-9_./\\@#&'-])){_SIGN}(?P<low>{_DIGITS})"
    rf"(?:\s?(?:-|–|—|~|～|至|到|to)\s?{_SIGN_AGAIN}(?P<high>{_DIGITS}))?{_TAIL}",
    re.IGNORECASE,
)
_BETWEEN = lazy_pattern(
    rf"\bbetween\s+(?P<minus>-(?=\d))?{_SIGN}(?P<low>{_DIGITS}){_LOW_UNIT}\s(?:and|to)\s{_SIGN_AGAIN}(?P<high>{_DIGITS}){_TAIL}",
    re.IGNORECASE,
)
_BETWEEN_CHINESE = lazy_pattern(
    rf"(?P<minus>(?<!\w)-)?{_SIGN}(?<![A-Za-z0-9_.-])(?P<low>{_DIGITS}){_LOW_UNIT}\s?[和与至到]\s?{_SIGN_AGAIN}(?P<high>{_DIGITS}){_TAIL}(?=\s?之间)",
    re.IGNORECASE,
)
_PERCENT_CHINESE = lazy_pattern(rf"百分之([{NUMERALS}]{{1,8}}|\d{{1,3}}(?:\.\d+)?)")
_ENGLISH = lazy_pattern(
    rf"(?<![A-Za-z0-9_-])(?:(?:{_ENGLISH_WORDS})(?:(?:\s+and\s+|[\s-]+)(?={_ENGLISH_WORDS}))?){{1,12}}"
    rf"(?![A-Za-z0-9_-]*[A-Za-z0-9_])(?:{_UNIT})?",
    re.IGNORECASE,
)
_WORD_NUMBER = rf"(?:{_ENGLISH_WORDS})(?:[\s-]+(?:{_ENGLISH_WORDS})){{0,6}}"
_ENGLISH_RANGE = lazy_pattern(
    rf"(?<![A-Za-z0-9_-])(?:between\s+(?P<low>{_WORD_NUMBER})\s+and|(?P<from>{_WORD_NUMBER})\s+to)\s+"
    rf"(?P<high>{_WORD_NUMBER})(?![A-Za-z0-9_-]*[A-Za-z0-9_])(?:{_UNIT})?",
    re.IGNORECASE,
)
_WITH_ONE = "共起直定般律旦样些切总并概"
"""Characters that make a word with 一, which counts nothing: 一共三千元 has one number."""
_CHINESE = lazy_pattern(
    rf"(?<![{NUMERALS}第周期拜几数])(?:(?<![{NUMERALS}][\u4e00-\u9fff])|(?<=一[{_WITH_ONE}]))(?!十分[^钟之])"
    rf"(?P<number>[{NUMERALS}]{{1,16}})多?(?P<other>{_OTHER_UNITS})"
)
_CHINESE_RANGE = lazy_pattern(
    rf"(?<![{NUMERALS}第周期拜几数])(?P<low>[{NUMERALS}]{{1,8}})\s?[到至~～—-]\s?(?P<high>[{NUMERALS}]{{1,8}})多?"
    rf"(?P<other>{_OTHER_UNITS})"
)
_MEASURES = "|".join(sorted(MEASURES, key=len)[::-1])
_ORDINAL = lazy_pattern(rf"第\s?(?P<number>[{NUMERALS}]{{1,8}}|\d{{1,6}})(?P<other>{_MEASURES}|次|天|名|层)?")
_VAGUE_UNITS = ("day", "time", "person")
"""One of these is a way to say some."""
_VAGUE_BEFORE = lazy_pattern(r"\b(?:or|these|those|the|our|both|other|last|first|next)\s+$", re.IGNORECASE)
_VAGUE_BEFORE_CHINESE = "这那们"
_LABEL = lazy_pattern(
    r"\b(?:lines?|parts?|steps?|tasks?|priority|phases?|options?|sections?|items?|file|exit code|status)[ :#]*"
    r"(?P<n>\d{1,6}(?:\s?[-–,]\s?\d{1,6}|\s(?:and|or|to)\s\d{1,6}){0,4})(?![\d%])",
    re.IGNORECASE,
)
"""Numbers that say which part is meant, and measure nothing."""
_LIST_NUMBER = lazy_pattern(
    r"^[ \t>*]*(?:#{1,6}\s+)?(?:step\s+)?\(?(?P<n>\d{1,3}(?:\.\d{1,2})*)[.)、:：](?!\d)", re.MULTILINE | re.IGNORECASE
)

_SHORT_OF_MONEY = {"us$": "usd", "rmb": "cny"}


def numbers(text: str, taken: Taken, *, with_vague: bool = False) -> Iterator[Fact]:
    """Numbers that stand in the free places of a text; `text` is of plain width. Numbers of a list's items are none.

    Nor are words that count nothing by themselves (*one day*, *these two*, 这两部), unless it is `with_vague` ones: a
    summary may write a number so that an original has.
    """
    for match in _LIST_NUMBER.finditer(text):
        taken.take(*match.span("n"))
    for match in _LABEL.finditer(text):
        taken.take(*match.span("n"))
    for match in _PERCENT_CHINESE.finditer(text):
        value = chinese_number(match[1]) if match[1][0] in NUMERALS else float(match[1])
        if value is not None:
            yield from _fact(text, match, Quantity(value, value, "%"), taken)
    for match in _ORDINAL.finditer(text):
        value = _either(match["number"])
        if value is not None and match[0] != "第一次":
            yield from _fact(text, match, Quantity(value, value, "ordinal"), taken)
    for pattern in (_BETWEEN, _BETWEEN_CHINESE):
        for match in pattern.finditer(text):
            yield from _fact(text, match, _quantity(match), taken)
    for match in _ENGLISH_RANGE.finditer(text):
        low, high = (_WORD.findall(each.lower()) for each in (match["low"] or match["from"], match["high"]))
        scale = next((_MULTIPLIERS[word] for word in high[::-1] if word in _MULTIPLIERS), 1)
        value = _range(_english(low), _english(high), scale, match["latin"] or match["other"] or "")
        yield from _fact(text, match, value, taken)
    for match in _CHINESE_RANGE.finditer(text):
        scale = {**SMALL, **LARGE}.get(match["high"][-1], 1)
        value = _range(chinese_number(match["low"]), chinese_number(match["high"]), scale, match["other"])
        yield from _fact(text, match, value, taken)
    for match in _NUMBER.finditer(text):
        yield from _fact(text, match, _quantity(match), taken)
    for match in _CHINESE.finditer(text):
        low, value = two_next_to_each_other(match["number"]) or (chinese_number(match["number"]),) * 2
        is_vague = value == 1 or text[max(0, match.start() - 1) : match.start()] in tuple(_VAGUE_BEFORE_CHINESE)
        is_code = low == value and len(match["number"]) > 1 and set(match["number"]) <= set(DIGITS)
        if value is not None and low is not None and not is_code and (with_vague or not is_vague):
            yield from _fact(text, match, _with_unit(low, value, match["other"]), taken)
    for match in _ENGLISH.finditer(text):
        value = _english(re.split(r"[\s-]+", match[0].lower()))
        if value is not None:
            name = (match["latin"] or match["other"] or "").lower()
            is_vague = _VAGUE_BEFORE.search(text, 0, match.start()) or (
                value == 1 and (not name or name in _VAGUE_UNITS)
            )
            if with_vague or not is_vague:
                yield from _fact(text, match, _with_unit(value, value, name), taken)


def has_unit(fact: Fact) -> bool:
    """Whether a fact is a number with a unit."""
    return isinstance(fact.value, Quantity) and bool(fact.value.unit)


def _fact(text: str, match: re.Match[str], value: Quantity | None, taken: Taken) -> Iterator[Fact]:
    start, end = match.span()
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if value is not None and taken.take(start, end):
        yield Fact("number", start, end, text[start:end], value)


def _either(numeral: str) -> float | None:
    return chinese_number(numeral) if numeral[0] in NUMERALS else float(numeral)


def _quantity(match: re.Match[str]) -> Quantity | None:
    low = float(match["low"].replace(",", ""))
    high = float(match["high"].replace(",", "")) if match["high"] else low
    if high < low:
        return None
    if match["minus"] == "-" and high == low:
        low = high = -low
    factor = {"k": 1e3, "m": 1e6, "b": 1e9}.get((match["letter"] or "").lower(), 1.0)
    factor *= SCALES.get((match["scale"] or match["wide"] or "").lower(), 1.0)
    name = match["latin"] or match["other"] or ""
    money = (match["money"] or "").strip().lower()
    if match["letter"] in ("m", "b") and not money:  # 5m is a length, 5M and $5m are five millions
        factor, name = 1.0, match["letter"]
    if match["ordinal"]:
        return Quantity(low, high, "ordinal")
    return _with_unit(low * factor, high * factor, _SHORT_OF_MONEY.get(money, money) or name)


def _range(low: float | None, high: float | None, scale: int, unit: str) -> Quantity | None:
    """The range of two numbers in words; the lower one may leave out what scales both (*two to three hundred*)."""
    if low is None or high is None:
        return None
    low = low * scale if low < scale and low * scale < high else low
    return _with_unit(low, high, unit.lower()) if low < high else None


def _with_unit(low: float, high: float, name: str) -> Quantity:
    known = UNITS.get(BITS.get(name, name.lower()))
    if known is None:
        return Quantity(low, high, name if name in MEASURES else "")
    if CASE_SENSITIVE.get(name.lower()) and name.isupper():
        return Quantity(low, high, "")
    unit, factor = known
    return Quantity(round(low * factor, 9), round(high * factor, 9), unit)


def _english(words: list[str]) -> float | None:
    """The value of a number in English words, which a unit may follow."""
    total = section = 0
    seen = False
    for word in words:
        if word in _WORDS:
            section += _WORDS[word]
        elif word in ("hundred", "dozen"):
            section = (section or 1) * _MULTIPLIERS[word]
        elif word in _MULTIPLIERS:
            total += (section or 1) * _MULTIPLIERS[word]
            section = 0
        elif word == "and":
            continue
        else:
            break
        seen = True
    return total + section if seen else None

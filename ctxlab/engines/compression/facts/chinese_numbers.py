"""The values of Chinese numerals."""

from __future__ import annotations

DIGITS = {each: i for i, each in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
SMALL = {"十": 10, "百": 100, "千": 1_000}
LARGE = {"万": 10_000, "亿": 100_000_000}
NUMERALS = "".join([*DIGITS, *SMALL, *LARGE])


def chinese_number(numeral: str) -> int | None:
    """The value of a Chinese numeral; None where it isn't one.

    >>> chinese_number("三千二百零五"), chinese_number("二〇二四"), chinese_number("一百二"), chinese_number("十万")
    (3205, 2024, 120, 100000)
    """
    if not numeral or any(each not in NUMERALS for each in numeral) or len(numeral) > 20:
        return None
    if all(each in DIGITS for each in numeral):
        return int("".join(str(DIGITS[each]) for each in numeral))
    total = section = digit = 0
    unit = 1
    for each in numeral:
        if each in DIGITS:
            digit = DIGITS[each]
            unit = 1 if each in "零〇" else unit
        elif each in SMALL:
            unit = SMALL[each]
            section += (digit or 1) * unit
            digit = 0
        else:
            unit = LARGE[each]
            section += digit
            total = (total + (section or 1)) * unit if unit > total > 0 else total + (section or 1) * unit
            section = digit = 0
    return total + section + digit * (unit // 10 if unit >= 100 else 1)


def two_next_to_each_other(numeral: str) -> tuple[int, int] | None:
    """The range that two digits in a row mean, of which the second is the first and one; None where there is none.

    >>> two_next_to_each_other("三四"), two_next_to_each_other("两三百"), two_next_to_each_other("十五六")
    ((3, 4), (200, 300), (15, 16))
    """
    pairs = [i for i in range(len(numeral) - 1) if numeral[i] in DIGITS and numeral[i + 1] in DIGITS]
    if len(pairs) != 1 or "零" in numeral or "〇" in numeral or "一二" in numeral:
        return None
    (at,) = pairs
    low, high = chinese_number(numeral[: at + 1] + numeral[at + 2 :]), chinese_number(numeral[:at] + numeral[at + 1 :])
    is_range = DIGITS[numeral[at]] + 1 == DIGITS[numeral[at + 1]]
    return (low, high) if is_range and low is not None and high is not None else None

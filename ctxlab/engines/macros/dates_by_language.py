"""Date and time macros in the form of a language, and in old English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.clock_and_timeline import Moment
from ctxlab.engines.macros.dates import MONTHS, half_day, hour12
from ctxlab.engines.macros.registry import macro

CHINESE = "zh-CN"
# Weekday, day, month, year and time of day, each hour of two digits. Names of months and days come from CLDR.
FORMS: Mapping[str, str] = {
    "zh-CN": "{year}年{number}月{day}日{weekday} {clock}",
    "zh-TW": "{year}年{number}月{day}日{weekday} {half}{clock12}",
    "ja-JP": "{year}年{number}月{day}日{weekday} {clock}",
    "ko-KR": "{year}년 {number}월 {day}일 {weekday} {AM} {clock12}",
    "en-US": "{weekday}, {month} {day}, {year} at {clock12} {AM}",
    "en-GB": "{weekday}, {day} {month} {year} at {clock}",
    "de-DE": "{weekday}, {day}. {month} {year} um {clock}",
    "fr-FR": "{weekday} {day} {month} {year} à {clock}",
    "ru-RU": "{weekday}, {day} {month} {year} г. в {clock}",
    "es-ES": "{weekday}, {day} de {month} de {year}, {clock}",
    "it-IT": "{weekday} {day} {month} {year} alle ore {clock}",
    "pt-BR": "{weekday}, {day} de {month} de {year} às {clock}",
    "ar-SA": "{weekday}، {day} {month} {year} في {clock12} {half}",
    "th-TH": "{weekday}ที่ {day} {month} {buddhist} เวลา {clock}",
    "vi-VN": "lúc {clock} {weekday}, {day} {month}, {year}",
}
OTHERS = "{weekday} {day} {month} {year} {clock}"
ALIASES: Mapping[str, str] = {
    alias: tag
    for tag, said in {
        "zh-CN": "zh cn chinese zh-hans",
        "zh-TW": "tw zh-hant zh-hk",
        "ja-JP": "ja jp japanese",
        "ko-KR": "ko kr korean",
        "en-US": "en english us",
        "en-GB": "gb uk british",
        "de-DE": "de german",
        "fr-FR": "fr french",
        "ru-RU": "ru russian",
        "es-ES": "es spanish",
        "it-IT": "it italian",
        "pt-BR": "pt portuguese br",
        "ar-SA": "ar arabic",
        "th-TH": "th thai",
        "vi-VN": "vi vietnamese",
    }.items()
    for alias in said.split()
}
BY_LOWER_TAG = {tag.lower(): tag for tag in FORMS}
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
JAPANESE_DAYS, KOREAN_DAYS = "月火水木金土日", "월화수목금토일"
CHINESE_DAYS = "一二三四五六日"


def tag_of(said: str, *, reference: bool) -> str | None:
    """The language as a tag; the reference takes an unknown one for Chinese."""
    low = said.strip().lower().replace("_", "-")
    if not low:
        return CHINESE
    found = ALIASES.get(low)
    if found is None and not reference:
        found = BY_LOWER_TAG.get(low)
    if found is None:
        found = ALIASES.get(low.partition("-")[0])
    return found or (CHINESE if reference else None)


def localized(moment: Moment, said: str, *, reference: bool) -> str:
    """Date and time in a language, by a tag, a name or the code of a country."""
    tag = tag_of(said, reference=reference)
    names = _names(tag or said)
    if names is None:
        raise BadCall(f"{said!r} is no language that is known; write zh, en, ja, ko, de, fr-FR, ...")
    day_periods = _nested(names.day_periods, "format")
    periods = {key: value for width in ("wide", "abbreviated") for key, value in day_periods.get(width, {}).items()}
    half = half_day(moment)
    values = {
        "weekday": _nested(names.days, "format", "wide")[moment.weekday],
        "month": _nested(names.months, "format", "wide")[moment.month],
        "number": moment.month,
        "day": moment.day,
        "year": moment.year,
        "buddhist": moment.year + 543,
        "clock": f"{moment.hour:02d}:{moment.minute:02d}",
        "clock12": f"{hour12(moment):02d}:{moment.minute:02d}",
        "AM": half,
        "half": periods.get(half.lower(), half),
    }
    written = FORMS.get(tag or "", OTHERS).format(**values)
    return written.translate(ARABIC) if tag == "ar-SA" else written


def _names(tag: str) -> Any:
    """The names of months and days in a language, from CLDR; None when there is no such language."""
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(tag.strip().replace("-", "_"), sep="_")
    except (UnknownLocaleError, ValueError):
        return None


def _nested(data: Any, *path: str) -> Any:
    for key in path:
        data = data[key]
    return data


@macro("date_cn", phase="post")
def date_cn(call: MacroCall) -> str:
    """Date, as 2025年11月7日."""
    return f"{call.moment.year}年{call.moment.month}月{call.moment.day}日"


@macro("datetime_cn", phase="post")
def datetime_cn(call: MacroCall) -> str:
    """Date, weekday and time, as 2025年11月7日星期五 14:30."""
    now = call.moment
    return f"{now.year}年{now.month}月{now.day}日星期{CHINESE_DAYS[now.weekday]} {now.hour:02d}:{now.minute:02d}"


@macro("weekday_cn", phase="post")
def weekday_cn(call: MacroCall) -> str:
    """Day of the week, as 星期五."""
    return f"星期{CHINESE_DAYS[call.moment.weekday]}"


def _japanese_date(moment: Moment) -> str:
    return f"{moment.year}年{moment.month}月{moment.day}日（{JAPANESE_DAYS[moment.weekday]}）"


@macro("date_jp", phase="post")
def date_jp(call: MacroCall) -> str:
    """Date and weekday, as 2025年11月7日（金）."""
    return _japanese_date(call.moment)


@macro("datetime_jp", phase="post")
def datetime_jp(call: MacroCall) -> str:
    """Date, weekday and time, as 2025年11月7日（金） 午後2時30分."""
    half = "午前" if call.moment.hour < 12 else "午後"
    return f"{_japanese_date(call.moment)} {half}{hour12(call.moment)}時{call.moment.minute:02d}分"


@macro("date_ko", phase="post")
def date_ko(call: MacroCall) -> str:
    """Date and weekday, as 2025년 11월 7일 (금)."""
    now = call.moment
    return f"{now.year}년 {now.month}월 {now.day}일 ({KOREAN_DAYS[now.weekday]})"


@macro("datetime_locale", phase="post", arguments="0-1")
def datetime_locale(call: MacroCall) -> str:
    """Date, weekday and time as a language writes them; without an argument in Chinese."""
    return localized(call.moment, call.argument(0), reference=call.run.reference)


PAST_THE_HOUR = {15: "a quarter past", 30: "half past"}


def _ordinal(number: int) -> str:
    if 11 <= number % 100 <= 13:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def _old_english_date(moment: Moment) -> str:
    return f"the {_ordinal(moment.day)} day of {MONTHS[moment.month - 1]}, in the year of our Lord {moment.year}"


def _old_english_time(moment: Moment) -> str:
    part = "morning" if moment.hour < 12 else "afternoon" if moment.hour < 18 else "evening"
    if moment.minute == 0:
        whole = {0: "the stroke of midnight", 12: "high noon"}
        return whole.get(moment.hour, f"{hour12(moment)} o'clock in the {part}")
    if moment.minute == 45:
        return f"a quarter to {hour12(moment) % 12 + 1} in the {part}"
    before = PAST_THE_HOUR.get(moment.minute, f"{moment.minute} minutes past")
    return f"{before} {hour12(moment)} in the {part}"


@macro("date_en_ancient", phase="post")
def date_en_ancient(call: MacroCall) -> str:
    """Date, as the 7th day of November, in the year of our Lord 2025."""
    return _old_english_date(call.moment)


@macro("datetime_en_ancient", phase="post")
def datetime_en_ancient(call: MacroCall) -> str:
    """Time and date, as half past 2 in the afternoon, on the 7th day of November, in the year of our Lord 2025."""
    return f"{_old_english_time(call.moment)}, on {_old_english_date(call.moment)}"

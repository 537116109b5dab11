"""Date and time macros: Chinese calendar, double hours, and numerals of contracts."""

from __future__ import annotations

from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.clock_and_timeline import Moment
from ctxlab.engines.macros.registry import macro

BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
QUARTERS = "零一二三四五六七"
DIGITS = "零壹贰叁肆伍陆柒捌玖"


def _lunar_date(moment: Moment) -> str:
    if not 1 <= moment.year <= 9999:
        raise BadCall(f"the Chinese calendar is reckoned for the years 1 to 9999, not {moment.year}")
    from datetime import datetime

    from lunar_python import Lunar

    lunar = Lunar.fromDate(datetime(moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second))
    year = f"{lunar.getYearInGanZhi()}年（{lunar.getYearShengXiao()}年）"
    return f"{year}{lunar.getMonthInChinese()}月{lunar.getDayInChinese()}"


def _double_hour(moment: Moment) -> str:
    """A day has twelve of them; the first begins at 23:00."""
    return f"{BRANCHES[(moment.hour + 1) % 24 // 2]}时"


def _old_time(moment: Moment) -> str:
    quarter = ((moment.hour + 1) % 2 * 60 + moment.minute) // 15
    return _double_hour(moment) + (f"{QUARTERS[quarter]}刻" if quarter else "")


def _numeral(number: int) -> str:
    """0 to 99 with 拾 for ten: 壹拾肆."""
    tens, ones = divmod(number, 10)
    return (f"{DIGITS[tens]}拾" if tens else "") + (DIGITS[ones] if ones or not tens else "")


def _contract_date(moment: Moment) -> str:
    year = "".join([DIGITS[int(digit)] for digit in str(abs(moment.year))])
    return f"{'负' if moment.year < 0 else ''}{year}年{_numeral(moment.month)}月{_numeral(moment.day)}日"


def _contract_time(moment: Moment) -> str:
    return f"{_numeral(moment.hour)}时{_numeral(moment.minute)}分"


@macro("date_cn_ancient", phase="post")
def date_cn_ancient(call: MacroCall) -> str:
    """Date in the Chinese calendar, as 乙巳年（蛇年）九月十八."""
    return _lunar_date(call.moment)


@macro("time_cn_ancient", phase="post")
def time_cn_ancient(call: MacroCall) -> str:
    """Double hour and quarter, as 未时六刻."""
    return _old_time(call.moment)


@macro("datetime_cn_ancient", phase="post")
def datetime_cn_ancient(call: MacroCall) -> str:
    """Date in the Chinese calendar, double hour and quarter."""
    return f"{_lunar_date(call.moment)} {_old_time(call.moment)}"


@macro("shichen", phase="post")
def shichen(call: MacroCall) -> str:
    """Double hour, as 未时."""
    return _double_hour(call.moment)


@macro("date_cn_uppercase", phase="post")
def date_cn_uppercase(call: MacroCall) -> str:
    """Date in the numerals of contracts, as 贰零贰伍年壹拾壹月柒日."""
    return _contract_date(call.moment)


@macro("time_cn_uppercase", phase="post")
def time_cn_uppercase(call: MacroCall) -> str:
    """Time in the numerals of contracts, as 壹拾肆时叁拾分."""
    return _contract_time(call.moment)


@macro("datetime_cn_uppercase", phase="post")
def datetime_cn_uppercase(call: MacroCall) -> str:
    """Date and time in the numerals of contracts."""
    return f"{_contract_date(call.moment)} {_contract_time(call.moment)}"

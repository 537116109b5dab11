"""SillyTavern's macros of dates and durations; all of them use the request's time."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone

from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.clock_and_timeline import ParsedDate, moment_at, parse_date
from ctxlab.engines.macros.dates import MONTHS, clock12, clock24, formatted, ymd
from ctxlab.engines.macros.registry import SILLYTAVERN, macro
from ctxlab.lazy_pattern import lazy_pattern

# As {{date}} and {{time}} write them.
WRITTEN = lazy_pattern(
    r"(?:(?P<month>[A-Z][a-z]+) (?P<day>\d{1,2}), (?P<year>\d{4}))?"
    r"\s*(?:(?P<hour>\d{1,2}):(?P<minute>\d\d) ?(?P<half>[AP]M))?"
)
OFFSET = lazy_pattern(r"[+-]\d{1,2}")
STEPS = (  # most of the smaller unit, seconds of the unit, one of it, several of it
    (45, 60, "a minute", "minutes"),
    (45, 3600, "an hour", "hours"),
    (22, 86_400, "a day", "days"),
    (26, 2_629_746, "a month", "months"),
    (11, 31_556_952, "a year", "years"),
)


def humanized(seconds: float) -> str:
    """A span of time in round words: `a few seconds`, `5 minutes`, `an hour`, `3 days`, `a year`."""
    seconds = abs(seconds)
    span, number = "a few seconds", round(seconds)
    for most, unit, one, several in STEPS:
        if number < most:
            return span
        number = round(seconds / unit)
        span = one if number <= 1 else f"{number} {several}"
        number = max(number, 1)
    return span


@macro("isotime", phase="post", dialect=SILLYTAVERN)
def isotime(call: MacroCall) -> str:
    """Time of day, as 14:30."""
    return clock24(call.moment)


@macro("isodate", phase="post", dialect=SILLYTAVERN)
def isodate(call: MacroCall) -> str:
    """Date, as 2025-11-07."""
    return ymd(call.moment)


@macro("datetimeformat", phase="post", arguments="1", rest=True, dialect=SILLYTAVERN)
def datetimeformat(call: MacroCall) -> str:
    """Date and time by a pattern of YYYY MM DD HH mm ss and their like; words stand in [square brackets]."""
    return formatted(call.moment, call.arguments[0].strip(), words=True)


@macro("time_UTC", phase="post", arguments="1", dialect=SILLYTAVERN)
def time_utc(call: MacroCall) -> str:
    """Time of day so many hours ahead of UTC or behind it, as {{time_UTC+8}}."""
    argument = call.arguments[0].strip()
    if not OFFSET.fullmatch(argument) or abs(int(argument)) > 23:
        raise BadCall(f"{argument!r} is not hours from UTC, such as +8")
    return clock12(moment_at(call.moment.epoch_ms, timezone(timedelta(hours=int(argument)))))


@macro("idle_duration", phase="post", dialect=SILLYTAVERN)
def idle_duration(call: MacroCall) -> str:
    """Time since the user's last message, the newest message aside, in words; `just now` when there is none."""
    stamp = next((found for text in call.env.messages.user_times() if (found := parse_date(text or ""))), None)
    if stamp is None:
        return "just now"
    return humanized((call.run.now_ms() - stamp.epoch_ms(UTC)) / 1000)


@macro("timeDiff", phase="post", arguments="2", dialect=SILLYTAVERN)
def time_diff(call: MacroCall) -> str:
    """The difference of two dates in round words."""
    first, second = (epoch_ms(call, text.strip()) for text in call.arguments[:2])
    return humanized((first - second) / 1000)


def epoch_ms(call: MacroCall, text: str) -> int:
    """The instant of a date as it is written, or of a time of today; raises BadCall where it is neither."""
    stamp = parse_date(text) or _written_date(call, text)
    if stamp is None:
        raise BadCall(f"{text!r} is not a date; write it like 2025-11-07 14:30")
    return stamp.epoch_ms(UTC)


def _written_date(call: MacroCall, text: str) -> ParsedDate | None:
    """A date as {{date}} writes it, a time as {{time}} does, or both; a time alone is one of today."""
    match = WRITTEN.fullmatch(text) if text else None
    if match is None or (match["month"] or "January") not in MONTHS:
        return None
    if match["month"]:
        day = f"{match['year']}-{MONTHS.index(match['month']) + 1:02d}-{int(match['day']):02d}"
    else:
        day = ymd(call.moment)
    if not match["hour"]:
        return parse_date(day)
    hour = int(match["hour"]) % 12 + (12 if match["half"] == "PM" else 0)
    return parse_date(f"{day}T{hour:02d}:{match['minute']}")

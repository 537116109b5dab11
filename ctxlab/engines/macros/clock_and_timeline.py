"""Time in a conversation: the request's clock, the agent's virtual timeline, any year.

Years before 1 and after 9999 happen on virtual timelines, so instants are milliseconds and fields are reckoned here, in
the Gregorian calendar without end.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from ctxlab.documents.agent.agent import VirtualTime
from ctxlab.engines.macros.call import BadCall
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ctxlab.engines.macros.call import ExpansionState

STAMP = lazy_pattern(
    r"(?P<sign>[+-])?(?P<year>\d{4,6})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?"
    r"(?P<clock>[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    r"\s*(?P<zone>Z|[+-]\d\d:?\d\d)?",
    re.ASCII | re.IGNORECASE,
)
DAY, HOUR, MINUTE = 86_400_000, 3_600_000, 60_000
MOST_MILLISECONDS = (
    8_640_000_000_000_000  # milliseconds from 1970, about 273,790 years: as far as JavaScript's dates go
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAYS_OF_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
YEAR_ONE, YEAR_9999 = -62_135_510_400_000, 253_402_214_400_000  # a day inside, so that every zone stays inside too


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant in a zone: `epoch_ms` since 1970, and the date and time of day there; Monday is weekday 0."""

    epoch_ms: int
    offset_ms: int
    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    weekday: int

    @property
    def iso(self) -> str:
        """In UTC, with milliseconds; years beyond four digits with a sign and six."""
        utc = moment_at(self.epoch_ms, UTC)
        year = f"{utc.year:04d}" if 0 <= utc.year <= 9999 else f"{utc.year:+07d}"
        clock = f"{utc.hour:02d}:{utc.minute:02d}:{utc.second:02d}.{self.epoch_ms % 1000:03d}"
        return f"{year}-{utc.month:02d}-{utc.day:02d}T{clock}Z"


def moment_at(epoch_ms: int, zone: tzinfo) -> Moment:
    """Date and time of day of an instant in a zone."""
    offset = _offset_ms(epoch_ms, zone)
    days, rest = divmod(epoch_ms + offset, DAY)
    year, month, day = _date(days)
    return Moment(
        epoch_ms,
        offset,
        year,
        month,
        day,
        rest // HOUR,
        rest // MINUTE % 60,
        rest // 1000 % 60,
        (days + 3) % 7,
    )


def moment_of(run: ExpansionState) -> Moment:
    """The time of a request, on the agent's own timeline where it has one; raises BadCall when there is none."""
    now, zone = real_time(run)
    virtual = run.env.virtual_time
    if virtual is not None:
        wrong = timeline_problems(virtual)
        effective = None if wrong else _effective(virtual, now, zone)
        if effective is not None:
            return moment_at(effective, zone)
        if run.is_new("timeline"):
            why = "; ".join(wrong) or "it leads beyond the years that can be told"
            run.note(f"the agent's timeline can't be used, the real time is told: {why}")
    return moment_at(now, zone)


def real_time(run: ExpansionState) -> tuple[int, tzinfo]:
    """The request's time in milliseconds since 1970, and its zone; raises BadCall when it has none."""
    stamp = run.env.timestamp
    if not stamp:
        raise BadCall("the request has no timestamp, so there is no time to tell", key="no time")
    written = parse_date(stamp)
    if written is None:
        raise BadCall(f"the request's timestamp {stamp!r} is not a date", key="no time")
    zone = _zone(run, written)
    return written.epoch_ms(zone), zone


def timeline_problems(config: VirtualTime) -> tuple[str, ...]:
    """Problems of an agent's virtual timeline; empty when it can be used."""
    out = [
        f"{name} {value!r} is not a date; write it like 2077-10-23T09:00:00Z"
        for name, value in (("virtualBaseTime", config.virtual_base_time), ("realBaseTime", config.real_base_time))
        if parse_date(value) is None
    ]
    if not math.isfinite(config.time_scale):
        out.append(f"timeScale {config.time_scale!r} is not a number; 1 is as fast as real time, 0 stands still")
    return tuple(out)


def _effective(config: VirtualTime, now: int, zone: tzinfo) -> int | None:
    virtual, real = parse_date(config.virtual_base_time), parse_date(config.real_base_time)
    if virtual is None or real is None:
        return None
    passed = (now - real.epoch_ms(zone)) * config.time_scale
    if not abs(passed) <= 2 * MOST_MILLISECONDS:
        return None
    effective = math.trunc(virtual.epoch_ms(zone) + passed)
    return effective if abs(effective) <= MOST_MILLISECONDS else None


def _zone(run: ExpansionState, written: ParsedDate) -> tzinfo:
    """The requested zone, else that of the timestamp itself, else UTC."""
    if run.env.zone:
        found = zone_named(run.env.zone)
        if found is not None:
            return found
        if run.is_new("zone"):
            run.note(f"zone {run.env.zone!r} is not known; names are like Asia/Shanghai. The timestamp's own is used")
    return written.zone or UTC


@lru_cache(maxsize=64)
def zone_named(name: str) -> tzinfo | None:
    """The zone of an IANA name; None when there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, a path, or not a file of a zone
        return None


def timestamp_problem(text: str) -> str:
    """The problem of a request's time, with an example; empty when it can be told.

    >>> timestamp_problem("2026-05-04")
    ''
    """
    wrong = parse_date(text) is None
    return f"takes a time in ISO 8601, such as 2026-05-04T12:30:00Z, not {text[:60]!r}" if wrong else ""


def zone_problem(name: str) -> str:
    """The problem of a time zone's name, with the nearest name or an example; empty when it is known."""
    if zone_named(name) is not None:
        return ""
    from difflib import get_close_matches
    from zoneinfo import available_timezones

    whole = {known.rpartition("/")[2].lower(): known for known in sorted(available_timezones())}
    near = get_close_matches(name[:60].rpartition("/")[2].lower().replace(" ", "_"), whole, n=1)
    hint = f"did you mean {whole[near[0]]}?" if near else "names are like Asia/Shanghai"
    return f"takes the IANA name of a time zone, not {name[:60]!r}; {hint}"


@dataclass(frozen=True, slots=True)
class ParsedDate:
    """A date and a time of day as written, in a zone if one is written."""

    days: int
    rest_ms: int
    zone: tzinfo | None

    def epoch_ms(self, zone: tzinfo) -> int:
        """The instant; what is written without a zone is a time in this one.

        A time that clocks jumped over is told as if they hadn't yet, one that came twice is the first.
        """
        local = self.days * DAY + self.rest_ms
        inside = min(max(local, YEAR_ONE), YEAR_9999)
        offset = (EPOCH + timedelta(milliseconds=inside)).replace(tzinfo=self.zone or zone).utcoffset()
        return local - _milliseconds(offset)


@lru_cache(maxsize=256)
def parse_date(text: str) -> ParsedDate | None:
    """An ISO 8601 date, with a time of day or without; a date alone is midnight in UTC. None when it isn't one."""
    match = STAMP.fullmatch(text.strip())
    if match is None:
        return None
    year = int(match["year"]) * (-1 if match["sign"] == "-" else 1)
    month, day = int(match["month"] or 1), int(match["day"] or 1)
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    if not 1 <= month <= 12 or not 1 <= day <= _month_length(year, month):
        return None
    if minute > 59 or second > 59 or hour > 24 or (hour == 24 and (minute or second)):
        return None
    fraction = int((match["fraction"] or "0").ljust(3, "0")[:3])
    zone = _written_zone(match["zone"]) if match["zone"] else None if match["clock"] else UTC
    days = _days(year, month, day)
    if abs(days * DAY) > MOST_MILLISECONDS:
        return None
    return ParsedDate(days, hour * HOUR + minute * MINUTE + second * 1000 + fraction, zone)


def _written_zone(text: str) -> tzinfo:
    if text in "Zz":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=min(minutes, 1439) * (-1 if text[0] == "-" else 1)))


def _offset_ms(epoch_ms: int, zone: tzinfo) -> int:
    """Milliseconds by which a zone is ahead of UTC; before year 1 and after 9999 as at those edges."""
    inside = min(max(epoch_ms, YEAR_ONE), YEAR_9999)
    return _milliseconds((EPOCH + timedelta(milliseconds=inside)).astimezone(zone).utcoffset())


def _milliseconds(offset: timedelta | None) -> int:
    return round(offset / timedelta(milliseconds=1)) if offset else 0


def _month_length(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else DAYS_OF_MONTH[month - 1]


def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01; years are counted from March, so that the leap day comes last."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _date(days: int) -> tuple[int, int, int]:
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    return year + era * 400 + (month <= 2), month, day

"""What time it is: the request's clock, zones, and agents with a timeline of their own."""

from dataclasses import replace

import pytest

from ctxlab.documents.agent.agent import VirtualTime
from ctxlab.engines.macros import MacroEnv, expand, timeline_problems

REAL = "2025-11-07T14:00:05.123Z"


def told(said: str, env: MacroEnv) -> str:
    return str(expand(said, env))


@pytest.mark.parametrize(
    ("timestamp", "zone", "expected"),
    [
        ("2025-11-07T14:30:05Z", None, "2025-11-07 14:30:05"),
        ("2025-11-07T14:30:05+08:00", None, "2025-11-07 14:30:05"),
        ("2025-11-07T14:30:05+0800", "UTC", "2025-11-07 06:30:05"),
        ("2025-11-07T14:30:05Z", "Asia/Shanghai", "2025-11-07 22:30:05"),
        ("2025-11-07T14:30:05", "Asia/Shanghai", "2025-11-07 14:30:05"),
        ("2025-11-07 14:30", None, "2025-11-07 14:30:00"),
        ("2025-11-07", "America/New_York", "2025-11-06 19:00:00"),
        ("2025-11-02T05:30:00Z", "America/New_York", "2025-11-02 01:30:00"),
        ("2025-03-09T02:30:00", "America/New_York", "2025-03-09 03:30:00"),
        ("1888-01-01T08:30:00Z", "Asia/Shanghai", "1888-01-01 16:35:43"),
    ],
)
def test_the_requests_clock_is_told_in_its_zone(timestamp: str, zone: str | None, expected: str, env: MacroEnv) -> None:
    assert told("{{datetime}}", replace(env, timestamp=timestamp, zone=zone)) == expected


@pytest.mark.parametrize("timestamp", [None, "", "yesterday", "2025-02-30T00:00:00Z"])
def test_without_a_timestamp_dates_stay_with_one_note(timestamp: str | None, env: MacroEnv) -> None:
    expansion = expand("{{date}} {{time}} {{user}}", replace(env, timestamp=timestamp))

    assert str(expansion) == "{{date}} {{time}} Kim"
    assert len(expansion.notes) == 1


def test_an_unknown_zone_is_noted_and_the_timestamps_own_is_told(env: MacroEnv) -> None:
    expansion = expand("{{time24}}", replace(env, zone="Middle/Earth"))

    assert str(expansion) == "14:30"
    assert [note.text for note in expansion.notes] == [
        "zone 'Middle/Earth' is not known; names are like Asia/Shanghai. The timestamp's own is used"
    ]


@pytest.mark.parametrize(
    ("base", "scale", "expected"),
    [
        ("1888-01-01T08:00:00.000Z", 1, "1888-01-01T08:30:00.000Z"),
        ("2077-10-23T00:00:00.000Z", 48, "2077-10-24T00:00:00.000Z"),
        ("2000-02-29T12:00:00.000Z", 0, "2000-02-29T12:00:00.000Z"),
        ("2000-01-01T00:00:00.000Z", -2, "1999-12-31T23:00:00.000Z"),
        ("2030-06-01T09:00", 1, "2030-06-01T09:30:00.000Z"),
        ("0000-01-01T00:00:00Z", -1, "-000001-12-31T23:30:00.000Z"),
        ("-000500-03-01T00:00:00Z", 0, "-000500-03-01T00:00:00.000Z"),
        ("+012345-06-01T00:00:00Z", 0, "+012345-06-01T00:00:00.000Z"),
    ],
)
def test_an_agent_may_have_a_timeline_of_its_own(base: str, scale: float, expected: str, env: MacroEnv) -> None:
    timeline = VirtualTime(virtual_base_time=base, real_base_time=REAL, time_scale=scale)

    assert told("{{isotime}}", replace(env, virtual_time=timeline)) == expected


@pytest.mark.parametrize(
    "timeline",
    [
        VirtualTime(virtual_base_time="not a date", real_base_time=REAL),
        VirtualTime(virtual_base_time=REAL, real_base_time=""),
        VirtualTime(virtual_base_time=REAL, real_base_time=REAL, time_scale=float("nan")),
        VirtualTime(virtual_base_time="2000-01-01", real_base_time="1970-01-01", time_scale=1e9),
    ],
)
def test_a_timeline_that_cant_be_used_is_noted_and_the_real_time_told(timeline: VirtualTime, env: MacroEnv) -> None:
    expansion = expand("{{datetime}} {{time}}", replace(env, virtual_time=timeline))

    assert str(expansion) == "2025-11-07 14:30:05 2:30 PM"
    assert len(expansion.notes) == 1


def test_what_is_wrong_with_a_timeline_can_be_asked_before() -> None:
    wrong = VirtualTime(virtual_base_time="soon", real_base_time=REAL, time_scale=float("inf"))

    assert timeline_problems(wrong) == (
        "virtualBaseTime 'soon' is not a date; write it like 2077-10-23T09:00:00Z",
        "timeScale inf is not a number; 1 is as fast as real time, 0 stands still",
    )
    assert timeline_problems(VirtualTime(virtual_base_time="2077-10-23", real_base_time=REAL)) == ()


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("00:00", "the stroke of midnight"),
        ("12:00", "high noon"),
        ("03:00", "3 o'clock in the morning"),
        ("19:15", "a quarter past 7 in the evening"),
        ("12:45", "a quarter to 1 in the afternoon"),
        ("00:07", "7 minutes past 12 in the morning"),
    ],
)
def test_english_hours_of_old(time: str, expected: str, env: MacroEnv) -> None:
    env = replace(env, timestamp=f"2025-11-21T{time}:00Z")

    assert told("{{datetime_en_ancient}}", env).startswith(f"{expected}, on the 21st day of November")


@pytest.mark.parametrize(
    ("time", "expected"), [("23:00", "子时"), ("00:59", "子时七刻"), ("01:00", "丑时"), ("22:59", "亥时七刻")]
)
def test_chinese_double_hours(time: str, expected: str, env: MacroEnv) -> None:
    assert told("{{time_cn_ancient}}", replace(env, timestamp=f"2025-11-07T{time}:00Z")) == expected


def test_a_language_that_is_not_known_earns_a_note(env: MacroEnv) -> None:
    expansion = expand("{{datetime_locale::nope}}", env)

    assert str(expansion) == "{{datetime_locale::nope}}"
    assert "'nope' is no language" in expansion.notes[0].text

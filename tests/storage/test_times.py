"""Times are moments: the zone in which one is written says nothing, and what has none is in no range."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.documents.moments import moment_of, on_one_clock, seconds_of
from ctxlab.recordings.compressions.places import _is_between  # pyright: ignore[reportPrivateUsage]

ZONES = st.sampled_from(["Z", "+00:00", "+09:00", "-05:30", "+05:45", ""])
TIMES = st.builds(
    lambda when, zone: f"{when:%Y-%m-%dT%H:%M:%S}{zone}",
    st.datetimes(min_value=datetime(2001, 1, 1), max_value=datetime(2100, 1, 1)),
    ZONES,
)


@given(one=TIMES, other=TIMES, third=TIMES)
def test_a_request_is_between_two_others_by_moments(one: str, other: str, third: str) -> None:
    before, at, after = (cast("Any", SimpleNamespace(time=time)) for time in (one, other, third))
    moments = [moment_of(time) for time in (one, other, third)]
    a, b, c = (cast("Any", moment) for moment in moments)

    assert _is_between(at, before, after) == (a <= b <= c)


def test_a_time_in_another_zone_is_the_same_time() -> None:
    assert seconds_of("2026-01-01T09:00:00+09:00") == seconds_of("2026-01-01T00:00:00Z") == seconds_of("2026-01-01")
    assert moment_of("yesterday") is moment_of(None) is moment_of("") is None


def test_the_newest_comes_first_in_whatever_zone_it_is_written(tmp_path: Path) -> None:
    with ctxlab.open_workspace(tmp_path / "ws") as workspace:
        for id, time in (
            ("a", "2026-01-01T09:00:00+09:00"),
            ("b", "2026-01-01T03:00:00Z"),
            ("c", "2025-12-31T23:00:00-05:00"),
        ):
            workspace.save(ctxlab.Session(id=id, name=id).append("hi", role="user").with_(updated_at=time))

        assert [row.id for row in workspace.sessions(sort="updated")] == ["c", "b", "a"]


@pytest.mark.parametrize("since", ["1960-01-01", "1970-01-01", "2020-01-01"])
def test_a_message_without_a_time_is_in_no_range(tmp_path: Path, since: str) -> None:
    with ctxlab.open_workspace(tmp_path / "ws") as workspace:
        workspace.save(ctxlab.Session(id="a", name="a").append("lantern", role="user"))
        workspace.save(
            ctxlab.Session(id="b", name="b").append("lantern", role="user", timestamp="2026-01-01T00:00:00Z")
        )

        assert {hit.session for hit in workspace.search("lantern")} == {"a", "b"}
        assert {hit.session for hit in workspace.search("lantern", since=since)} == {"b"}
        assert {hit.session for hit in workspace.search("lantern", until="2030-01-01")} == {"b"}


def test_a_backup_says_what_stays_in_it(tmp_path: Path) -> None:
    with ctxlab.open_workspace(tmp_path / "one") as one:
        one.save(ctxlab.Session(id="a", name="a").append("kept", role="user"))
        one.save(ctxlab.Session(id="b", name="b").append("gone", role="user"))
        one.delete("b")
        archive = one.backup(tmp_path / "b.zip")
    with ctxlab.open_workspace(tmp_path / "other") as other:
        restored = other.restore_backup(archive)

        assert len(restored.in_trash) >= 1 and all(name.startswith("trash/") for name in restored.in_trash)
        assert restored.left_out == () and not other.trash()


@given(times=st.lists(TIMES | st.sampled_from(["soon", ""]), max_size=6))
def test_times_on_one_clock_are_the_same_moments_in_one_zone(times: list[str]) -> None:
    shown = on_one_clock(times)

    assert shown == [moment_of(time) for time in times]
    assert len({time.utcoffset() for time in shown if time is not None}) <= 1

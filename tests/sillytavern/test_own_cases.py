"""Our own cases, which are kept here with what the program sent for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.sillytavern.own_cases import OWN_CASES
from tests.sillytavern.own_recordings import NotRecorded, RecordedTurn, keep, written
from tests.sillytavern.replay import TurnResult, replay_own

TOPICS = sorted({case.topic for case in OWN_CASES})
LEFT: Mapping[str, str] = {
    "presets-markers-behind#2": "with the examples listed last the program loses what it goes on with, and the nudge",
}
"""Turns that differ, each with the reason."""


@pytest.fixture(scope="module")
def results() -> Sequence[TurnResult]:
    return list(replay_own())


@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_built_is_what_the_program_sent(topic: str, results: Sequence[TurnResult]) -> None:
    other = {each.key: each.lines for each in results if each.case.topic == topic and each.verdict != "equal"}

    assert {key: lines for key, lines in other.items() if key not in LEFT} == {}


def test_what_is_left_still_differs(results: Sequence[TurnResult]) -> None:
    assert {each.key for each in results if each.verdict != "equal"} == set(LEFT)


def test_every_turn_of_every_case_is_there(results: Sequence[TurnResult]) -> None:
    assert len(results) == sum(len(case.turns) for case in OWN_CASES)
    assert len({case.name for case in OWN_CASES}) == len(OWN_CASES)


def test_a_case_that_was_changed_is_recorded_anew(tmp_path: Path) -> None:
    first, other = OWN_CASES[0], OWN_CASES[1]
    said = [RecordedTurn((({"role": "user", "content": "沈舟"},),), ("Jo",)) for _ in first.turns]
    keep(first, said, tmp_path)

    at = written(first, tmp_path / first.name, tmp_path)

    assert "沈舟" in (at / "sent.json").read_text(encoding="utf-8")
    with pytest.raises(NotRecorded, match=f"run python -m tests.sillytavern.record {other.name}"):
        written(other, tmp_path / other.name, tmp_path)

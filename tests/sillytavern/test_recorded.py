"""The recorded cases, where they are at hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.sillytavern.accepted import RULES
from tests.sillytavern.replay import replay_all

CASES = Path(__file__).parents[3] / "shared" / "sillytavern" / "cases"
FLOOR = 155
"""Turns that are equal at least, those that a rule accepts among them."""

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the recorded requests are no part of the repository")


@pytest.fixture(scope="module")
def verdicts() -> Counter[str]:
    return Counter(result.verdict for result in replay_all(CASES))


def test_as_many_turns_as_before_are_what_the_program_sent(verdicts: Counter[str]) -> None:
    assert verdicts["equal"] + verdicts["accepted"] >= FLOOR


def test_no_case_breaks_the_build(verdicts: Counter[str]) -> None:
    assert verdicts["error"] == 0


def test_few_rules_accept_a_difference_and_each_has_a_reason() -> None:
    assert len(RULES) <= 10
    assert all(rule.reason for rule in RULES)

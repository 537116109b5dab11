"""Each rule tells what it looks for from what is nearly the same, in random contexts."""

from __future__ import annotations

from random import Random

import pytest

import ctxlab
from ctxlab.recordings.findings.rules import RULES
from tests.recordings.findings.near_misses import NEAR_MISSES

TIMES = 4


def test_every_rule_has_a_generator() -> None:
    assert NEAR_MISSES.keys() == {rule.id for rule in RULES}


@pytest.mark.parametrize("rule", NEAR_MISSES)
def test_a_rule_speaks_of_what_it_is_for_and_of_nothing_near(rule: str) -> None:
    for seed in range(TIMES):
        made = NEAR_MISSES[rule](Random(seed))
        found = ctxlab.check(made.has, rules=[rule])
        assert [finding.rule for finding in found][:1] == [rule], seed
        near = ctxlab.check(made.nearly, rules=[rule])
        assert ([*near], found.notes, near.notes) == ([], (), ()), seed

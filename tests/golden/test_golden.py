"""Every golden case, one item each: equal or different on purpose (by a rule, and checked)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.golden import reference, rules, tree_cases
from tests.golden.cases import FOLDER, Case, is_default, read_cases
from tests.golden.comparison import difference, is_equal

CASES = list(read_cases())
ABSENT = pytest.mark.skip(reason=f"NO GOLDEN CASE WAS RUN: none are in {FOLDER}; name their folder in CTXLAB_GOLDEN")
ITEMS = [pytest.param(case, id=case.id) for case in CASES] or [pytest.param(None, id="none", marks=ABSENT)]


@pytest.mark.parametrize("case", ITEMS)
def test_case(case: Case, record_property: Callable[[str, Any], None]) -> None:
    record_property("golden", [case.file, "failed", []])
    assert case.file in reference.ADAPTERS, f"nothing is known of {case.file}: it wants an adapter"

    given = reference.run(case)

    outcome = "equal" if is_equal(case, given) else "different"
    record_property("golden", [case.file, outcome, [rule.id for rule in rules.hits(case)]])
    found = difference(case, given)
    if found is not None:
        pytest.fail(found, pytrace=False)


def test_every_rule_makes_a_difference_somewhere() -> None:
    """Elsewhere than in the default folder the closing table lists the rules that hit nothing."""
    run = [case for case in CASES if case.file in reference.ADAPTERS]
    cases = [*run, *tree_cases.CASES]
    files = {case.file for case in cases}
    hit = {rule.id for case in cases for rule in rules.hits(case)}

    idle = [rule.id for rule in rules.RULES if is_default() and files.intersection(rule.files) and rule.id not in hit]

    assert idle == []

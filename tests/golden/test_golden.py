"""Every golden case, one item each: equal, different on purpose (by a rule, and checked), or pending."""

from __future__ import annotations

from collections.abc import Callable
from difflib import unified_diff
from pprint import pformat
from typing import Any

import pytest

from tests.golden import reference, rules
from tests.golden.cases import FOLDER, Case, is_default, read_cases
from tests.golden.pending import pending

CASES = list(read_cases())
ABSENT = pytest.mark.skip(reason=f"NO GOLDEN CASE WAS RUN: none are in {FOLDER}; name their folder in CTXLAB_GOLDEN")
ITEMS = [pytest.param(case, id=case.id) for case in CASES] or [pytest.param(None, id="none", marks=ABSENT)]


@pytest.mark.parametrize("case", ITEMS)
def test_case(case: Case, record_property: Callable[[str, Any], None]) -> None:
    record_property("golden", [case.file, "failed", []])
    lacking = pending(case)
    if lacking is not None:
        assert not lacking.is_there(), f"{lacking.name} is built: these cases want an adapter in reference.py"
        record_property("golden", [case.file, "pending", []])
        pytest.skip(f"pending: {lacking.name}")
    assert case.file in reference.ADAPTERS, f"nothing is known of {case.file}: it wants an adapter, or a capability"

    given, wanted = reference.run(case), rules.ours(case)

    equal = given == reference.expected(case)
    record_property("golden", [case.file, "equal" if equal else "different", [rule.id for rule in rules.hits(case)]])
    for rule in rules.applying(case):
        given, wanted = rule.view(given), rule.view(wanted)
    if given != wanted:
        pytest.fail(_difference(case, given, wanted), pytrace=False)


def test_every_rule_makes_a_difference_somewhere() -> None:
    """Elsewhere than in the default folder the closing table lists the rules that hit nothing."""
    cases = [case for case in CASES if case.file in reference.ADAPTERS and pending(case) is None]
    files = {case.file for case in cases}
    hit = {rule.id for case in cases for rule in rules.hits(case)}

    idle = [rule.id for rule in rules.RULES if is_default() and files.intersection(rule.files) and rule.id not in hit]

    assert idle == []


def _difference(case: Case, given: Any, wanted: Any) -> str:
    names = ", ".join(rule.id for rule in rules.applying(case)) or "no rule applies"
    lines = unified_diff(_lines(wanted), _lines(given), "must be", "is", lineterm="", n=2)
    return "\n".join([f"{case.id} ({names})", *lines]).encode("utf-8", "backslashreplace").decode()


def _lines(result: Any) -> list[str]:
    return pformat(result, width=110).splitlines()

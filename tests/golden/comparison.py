"""What a case gives beside what it must give."""

from __future__ import annotations

from difflib import unified_diff
from pprint import pformat
from typing import Any

from tests.golden import reference, rules
from tests.golden.cases import Case


def difference(case: Case, given: Any) -> str | None:
    """The lines in which our result differs from what the rules make of the reference's; None where none does."""
    wanted = rules.ours(case)
    for rule in rules.applying(case):
        given, wanted = rule.view(given), rule.view(wanted)
    if given == wanted:
        return None
    names = ", ".join(rule.id for rule in rules.applying(case)) or "no rule applies"
    lines = unified_diff(_lines(wanted), _lines(given), "must be", "is", lineterm="", n=2)
    return "\n".join([f"{case.id} ({names})", *lines]).encode("utf-8", "backslashreplace").decode()


def is_equal(case: Case, given: Any) -> bool:
    """Whether our result is the reference's."""
    return given == reference.expected(case)


def _lines(result: Any) -> list[str]:
    return pformat(result, width=110).splitlines()

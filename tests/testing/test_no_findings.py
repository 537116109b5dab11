"""The assertion that nothing is wrong with a context, or wasted."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab.testing import assert_no_findings

TALK = ctxlab.Session(id="talk").append("Hi \u202e there", id="u1")


def test_a_context_without_findings_passes_and_gives_what_lower_levels_have() -> None:
    long = [{"role": "user", "content": f"{n} and more words"} for n in range(40)]
    found = assert_no_findings(ctxlab.build(long, budget_tokens=200))

    assert [finding.rule for finding in found] == ["messages-cut"]


@pytest.mark.parametrize("what", [TALK, ctxlab.build(TALK), ctxlab.Library(sessions=(TALK,))])
def test_a_failure_names_each_finding_with_place_and_remedy(
    what: ctxlab.Session | ctxlab.Trace | ctxlab.Library,
) -> None:
    with pytest.raises(AssertionError) as failure:
        assert_no_findings(what)

    assert str(failure.value).startswith("1 finding of level 'warning' or worse\n  warning hidden-characters: ")
    assert "Take them out" in str(failure.value) and "[r1, node:u1[3:4]]" in str(failure.value)


def test_a_level_and_rules_to_ignore_are_given() -> None:
    assert_no_findings(TALK, level="error")
    assert_no_findings(TALK, ignore=["hidden-characters"])
    assert_no_findings(TALK, rules=["secret"])


def test_a_rule_that_could_not_be_asked_fails_too() -> None:
    @ctxlab.finding_rule("mine", "A rule of my own", "Speaks of nothing.", "note")
    def mine(checked: object) -> list[ctxlab.Found]:
        raise RuntimeError("no licence")

    with pytest.raises(AssertionError, match="rule 'mine' could not be asked: RuntimeError: no licence"):
        assert_no_findings(TALK, rules=[mine])

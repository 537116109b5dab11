"""Each rule speaks of what it is for and not of what is nearly the same, and every finding is exact."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctxlab
from ctxlab.recordings.findings.checked_context import CheckedContext
from ctxlab.recordings.findings.recording_of_trace import recording_of_trace
from ctxlab.recordings.findings.rules import RULES
from ctxlab.recordings.recording import Recording
from tests.recordings.findings.cases import CASES, DESCRIPTION, KEY, Case, talk, tool, user
from tests.recordings.findings.made import bodies, usage

IDS = [f"{case.rule}-{number}" for number, case in enumerate(CASES)]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_rule_speaks_of_what_it_is_for(case: Case) -> None:
    what = case.has()
    found = ctxlab.check(what, rules=[case.rule])

    assert [finding.rule for finding in found][:1] == [case.rule]
    assert not found.notes
    _are_exact(found, what)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_rule_is_silent_where_it_is_nearly_so(case: Case) -> None:
    found = ctxlab.check(case.nearly(), rules=[case.rule])

    assert [*found] == []
    assert not found.notes


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_no_rule_raises_and_all_findings_are_exact(case: Case) -> None:
    for what in (case.has(), case.nearly()):
        found = ctxlab.check(what)
        assert not found.notes
        _are_exact(found, what)


def test_every_rule_has_a_case() -> None:
    assert {rule.id for rule in RULES} == {case.rule for case in CASES}


def test_rules_are_told_in_whole_sentences() -> None:
    for rule in RULES:
        assert 3 <= len(rule.title.split()) <= 7, rule.id
        assert rule.description.startswith("Speaks of ") and rule.description.endswith("."), rule.id
        assert rule.id == rule.id.lower() and " " not in rule.id


def _are_exact(found: ctxlab.Findings, what: Recording | ctxlab.Trace) -> None:
    """Places are inside texts, tokens no more than all requests sent, sentences whole, and no key is shown."""
    recording = what if isinstance(what, Recording) else recording_of_trace(what)
    checked = CheckedContext(recording)
    sent = sum(recording.parts.tokens(request) for request in recording.requests)
    for finding in found:
        assert finding.text.endswith(".") and finding.remedy.endswith("."), finding
        assert "\n" not in finding.text
        assert 0 <= finding.tokens <= sent or finding.rule in ("lore-over-budget", "window-nearly-full"), finding
        assert finding.usd is None or finding.usd >= 0
        assert KEY not in repr(finding.as_data())
        for place in finding.places:
            assert place.request == "" or recording.request(place.request)
            if place.start is not None and not place.node:
                text = recording.request(place.request).head.system[int(place.name.removeprefix("system text ")) - 1]
                assert place.end is not None and 0 <= place.start < place.end <= len(text)
            if place.node and place.start is not None:
                assert place.end is not None
                assert 0 <= place.start < place.end <= len(checked.node(place.node).content), finding


def test_the_page_of_rules_has_each_with_its_level() -> None:
    page = (Path(__file__).parents[3] / "docs" / "findings.md").read_text(encoding="utf-8")

    for rule in RULES:
        sentence = rule.description.removeprefix("Speaks of ").rstrip(".")
        assert f"| `{rule.id}` | {rule.level} | {sentence} |" in page


def test_many_tools_described_alike_are_one_finding() -> None:
    tools = [tool(f"gauge_{number}", f"{DESCRIPTION} Number {number}.") for number in range(300)]
    (finding,) = ctxlab.check(talk(user("Hi"), tools=tools), rules=["similar-tools"])

    assert finding.text.startswith("299 tools are described with the same words as gauge_0 (gauge_1, ")
    assert finding.tokens > 299 * 8 and len(finding.places) == 21


def test_a_request_that_came_from_the_cache_costs_what_the_cache_costs() -> None:
    body = {"model": "gpt-4o", "messages": [user("灯塔 " * 900)]}
    without, (finding,) = (
        ctxlab.check(bodies((body, {}), (body, about)), rules=["same-request-again"])
        for about in ({}, {"usage": usage(2000, 2000)})
    )
    assert without[0].usd is not None and finding.usd == pytest.approx(without[0].usd / 2)
    assert finding.tokens == without[0].tokens

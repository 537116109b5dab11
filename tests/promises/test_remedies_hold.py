"""Whatever is offered for a cut message: applied to the run, it raises nothing and keeps the message."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Agent, Session
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Services, Trace
from ctxlab.pipeline.remedies import remedies
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import CALL_IDS, STRATEGIES, agents, dialects, rich_sessions, sessions, setting_changes

BUDGET = "token-limiter.budget_tokens"
COUNTER = WordTokenizer()
MOST_ASKED = 8
ways = st.fixed_dictionaries(
    {},
    optional={
        "token-limiter.strategy": st.sampled_from(STRATEGIES),
        "token-limiter.retained_characters": st.sampled_from([0, 10]),
        "token-limiter.retain": st.sampled_from(["border", "each"]),
        "request-gate.repair_pairs": st.booleans(),
        "merge-consecutive.enabled": st.booleans(),
        "ensure-alternating.enabled": st.booleans(),
    },
)


@st.composite
def calling_sessions(draw: st.DrawFn) -> Session:
    """Conversations in which system messages and summaries ask for results too."""
    data = draw(sessions() | rich_sessions()).to_data()
    for key, node in data["nodes"].items():
        if key != "root" and node["role"] in ("system", "user") and draw(st.integers(0, 3)) == 0:
            calls = [{"requestId": draw(st.sampled_from(CALL_IDS)), "toolName": "look", "args": {}}]
            data["nodes"][key] = {**node, "metadata": {**(node.get("metadata") or {}), "toolCallsRequested": calls}}
    return Session.model_validate(data)


def dropped(trace: Trace) -> dict[str, str]:
    """The step that dropped each message."""
    return {
        key: step.id
        for step in trace.steps
        for group in step.after.dropped[len(step.before.dropped) :]
        for draft in group.drafts
        for key in (draft.key, *(part.key for part in draft.merged))
    }


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(calling_sessions(), agents(), st.integers(0, 99), ways, setting_changes(), dialects)
def test_a_remedy_of_a_cut_message_can_be_applied_and_keeps_it(
    session: Session, agent: Agent, percent: int, way: dict[str, Any], changes: dict[str, Any], dialect: str
) -> None:
    given = {"budget_tokens": 10**9, "settings": {**changes, **way}, "dialect": dialect}
    try:
        whole = ctxlab.build(session, agent, **given, services=Services(tokenizer=COUNTER))
        report = whole.result.report(BudgetReport)
        if report is None or not report.history_tokens:
            return
        budget = max(1, report.protected_tokens + report.history_tokens * percent // 100)
        trace = whole.rerun({BUDGET: budget})
    except CtxlabError:  # this conversation can't be sent with these settings
        assume(False)
        raise
    gone = dropped(trace)

    for key, remedy in list(remedies(trace, list(gone)).items())[:MOST_ASKED]:
        if not remedy.settings:
            assert remedy.price is None and remedy.label == ""
            continue
        event(f"{dialect}, {gone[key]}")
        assert remedy.settings == {BUDGET: budget + (remedy.price or 0)}
        after = trace.rerun(remedy.settings)
        assert dropped(after).get(key) != gone[key]

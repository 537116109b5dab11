"""What is said of the numbers of a cut adds up: what was needed, what was left, what is free."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from ctxlab.api import build
from ctxlab.documents import Agent, Session
from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import BudgetTooSmall, OverBudget, Services, Trace
from ctxlab.studies.budget_sums import border_sum, budget_sums
from tests.promises.strategies import agents, sessions
from tests.promises.test_least_budget import counters, ways

AMPLE = 10**9
separators = st.sampled_from(["\n\n", " ", " a b c d e "])


def total(words: str) -> int:
    """The sum of the terms before the equals sign, as a reader would do it."""
    terms = re.split(r" (?=[+\N{MINUS SIGN}] )", words)
    found = 0
    for term in terms:
        number = re.findall(r"(?<!\S)[\d,]+(?!\S)", term)[-1].replace(",", "")
        found += int(number) * (-1 if term.startswith("\N{MINUS SIGN}") else 1)
    return found


@st.composite
def cut_runs(draw: st.DrawFn) -> Trace:
    session: Session = draw(sessions(max_size=7, branches=False))
    agent: Agent = draw(agents())
    way: dict[str, Any] = draw(ways)
    options = {f"token-limiter.{name}": value for name, value in way.items()}
    options |= {f"{step}.separator": draw(separators) for step in ("merge-system", "merge-consecutive")}
    options["ensure-alternating.enabled"] = draw(st.booleans())
    services = Services(tokenizer=draw(counters))
    report = build(session, agent, budget_tokens=AMPLE, settings=options, services=services).result.report(BudgetReport)
    assert report is not None
    budget = draw(st.integers(report.protected_tokens, report.protected_tokens + report.history_tokens))
    assume(budget > 0)
    try:
        return build(session, agent, budget_tokens=budget, settings=options, services=services)
    except (BudgetTooSmall, OverBudget):
        assume(False)
        raise


@settings(deadline=None)
@given(cut_runs())
def test_what_was_left_at_the_cut_becomes_what_is_free(trace: Trace) -> None:
    sums = budget_sums(trace)

    assert sums is not None
    event(f"set aside {sums.set_aside_tokens > 0}, saved {(sums.saved_tokens > 0) - (sums.saved_tokens < 0)}")
    assert sums.left_tokens + sums.set_aside_tokens + sums.saved_tokens == sums.free_tokens
    assert sums.free_tokens == sums.budget_tokens - trace.tokens
    spoken, _, free = str(sums).partition(" = ")
    assert total(spoken) == sums.free_tokens
    assert free.removesuffix(" free") == f"{sums.free_tokens:,}" or (sums.free_tokens < 0 and "over" in free)
    assert set(sums.steps) <= {step.id for step in trace.steps[trace.index("token-limiter") + 1 :]}


@settings(deadline=None)
@given(cut_runs())
def test_what_a_message_needed_adds_up(trace: Trace) -> None:
    step, sums = trace.step("token-limiter"), budget_sums(trace)
    assert sums is not None
    groups = [group for group in step.after.dropped[len(step.before.dropped) :] if group.needed is not None]
    event("cut" if groups else "nothing cut")
    for group in groups:
        spoken, _, needed = border_sum(trace, group).partition(" = ")
        assert needed == f"{group.needed:,} needed"
        assert total(spoken) == group.needed
        if len(group.border) == 1:
            (draft,) = [draft for draft in step.before.drafts if draft.key in group.border]
            tokenizer = trace.services.tokenizer
            assert spoken.startswith(f"{tokenizer.count_draft(draft) - tokenizer.message_tokens:,}")


def test_a_run_that_nothing_limits_has_no_sums() -> None:
    session = Session(id="s").append("", id="root").append("hello there")

    assert budget_sums(build(session)) is None

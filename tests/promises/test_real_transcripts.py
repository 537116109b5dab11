"""Promises of the limiter on real agent runs that nobody here wrote; skipped where they are not at hand."""

import os
from functools import cache
from pathlib import Path

import pytest

from ctxlab.api import build
from ctxlab.context import Context, Draft
from ctxlab.documents import Agent, Session
from ctxlab.engines.truncation import BudgetReport
from ctxlab.formats import Import, read
from ctxlab.pipeline import BudgetTooSmall, Services, Trace
from ctxlab.providers import tokenizer_for

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared"))
DATA = SHARED / "data"
RUNS = [
    *((DATA / "tau-bench" / "airline_60.json", n) for n in range(60)),
    *((path, 0) for path in sorted((DATA / "swe-agent").glob("*.traj"))),
]
SERVICES = Services(tokenizer=tokenizer_for("o200k_base"))
BUDGETS = 10

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"real data is not at hand: there is no folder {DATA}")


@cache
def imported(path: Path) -> Import:
    return read(path)


def run_of(path: Path, number: int) -> tuple[Session, Agent | None]:
    found = imported(path)
    session = found.sessions[number]
    named = session.root.agent_id if session.root else None
    return session, next((agent for agent in found.agents if agent.id == named), None)


def protected(ctx: Context) -> set[str]:
    """Presets, summaries, the newest words of the user and the newest message."""
    drafts = [draft for draft in ctx.drafts if not draft.pinned]
    users = [draft.key for draft in drafts if draft.role == "user"]
    return {draft.key for draft in ctx.drafts if draft.pinned} | set(users[-1:]) | {d.key for d in drafts[-1:]}


def unpaired(drafts: tuple[Draft, ...]) -> list[str]:
    """Results without a call, and calls without a result."""
    waiting: list[str] = []
    lost: list[str] = []
    for draft in drafts:
        waiting += [call.id for call in draft.calls]
        if draft.role == "tool":
            answered = draft.result_of or ""
            if answered in waiting:
                waiting.remove(answered)
            else:
                lost.append(draft.key)
    return lost + waiting


def smallest(session: Session, agent: Agent | None) -> int:
    """What must stay, in tokens."""
    with pytest.raises(BudgetTooSmall) as refused:
        build(session, agent, budget_tokens=1, services=SERVICES)
    return int(str(refused.value).partition("what must stay needs ")[2].partition(";")[0].replace(",", ""))


def holds(trace: Trace, budget: int) -> None:
    step = trace.step("token-limiter")
    before, after = step.before, step.after
    kept, gone = {draft.key for draft in after.drafts}, {d.key for group in after.dropped for d in group.drafts}
    assert trace.tokens <= budget
    assert protected(before) <= kept
    assert unpaired(after.drafts) == []
    assert kept | gone >= {draft.key for draft in before.drafts}
    assert kept & gone == set()
    for group in after.dropped[len(before.dropped) :]:
        if group.cause.rule == "sliding":
            assert group.needed is not None
            assert group.left is not None
            assert group.needed > group.left
    history = [draft.key in kept for draft in before.drafts if draft.key not in protected(before)]
    assert history == sorted(history)


@pytest.mark.parametrize(("path", "number"), RUNS, ids=lambda part: part.stem[:30] if isinstance(part, Path) else part)
def test_any_budget_between_the_least_and_the_whole_is_kept(path: Path, number: int) -> None:
    session, agent = run_of(path, number)
    whole = build(session, agent, budget_tokens=10**9, services=SERVICES)
    least = smallest(session, agent)
    report = whole.result.report(BudgetReport)
    most = max(least, report.budget_tokens - report.left_tokens)
    before: set[str] = set()
    for n in range(BUDGETS):
        budget = least + (most - least) * n // (BUDGETS - 1)
        trace = whole.rerun({"token-limiter.budget_tokens": budget})

        holds(trace, budget)
        kept = {draft.key for draft in trace.step("token-limiter").after.drafts}
        assert before <= kept
        before = kept
    assert len(before) == len(whole.step("token-limiter").after.drafts)

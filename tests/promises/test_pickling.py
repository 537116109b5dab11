"""What travels is the same afterwards, and goes on to the same: texts, contexts, runs, debuggers, refusals."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.api import build, debug
from ctxlab.context import Draft, Span, Text
from ctxlab.documents import Agent, Session
from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import BudgetTooSmall, OverBudget, ProcessorFailed, Services, Trace
from ctxlab.processors import default_pipeline
from ctxlab.testing.fakes import WordTokenizer
from tests.pipeline.steps_to_import import Clipper, plain_step, signed
from tests.promises.strategies import agents, edits_of, sessions, texts

SERVICES = Services(tokenizer=WordTokenizer(message_tokens=2, request_tokens=3))
PIPELINE = (
    default_pipeline()
    .with_processor(Clipper)
    .with_processor(signed)
    .with_processor(plain_step)
    .with_processor(lambda ctx: ctx.note("info", "was here"))
)

WAYS: st.SearchStrategy[Callable[[Any], Any]] = st.sampled_from(
    [lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy]
)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "session-loader.tool_role": st.just("user"),
        "injection-assembler.enabled": st.just(False),
        "clipper.most": st.integers(1, 9),
        "clipper.enabled": st.booleans(),
        "token-limiter.budget_tokens": st.sampled_from([20, 40, 60, 90, None]),
        "token-limiter.strategy": st.sampled_from(["sliding", "middle-out", "block"]),
        "token-limiter.retained_characters": st.just(3),
        "token-limiter.priority": st.sampled_from([250, 400, 950]),
        "merge-consecutive.priority": st.just(325),
        "convert-system.enabled": st.just(True),
        "ensure-alternating.enabled": st.just(True),
    },
)

TIGHT = st.builds(
    lambda priority, budget, changed: {
        **changed,
        "token-limiter.priority": priority,
        "token-limiter.budget_tokens": budget,
        "token-limiter.enabled": True,
    },
    st.sampled_from([150, 250, 315]),
    st.integers(6, 40),
    CHANGES,
)


def run(start: Callable[[], Trace]) -> Trace | ProcessorFailed:
    """The run, or the refusal that it came to."""
    try:
        return start()
    except (BudgetTooSmall, OverBudget) as problem:
        return problem


def told(outcome: Trace | ProcessorFailed) -> Any:
    """All that can be compared of a run or of a refusal."""
    if isinstance(outcome, Trace):
        return [(step.id, step.did_nothing, step.error, step.after.as_data()) for step in outcome.steps]
    assert outcome.trace is not None
    return str(outcome), outcome.processor, told(outcome.trace)


def things(trace: Trace) -> Iterator[object]:
    """The values in flight of a run, in an order that depends on nothing but their content."""
    for step in trace.steps:
        for ctx in (step.before, step.after):
            yield ctx
            for draft in (*ctx.drafts, *(draft for group in ctx.dropped for draft in group.drafts)):
                yield draft
                yield from draft.body
                yield draft.meta
                yield from spans_below(draft)


def spans_below(draft: Draft) -> Iterator[Span]:
    stack = [span for part in draft.body if isinstance(part, Text) for span in part.spans]
    while stack:
        span = stack.pop()
        yield span
        stack.extend(span.was)


def sharing(trace: Trace) -> list[int]:
    """For each value the number of the first place where it stands."""
    first: dict[int, int] = {}
    kept = list(things(trace))  # held, so that no id is given twice
    return [first.setdefault(id(thing), n) for n, thing in enumerate(kept)]


@settings(deadline=None)
@given(texts(), WAYS, st.data())
def test_a2_a_text_is_the_same_afterwards(text: Text, way: Callable[[Any], Any], data: st.DataObject) -> None:
    edited = text.splice(data.draw(edits_of(text)))

    first, second = way((text, edited))

    assert (first.as_data(), second.as_data()) == (text.as_data(), edited.as_data())
    assert (str(first), list(first.starts())) == (str(text), list(text.starts()))
    assert (first is second) == (text is edited)
    assert [a is b for a in first.spans for b in second.spans] == [a is b for a in text.spans for b in edited.spans]


@settings(deadline=None)
@given(sessions(), agents(), CHANGES, CHANGES, WAYS)
def test_a2_a_run_is_the_same_afterwards_and_reruns_to_the_same(
    session: Session, agent: Agent, first: dict[str, Any], then: dict[str, Any], way: Callable[[Any], Any]
) -> None:
    ran = run(lambda: build(session, agent, settings=first, services=SERVICES, pipeline=PIPELINE))

    again = way(ran)

    assert told(again) == told(ran)
    before, after = (ran, again) if isinstance(ran, Trace) else (ran.trace, again.trace)
    assert before is not None
    assert sharing(after) == sharing(before)
    assert after.messages == before.messages
    assert told(run(lambda: after.rerun(then))) == told(run(lambda: before.rerun(then)))


@settings(deadline=None)
@given(sessions(), agents(), CHANGES, CHANGES, st.integers(0, 12), st.integers(0, 3), WAYS)
def test_a2_a_debugger_goes_on_as_if_it_had_stayed(
    session: Session,
    agent: Agent,
    first: dict[str, Any],
    then: dict[str, Any],
    forwards: int,
    backwards: int,
    way: Callable[[Any], Any],
) -> None:
    stayed = debug(session, agent, settings=first, services=SERVICES, pipeline=PIPELINE)
    run(lambda: _walked(stayed, forwards, backwards))

    went = way(stayed)

    assert (went.position, went.next_id, told(went.known)) == (stayed.position, stayed.next_id, told(stayed.known))
    for debugger in (went, stayed):
        debugger.set(then)
    assert told(run(went.run)) == told(run(stayed.run))


def _walked(debugger: Any, forwards: int, backwards: int) -> Trace:
    try:
        for _ in range(forwards):
            if not debugger.done:
                debugger.step()
    finally:
        for _ in range(min(backwards, debugger.position)):
            debugger.back()
    return debugger.trace


@settings(deadline=None)
@given(sessions(), agents(), CHANGES | TIGHT)
def test_a8_whoever_finishes_a_run_refuses_what_build_refuses(
    session: Session, agent: Agent, changed: dict[str, Any]
) -> None:
    def start() -> Any:
        return debug(session, agent, settings=changed, services=SERVICES, pipeline=PIPELINE)

    built = run(lambda: build(session, agent, settings=changed, services=SERVICES, pipeline=PIPELINE))

    assert told(run(lambda: start().run())) == told(built)
    assert told(run(lambda: start().finished())) == told(built)
    plain = run(lambda: build(session, agent, services=SERVICES, pipeline=PIPELINE))
    assert isinstance(plain, Trace)
    assert told(run(lambda: plain.rerun(changed))) == told(built)
    if isinstance(built, Trace) and (report := built.result.report(BudgetReport)):
        assert built.tokens <= report.budget_tokens


@settings(deadline=None)
@given(sessions(), agents(), st.sampled_from([150, 250, 315]), st.data())
def test_a8_a_refusal_adds_up_and_its_advice_is_true(
    session: Session, agent: Agent, priority: int, data: st.DataObject
) -> None:
    early = {
        "token-limiter.priority": priority,
        "merge-system.enabled": False,  # else the limiter leaves room for them, and may cut
        "merge-consecutive.enabled": False,
        "clipper.enabled": False,
    }
    uncut = build(
        session, agent, settings={**early, "token-limiter.enabled": False}, services=SERVICES, pipeline=PIPELINE
    )
    least = uncut.tokens_of(
        next(step.before for step in uncut.steps if uncut.pipeline.stage(step.id).priority > priority)
    )
    assume(least < uncut.tokens)
    tight = {**early, "token-limiter.budget_tokens": data.draw(st.integers(least, uncut.tokens - 1))}

    problem = run(lambda: uncut.rerun({**tight, "token-limiter.enabled": True}))

    assume(isinstance(problem, OverBudget))  # or the limiter took out what no call asks for, and the rest fits
    assert isinstance(problem, OverBudget) and problem.trace is not None
    added = [int(number) for number in re.findall(r" added (\d+)", str(problem))]
    assert sum(added) == problem.trace.tokens - problem.trace.tokens_of(problem.trace.step("token-limiter").after)
    advice = re.search(r"a priority of (\d+) or more", str(problem))
    assert advice is not None
    later = {**tight, "token-limiter.enabled": True, "token-limiter.priority": int(advice[1])}
    assert not isinstance(run(lambda: uncut.rerun(later)), OverBudget)

"""A finished run is held to what its steps promised, whoever finishes it; the refusal says who added how much."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import ctxlab
from ctxlab.context import BuildInput, Cause, Context, Draft, Origin, Text
from ctxlab.documents import Agent, Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import BudgetTooSmall, OverBudget, Pipeline, Processor, ProcessorFailed, Services, Trace, processor
from ctxlab.processors import default_pipeline
from ctxlab.testing.fakes import WordTokenizer
from tests.pipeline.steps_to_import import with_words

SERVICES = Services(tokenizer=WordTokenizer())
LIMITER = "token-limiter"
EARLY = {f"{LIMITER}.priority": 250, f"{LIMITER}.budget_tokens": 60}
Way = Callable[[Session, Agent, dict[str, Any]], Any]


@pytest.fixture
def agent() -> Agent:
    return Agent.model_validate({"id": "a", "presetMessages": [{"role": "system", "content": "word " * 100}]})


@pytest.fixture
def session() -> Session:
    return Session(id="s").append("", id="root").append("hello there")


def chatty(words: int, announced: int = 0, *, id: str = "chatty", priority: int = 900) -> Processor:
    """A step that adds words to every message, and says how many it may add."""

    class Chatty(Processor):
        def may_add_tokens(self, tokenizer: Any) -> int:
            return announced

        def __call__(self, ctx: Context, services: Services) -> Context:
            return ctx.edit(lambda draft: with_words(draft, " word" * words, id))

    Chatty.id, Chatty.priority = id, priority
    return Chatty()


def with_steps(*steps: Any) -> Pipeline:
    pipeline = default_pipeline()
    for step in steps:
        pipeline = pipeline.with_processor(step)
    return pipeline


def refused(run: Callable[[], Any]) -> OverBudget:
    with pytest.raises(OverBudget) as caught:
        run()
    return caught.value


def by_build(session: Session, agent: Agent, settings: dict[str, Any]) -> Trace:
    return ctxlab.build(session, agent, settings=settings, services=SERVICES)


def by_rerun(session: Session, agent: Agent, settings: dict[str, Any]) -> Trace:
    return ctxlab.build(session, agent, services=SERVICES).rerun(settings)


def by_rebuild(session: Session, agent: Agent, settings: dict[str, Any]) -> Trace:
    return ctxlab.rebuild(ctxlab.build(session, services=SERVICES), agent=agent, settings=settings)


def by_pipeline(session: Session, agent: Agent, settings: dict[str, Any]) -> Trace:
    start = Context(BuildInput(session, agent=agent))
    return default_pipeline().with_settings(settings).run(start, SERVICES)


def by_debugger(session: Session, agent: Agent, settings: dict[str, Any]) -> Trace:
    return ctxlab.debug(session, agent, settings=settings, services=SERVICES).run()


def by_finishing(session: Session, agent: Agent, settings: dict[str, Any]) -> Trace:
    return ctxlab.debug(session, agent, settings=settings, services=SERVICES).finished()


def by_steps(session: Session, agent: Agent, settings: dict[str, Any]) -> None:
    debugger = ctxlab.debug(session, agent, settings=settings, services=SERVICES)
    while not debugger.done:
        debugger.step()


def by_setting(session: Session, agent: Agent, settings: dict[str, Any]) -> Trace:
    debugger = ctxlab.debug(session, agent, services=SERVICES)
    debugger.run()
    debugger.set(settings)
    return debugger.run()


@pytest.mark.parametrize(
    "way",
    [by_build, by_rerun, by_rebuild, by_pipeline, by_debugger, by_finishing, by_steps, by_setting],
    ids=lambda way: way.__name__,
)
@pytest.mark.parametrize(
    "settings", [EARLY, {"injection-assembler.priority": 450, f"{LIMITER}.budget_tokens": 60}], ids=["limiter", "other"]
)
def test_a8_every_way_to_a_finished_run_refuses_it_in_the_same_words(
    way: Way, settings: dict[str, Any], session: Session, agent: Agent
) -> None:
    words = str(refused(lambda: by_build(session, agent, settings)))

    problem = refused(lambda: way(session, agent, settings))

    assert str(problem) == words
    assert words.startswith("the final messages have 102 tokens, the limiter promised 60; after it injection-assembler")
    assert "injection-assembler added 100." in words


def test_a8_the_refusal_carries_the_whole_run(session: Session, agent: Agent) -> None:
    problem = refused(lambda: by_build(session, agent, EARLY))

    assert problem.processor == LIMITER
    assert problem.trace is not None
    assert problem.trace.tokens == 102
    assert [step.id for step in problem.trace.steps if step.failure is not None] == [LIMITER]
    assert problem.trace.step(LIMITER).error == str(problem)


def test_a8_the_advice_of_the_refusal_helps(session: Session, agent: Agent) -> None:
    settings = {**EARLY, f"{LIMITER}.budget_tokens": 101}
    problem = refused(lambda: by_build(session, agent, settings))

    found = re.search(
        r"Let token-limiter run after injection-assembler: give it a priority of (\d+) or more$", str(problem)
    )

    assert found is not None
    assert "may_add_tokens" not in str(problem)
    with pytest.raises(BudgetTooSmall):  # counted now before it is sent: preset, message and what joins may cost
        by_build(session, agent, {**settings, f"{LIMITER}.priority": int(found[1])})
    enough = {f"{LIMITER}.priority": int(found[1]), f"{LIMITER}.budget_tokens": 110}
    assert by_build(session, agent, enough).tokens == 102


def test_a8_steps_that_add_to_messages_are_told_to_announce_it(session: Session) -> None:
    pipeline = with_steps(chatty(50, 2), chatty(3, 3, id="fair"), chatty(20, id="silent", priority=950))

    problem = refused(lambda: ctxlab.build(session, budget_tokens=20, pipeline=pipeline, services=SERVICES))

    assert str(problem) == (
        "the final messages have 75 tokens, the limiter promised 20; after it chatty added 50 (it had announced 2), "
        "silent added 20 and fair added 3. Let token-limiter run after chatty and silent: give it a priority of 951 or "
        "more; or let may_add_tokens of chatty and silent say what is added to each message"
    )
    assert (
        ctxlab.build(
            session,
            pipeline=pipeline,
            services=SERVICES,
            settings={f"{LIMITER}.budget_tokens": 75, f"{LIMITER}.priority": 951},
        ).tokens
        == 75
    )


def test_a8_an_edit_by_hand_is_named(session: Session) -> None:
    debugger = ctxlab.debug(session, budget_tokens=20, services=SERVICES)
    debugger.run()
    debugger.edit(lambda ctx: ctx.insert(0, draft("more " * 30)))

    words = str(refused(debugger.run))

    assert words == (
        "the final messages have 32 tokens, the limiter promised 20; after it an edit by hand added 30. "
        "Make the edit before token-limiter, or raise its budget"
    )
    assert str(refused(debugger.finished)) == words
    assert debugger.trace.tokens == 32  # it can still be looked at


def draft(text: str) -> Draft:
    origin = Origin("made", "me")
    return Draft("made:me", "user", (Text.of(text, origin, Cause("edit", "by hand")),), origin)


def test_a8_a_debugger_stays_before_the_last_step_and_goes_on_from_other_settings(
    session: Session, agent: Agent
) -> None:
    debugger = ctxlab.debug(session, agent, settings=EARLY, services=SERVICES)

    refused(debugger.run)
    stood = debugger.next_id, debugger.context.draft("preset:0") is not None
    refused(debugger.step)
    debugger.set({f"{LIMITER}.budget_tokens": 200})

    assert stood == ("asset-resolver", True)
    assert debugger.run().tokens == 102


def test_a8_a_run_that_goes_on_after_errors_records_the_refusal_at_the_step_that_promised(
    session: Session, agent: Agent
) -> None:
    trace = ctxlab.build(session, agent, services=SERVICES).rerun(EARLY, on_error="skip")
    words = str(refused(lambda: by_build(session, agent, EARLY)))

    assert trace.step(LIMITER).error == words
    assert [step.id for step in trace.steps if step.failure] == [LIMITER]
    assert trace.tokens == 102
    assert trace.changes(LIMITER).error == words
    assert str(refused(trace.rerun)) == words
    assert trace.rerun({f"{LIMITER}.priority": 400, f"{LIMITER}.budget_tokens": 110}).step(LIMITER).failure is None


def test_a8_a_step_that_was_passed_over_or_failed_promises_nothing(session: Session, agent: Agent) -> None:
    debugger = ctxlab.debug(session, agent, settings=EARLY, services=SERVICES)
    debugger.run_until(LIMITER)
    debugger.skip()

    assert debugger.run().tokens == 102
    start = Context(BuildInput(session, agent=agent))
    too_small = default_pipeline().with_setting(f"{LIMITER}.budget_tokens", 1)
    failed = too_small.run(start, SERVICES, on_error="skip").step(LIMITER).failure
    assert isinstance(failed, BudgetTooSmall)


def test_a8_with_an_overhead_of_its_own_the_limiter_promises_nothing(session: Session, agent: Agent) -> None:
    trace = by_rerun(session, agent, {**EARLY, f"{LIMITER}.overhead_tokens": 0})

    assert trace.tokens == 102


def test_a8_any_step_may_hold_a_finished_run_to_a_promise(session: Session) -> None:
    class OneMessage(Processor):
        id = "one-message"
        priority = 150

        def __call__(self, ctx: Context, services: Services) -> Context:
            return ctx

        def check_run(self, trace: Trace) -> None:
            if len(trace.result.drafts) != 1:
                raise ValueError(f"{len(trace.result.drafts)} messages")

    @processor("second")
    def second(ctx: Context) -> Context:
        return ctx.insert(0, draft("more"))

    kept = ctxlab.build(session, pipeline=with_steps(OneMessage), services=SERVICES)

    with pytest.raises(ProcessorFailed, match="one-message failed: ValueError: 2 messages") as caught:
        ctxlab.build(session, pipeline=with_steps(OneMessage, second), services=SERVICES)
    assert isinstance(caught.value.__cause__, ValueError)
    assert len(kept.messages) == 1


def test_a8_a_tokenizer_that_changes_its_mind_is_not_blamed_on_a_step(session: Session) -> None:
    class Growing(WordTokenizer):
        asked = 0

        def count_draft(self, draft: Draft) -> int:
            Growing.asked += 1
            return 10 * Growing.asked

    with pytest.raises(CtxlabError, match="no step after it added any"):
        ctxlab.build(session, budget_tokens=15, services=Services(tokenizer=Growing()))

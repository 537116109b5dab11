from typing import Any

import pytest
from pydantic import Field

from ctxlab.context import BuildInput, Context, Draft, Origin, QueryPart, Table, Text
from ctxlab.documents import Session
from ctxlab.pipeline import (
    Debugger,
    Pipeline,
    Processor,
    ProcessorFailed,
    ProcessorSettings,
    Services,
    Trace,
    processor,
)
from ctxlab.testing.fakes import FixedRetriever, ScriptedLlm, WordTokenizer
from tests.reports import all_left, left


class Loads(Processor):
    id = "loads"
    priority = 100

    class Settings(ProcessorSettings):
        words: str = Field("hello")

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        text = Text.of(self.settings.words, Origin("made", "n"))
        return ctx.insert(0, Draft("node:n", "user", (text,), Origin("made", "n")))


class Asks(Processor):
    id = "asks"
    priority = 200
    waits = True

    class Settings(ProcessorSettings):
        question: str = Field("what now?")
        times: int = Field(1)

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        answers = [services.llm.complete(self.settings.question, effort=2) for _ in range(self.settings.times)]
        return ctx.put(Table("answers", answers))


@processor("counts", priority=300)
def counts(ctx: Context, services: Services) -> Context:
    return ctx.put(Table("tokens", sum(map(services.tokenizer.count_draft, ctx.drafts))))


def run(llm: Any = None, *steps: Any, **services: Any) -> Trace:
    world = Services(tokenizer=WordTokenizer(), llm=llm, **services)
    return Pipeline.of(steps or [Loads, Asks, counts]).run(Context(BuildInput(Session(id="s"))), world)


def stepping(llm: Any) -> Debugger:
    world = Services(tokenizer=WordTokenizer(), llm=llm)
    return Debugger(Pipeline.of([Loads, Asks, counts]).start(Context(BuildInput(Session(id="s"))), world))


def test_what_is_asked_and_answered_is_in_the_trace() -> None:
    trace = run(ScriptedLlm("go on"))

    (call,) = trace.step("asks").calls
    assert (call.service, call.method, call.arguments, call.answer) == ("llm", "complete", ("what now?",), "go on")
    assert dict(call.named) == {"effort": 2}
    assert trace.step("counts").calls == ()


def test_a_rerun_asks_nothing_twice() -> None:
    llm = ScriptedLlm("go on")
    trace = run(llm)

    again = trace.rerun({"loads.words": "other words"})

    assert all_left(again.result) == {"answers": ["go on"], "tokens": 2}
    assert again.step("asks").calls == trace.step("asks").calls
    assert len(llm.prompts) == 1
    assert left(again.rerun({"loads.words": "three more words"}).result, "answers") == ["go on"]


def test_a_new_question_is_asked() -> None:
    trace = run(ScriptedLlm("go on", "stop"))

    assert left(trace.rerun({"asks.question": "and then?"}).result, "answers") == ["stop"]


def test_a_question_asked_twice_gets_its_two_answers_in_order() -> None:
    trace = run(ScriptedLlm("heads", "tails", "edge")).rerun({"asks.times": 3})
    assert left(trace.result, "answers") == ["heads", "tails", "edge"]

    again = trace.rerun({"loads.words": "x"})

    assert left(again.result, "answers") == ["heads", "tails", "edge"]


def test_a_failed_step_asks_anew() -> None:
    @processor("strict", priority=200, waits=True)
    def strict(ctx: Context, services: Services) -> Context:
        answer = services.llm.complete("a number?")
        if not answer.isdigit():
            raise ValueError(f"{answer!r} is no number")
        return ctx.put(Table("answer", answer))

    with pytest.raises(ProcessorFailed) as caught:
        run(ScriptedLlm("seven", "7"), Loads, strict)
    assert caught.value.trace is not None
    assert caught.value.trace.steps[-1].calls[0].answer == "seven"

    assert all_left(caught.value.trace.rerun().result) == {"answer": "7"}


def test_retrievers_are_recorded_and_tokenizers_are_not() -> None:
    def searches(ctx: Context, services: Services) -> Context:
        return ctx.put(
            Table("found", [hit.text for hit in services.retriever.search([QueryPart("cats")], limit=1).hits])
        ).put(Table("name", services.tokenizer.name))

    retriever = FixedRetriever(["a cat", "a dog"])
    trace = run(None, Loads, searches, retriever=retriever)

    again = trace.rerun({"loads.words": "x"})

    assert all_left(again.result) == {"found": ["a cat"], "name": "words"}
    assert retriever.queries == [(QueryPart("cats"),)]


def test_steps_before_the_first_changed_one_are_shared() -> None:
    trace = run(ScriptedLlm("go on", "stop"))

    again = trace.rerun({"asks.question": "and then?"})

    assert again.steps[0] is trace.steps[0]
    assert again.steps[1] is not trace.steps[1]


def test_a_rerun_without_changes_is_the_same_run() -> None:
    trace = run(ScriptedLlm("go on"))

    assert all(new is old for new, old in zip(trace.rerun().steps, trace.steps, strict=True))
    assert trace.rerun({"loads.words": "hello"}).steps == trace.steps


def test_a_setting_of_a_step_that_is_off_changes_nothing() -> None:
    trace = run(ScriptedLlm("go on")).rerun({"counts.enabled": False})

    assert [step.id for step in trace.steps] == ["loads", "asks"]
    back = trace.rerun({"counts.enabled": True})
    assert back.steps[:2] == trace.steps
    assert left(back.result, "tokens") == 1


def test_what_a_later_step_needs_changes_the_step_that_keeps_it_free() -> None:
    class Later(Processor):
        id = "later"

        class Settings(ProcessorSettings):
            tokens: int = Field(1)

        settings: Settings

        def may_add_tokens(self, tokenizer: Any) -> int:
            return self.settings.tokens

        def __call__(self, ctx: Context, services: Services) -> Context:
            return ctx

    class Early(Processor):
        id = "early"
        priority = 300
        reads_later_tokens = True

        def __call__(self, ctx: Context, services: Services) -> Context:
            return ctx.put(Table("later", services.later_tokens))

    trace = run(None, Loads, Early, Later)

    again = trace.rerun({"later.tokens": 5})

    assert (left(trace.result, "later"), left(again.result, "later")) == (1, 5)
    assert again.steps[0] is trace.steps[0]
    assert left(again.rerun({"later.enabled": False}).result, "later") == 0


def test_another_order_is_run_from_where_it_differs() -> None:
    trace = run(ScriptedLlm("go on"))

    again = trace.rerun({"counts.priority": 150})

    assert [step.id for step in again.steps] == ["loads", "counts", "asks"]
    assert again.steps[0] is trace.steps[0]


def test_a_persons_edit_before_the_change_is_kept_and_one_after_it_is_made_again() -> None:
    at = stepping(ScriptedLlm("go on", "stop"))
    at.step()
    at.edit(lambda ctx: ctx.put(Table("mine", "early")))
    early = at.trace.steps[-1]
    at.step()
    at.edit(lambda ctx: ctx.put(Table("mine", "late")))
    at.run()

    again = at.trace.rerun({"asks.question": "and then?"})

    assert [step.id for step in again.steps] == ["loads", "edit", "asks", "edit", "counts"]
    assert again.steps[1] is early
    assert all_left(again.result) == {"mine": "late", "answers": ["stop"], "tokens": 1}
    assert left(at.trace.rerun({"counts.priority": 400}).result, "mine") == "late"


def test_a_skipped_step_stays_skipped_unless_it_is_changed() -> None:
    at = stepping(ScriptedLlm("go on"))
    at.step()
    at.skip()
    at.run()

    assert "answers" not in all_left(at.trace.rerun({"counts.priority": 400}).result)
    assert "answers" in all_left(at.trace.rerun({"loads.words": "x"}).result)


def test_what_is_noted_at_the_start_is_what_a_fresh_run_notes() -> None:
    class Needy(Processor):
        id = "needy"
        needs = ("history",)

        def __call__(self, ctx: Context, services: Services) -> Context:
            return ctx

    class Loader(Loads):
        provides = ("history",)

    trace = run(None, Loader, Needy)

    again = trace.rerun({"loads.enabled": False})

    assert [note.text for note in again.result.notes] == ["needy needs 'history', and loads is switched off"]
    assert again.rerun({"loads.enabled": True}).result.notes == ()


def test_a_rerun_can_go_on_over_failures() -> None:
    def fails(ctx: Context) -> Context:
        raise ValueError("no luck")

    trace = run(None, Loads, counts).rerun({"loads.words": "a b"})
    pipeline = trace.pipeline.with_processor(fails)
    broken = pipeline.run(trace.start, trace.services, on_error="skip")

    again = broken.rerun({"loads.words": "a b c"}, on_error="skip")

    assert all_left(again.result) == {"tokens": 3}
    assert again.step("fails").error == "ValueError: no luck"
    with pytest.raises(ProcessorFailed):
        broken.rerun()


@pytest.mark.parametrize("order", [("loads", "asks"), ("asks", "loads")])
def test_steps_moved_to_one_place_keep_their_usual_order_whichever_was_moved_first(order: tuple[str, str]) -> None:
    pipeline = Pipeline.of([Loads, Asks])

    for step in order:
        pipeline = pipeline.with_settings({f"{step}.priority": 50})

    assert pipeline.ids == ("loads", "asks")

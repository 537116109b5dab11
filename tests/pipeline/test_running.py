import gc
from typing import Any

import pytest
from pydantic import Field

import ctxlab
from ctxlab.context import BuildInput, Cause, Context, Draft, Edit, Origin, Table, Text
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError, PipelineError, UnexplainedDrop, UnknownProcessor
from ctxlab.pipeline import Pipeline, Processor, ProcessorFailed, ProcessorSettings, Services, Trace, processor
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import STRATEGIES
from tests.reports import all_left

SERVICES = Services(tokenizer=WordTokenizer(message_tokens=1, request_tokens=2))


def start() -> Context:
    return Context(BuildInput(Session(id="s")))


def adds(id: str, priority: int = 900) -> Any:
    @processor(id, priority=priority)
    def add(ctx: Context) -> Context:
        origin = Origin("made", id)
        return ctx.insert(len(ctx.drafts), Draft(f"made:{id}", "user", (Text.of(f"by {id}", origin),), origin))

    return add


@processor("fails", priority=500)
def fails(ctx: Context) -> Context:
    raise ValueError("no luck")


def said(trace: Trace) -> list[str]:
    return [str(draft.text) for draft in trace.result.drafts]


def test_steps_run_by_priority_and_ties_in_the_order_given() -> None:
    pipeline = Pipeline.of([adds("late", 900), adds("first", 100), adds("early", 100), adds("middle", 500)])

    trace = pipeline.run(start(), SERVICES)

    assert said(trace) == ["by first", "by early", "by middle", "by late"]
    assert [step.id for step in trace.steps] == ["first", "early", "middle", "late"]


def test_a_step_that_is_off_does_not_run() -> None:
    pipeline = Pipeline.of([adds("a"), adds("b")]).with_setting("a.enabled", False)

    assert said(pipeline.run(start(), SERVICES)) == ["by b"]


def test_a_step_may_be_a_class_an_instance_or_a_function() -> None:
    class Shout(Processor):
        id = "shout"
        priority = 950

        class Settings(ProcessorSettings):
            marks: int = Field(1, ge=1)

        settings: Settings

        def __call__(self, ctx: Context, services: Services) -> Context:
            return ctx.put(Table("marks", "!" * self.settings.marks))

    def plain_function(ctx: Context, services: Services) -> Context:
        """Say who counts."""
        return ctx.put(Table("tokenizer", services.tokenizer.name))

    of_class = Pipeline.of([Shout, plain_function]).run(start(), SERVICES)
    of_instance = Pipeline.of([Shout(Shout.Settings(marks=3))]).run(start(), SERVICES)

    assert all_left(of_class.result) == {"tokenizer": "words", "marks": "!"}
    assert all_left(of_instance.result) == {"marks": "!!!"}
    assert of_class.pipeline.stage("plain-function").base.description == "Say who counts."


def test_ids_are_unique_and_given() -> None:
    with pytest.raises(PipelineError, match="two steps are called 'a'"):
        Pipeline.of([adds("a"), adds("a")])
    with pytest.raises(PipelineError, match="Processor has no id"):
        Pipeline.of([Processor])


def test_a_step_of_the_same_id_takes_the_place_and_the_settings_of_the_old_one() -> None:
    pipeline = Pipeline.of([adds("a"), adds("b")]).with_setting("a.priority", 990)

    replaced = pipeline.with_processor(adds("a"))

    assert replaced.ids == ("b", "a")
    assert len(replaced.with_processor(adds("c"))) == 3


def test_core_steps_can_be_switched_off_but_not_removed() -> None:
    class Core(Processor):
        id = "core"
        is_core = True

    pipeline = Pipeline.of([Core, adds("extra")])

    assert pipeline.without_processor("extra").ids == ("core",)
    assert [stage.id for stage in pipeline.with_setting("core.enabled", False).running()] == ["extra"]
    with pytest.raises(PipelineError, match="switched off, not removed"):
        pipeline.without_processor("core")


def test_a_step_that_fails_stops_the_run_and_leaves_the_trace_so_far() -> None:
    pipeline = Pipeline.of([adds("a", 100), fails, adds("b", 900)])

    with pytest.raises(ProcessorFailed, match="fails failed: ValueError: no luck") as caught:
        pipeline.run(start(), SERVICES)

    assert caught.value.processor == "fails"
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.trace is not None
    assert [step.id for step in caught.value.trace.steps] == ["a", "fails"]
    assert caught.value.trace.steps[-1].error == "ValueError: no luck"


def test_skipping_goes_on_without_the_failed_step_and_records_it() -> None:
    pipeline = Pipeline.of([adds("a", 100), fails, adds("b", 900)])

    trace = pipeline.run(start(), SERVICES, on_error="skip")

    assert said(trace) == ["by a", "by b"]
    assert trace.step("fails").error == "ValueError: no luck"
    assert trace.step("fails").after is trace.step("fails").before


def test_a_broken_law_can_be_skipped_too() -> None:
    def loses(ctx: Context) -> Context:
        return ctx.arrange([])

    pipeline = Pipeline.of([adds("a", 100), loses])

    assert said(pipeline.run(start(), SERVICES, on_error="skip")) == ["by a"]
    with pytest.raises(UnexplainedDrop, match="loses lost 'made:a'"):
        pipeline.run(start(), SERVICES)


def test_the_row_says_what_needs_what_nobody_provides() -> None:
    class Reads(Processor):
        id = "reads"
        priority = 100
        needs = ("history",)

    class Loads(Processor):
        id = "loads"
        priority = 200
        provides = ("history",)

    pipeline = Pipeline.of([Reads, Loads])

    assert [note.text for note in pipeline.check()] == ["reads needs 'history', and loads comes after it"]
    assert pipeline.with_setting("loads.priority", 50).check() == ()
    off = pipeline.with_settings({"loads.priority": 50, "loads.enabled": False})
    assert [note.text for note in off.check()] == ["reads needs 'history', and loads is switched off"]
    alone = pipeline.without_processor("loads")
    assert [note.text for note in alone.check()] == ["reads needs 'history', and no step provides it"]
    assert pipeline.with_setting("reads.enabled", False).check() == ()
    assert off.start(start(), SERVICES).start.notes == off.check()


def test_a_trace_can_be_asked_for_steps_by_position_and_id() -> None:
    trace = Pipeline.of([adds("a"), adds("b")]).run(start(), SERVICES)

    assert trace.step("b") is trace.step(1) is trace.step(-1)
    assert said(trace.upto("a")) == ["by a"]
    with pytest.raises(UnknownProcessor, match="no step 'bb'"):
        trace.step("bb")
    with pytest.raises(UnknownProcessor, match="has 2 steps, none at 2"):
        trace.step(2)


def test_a_finished_trace_goes_on_where_it_stood() -> None:
    trace = Pipeline.of([adds("a"), adds("b")]).run(start(), SERVICES)

    again = trace.upto("a").finished()

    assert said(again) == ["by a", "by b"]
    assert again.steps[0] is trace.steps[0]


def test_messages_are_what_would_be_sent() -> None:
    trace = Pipeline.of([adds("a")]).run(start(), SERVICES)

    assert trace.messages == [{"role": "user", "content": "by a", "source": [{"kind": "made", "id": "a"}], "tokens": 3}]
    assert trace.tokens == 5


def test_a_table_is_what_a_step_left_in_a_report() -> None:
    def leaves(ctx: Context) -> Context:
        return ctx.put(Table("lore", [{"uid": 1, "fired": True}, {"uid": 2, "fired": False}])).put(
            Table("one", {"a": 1})
        )

    trace = Pipeline.of([leaves]).run(start(), SERVICES)

    assert trace.table("lore").to_dict("records") == [{"uid": 1, "fired": True}, {"uid": 2, "fired": False}]
    assert len(trace.table("one")) == 1
    with pytest.raises(CtxlabError, match="no step left 'lor'; did you mean 'lore'"):
        trace.table("lor")


def test_changes_say_what_a_step_did() -> None:
    why = Cause("works", "rule", "why")
    drafts = tuple(
        Draft(id, "user", (Text.of(f"text {id}", Origin("node", id)),), Origin("node", id)) for id in "abcde"
    )

    def works(ctx: Context) -> Context:
        ctx = ctx.drop(["a"], why).merge(["b", "c"], " ", why)
        short = ctx.drafts[1].edit_text(lambda text: text.splice([Edit(4, len(text), "", why)]))
        ctx = ctx.edit(lambda draft: short if draft.key == "d" else draft)
        made = Draft("new", "system", (Text.of("hi", Origin("made", "x")),), Origin("made", "x"))
        return ctx.insert(0, made).note("info", "done")

    trace = Pipeline.of([works]).run(Context(BuildInput(Session(id="s")), drafts), SERVICES)

    done = trace.changes("works")
    assert [draft.key for draft in done.added] == ["new"]
    assert [(change.before.key, str(change.after.text)) for change in done.rewritten] == [("d", "text")]
    assert [[part.key for part in merged.parts] for merged in done.merged] == [["b", "c"]]
    assert [draft.key for group in done.dropped for draft in group.drafts] == ["a"]
    assert done.moved == ()
    assert [note.text for note in done.notes] == ["done"]
    assert repr(done) == "Changes('works', 1 added, 1 rewritten, 2 merged into 1, 1 dropped)"
    assert (done.tokens_before, done.tokens_after) == (15, 12)


def test_only_what_was_lifted_out_counts_as_moved() -> None:
    drafts = tuple(Draft(id, "user", (Text.of(id, Origin("node", id)),), Origin("node", id)) for id in "abcd")

    def moves(ctx: Context) -> Context:
        return ctx.arrange((*ctx.drafts[1:], ctx.drafts[0].moved(0, Cause("moves", "rule", "why"))))

    trace = Pipeline.of([moves]).run(Context(BuildInput(Session(id="s")), drafts), SERVICES)

    assert [draft.key for draft in trace.changes("moves").moved] == ["a"]


def test_a_trace_shows_itself_as_a_small_table() -> None:
    trace = Pipeline.of([adds("a<b>"), fails]).run(start(), SERVICES, on_error="skip")

    html = trace._repr_html_()

    assert "a&lt;b&gt;" in html
    assert "ValueError: no luck" in html
    assert repr(trace) == f"Trace('s', 2 of 2 steps, 1 message, {trace.tokens} tokens)"


def test_a_run_s_table_names_what_was_amiss_at_the_start() -> None:
    trace = ctxlab.build(ctxlab.Session(id="s").append("Hello"), model="gpt4o")

    assert "did you mean &#x27;gpt-4o&#x27;?" in trace._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_a_finished_build_that_nobody_holds_is_gone_without_a_collection() -> None:
    def contexts() -> int:
        return sum(isinstance(each, Context) for each in gc.get_objects())

    def build_with_each() -> None:
        for strategy in STRATEGIES:
            ctxlab.build(conversation, budget_tokens=2_000, settings={"token-limiter.strategy": strategy})

    conversation = ctxlab.example("coding")
    build_with_each()  # what is loaded at first use leaves rings behind
    gc.collect()
    gc.disable()
    try:
        before = contexts()
        build_with_each()
        assert contexts() == before
    finally:
        gc.enable()

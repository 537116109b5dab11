from collections.abc import Callable
from dataclasses import replace

import pytest

from ctxlab.context import BuildInput, Cause, Context, Draft, Origin, Table, Text
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError, UnexplainedDrop
from ctxlab.pipeline import Debugger, Pipeline, ProcessorFailed, Services, processor
from ctxlab.pipeline.conservation.check_step import check_step
from ctxlab.testing.fakes import ScriptedLlm, WordTokenizer
from tests.reports import all_left, left

SERVICES = Services(tokenizer=WordTokenizer())


def adds(id: str) -> Callable[..., Context]:
    @processor(id)
    def add(ctx: Context) -> Context:
        origin = Origin("made", id)
        return ctx.insert(len(ctx.drafts), Draft(f"made:{id}", "user", (Text.of(id, origin),), origin))

    return add


def debugger(*steps: object, llm: object = None) -> Debugger:
    services = Services(tokenizer=WordTokenizer(), llm=llm)
    return Debugger(Pipeline.of(steps or [adds("a"), adds("b"), adds("c")]).start(start(), services))


def start() -> Context:
    return Context(BuildInput(Session(id="s")))


def said(ctx: Context) -> list[str]:
    return [str(draft.text) for draft in ctx.drafts]


def test_a_step_at_a_time() -> None:
    at = debugger()

    assert (at.position, at.next_id, said(at.context)) == (0, "a", [])
    at.step()
    assert (at.position, at.next_id, said(at.context)) == (1, "b", ["a"])
    at.run()
    assert (at.position, at.next_id, at.done, said(at.context)) == (3, None, True, ["a", "b", "c"])


def test_neither_end_can_be_passed() -> None:
    at = debugger()

    with pytest.raises(CtxlabError, match="run is at its start"):
        at.back()
    at.run()
    with pytest.raises(CtxlabError, match="run is at its end; back"):
        at.step()
    with pytest.raises(CtxlabError, match="nothing to skip"):
        at.skip()


def test_back_and_forth_gives_the_same_objects() -> None:
    at = debugger()
    first, second = at.step(), at.step()

    before = at.back()
    at.back()

    assert before is first.after
    assert at.step() is first
    assert at.step() is second


def test_running_until_a_step_stops_before_it() -> None:
    at = debugger()

    at.run_until("c")

    assert at.next_id == "c"
    assert said(at.run_until("c")) == ["a", "b"]


def test_running_until_something_holds() -> None:
    at = debugger()

    at.run_until(lambda ctx: len(ctx.drafts) == 2)

    assert at.next_id == "c"


def test_running_stops_at_breakpoints_and_goes_on_from_them() -> None:
    at = debugger()
    at.breakpoints.add("b")

    at.run()
    assert at.next_id == "b"
    at.run()
    assert at.done


def test_an_edit_is_a_step_and_what_came_after_is_forgotten() -> None:
    at = debugger()
    at.run()
    at.back()

    at.edit(lambda ctx: ctx.insert(0, Draft("mine", "user", (Text.of("mine", Origin("x")),), Origin("x"))))

    assert (at.position, at.next_id) == (3, "c")
    assert said(at.run().result) == ["mine", "a", "b", "c"]
    assert [step.id for step in at.trace.steps] == ["a", "b", "edit", "c"]
    assert at.trace.step("edit").edited


def test_an_edit_that_changes_nothing_is_none() -> None:
    at = debugger()
    at.step()

    at.edit(lambda ctx: ctx)
    at.edit(at.context)

    assert at.position == 1


def test_a_person_may_take_out_what_a_step_may_not() -> None:
    at = debugger()
    at.step()

    at.edit(lambda ctx: ctx.arrange([]))

    assert said(at.run().result) == ["b", "c"]
    assert [event.text for event in at.trace.why("made:a").events][
        -1
    ] == "dropped: edit / by hand: taken out in the debugger"


def test_a_skipped_step_is_passed_over() -> None:
    at = debugger()

    at.step()
    at.skip()
    at.run()

    assert said(at.context) == ["a", "c"]
    assert [(step.id, step.skipped) for step in at.trace.steps] == [("a", False), ("b", True), ("c", False)]
    at.back()
    at.back()
    assert said(at.run().result) == ["a", "c"]


def test_skipping_what_was_done_undoes_it() -> None:
    at = debugger()
    at.run()
    at.back()
    at.back()

    at.skip()

    assert said(at.run().result) == ["a", "c"]


def test_a_failing_step_leaves_the_debugger_before_it() -> None:
    @processor("picky")
    def picky(ctx: Context) -> Context:
        if not left(ctx, "pleased"):
            raise ValueError("not like this")
        return ctx

    at = debugger(adds("a"), picky, adds("b"))
    at.step()

    for _ in range(2):
        with pytest.raises(ProcessorFailed, match="picky failed: ValueError: not like this") as caught:
            at.step()
        assert (at.position, at.next_id) == (1, "picky")
        assert caught.value.trace is not None
        assert [step.id for step in caught.value.trace.steps] == ["a", "picky"]

    at.edit(lambda ctx: ctx.put(Table("pleased", True)))
    assert said(at.run().result) == ["a", "b"]


def test_a_failing_step_can_be_passed_over() -> None:
    def fails(ctx: Context) -> Context:
        raise ValueError("no luck")

    at = debugger(fails, adds("b"))
    with pytest.raises(ProcessorFailed):
        at.run()

    at.skip()

    assert said(at.run().result) == ["b"]


def test_a_broken_law_is_the_same_error_as_in_a_run() -> None:
    def loses(ctx: Context) -> Context:
        return ctx.arrange([])

    at = debugger(adds("a"), loses)
    at.step()

    with pytest.raises(UnexplainedDrop):
        at.step()
    assert at.position == 1


def test_settings_undo_the_steps_that_they_change() -> None:
    at = debugger()
    first = at.step()
    at.run()

    at.set({"b.enabled": False})

    assert (at.position, at.next_id) == (1, "c")
    assert at.trace.steps == (first,)
    assert said(at.run().result) == ["a", "c"]


def test_settings_keep_edits_before_what_they_change() -> None:
    at = debugger()
    at.step()
    at.edit(lambda ctx: ctx.put(Table("mine", 1)))
    at.run()

    at.set({"c.enabled": False})

    assert (at.position, at.done) == (3, True)
    assert all_left(at.context) == {"mine": 1}


def test_settings_of_what_comes_keep_the_place() -> None:
    at = debugger()
    at.run()
    at.back()
    at.back()

    at.set({"c.enabled": False})

    assert (at.position, at.next_id) == (1, "b")
    assert said(at.run().result) == ["a", "b"]


def test_two_forks_go_their_own_ways() -> None:
    at = debugger()
    at.step()
    other = at.fork()

    other.breakpoints.add("c")
    other.edit(lambda ctx: ctx.drop(["made:a"], Cause("me", "whim")))
    at.run()

    assert said(at.context) == ["a", "b", "c"]
    assert said(other.run_until()) == ["b"]
    assert at.breakpoints == set()


def test_a_debugger_of_a_finished_run_walks_over_its_steps() -> None:
    trace = debugger().run()

    at = Debugger(trace)

    assert at.position == 0
    assert at.step() is trace.steps[0]


def test_what_a_model_said_is_not_asked_again() -> None:
    @processor("asks")
    def asks(ctx: Context, services: Services) -> Context:
        return ctx.put(Table("answer", services.llm.complete("what now?")))

    llm = ScriptedLlm("go on", "never said")
    at = debugger(adds("a"), asks, llm=llm)
    at.run()

    at.set({"a.enabled": False})
    assert all_left(at.run().result) == {"answer": "go on"}
    at.back()
    at.edit(lambda ctx: ctx.put(Table("mine", 1)))
    assert all_left(at.run().result) == {"mine": 1, "answer": "go on"}

    assert llm.prompts == ["what now?"]


def test_a_debugger_shows_where_it_stands() -> None:
    at = debugger()
    at.step()

    assert repr(at) == "Debugger('s', 1 steps done, next 'b')"
    assert "<table>" in at._repr_html_()


def test_the_whole_run_is_known_and_it_stays_where_it_is() -> None:
    at = debugger()
    first = at.step()

    whole = at.finished()

    assert (at.position, at.next_id) == (1, "b")
    assert [step.id for step in whole.steps] == ["a", "b", "c"]
    assert whole.steps[0] is first
    assert at.step() is whole.steps[1]
    assert at.known.steps == whole.steps
    assert len(at.trace.steps) == 2


def test_a_run_that_fails_is_known_as_far_as_it_came() -> None:
    @processor("breaks")
    def breaks(ctx: Context) -> Context:
        raise ValueError("no luck")

    at = debugger(adds("a"), adds("b"), breaks)
    at.step()

    with pytest.raises(ProcessorFailed, match="no luck"):
        at.finished()

    assert at.position == 1
    assert [step.id for step in at.known.steps] == ["a", "b"]


def test_what_is_known_behind_goes_when_settings_change_it() -> None:
    at = debugger()
    at.finished()

    at.set({"b.enabled": False})

    assert [step.id for step in at.known.steps] == ["a"]


def test_a1_what_a_hand_does_names_the_hand() -> None:
    drafts = [Draft(id, "user", (Text.of(f"text of {id}", Origin("node", id)),), Origin("node", id)) for id in "abcd"]
    at = Debugger(Pipeline.of([]).start(Context(BuildInput(Session(id="s")), tuple(drafts)), SERVICES))

    def works(ctx: Context) -> Context:
        a, b, c, _ = ctx.drafts
        other = replace(a, body=(Text.of("text of Ann", Origin("x")),))
        return ctx.arrange([c, other, replace(b, role="system")])

    after = at.edit(works)

    trace = at.trace
    assert [(g.cause.processor, [d.key for d in g.drafts]) for g in after.dropped] == [("edit", ["d"])]
    assert [(d.key, [(c.field, c.before, c.cause.processor) for c in d.changes]) for d in after.drafts] == [
        ("c", [("place", 2, "edit")]),
        ("a", []),
        ("b", [("role", "user", "edit")]),
    ]
    assert [place.state for place in trace.where("text of a")] == ["replaced"]
    assert check_step(trace.start, after, processor="edit") is after

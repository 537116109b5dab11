"""The Python half of the step debugger: the run it shows, settings that change, what a change did, where tokens end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
import traitlets
from pydantic import Field

import ctxlab
import ctxlab_widgets
from ctxlab import Context, Pipeline, Session, Trace
from ctxlab.context import Table
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Processor, ProcessorSettings, Services
from ctxlab_widgets._shared.setting_errors import setting_error
from ctxlab_widgets._shared.widget import WrongCommand
from ctxlab_widgets.branch_tree import BranchTree
from ctxlab_widgets.step_debugger import StepDebugger

LIMITER = "token-limiter"


def chat(n: int = 12) -> Session:
    roles = ("user", "assistant")
    return ctxlab.read_data([{"role": roles[i % 2], "content": f"some words of {i} " * 5} for i in range(n)]).pick()


def asked(widget: StepDebugger, **command: Any) -> StepDebugger:
    widget._handle_custom_msg(command, [])
    return widget


def given(widget: StepDebugger, name: str, value: Any, **more: Any) -> StepDebugger:
    return asked(widget, command="set", step=LIMITER, name=name, value=value, **more)


def budget(trace: Trace | None) -> Any:
    assert trace is not None
    return trace.pipeline.stage(LIMITER).processor.settings.budget_tokens


@pytest.fixture
def run() -> Trace:
    return ctxlab.build(chat(), budget_tokens=200)


# --- the run that is shown


def test_the_run_given_is_the_run_shown(run: Trace) -> None:
    assert StepDebugger(run).trace is run


def test_a_debugger_half_way_gives_the_whole_run_and_stays_where_it_is() -> None:
    debugger = ctxlab.debug(chat())
    debugger.step()
    widget = StepDebugger(debugger)

    assert widget.trace is not None
    assert [step.id for step in widget.trace.steps] == [stage.id for stage in debugger.pipeline.running()]
    assert (debugger.position, widget.position) == (1, 1)
    assert widget.trace.steps[0] is debugger.trace.steps[0]


def test_nothing_is_run_before_it_is_asked_for() -> None:
    ran: list[int] = []

    def counts(ctx: Context) -> Context:
        ran.append(1)
        return ctx

    widget = StepDebugger(ctxlab.debug(chat(), pipeline=ctxlab.default_pipeline().with_processor(counts)))

    assert ran == []
    assert widget.trace is not None
    asked(widget, command="run")
    assert ran == [1]


def test_a6_what_would_keep_a_dropped_message_is_told_of_the_one_that_is_selected(run: Trace) -> None:
    widget = StepDebugger(run)
    gone = [draft.key for group in run.result.dropped for draft in group.drafts]
    assert widget.remedies == ""

    widget.selected = gone[0]
    told = json.loads(widget.remedies)
    assert list(told) == [gone[0]]
    assert told[gone[0]]["text"] == str(run.why(gone[0]).least_budget)

    widget.selected = run.result.drafts[-1].key
    assert widget.remedies == ""

    widget.selected = gone[0]
    given(widget, "budget_tokens", run.why(gone[0]).least_budget.tokens)
    assert widget.remedies == ""


def test_a6_a_report_says_of_the_newest_cuts_what_would_keep_them_and_of_no_others(tmp_path: Path) -> None:
    run = ctxlab.build(chat(60), budget_tokens=100)
    cut = [draft.key for draft in run.step(LIMITER).before.drafts if run.why(draft.key).least_budget]

    page = ctxlab_widgets.report(run, tmp_path / "page.html").read_text(encoding="utf-8")

    told = [str(run.why(key).remedy) in page for key in cut]
    assert told == [False] * (len(cut) - 40) + [True] * 40


def test_moving_never_changes_the_run(run: Trace) -> None:
    widget = StepDebugger(run)

    for command in ("back", "back", "step", "run"):
        asked(widget, command=command)
        assert widget.trace is run
    asked(widget, command="run_to", position=2)

    assert widget.trace is run
    assert len(widget.debugger.trace.steps) == 2


def test_a_setting_changed_half_way_gives_the_whole_run_with_it(run: Trace) -> None:
    widget = StepDebugger(run)
    asked(widget, command="run_to", position=2)

    given(widget, "budget_tokens", 300)

    assert widget.position == 2
    assert budget(widget.trace) == 300
    assert widget.trace is not None
    assert len(widget.trace.steps) == len(run.steps)
    assert budget(run) == 200


def test_stepping_into_what_the_change_already_ran_sends_no_view(run: Trace) -> None:
    widget = given(asked(StepDebugger(run), command="run_to", position=2), "budget_tokens", 300)
    sent: list[Any] = []
    widget.observe(sent.append, ["view", "trace"])

    asked(widget, command="run")

    assert widget.position == len(run.steps)
    assert sent == []


def test_where_the_run_fails_it_is_the_run_as_far_as_it_came(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 3)

    assert widget.failed["id"] == LIMITER
    assert "budget" in widget.failed["error"]
    assert widget.trace is not None
    assert (budget(widget.trace), widget.trace.steps[-1].id) == (3, "variable-processor")
    assert widget.comparison == {}


def test_after_a_failure_a_better_value_leads_as_far_as_before(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 3)

    given(widget, "budget_tokens", 250)

    assert (widget.position, widget.failed) == (run.index(LIMITER) + 1, {})
    assert widget.comparison["settings"][0]["old"] == 200


def test_another_run_from_outside_is_shown_at_the_same_step_with_the_breakpoints(run: Trace) -> None:
    widget = asked(StepDebugger(run), command="breakpoint", step=LIMITER, on=True)
    asked(widget, command="run_to", position=1)
    other = run.rerun({f"{LIMITER}.budget_tokens": 300})

    widget.trace = other

    assert (widget.position, widget.breakpoints) == (1, [LIMITER])
    assert json.loads(widget.view) == other.view()
    assert widget.debugger.known.result is other.result


def test_the_very_run_that_is_shown_changes_nothing_from_outside(run: Trace) -> None:
    widget = asked(StepDebugger(run), command="back")
    debugger = widget.debugger

    widget.trace = Trace(run.start, run.steps, run.pipeline, run.services)

    assert (widget.debugger is debugger, widget.position) == (True, run.index(LIMITER))


def test_a_linked_view_follows_and_leads(run: Trace) -> None:
    class Other(traitlets.HasTraits):
        trace = traitlets.Instance(Trace, allow_none=True)

    widget, other = StepDebugger(run), Other()
    traitlets.link((widget, "trace"), (other, "trace"))

    assert other.trace is run
    given(widget, "budget_tokens", 300)
    assert other.trace is widget.trace
    assert budget(other.trace) == 300
    other.trace = run.rerun({f"{LIMITER}.budget_tokens": 250})
    assert budget(widget.debugger.trace) == 250
    assert widget.comparison["settings"] == [
        {"step": LIMITER, "name": "budget_tokens", "title": "Budget", "old": 300, "new": 250}
    ]


def test_a_run_of_another_conversation_is_compared_with_nothing(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 300)

    widget.trace = ctxlab.build(chat(4))

    assert (widget.comparison, widget.rerun) == ({}, [])


def test_a_debugger_moved_and_changed_in_python_is_shown(run: Trace) -> None:
    widget = StepDebugger(run)

    widget.debugger.set({f"{LIMITER}.budget_tokens": 300})
    widget.show()

    assert budget(widget.trace) == 300
    assert widget.position == run.index(LIMITER)


def test_a_run_may_come_before_anybody_asked_for_one(run: Trace) -> None:
    widget = StepDebugger()

    widget.trace = run

    assert (widget.position, widget.comparison) == (run.index(LIMITER) + 1, {})


def test_nothing_to_show_is_fine_until_a_run_comes_and_after_it_is_gone(run: Trace) -> None:
    widget = StepDebugger()

    assert (widget.view, widget.trace) == ("", None)
    assert "shows no run" in asked(widget, command="step").error
    with pytest.raises(CtxlabError, match="shows no run"):
        _ = widget.debugger
    widget.trace = run
    assert json.loads(widget.view) == run.view()
    widget.trace = None
    assert (widget.view, widget.position) == ("", 0)


# --- where it opens


def test_a_run_opens_at_the_step_with_most_consequence(run: Trace) -> None:
    widget = StepDebugger(run)

    assert (widget.debugger.trace.steps[-1].id, widget.result) == (LIMITER, False)


def test_a_run_in_which_nothing_was_changed_opens_with_what_is_sent() -> None:
    widget = StepDebugger(ctxlab.build(chat()))

    assert (widget.position, widget.result) == (len(widget.debugger.known.steps), True)
    assert asked(widget, command="back").position == len(widget.debugger.known.steps)
    assert not widget.result
    assert asked(widget, command="back").position == len(widget.debugger.known.steps) - 1


def test_a_run_that_comes_leaves_the_result_in_sight(run: Trace) -> None:
    widget = asked(StepDebugger(run), command="result")

    widget.trace = run.rerun({f"{LIMITER}.budget_tokens": 300})

    assert (widget.position, widget.result) == (len(run.steps), True)
    widget.trace = ctxlab.build(chat(40), budget_tokens=200)
    assert (widget.position, widget.result) == (run.index(LIMITER) + 1, False)


# --- edits by hand


def texts(trace: Trace | None) -> list[str]:
    assert trace is not None
    return [str(draft.text) for draft in trace.result.drafts]


def test_an_edit_at_the_limiter_of_a_finished_run_goes_on_to_its_end(run: Trace) -> None:
    widget = StepDebugger(run)
    key = widget.debugger.context.drafts[-1].key

    asked(widget, command="edit", key=key, text="short")

    assert widget.trace is not None
    assert texts(widget.trace) == [*texts(run)[:-1], "short"]
    assert [step.id for step in widget.debugger.trace.steps[-2:]] == [LIMITER, "edit"]
    assert widget.effect["text"].startswith(f"{widget.trace.tokens - run.tokens:+,} tokens; changed: ")
    assert "by hand: changed in the debugger" in str(widget.trace.why(key))
    asked(widget, command="undo_change")
    assert widget.trace is run
    assert (widget.effect, widget.debugger.trace.steps[-1].id) == ({}, LIMITER)


def test_an_edit_is_kept_when_a_setting_changes_and_lost_with_its_message(run: Trace) -> None:
    widget = StepDebugger(run)
    first = widget.debugger.context.drafts[0].key
    widget.edit_message(first, "other")

    given(widget, "budget_tokens", 300)
    assert "other" in texts(widget.trace)
    given(widget, "budget_tokens", 100)

    assert widget.trace is not None
    (note,) = widget.trace.result.notes
    assert note.text.startswith(f"the edit of {first.removeprefix('node:')} by hand is lost: it is taken out before")
    assert texts(widget.trace) == texts(run.rerun({f"{LIMITER}.budget_tokens": 100}))
    given(widget, "budget_tokens", 200)
    assert "other" in texts(widget.trace)


def test_an_edit_in_a_debugger_that_nobody_ran_to_its_end_runs_nothing() -> None:
    widget = asked(StepDebugger(ctxlab.debug(chat(), budget_tokens=200)), command="run_to", position=1)

    asked(widget, command="edit", key="node:m0", text="other")

    assert [step.id for step in widget.debugger.known.steps] == ["session-loader", "edit"]
    assert (widget.position, widget.effect) == (2, {})


def test_an_edit_of_no_message_or_of_nothing_changes_nothing(run: Trace) -> None:
    widget = StepDebugger(run)
    kept = widget.debugger.context.drafts[-1]

    assert "nobody is there to be edited" in asked(widget, command="edit", key="nobody", text="x").error
    assert asked(widget, command="edit", key=kept.key, text=str(kept.text)).trace is run
    assert "no change to undo" in asked(widget, command="undo_change").error


def test_an_edit_that_makes_a_later_step_fail_stays_and_says_so() -> None:
    def strict(ctx: Context) -> Context:
        if any("no" in str(draft.text).split() for draft in ctx.drafts):
            raise ValueError("not like this")
        return ctx

    run = ctxlab.build(chat(), budget_tokens=200, pipeline=ctxlab.default_pipeline().with_processor(strict))
    widget = StepDebugger(run)
    key = widget.debugger.context.drafts[-1].key

    asked(widget, command="edit", key=key, text="no")
    assert (widget.failed["id"], widget.effect) == ("strict", {})
    asked(widget, command="edit", key=key, text="yes")

    assert (widget.failed, texts(widget.trace)[-1]) == ({}, "yes")


# --- remedies as buttons


def test_messages_in_sight_are_told_together_what_keeps_them(run: Trace) -> None:
    widget = StepDebugger(run)
    gone = [draft.key for group in run.result.dropped for draft in group.drafts]

    asked(widget, command="remedies", keys=[*gone, "nobody"])

    told = json.loads(widget.remedies)
    assert {key: each["text"] for key, each in told.items()} == {key: str(run.why(key).remedy) for key in gone}
    assert "no command" in asked(widget, command="remedies", keys=[1]).error


def test_a_message_kept_by_its_button_leaves_the_step_and_the_settings_given_at_first(run: Trace) -> None:
    widget = StepDebugger(run)
    gone = run.result.dropped[-1].drafts[-1].key

    asked(widget, command="apply_remedy", key=gone)

    assert widget.trace is not None
    assert gone in {part.key for draft in widget.trace.result.drafts for part in draft.parts}
    assert (widget.debugger.trace.steps[-1].id, budget(widget.trace) > 200) == (LIMITER, True)
    assert json.loads(widget.initial_settings)[LIMITER]["settings"]["budget_tokens"] == [200, "call"]
    asked(widget, command="undo", step=LIMITER, name="budget_tokens")
    assert budget(widget.trace) == 200


# --- settings


def test_a_setting_runs_again_from_its_step_on(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 250)

    assert widget.rerun == [step.id for step in run.steps[run.index(LIMITER) :]]
    assert widget.trace is not None
    before = run.index(LIMITER) - 1
    assert widget.trace.steps[before] is run.steps[before]
    assert run.tokens < widget.trace.tokens <= 250


def test_of_a_debugger_only_steps_it_had_come_to_run_again() -> None:
    debugger = ctxlab.debug(chat(), budget_tokens=200)
    limited = [stage.id for stage in debugger.pipeline.running()].index(LIMITER) + 1
    widget = asked(StepDebugger(debugger), command="run_to", position=limited)

    given(widget, "budget_tokens", 250)

    assert (widget.rerun, widget.position) == ([LIMITER], limited)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("budget_tokens", 0, "Budget must be at least 1, not 0."),
        ("budget_tokens", "many", "Budget must be a whole number, not 'many'."),
        ("budget_tokens", 1.5, "Budget must be a whole number, not 1.5."),
        ("head_share", 7, "Head share must be at most 1, not 7."),
        ("retained_characters", None, "Retained characters must be a whole number, not empty."),
        ("marker", 3, "Marker must be a text, not 3."),
        ("stratgy", 1, "token-limiter has no setting 'stratgy'; did you mean 'strategy'?"),
    ],
)
def test_a_wrong_value_is_refused_in_one_plain_sentence(run: Trace, name: str, value: Any, told: str) -> None:
    widget = given(StepDebugger(run), name, value)

    assert widget.refused == {"step": LIMITER, "name": name, "text": told}
    assert (widget.trace, widget.error, widget.failed) == (run, "", {})


def test_a_choice_that_is_none_names_those_there_are(run: Trace) -> None:
    text = setting_error(run.pipeline.stage(LIMITER), "strategy", "best")

    assert text.startswith("Strategy must be one of 'sliding', 'head-and-tail'")
    assert text.endswith("not 'best'.")


def test_a_refusal_is_forgotten_with_the_next_command(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 0)

    assert given(widget, "budget_tokens", 300).refused == {}


def test_from_python_a_wrong_value_raises_the_same_sentence(run: Trace) -> None:
    widget = StepDebugger(run)

    with pytest.raises(WrongCommand, match="Budget must be at least 1, not 0"):
        widget.set_setting(LIMITER, "budget_tokens", 0)
    widget.set_setting(LIMITER, "budget_tokens", 300)
    (limiter,) = [row for row in json.loads(widget.view)["pipeline"] if row["id"] == LIMITER]
    assert limiter["settings"]["budget_tokens"]["value"] == 300


class Lists(Processor):
    id = "lists"

    class Settings(ProcessorSettings):
        names: list[str] = Field(default_factory=list[str], title="Names")
        mode: Literal["a", "b"] | None = None

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        return ctx.put(Table("names", tuple(self.settings.names)))


def test_a_list_says_which_of_its_items_is_wrong() -> None:
    stage = Pipeline.of([Lists]).stage("lists")

    assert setting_error(stage, "names", ["x"]) == ""
    assert setting_error(stage, "names", ["x", 2]) == "Names, at 1, must be a text, not 2."
    assert setting_error(stage, "names", "x") == "Names must be a list, not 'x'."


def test_undo_gives_back_what_was_there_at_first(run: Trace) -> None:
    widget = given(given(StepDebugger(run), "budget_tokens", 250), "budget_tokens", 300)
    given(widget, "strategy", "middle-out")

    asked(widget, command="undo", step=LIMITER, name="budget_tokens")

    assert widget.trace is not None
    settings = widget.trace.pipeline.stage(LIMITER).processor.settings
    assert (settings.budget_tokens, settings.strategy) == (200, "middle-out")
    asked(widget, command="switch", step=LIMITER, on=False)
    asked(widget, command="undo", step=LIMITER)
    assert [str(draft.text) for draft in widget.trace.result.drafts] == [str(d.text) for d in run.result.drafts]
    assert widget.trace.pipeline.stage(LIMITER).processor.settings.strategy == "sliding"


def test_undoing_what_is_as_it_was_does_nothing(run: Trace) -> None:
    widget = asked(StepDebugger(run), command="undo", step=LIMITER)

    assert (widget.trace, widget.comparison, widget.error) == (run, {}, "")


def test_the_settings_at_first_are_told_with_their_layers(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 300)

    first = json.loads(widget.initial_settings)[LIMITER]

    assert first["settings"]["budget_tokens"] == [200, "call"]
    assert first["settings"]["strategy"] == ["sliding", "default"]
    assert first["enabled"] is True


# --- what a change did


def rows(widget: StepDebugger, what: str) -> list[tuple[str, int, int]]:
    return [(row["key"], row["messages"], row["tokens"]) for row in widget.comparison["rows"] if row["what"] == what]


def test_what_came_back_is_named_with_its_tokens(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 250)
    assert widget.trace is not None
    before, after = ({draft.key for draft in trace.result.drafts} for trace in (run, widget.trace))
    count = run.services.tokenizer.count_draft
    tokens = {draft.key: count(draft) for draft in widget.trace.result.drafts}

    assert {key for key, _, _ in rows(widget, "back in")} == after - before
    assert all(amount == tokens[key] for key, _, amount in rows(widget, "back in"))
    assert rows(widget, "same") == [("", len(before), 0)]
    assert rows(widget, "still out")[0][1] == 12 - len(after)
    assert widget.comparison["tokens"] == widget.trace.tokens - widget.trace.request_tokens
    assert widget.comparison["difference"] == widget.trace.tokens - run.tokens > 0
    assert widget.comparison["reran"] == widget.rerun


def test_what_goes_out_is_told_likewise(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 150)

    assert rows(widget, "out")
    assert sum(tokens for *_, tokens in rows(widget, "out")) == widget.comparison["difference"] < 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("budget_tokens", 400), ("budget_tokens", 90), ("strategy", "middle-out"), ("retained_characters", 20)],
)
def test_the_rows_add_up(run: Trace, name: str, value: Any) -> None:
    widget = given(StepDebugger(run), name, value)

    amounts = [row["tokens"] for row in widget.comparison["rows"] if row["what"] != "still out"]

    assert sum(amounts) == widget.comparison["difference"]


def test_many_messages_are_a_few_rows() -> None:
    run = ctxlab.build(chat(400), budget_tokens=200)
    widget = given(StepDebugger(run), "budget_tokens", 100_000)

    back = rows(widget, "back in")

    assert len(back) == 7
    assert back[-1][0] == ""
    assert sum(messages for _, messages, _ in back) == 400 - len(run.result.drafts)


def test_switching_a_step_off_is_such_a_change() -> None:
    agent = ctxlab.Agent.model_validate({"presetMessages": [{"id": "p", "role": "system", "content": "Be brief."}]})
    widget = StepDebugger(ctxlab.build(chat(), agent))

    asked(widget, command="switch", step="injection-assembler", on=False)

    assert widget.comparison["settings"][0] | {"title": ""} == {
        "step": "injection-assembler",
        "name": "enabled",
        "title": "",
        "old": True,
        "new": False,
    }
    assert [key for key, *_ in rows(widget, "out")] == ["preset:0"]


def test_a_dragged_handle_is_told_against_the_run_before_the_dragging(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 220)
    given(widget, "budget_tokens", 260, continues=True)
    given(widget, "budget_tokens", 300, continues=True)

    assert widget.comparison["settings"][0]["old"] == 200
    given(widget, "budget_tokens", 310)
    assert widget.comparison["settings"][0]["old"] == 300


def test_of_a_debugger_a_change_to_a_step_that_is_still_to_come_reruns_nothing() -> None:
    widget = asked(StepDebugger(ctxlab.debug(chat(), budget_tokens=200)), command="run_to", position=3)

    given(widget, "budget_tokens", 300)

    assert (widget.rerun, widget.comparison["reran"], widget.comparison["difference"]) == ([], [], 0)


# --- tokens


def test_tokens_end_where_the_tokenizer_says(run: Trace) -> None:
    widget = StepDebugger(run)
    last = json.loads(widget.view)["steps"][-1]["drafts"][-1]

    asked(widget, command="tokens", drafts=[last, last])

    assert widget.can_split_tokens
    assert list(widget.token_ends) == [str(last)]
    text = str(run.result.drafts[-1].text)
    assert widget.token_ends[str(last)][-1] == len(text)
    assert len(widget.token_ends[str(last)]) == run.services.tokenizer.count(text)


def test_what_is_told_is_forgotten_with_the_view(run: Trace) -> None:
    widget = asked(StepDebugger(run), command="tokens", drafts=[0, 1])

    assert asked(widget, command="back").token_ends
    assert given(widget, "budget_tokens", 300).token_ends == {}


def test_asking_for_tokens_leaves_what_failed_in_sight(run: Trace) -> None:
    widget = given(StepDebugger(run), "budget_tokens", 3)

    asked(widget, command="tokens", drafts=[0])

    assert widget.failed["id"] == LIMITER


@pytest.mark.parametrize("drafts", [[True], ["0"], "0", None])
def test_numbers_that_are_none_are_refused(run: Trace, drafts: Any) -> None:
    assert "no command" in asked(StepDebugger(run), command="tokens", drafts=drafts).error


def test_numbers_nobody_has_are_passed_over(run: Trace) -> None:
    assert asked(StepDebugger(run), command="tokens", drafts=[-1, 10**6]).token_ends == {}


def test_estimates_have_no_borders() -> None:
    widget = asked(StepDebugger(ctxlab.build(chat(), model="claude-sonnet-4")), command="tokens", drafts=[0])

    assert (widget.can_split_tokens, widget.token_ends) == (False, {})
    assert "nobody tells" in widget.error


def test_a_step_that_breaks_a_law_is_named_as_the_one_that_failed() -> None:
    def loses(ctx: Context) -> Context:
        return replace(ctx, drafts=ctx.drafts[1:])

    widget = StepDebugger(ctxlab.debug(chat(), pipeline=ctxlab.default_pipeline().with_processor(loses)))

    widget._handle_custom_msg({"command": "run"}, [])

    assert widget.failed["id"] == widget.debugger.next_id == "loses"
    assert "lost" in widget.failed["error"]
    assert widget.error == ""


def test_views_in_a_ring_of_links_tell_each_other_once() -> None:
    views = [StepDebugger(ctxlab.build(chat(), budget_tokens=900)), StepDebugger(), BranchTree()]
    heard: list[str] = []
    for one, other in zip(views, views[1:] + views[:1], strict=True):
        for name in ("trace", "selected"):
            traitlets.link((one, name), (other, name))
    for view in views:
        view.observe(lambda change: heard.append(change["name"]), ["trace", "selected"])

    views[0].set_setting("token-limiter", "budget_tokens", 800)
    views[1].selected = views[2].selected = "node:m0"

    assert heard == ["trace"] * 3 + ["selected"] * 3
    assert len({id(view.trace) for view in views}) == 1
    assert {view.selected for view in views} == {"node:m0"}

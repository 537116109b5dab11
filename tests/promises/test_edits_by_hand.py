"""An edit by hand is made again when an earlier step changes; else a note says that it is lost, and nothing differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Trace
from ctxlab.api import build, debug, rebuild
from ctxlab.context import Context, Draft, Origin, Text
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Debugger
from ctxlab.pipeline.conservation.check_step import check_step
from ctxlab.pipeline.trace import Step
from ctxlab.studies.run_summary import run_summary
from tests.promises.strategies import setting_changes
from tests.promises.test_reruns import STEADY, Options, runs

WORDS = "written by hand"


def at_a_message(options: Options, steps: int, which: int) -> tuple[Debugger, Draft]:
    """A debugger after some steps, and one of the messages there."""
    debugger = debug(**options, settings=STEADY)
    for _ in range(min(1 + steps, len(debugger.pipeline.running()))):
        debugger.step()
    assume(debugger.context.drafts)
    return debugger, debugger.context.drafts[which % len(debugger.context.drafts)]


def reworded(key: str, words: str = WORDS) -> Any:
    def change(ctx: Context) -> Context:
        return ctx.edit(
            lambda draft: replace(draft, body=(Text.of(words, draft.origin),)) if draft.key == key else draft
        )

    return change


def sent(trace: Trace) -> tuple[Any, ...]:
    data = trace.result.as_data()
    steps = [step.id for step in trace.steps if not step.is_lost]
    return data["drafts"], data["dropped"], data["reports"], trace.messages, steps


def parts_of(draft: Draft) -> list[str]:
    """Its words and the ids of its files, in order: steps measure files and decide how they go."""
    return [str(part) if isinstance(part, Text) else part.id for part in draft.body]


def edit_of(trace: Trace) -> Step:
    return next(step for step in trace.steps if step.edited)


places = st.integers(0, 9)


@settings(deadline=None, max_examples=150)
@given(runs(), places, places, setting_changes())
def test_an_edit_is_kept_or_a_note_says_that_it_is_lost(
    options: Options, steps: int, which: int, change: Options
) -> None:
    debugger, old = at_a_message(options, steps, which)
    try:
        debugger.edit(reworded(old.key))
        trace = debugger.fork().run()
        again, without = trace.rerun(change), build(**options, settings={**STEADY, **change})
    except CtxlabError:
        assume(False)
        return
    edit = edit_of(again)
    now = next((draft for draft in edit.before.drafts if draft.key == old.key), None)
    is_there = now is not None and parts_of(now) == parts_of(old)
    event("kept" if is_there else "lost")

    if is_there and [part.key for part in now.merged] == [part.key for part in old.merged]:
        kept = edit.after.draft(old.key)
        assert kept is not None and str(kept.text) == WORDS
        assert check_step(edit.before, edit.after, processor="edit") is edit.after
        assert (edit.is_lost, edit.after.notes) == (False, edit.before.notes)
    else:
        (note,) = edit.after.notes[len(edit.before.notes) :]
        assert edit.is_lost and "by hand is lost: " in note.text
        assert sent(again) == sent(without)
        assert [note for note in again.result.notes if note.processor != "edit"] == [*without.result.notes]


@settings(deadline=None, max_examples=60)
@given(runs(), places, places, setting_changes(), setting_changes())
def test_rerun_rebuild_and_debugger_make_an_edit_again_alike(
    options: Options, steps: int, which: int, change: Options, later: Options
) -> None:
    debugger, old = at_a_message(options, steps, which)
    try:
        debugger.edit(reworded(old.key))
        trace = debugger.fork().run()
        reruns = [trace.rerun(change), trace.rerun(change).rerun({**change, **later})]
    except CtxlabError:
        assume(False)
        return

    debugger.set(change)
    stepped = [debugger.fork().run()]
    debugger.set({**change, **later})
    stepped.append(debugger.fork().run())
    rebuilt = rebuild(trace, tokenizer=trace.services.tokenizer, settings=change)

    assert [sent(each) for each in stepped] == [sent(each) for each in reruns]
    assert sent(rebuilt) == sent(reruns[0])
    assert [str(note) for note in rebuilt.result.notes] == [str(note) for note in reruns[0].result.notes]


@settings(deadline=None, max_examples=60)
@given(runs(), places, places, setting_changes())
def test_an_edit_that_was_lost_comes_back_with_the_settings(
    options: Options, steps: int, which: int, change: Options
) -> None:
    debugger, old = at_a_message(options, steps, which)
    try:
        debugger.edit(reworded(old.key))
        trace = debugger.run()
        was = {name: _setting(trace, name) for name in change}
        back = trace.rerun(change).rerun(was)
    except CtxlabError:
        assume(False)
        return

    assert sent(back) == sent(trace)
    assert not edit_of(back).is_lost


def _setting(trace: Trace, name: str) -> Any:
    step, _, setting = name.partition(".")
    stage = trace.pipeline.stage(step)
    own = {"enabled": stage.enabled, "priority": stage.priority}
    return own[setting] if setting in own else getattr(stage.processor.settings, setting)


def chat() -> Session:
    said = ("one", "two", "three", "four")
    roles = ("user", "assistant")
    return ctxlab.read_data([{"role": roles[i % 2], "content": text} for i, text in enumerate(said)]).pick()


def after_loading(change: Any) -> Debugger:
    debugger = debug(chat(), budget_tokens=500)
    debugger.step()
    debugger.edit(change)
    return debugger


def texts(trace: Trace) -> list[str]:
    return [str(draft.text) for draft in trace.result.drafts]


OFF = {"session-loader.html_to_markdown": True}
"""A change of the first step that leaves every message of the chat as it is."""


def test_messages_taken_out_put_in_and_moved_are_so_again() -> None:
    new = Draft("mine", "user", (Text.of("five", Origin("x")),), Origin("x"))
    takes_out = after_loading(lambda ctx: ctx.arrange([ctx.drafts[0], *ctx.drafts[2:]]))
    puts_in = after_loading(lambda ctx: ctx.insert(2, new))
    moves = after_loading(lambda ctx: ctx.arrange([*ctx.drafts[2:], *ctx.drafts[:2]]))

    for debugger in (takes_out, puts_in, moves):
        trace = debugger.run()
        again = trace.rerun(OFF)
        assert again.steps[0] is not trace.steps[0]
        assert texts(again) == texts(trace)
        assert again.result.notes == ()
        debugger.set(OFF)
        assert texts(debugger.run()) == texts(trace)


def test_what_is_lost_is_named_by_message() -> None:
    debugger = after_loading(reworded("node:m1"))
    longer = chat().edit("m1", "other words")

    trace = rebuild(debugger.run(), session=longer)

    assert [note.text for note in trace.result.notes] == ["the edit of m1 by hand is lost: its text is not what it was"]
    assert str(run_summary(trace)).endswith("1 edit by hand lost.")


def test_a_second_edit_at_an_earlier_place_keeps_the_later_one() -> None:
    debugger = after_loading(reworded("node:m1"))
    debugger.run()
    while debugger.position:
        debugger.back()
    debugger.step()
    debugger.edit(reworded("node:m3", "earlier"))

    trace = debugger.run()

    assert [str(trace.result.draft(f"node:m{i}").text) for i in (1, 3)] == [WORDS, "earlier"]
    assert [step.id for step in trace.steps][:3] == ["session-loader", "edit", "edit"]


def test_skipping_an_edit_takes_it_back() -> None:
    debugger = after_loading(reworded("node:m1"))
    debugger.run()
    while debugger.position > 1:
        debugger.back()
    assert debugger.next_id == "edit"

    debugger.skip()

    assert texts(debugger.run()) == texts(build(chat(), budget_tokens=500))

"""Runs travel: what is pickled and copied is the same run, also in a process that was started afresh."""

from __future__ import annotations

import copy
import pickle
import pickletools
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from threading import Lock
from typing import Any

import pytest

import ctxlab
from ctxlab.context import NOTHING, Cause, Context, Draft, Edit, Origin, QueryPart, Table, Text
from ctxlab.engines.tokens import Tokenizer
from ctxlab.errors import CtxlabError, LawBroken, UnexplainedDrop
from ctxlab.pipeline import BudgetTooSmall, Debugger, Pipeline, Processor, ProcessorFailed, Services, Trace, processor
from ctxlab.processors import default_pipeline
from ctxlab.providers import tokenizer_for
from ctxlab.testing import generated_agent, generated_session
from ctxlab.testing.fakes import FixedRetriever, ScriptedLlm, WordTokenizer
from tests.gallery.samples import harbour_with
from tests.pipeline.steps_to_import import (
    Clipper,
    WantsMore,
    finished_there,
    plain_step,
    raises_strange,
    rerun_there,
    signed,
    with_words,
)
from tests.reports import left

Way = Callable[[Any], Any]


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


WAYS = pytest.mark.parametrize("way", [pickled, copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"])
CAUSE = Cause("test", "rewrite", "to see")


@pytest.fixture(scope="module")
def harbour() -> Trace:
    return harbour_with(budget_tokens=1800)


def chat(*words: str) -> ctxlab.Session:
    session = ctxlab.Session(id="chat").append("", id="root")
    for i, word in enumerate(words or ("hello there", "a rather long answer", "and then?")):
        session = session.append(word, role=("user", "assistant")[i % 2])
    return session


def run(*steps: Any, session: ctxlab.Session | None = None, **options: Any) -> Trace:
    pipeline = default_pipeline()
    for step in steps:
        pipeline = pipeline.with_processor(step)
    return ctxlab.build(session or chat(), pipeline=pipeline, **options)


def states(trace: Trace) -> list[Any]:
    return [step.after.as_data() for step in trace.steps]


def rewritten(times: int, text: str = "abc") -> Text:
    found = Text.of(text, Origin("node", "n"))
    for i in range(times):
        found = found.splice([Edit(0, 1, chr(97 + i % 26), CAUSE)])
    return found


def memos(data: bytes) -> set[str]:
    """Every string in a pickle, names of modules and classes among them."""
    return {arg for _, arg, _ in pickletools.genops(data) if isinstance(arg, str)}


# --- the same run


@WAYS
def test_a2_a_run_is_the_same_run_afterwards(way: Way, harbour: Trace) -> None:
    again = way(harbour)

    assert again.messages == harbour.messages
    assert again.view() == harbour.view()
    assert again.ledger().equals(harbour.ledger())
    assert again.table("lore").equals(harbour.table("lore"))
    assert str(again.why("node:u5")) == str(harbour.why("node:u5"))
    assert list(map(str, again.where("沈砚"))) == list(map(str, harbour.where("沈砚")))
    assert again.pipeline.as_data() == harbour.pipeline.as_data()


@WAYS
def test_a2_a_run_can_be_run_again_afterwards(way: Way, harbour: Trace) -> None:
    settings = {"token-limiter.budget_tokens": 2600}

    again = way(harbour).rerun(settings)

    assert states(again) == states(harbour.rerun(settings))
    assert len(ctxlab.diff(way(harbour), again).rows) == len(ctxlab.diff(harbour, harbour.rerun(settings)).rows)


@WAYS
def test_a2_what_was_one_object_is_one_object(way: Way, harbour: Trace) -> None:
    again = way(harbour)

    assert all(b.before is a.after for a, b in zip(again.steps, again.steps[1:], strict=False))
    assert [step.did_nothing for step in again.steps] == [step.did_nothing for step in harbour.steps]
    assert any(step.did_nothing for step in again.steps)
    kept = [
        {id(draft) for draft in step.before.drafts} & {id(draft) for draft in step.after.drafts} for step in again.steps
    ]
    assert [len(ids) for ids in kept] == [
        len({*map(id, step.before.drafts)} & {*map(id, step.after.drafts)}) for step in harbour.steps
    ]
    assert again.pipeline.first_difference(again.pipeline.with_settings({}), again.services) == len(again.steps)


@WAYS
@pytest.mark.parametrize(
    "part",
    [
        lambda trace: trace.result,
        lambda trace: trace.result.drafts[-1],
        lambda trace: trace.result.drafts[-1].text,
        lambda trace: trace.steps[1],
        lambda trace: trace.start.input,
        lambda trace: Draft("made:x", "user", (), Origin("made", "x")),
    ],
    ids=["context", "draft", "text", "step", "request", "draft without metadata"],
)
def test_a2_the_parts_of_a_run_travel_alone(way: Way, part: Way, harbour: Trace) -> None:
    value = part(harbour)

    again = way(value)

    assert type(again) is type(value)
    assert repr(again) == repr(value)
    if hasattr(value, "as_data"):
        assert again.as_data() == value.as_data()


def test_a2_no_metadata_is_still_none() -> None:
    draft = pickled(Draft("made:x", "user", (), Origin("made", "x")))

    assert draft.meta == NOTHING == {}
    assert copy.deepcopy(NOTHING) is NOTHING


def test_a2_texts_share_afterwards_what_they_shared() -> None:
    typed = Text.of("one two three", Origin("node", "n"))
    once = typed.splice([Edit(0, 3, "ONE", CAUSE)])
    twice = once.splice([Edit(4, 7, "TWO", CAUSE)])

    first, second, third = pickled((typed, once, twice))

    assert str(third) == "ONE TWO three"
    assert second.spans[0].was is third.spans[0].was
    assert second.spans[0].was[0].origin is first.spans[0].origin


def test_a2_a_thousand_rewrites_need_no_deep_stack() -> None:
    deep, twin = rewritten(1100), rewritten(1100, "xyz")

    (again, shared), other = pickled(((deep, deep), twin))

    assert copy.deepcopy(deep) is deep and copy.copy(deep) is deep
    assert again is shared
    levels, here, there = 0, deep.spans[0], again.spans[0]
    while here.was:
        assert (here.text, here.cause, len(here.was)) == (there.text, there.cause, len(there.was))
        levels, here, there = levels + 1, here.was[0], there.was[0]
    assert levels == 1099
    assert there.text == here.text
    assert str(other) == str(twin)


def test_a2_what_replaced_several_texts_at_once_needs_no_deep_stack_either() -> None:
    left, right = rewritten(400), rewritten(90)
    both = (left + right).splice([Edit(0, 6, "whole", CAUSE)])

    again = pickled(both)

    assert str(again) == "whole"
    assert [str(span.text) for span in again.spans[0].was] == [span.text for span in both.spans[0].was]


def test_a2_a_text_rewritten_by_many_steps_costs_one_reference_a_step() -> None:
    few, many = (len(pickle.dumps([rewritten(n) for n in range(upto)])) for upto in (100, 200))

    assert many < 5.5 * few  # histories of n rewrites each: n squared, and not n cubed, which would be 8


# --- size


@pytest.mark.parametrize("budget", [8_000, 128_000])
def test_a2_a_run_of_a_thousand_messages_is_small_beside_its_session(budget: int) -> None:
    session = ctxlab.read_data(generated_session(1_000, seed=1)).pick()
    agent = ctxlab.read_data(generated_agent()).agents[0]
    trace = ctxlab.build(session, agent, budget_tokens=budget)

    beyond = len(pickle.dumps(trace)) - len(pickle.dumps(session))

    assert beyond < 300_000


def test_a2_runs_made_of_one_another_are_pickled_as_one(harbour: Trace) -> None:
    runs = {name: harbour.rerun({"token-limiter.strategy": name}) for name in ("sliding", "middle-out", "block")}

    together = len(pickle.dumps(runs))

    assert together < 1.5 * len(pickle.dumps(harbour))


def test_a2_tokenizers_go_by_name_without_ranks_and_counts() -> None:
    tokenizer = tokenizer_for("gpt-4o")
    tokenizer.count("a text that is remembered")

    data = pickle.dumps(tokenizer)
    again = pickle.loads(data)

    assert len(data) < 1_000
    assert "a text that is remembered" not in memos(data)
    assert again.counts is tokenizer.counts
    assert (again.name, again.estimated, again.message_tokens) == ("o200k_base", False, 3)
    assert pickled(tokenizer_for("claude-x")).counts is tokenizer_for("claude-x").counts


def test_a2_a_tokenizer_around_a_function_keeps_the_function() -> None:
    tokenizer = Tokenizer.counting("chars", lambda text: len(text), message_tokens=4, name_tokens=1)

    again = pickled(tokenizer)

    assert again.count("four") == 4
    assert (again.message_tokens, again.name_tokens, again.name) == (4, 1, "chars")


def test_a2_neither_machines_nor_memories_are_in_a_pickle(harbour: Trace) -> None:
    names = memos(pickle.dumps(harbour))

    assert not [name for name in names if "mini_racer" in name or "tiktoken" in name or name.startswith("regex.")]
    assert not [name for name in names if name in ("Counts", "Exact", "Lock", "RLock")]


# --- steps


def test_a2_steps_of_a_module_go_by_name() -> None:
    trace = run(Clipper, signed, plain_step, settings={"clipper.most": 5})

    data = pickle.dumps(trace)
    again = pickle.loads(data)

    assert "cloudpickle" not in "".join(memos(data))
    assert again.pipeline.stage("signed").base is signed
    assert type(again.pipeline.stage("clipper").base) is Clipper
    assert again.pipeline.stage("clipper").processor.settings.most == 5
    assert again.rerun({"clipper.most": 3}).messages == trace.rerun({"clipper.most": 3}).messages


@WAYS
def test_a2_steps_that_no_import_finds_go_with_their_code(way: Way) -> None:
    class Louder(Clipper):
        id = "louder"

        def __call__(self, ctx: Context, services: Services) -> Context:
            assert Louder.id == self.id
            return super().__call__(ctx, services)

    word = "!"

    @processor("shout", priority=340)
    def shout(ctx: Context) -> Context:
        return ctx.edit(lambda draft: with_words(draft, word, shout.id))

    trace = run(Louder, shout, processor("nothing")(lambda ctx: ctx), settings={"louder.most": 5})

    again = way(trace)

    assert again.messages == trace.messages
    assert again.rerun({"louder.most": 3}).messages == trace.rerun({"louder.most": 3}).messages
    assert "hel!" in str(again.rerun({"louder.most": 3}).messages)


def test_a2_what_can_not_go_at_all_is_named() -> None:
    lock = Lock()

    @processor("locked")
    def locked(ctx: Context) -> Context:
        with lock:
            return ctx

    with pytest.raises(pickle.PicklingError, match=r"FunctionProcessor\('locked'\) can't be pickled.*lock"):
        pickle.dumps(locked)


def test_a2_what_steps_of_a_notebook_leave_behind_travels_too() -> None:
    @dataclass
    class Count:
        n: int

    def counts(ctx: Context) -> Context:
        return ctx.put(Table("counts", [Count(len(ctx.drafts))]))

    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).result.report_named('counts').content[0].n)"
    printed = subprocess.check_output([sys.executable, "-c", code], input=pickle.dumps(run(counts)))

    assert printed.strip() == b"3"


# --- services and their answers


def test_a2_answers_of_services_are_replayed_afterwards() -> None:
    def asks(ctx: Context, services: Services) -> Context:
        return ctx.put(Table("answer", services.llm.complete("well?"))).put(
            Table("found", services.retriever.search([QueryPart("x")]).hits)
        )

    world = Services(tokenizer=WordTokenizer(), llm=ScriptedLlm("yes"), retriever=FixedRetriever(["a"]))
    trace = run(asks, services=world)

    again = pickled(trace)

    assert again.step("asks").calls == trace.step("asks").calls
    assert left(again.rerun({"merge-system.enabled": False}).result, "answer") == "yes"
    assert again.services.llm.prompts == ["well?"]


def test_a2_services_made_in_a_notebook_travel() -> None:
    class Mine(WordTokenizer):
        pass

    again = pickled(Services(tokenizer=Mine(), llm=lambda prompt: prompt * 2))

    assert again.tokenizer.count("three little words") == 3
    assert again.llm("ha") == "haha"


# --- debuggers


@pytest.mark.parametrize("way", [pickled, copy.copy, copy.deepcopy])
def test_a2_a_debugger_goes_on_where_it_stood(way: Way, harbour: Trace) -> None:
    debugger = Debugger(harbour.pipeline.start(Context(harbour.start.input), harbour.services))
    debugger.breakpoints.add("merge-system")
    debugger.run_until("injection-assembler")
    debugger.edit(lambda ctx: ctx.drop([ctx.drafts[0].key], CAUSE))
    debugger.step()
    debugger.back()

    again = way(debugger)
    before = again.position, again.next_id, again.breakpoints, len(again.known.steps)
    again.run()
    again.run()

    assert before == (debugger.position, debugger.next_id, debugger.breakpoints, len(debugger.known.steps))
    assert states(again.trace) == states(debugger.finished())
    assert debugger.position == before[0]


# --- errors


def failing(trace: Callable[[], Any]) -> Any:
    with pytest.raises(CtxlabError) as caught:
        trace()
    return caught.value


@pytest.mark.parametrize("way", [pickled, copy.deepcopy])
def test_a2_a_run_that_failed_travels_with_its_error(way: Way) -> None:
    error = failing(lambda: run(budget_tokens=3))

    again = way(error)

    assert type(again) is BudgetTooSmall
    assert (str(again), again.processor) == (str(error), "token-limiter")
    assert states(again.trace) == states(error.trace)
    assert type(again.trace.steps[-1].failure) is BudgetTooSmall
    assert again.trace.steps[-1].error == str(error)
    assert way(error.trace).steps[-1].error == str(error)


def test_a2_an_error_that_can_not_be_read_again_says_the_same_words() -> None:
    error = failing(lambda: run(raises_strange))

    again = pickled(error)

    assert str(again) == "raises-strange failed: Strange: this and that"
    assert again.trace.steps[-1].error == error.trace.steps[-1].error == "Strange: this and that"


def test_a2_an_error_of_a_notebook_says_the_same_words() -> None:
    class Mine(ValueError):
        pass

    def fails(ctx: Context) -> Context:
        raise Mine("here")

    error = failing(lambda: run(fails))

    assert pickled(error.trace).steps[-1].error == error.trace.steps[-1].error == "Mine: here"


@pytest.mark.parametrize(
    "error",
    [
        CtxlabError("no"),
        UnexplainedDrop("lost it"),
        ProcessorFailed("it failed", processor="x"),
        WantsMore(why="so"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a2_errors_travel_whatever_their_classes_want(error: Any) -> None:
    again = pickled(error)

    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.__dict__ == error.__dict__


def test_a2_a_run_that_went_on_after_an_error_travels() -> None:
    def loses(ctx: Context) -> Context:
        return ctx.arrange(())

    start = Context(run().start.input)
    trace = default_pipeline().with_processor(loses).run(start, Services(tokenizer=WordTokenizer()), on_error="skip")

    again = pickled(trace)

    assert isinstance(again.step("loses").failure, LawBroken)
    assert again.step("loses").error == trace.step("loses").error
    assert states(again) == states(trace)


# --- processes


def test_a2_runs_cross_to_processes_that_were_started_afresh() -> None:
    mark = "?"

    class Inner(Processor):
        id = "inner"
        priority = 350

        def __call__(self, ctx: Context, services: Services) -> Context:
            return ctx.edit(lambda draft: with_words(draft, mark, "inner"))

    trace = run(Clipper, signed, Inner, processor("quiet", priority=360)(lambda ctx: ctx))
    debugger = Debugger(trace.pipeline.start(Context(trace.start.input), trace.services))
    debugger.run_until("inner")

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        again = pool.submit(rerun_there, trace, {"clipper.most": 4})
        walked = pool.submit(finished_there, debugger)
        failed = pool.submit(rerun_there, trace, {"token-limiter.budget_tokens": 3})

        assert states(again.result()) == states(trace.rerun({"clipper.most": 4}))
        assert states(walked.result().trace) == states(trace)
        with pytest.raises(BudgetTooSmall) as caught:
            failed.result()
    assert str(caught.value) == str(failing(lambda: trace.rerun({"token-limiter.budget_tokens": 3})))
    assert caught.value.trace is not None and caught.value.trace.steps[-1].error == str(caught.value)


NOTEBOOK = """
import pickle, sys, ctxlab
from dataclasses import replace
from ctxlab.context import Cause, Edit
from ctxlab.pipeline import Processor, ProcessorSettings, processor
from pydantic import Field

def added(draft, words, step):
    end = len(draft.text)
    return replace(draft, body=(draft.text.splice([Edit(end, end, words, Cause(step, "add", "as asked"))]),))

class Stamp(Processor):
    id = "stamp"
    priority = 340
    class Settings(ProcessorSettings):
        mark: str = Field("#", title="Mark", description="What is stamped.")
    def __call__(self, ctx, services):
        return ctx.edit(lambda draft: added(draft, self.settings.mark, Stamp.id))

@processor("twice", priority=350)
def twice(ctx):
    return ctx.edit(lambda draft: added(draft, str(draft.text), twice.id))

pipeline = ctxlab.default_pipeline().with_processor(Stamp()).with_processor(twice)
session = ctxlab.Session(id="s").append("", id="root").append("ha")
trace = ctxlab.build(session, pipeline=pipeline)
assert trace.messages[0]["content"] == "ha#ha#"
sys.stdout.buffer.write(pickle.dumps(trace))
"""


def test_a2_a_run_of_a_notebook_s_own_steps_is_read_elsewhere() -> None:
    trace = pickle.loads(subprocess.check_output([sys.executable, "-c", NOTEBOOK]))

    assert trace.rerun({"stamp.mark": "+"}).messages[0]["content"] == "ha+ha+"
    assert pickled(pickled(trace)).messages == trace.messages


def test_a2_pipelines_keep_their_settings_and_their_order() -> None:
    pipeline = Pipeline.of([Clipper, signed]).with_settings({"clipper.priority": 400, "clipper.most": 7})

    again = pickled(pipeline)

    assert again.ids == ("signed", "clipper")
    assert again.layout() == pipeline.layout()
    assert pickled(Clipper(Clipper.Settings(most=3))).settings == Clipper.Settings(most=3)


def test_a2_a_text_remembers_the_order_of_its_edits_when_it_travels() -> None:
    text = Text.of("a" * 50, Origin("node", "n"))
    for n in range(600):
        text = text.splice([Edit(n % 50, n % 50 + 1, "abc"[n % 3], Cause("test", str(n), "why"))])

    for travelled in (pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
        was, now = text, travelled
        while was.made_by is not None:
            assert now.made_by is not None
            assert [str(edit) for edit in now.made_by.edits] == [str(edit) for edit in was.made_by.edits]
            was, now = was.made_by.before, now.made_by.before
        assert now.made_by is None
        assert str(was) == str(now)

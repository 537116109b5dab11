import json
import re
from dataclasses import replace

from ctxlab.context import AssetRef, Cause, Context, Draft, Origin, Request, Text
from ctxlab.documents import Session
from ctxlab.pipeline import Debugger, Pipeline, Services
from ctxlab.testing.fakes import WordTokenizer

SERVICES = Services(tokenizer=WordTokenizer())


def context(*said: str) -> Context:
    drafts = tuple(
        Draft(f"d{n}", "user", (Text.of(text, Origin("node", str(n))),), Origin("node", str(n)))
        for n, text in enumerate(said)
    )
    return Context(Request(Session(id="s"), leaf="leaf"), drafts)


def spelled(view: dict, draft: int) -> str:
    return "".join(view["texts"][view["spans"][span][0]] for span in view["drafts"][draft]["spans"])


def test_a_view_names_the_run() -> None:
    view = Pipeline.of([]).run(context("hi"), SERVICES).view()

    assert (view["version"], view["session"], view["leaf"]) == (1, "s", "leaf")
    assert view["tokenizer"] == {"name": "words", "estimated": False}
    assert view["steps"] == []
    assert [spelled(view, i) for i in view["start"]["drafts"]] == ["hi"]


def test_what_stays_is_written_once() -> None:
    def adds(ctx: Context) -> Context:
        return ctx.insert(0, replace(ctx.drafts[0], key="new"))

    view = Pipeline.of([adds]).run(context("hi", "there", "hi"), SERVICES).view()

    assert view["texts"] == ["hi", "there"]
    assert len(view["drafts"]) == 4
    assert view["steps"][0]["drafts"] == [3, 0, 1, 2]


def test_equal_spans_are_one_whoever_made_them() -> None:
    def anew(ctx: Context) -> Context:
        (draft,) = ctx.drafts
        return ctx.arrange([replace(draft, body=(Text.of("hi", Origin("node", "0")),))])

    view = Pipeline.of([anew]).run(context("hi"), SERVICES).view()

    assert len(view["drafts"]) == 2
    assert view["spans"] == [[0, "node", "0", -1, []]]


def test_what_was_replaced_is_in_the_spans() -> None:
    why = Cause("censor", "names")

    def censor(ctx: Context) -> Context:
        return ctx.edit(lambda d: d.with_text(d.text.sub(re.compile("Bob"), "X", cause=why)))

    view = Pipeline.of([censor]).run(context("Bob"), SERVICES).view()

    (after,) = view["steps"][0]["drafts"]
    text, kind, ref, cause, was = view["spans"][view["drafts"][after]["spans"][0]]
    assert (view["texts"][text], kind, ref) == ("X", "node", "0")
    assert view["causes"][cause] == why.as_data()
    assert [view["texts"][view["spans"][span][0]] for span in was] == ["Bob"]


def test_drops_and_notes_stand_at_the_step_that_made_them() -> None:
    def drops(ctx: Context) -> Context:
        ctx = ctx.drop(["d0"], Cause("drops", "old"), needed=5, left=3)
        return ctx.note("info", "one is gone", keys=("d0",), kinds={"a", "b"} - {"b"})

    def nothing(ctx: Context) -> Context:
        return ctx

    view = Pipeline.of([drops, nothing]).run(context("a", "b"), SERVICES).view()

    first, second = view["steps"]
    assert [(group["drafts"], group["needed"], group["left"]) for group in first["dropped"]] == [([0], 5, 3)]
    assert [note["text"] for note in first["notes"]] == ["one is gone"]
    assert (second["dropped"], second["notes"]) == ([], [])
    assert json.loads(json.dumps(view)) == view


def test_a_failure_an_edit_and_a_skipped_step_are_marked() -> None:
    def fails(ctx: Context) -> Context:
        raise ValueError("no luck")

    def passes(ctx: Context) -> Context:
        return ctx

    failed = Pipeline.of([fails]).run(context("a"), SERVICES, on_error="skip").view()
    at = Debugger(Pipeline.of([passes]).start(context("a"), SERVICES))
    at.edit(lambda ctx: ctx.put("x", 1))
    at.skip()
    stepped = at.trace.view()

    assert failed["steps"][0]["error"] == "ValueError: no luck"
    assert [(step["edited"], step["skipped"]) for step in stepped["steps"]] == [(True, False), (False, True)]


def test_messages_in_parts_are_spelled_out_whole() -> None:
    def parted(n: int) -> Draft:
        origin = Origin("node", str(n))
        body = (Text.of(f"first {n}", origin), AssetRef(f"p{n}", "image"), Text.of(f"second {n}", origin))
        return Draft(f"d{n}", "user", body, origin)

    ctx = replace(context(), drafts=tuple(map(parted, range(300))))

    view = Pipeline.of([]).run(ctx, SERVICES).view()

    expected = [f"first {n}\nsecond {n}" for n in range(300)]
    assert [spelled(view, i) for i in view["start"]["drafts"]] == expected
    between = [view["spans"][view["drafts"][i]["spans"][1]] for i in view["start"]["drafts"]]
    assert [(kind, ref) for _, kind, ref, *_ in between] == [("separator", f"d{n}") for n in range(300)]


def test_a_view_grows_with_what_is_new_and_not_with_the_steps() -> None:
    def step(n: int):
        def nothing(ctx: Context) -> Context:
            return ctx.put(f"step {n}", n)

        nothing.__name__ = f"step_{n}"
        return nothing

    said = [f"some words of message {n}" for n in range(50)]
    few = Pipeline.of(map(step, range(2))).run(context(*said), SERVICES).view()
    many = Pipeline.of(map(step, range(12))).run(context(*said), SERVICES).view()

    assert many["texts"] == few["texts"]
    assert many["spans"] == few["spans"]
    assert many["drafts"] == few["drafts"]

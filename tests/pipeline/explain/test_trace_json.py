import json
import re
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pytest

from ctxlab.api import build, read_data
from ctxlab.context import AssetRef, BuildInput, Cause, Context, Draft, Origin, Table, Text
from ctxlab.documents import Agent, AppliesTo, LoreEntry, RegexPreset, RegexRule, Session, Worldbook
from ctxlab.pipeline import Debugger, Pipeline, Services, Trace
from ctxlab.pipeline.explain.trace_json import Tables
from ctxlab.testing import generated_agent, generated_session
from ctxlab.testing.fakes import WordTokenizer
from tests.reports import left

SERVICES = Services(tokenizer=WordTokenizer())


def context(*said: str) -> Context:
    drafts = tuple(
        Draft(f"d{n}", "user", (Text.of(text, Origin("node", str(n))),), Origin("node", str(n)))
        for n, text in enumerate(said)
    )
    return Context(BuildInput(Session(id="s"), leaf="leaf"), drafts)


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
        origin = Origin("made", "new")
        return ctx.insert(0, Draft("new", "user", (Text.of("hi", origin),), origin))

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
    why = Cause("censor", "names", "no names")

    def censor(ctx: Context) -> Context:
        return ctx.edit(lambda d: d.edit_text(lambda text: text.sub(re.compile("Bob"), "X", cause=why)))

    view = Pipeline.of([censor]).run(context("Bob"), SERVICES).view()

    (after,) = view["steps"][0]["drafts"]
    text, kind, ref, cause, was = view["spans"][view["drafts"][after]["spans"][0]]
    assert (view["texts"][text], kind, ref) == ("X", "node", "0")
    assert view["causes"][cause] == why.as_data()
    assert [view["texts"][view["spans"][span][0]] for span in was] == ["Bob"]


def test_drops_and_notes_stand_at_the_step_that_made_them() -> None:
    def drops(ctx: Context) -> Context:
        ctx = ctx.drop(["d0"], Cause("drops", "old", "why"), needed=5, left=3)
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
    at.edit(lambda ctx: ctx.put(Table("x", 1)))
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
            return ctx.put(Table(f"step {n}", n))

        nothing.__name__ = f"step_{n}"
        return nothing

    said = [f"some words of message {n}" for n in range(50)]
    few = Pipeline.of(map(step, range(2))).run(context(*said), SERVICES).view()
    many = Pipeline.of(map(step, range(12))).run(context(*said), SERVICES).view()

    assert many["texts"] == few["texts"]
    assert many["spans"] == few["spans"]
    assert many["drafts"] == few["drafts"]


# --- what steps leave for others


def left_by(view: dict[str, Any], step: int, key: str) -> Any:
    return view["rows"][view["steps"][step]["reports"][key]]


def test_tables_stand_at_the_step_that_left_them_and_once() -> None:
    def leaves(ctx: Context) -> Context:
        return ctx.put(Table("rows", ({"n": 1},)))

    def leaves_more(ctx: Context) -> Context:
        return ctx.put(Table("more", 2)).put(Table("again", [{"n": 1}]))

    def nothing(ctx: Context) -> Context:
        return ctx

    view = Pipeline.of([leaves, leaves_more, nothing]).run(context("hi"), SERVICES).view()

    assert view["rows"] == [[{"n": 1}], [2]]
    assert [step["reports"] for step in view["steps"]] == [{"rows": 0}, {"more": 1, "again": 0}, {}]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (MappingProxyType({1: (2, None)}), {"1": [2, None]}),
        (frozenset({"b", "a"}), ["a", "b"]),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (0.5, 0.5),
        (b"x", "b'x'"),
        (Fraction(1, 2), "1/2"),
        (True, True),
    ],
)
def test_what_json_does_not_know_is_written_as_what_it_knows(value: Any, plain: Any) -> None:
    def leaves(ctx: Context) -> Context:
        return ctx.put(Table("x", [{"value": value}]))

    view = Pipeline.of([leaves]).run(context("hi"), SERVICES).view()

    assert left_by(view, 0, "x") == [{"value": plain}]
    assert json.loads(json.dumps(view, allow_nan=False)) == view


REQUEST_ONLY = AppliesTo(render=False, request=True)
TIDY = RegexPreset(rules=(RegexRule(id="r", name="No a", regex=r"\ba\b", replacement="an", apply_to=REQUEST_ONLY),))


def languages(session: Session, agent: Agent, entries: int) -> Trace:
    """With lore, rules, macros and variables; every fifth entry is constant, each asks for another place."""
    fields = {"presetMessages": [{"id": "m", "role": "system", "content": "{{setvar::mood::calm}}{{getvar::mood}}"}]}
    setting = Agent.model_validate(
        {**agent.to_data(), "variableConfig": {"enabled": True, "definitions": []}, **fields}
    )
    book = Worldbook(
        id="isle",
        entries={
            str(n): LoreEntry(
                uid=n, key=(f"word{n}", "the"), content=f"Lore {n}. " * 9, constant=n % 5 == 0, position=n % 6
            )
            for n in range(entries)
        },
    )
    session = session.append('a <svar name="hp" value="1"/>', role="user")
    return build(session, setting, books=[book], rules=[TIDY], services=SERVICES)


def test_a_run_with_all_small_languages_is_plain_json() -> None:
    session = Session(id="s").append("", role="system", id="root").append("the reef", id="u1")
    trace = languages(session, Agent(id="a"), entries=6)

    view = trace.view()

    assert json.loads(json.dumps(view, allow_nan=False)) == view
    rows = {key: view["rows"][n] for step in view["steps"] for key, n in step["reports"].items()}
    assert [row["fired"] for row in rows["lore"]] == [row["fired"] for row in left(trace.result, "lore")]
    assert [row["rule"] for row in rows["regex-processor"]] == ["No a"]
    assert rows["macro-variables"][0]["session"] == {"mood": "calm"}
    assert [row["path"] for row in rows["variables"]] == ["hp"]
    assert {step["id"]: step["decided"] for step in view["steps"]}["regex-processor"] == "1 rule, 1 hit"


def test_a_long_conversation_with_a_large_book_stays_small() -> None:
    session = read_data(generated_session(1_000, seed=1)).pick()
    agent = read_data(generated_agent()).agents[0]

    trace = languages(session, agent, entries=100)

    assert len(left(trace.result, "lore")) == 100
    assert len(json.dumps(trace.view())) < 2_000_000


def test_a_view_says_what_a_request_costs_besides_its_messages() -> None:
    trace = Pipeline.of([]).run(context("a", "b"), SERVICES)

    view = trace.view()

    assert view["request_tokens"] + sum(draft["tokens"] for draft in view["drafts"]) == trace.tokens


# --- what joining costs


def joined(*texts: str) -> Trace:
    session = read_data([{"role": "user", "content": text} for text in texts]).pick()
    return build(session)


@pytest.mark.parametrize("texts", [("a", "b"), ("one two", "three", "four five six"), ("x\n", "\ny", "", "z")])
def test_seams_and_parts_are_the_whole(texts: tuple[str, ...]) -> None:
    view = joined(*texts).view()
    alone = {draft["key"]: draft["tokens"] for draft in view["drafts"] if not draft["merged"]}
    (whole,) = (draft for draft in view["drafts"] if draft["merged"])

    assert len(whole["seams"]) == len(whole["merged"]) - 1
    assert sum(whole["seams"]) + sum(alone[part["key"]] for part in whole["merged"]) == whole["tokens"]


def test_a_seam_saves_a_message_and_costs_a_separator() -> None:
    trace = joined("one two", "three", "four five six")
    counter = trace.services.tokenizer
    seam = counter.count("\n\n---\n\n") - counter.message_tokens

    (whole,) = (draft for draft in trace.view()["drafts"] if draft["merged"])

    assert whole["seams"] == [seam, seam]


def test_only_merged_messages_have_seams_and_too_many_parts_have_none() -> None:
    few, many = joined("a").view(), joined(*"abcdefghijklmnopqrstuvwxyz").view()

    assert all("seams" not in draft for draft in few["drafts"])
    assert [draft["seams"] for draft in many["drafts"] if draft["merged"]] == [[]]


# --- one run after another


def test_runs_one_after_another_share_their_numbers() -> None:
    session = read_data(generated_session(60, seed=1)).pick()
    first = build(session, budget_tokens=900)
    tables = Tables(first.services.tokenizer)
    before = json.loads(json.dumps(tables.view(first)))
    sizes = tables.sizes()

    other = first.rerun({"token-limiter.budget_tokens": 1200})
    after = tables.view(other)

    assert before == first.view()
    for name, size in sizes.items():
        assert after[name][:size] == before[name]
    assert len(after["drafts"]) - sizes["drafts"] < 5
    assert spelled_steps(after) == spelled_steps(other.view())
    assert spelled_steps(tables.view(first)) == spelled_steps(before)


def spelled_steps(view: dict[str, Any]) -> list[list[tuple[str, str, int]]]:
    drafts = view["drafts"]
    return [
        [(drafts[i]["key"], spelled(view, i), drafts[i]["tokens"]) for i in step["drafts"]] for step in view["steps"]
    ]

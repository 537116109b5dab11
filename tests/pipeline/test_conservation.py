"""What a step may do to messages and what not: words, fields, files, places, drops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ctxlab.api import build
from ctxlab.context import (
    NOTHING,
    AssetRef,
    BuildInput,
    Cause,
    Change,
    Context,
    Draft,
    Dropped,
    Edit,
    Origin,
    Part,
    Placement,
    Table,
    Text,
)
from ctxlab.context.tool_pairs import with_whole_pairs
from ctxlab.documents import Agent, MessageNode, Note, Session, ToolCall
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import (
    DuplicateKey,
    InvalidDraft,
    LawBroken,
    UnexplainedChange,
    UnexplainedDrop,
    UnexplainedRewrite,
    UnpairedTool,
)
from ctxlab.pipeline import Pipeline, Services, processor
from ctxlab.processors import default_pipeline
from ctxlab.testing.fakes import WordTokenizer

SERVICES = Services(tokenizer=WordTokenizer())
WHY = Cause("plugin", "rule", "because")
MAP, SKETCH = AssetRef("map", "image", "map.png"), AssetRef("sketch", "image")
LOOK, WALK = ToolCall("c1", "look"), ToolCall("c2", "walk")

Change_of_context = Callable[[Context], Any]


def draft(id: str, *files: AssetRef, role: Any = "assistant", **fields: Any) -> Draft:
    origin = Origin("node", id)
    return Draft(id, role, (Text.of(f"text of {id}", origin), *files), origin, **fields)


def after(change: Change_of_context, *drafts: Draft) -> Context:
    ctx = Context(BuildInput(Session(id="s")), drafts)
    return Pipeline.of([processor("plugin")(change)]).run(ctx, SERVICES).result


def each(change: Callable[[Draft], Draft]) -> Change_of_context:
    return lambda ctx: ctx.edit(change)


def put(**fields: Any) -> Change_of_context:
    return each(lambda d: replace(d, **fields))


CHAT = (
    draft("sys", role="system", pinned=True),
    draft("ask", MAP, role="user", speaker="Ann", meta=FrozenDict({"a": 1})),
    draft("call", calls=(LOOK, WALK), reasoning="hm", priority=3),
    draft("one", role="tool", result_of="c1"),
    draft("two", role="tool", result_of="c2"),
    draft("end", role="user"),
)


def only(key: str, change: Callable[[Draft], Draft]) -> Change_of_context:
    return lambda ctx: ctx.edit(lambda d: change(d) if d.key == key else d)


def ghost(kind: str) -> Draft:
    origin = Origin(kind, "ghost")
    return Draft("ghost", "user", (Text.of("boo", origin),), origin)


def swapped(ctx: Context) -> Context:
    *rest, a, b = ctx.drafts
    return ctx.arrange([*rest, replace(b, key=a.key), replace(a, key=b.key)])


ROGUES: dict[str, tuple[Change_of_context, type[LawBroken]]] = {
    "rewrites under the same origin": (
        each(lambda d: d.edit_text(lambda t: Text.of("I love Mondays", d.origin))),
        UnexplainedRewrite,
    ),
    "cuts": (each(lambda d: d.edit_text(lambda t: t.cut(0, 5))), UnexplainedRewrite),
    "keeps the first letter": (each(lambda d: d.edit_text(lambda t: t.cut(0, 1))), UnexplainedRewrite),
    "says it twice": (each(lambda d: d.edit_text(lambda t: t + t)), UnexplainedRewrite),
    "adds words of nobody": (
        each(lambda d: d.edit_text(lambda t: t + Text.of("!", Origin("made", "plugin")))),
        UnexplainedRewrite,
    ),
    "adds words in another's name": (
        each(lambda d: d.edit_text(lambda t: t + Text.of("!", Origin("x"), Cause("token-limiter", "a", "b")))),
        UnexplainedRewrite,
    ),
    "adds words for no reason": (
        each(lambda d: d.edit_text(lambda t: t + Text.of("!", Origin("x"), Cause("plugin", "rule")))),
        UnexplainedRewrite,
    ),
    "rewrites for no reason": (
        each(lambda d: d.edit_text(lambda t: t.splice([Edit(0, 4, "x", Cause("", "", ""))]))),
        UnexplainedRewrite,
    ),
    "clones under a new key": (
        lambda ctx: ctx.insert(0, replace(ctx.drafts[-1], key="clone")),
        DuplicateKey,
    ),
    "clones by words": (
        lambda ctx: ctx.insert(0, replace(draft("end"), key="clone")),
        DuplicateKey,
    ),
    "quotes without a cause": (
        lambda ctx: ctx.insert(0, replace(ghost("made"), body=(Text.of("text of end", Origin("node", "end")),))),
        UnexplainedRewrite,
    ),
    "flips roles": (put(role="user"), UnexplainedChange),
    "makes a wizard": (each(lambda d: d.changed(WHY, role="wizard")), InvalidDraft),
    "renames the speaker": (only("ask", lambda d: replace(d, speaker="Bob")), UnexplainedChange),
    "takes the speaker": (only("ask", lambda d: replace(d, speaker=None)), UnexplainedChange),
    "replaces metadata": (only("ask", lambda d: replace(d, meta=NOTHING)), UnexplainedChange),
    "replaces the placement": (only("ask", lambda d: replace(d, placement=Placement("skeleton"))), UnexplainedChange),
    "unpins": (only("sys", lambda d: replace(d, pinned=False)), UnexplainedChange),
    "pins": (put(pinned=True), UnexplainedChange),
    "takes the priority": (put(priority=0), UnexplainedChange),
    "renames a call": (only("call", lambda d: replace(d, calls=(replace(LOOK, name="x"), WALK))), UnexplainedChange),
    "changes arguments": (
        only("call", lambda d: replace(d, calls=(replace(LOOK, arguments="{}"), WALK))),
        UnexplainedChange,
    ),
    "takes a call": (only("call", lambda d: replace(d, calls=(LOOK,))), UnexplainedChange),
    "takes a call with a cause but leaves its result": (
        only("call", lambda d: d.changed(WHY, calls=(LOOK,))),
        UnpairedTool,
    ),
    "takes result_of": (only("one", lambda d: replace(d, result_of=None)), UnexplainedChange),
    "takes result_of with a cause": (only("one", lambda d: d.changed(WHY, result_of=None)), UnpairedTool),
    "swaps result_of": (only("one", lambda d: replace(d, result_of="c2")), UnexplainedChange),
    "drops a result alone": (lambda ctx: ctx.drop(["one"], WHY), UnpairedTool),
    "drops a call alone": (lambda ctx: ctx.drop(["call"], WHY), UnpairedTool),
    "replaces the origin": (put(origin=Origin("node", "other")), UnexplainedChange),
    "names a ghost part": (
        only("end", lambda d: replace(d, merged=(*d.parts, Part("ghost", Origin("x"))))),
        InvalidDraft,
    ),
    "reverses all": (lambda ctx: ctx.arrange(ctx.drafts[::-1]), UnexplainedChange),
    "moves one": (lambda ctx: ctx.arrange((ctx.drafts[-1], *ctx.drafts[:-1])), UnexplainedChange),
    "takes reasoning": (put(reasoning=None), UnexplainedChange),
    "sends what it drops": (
        lambda ctx: ctx.arrange(ctx.drafts, dropped=[Dropped((ctx.drafts[0],), WHY)]),
        DuplicateKey,
    ),
    "drops twice": (
        lambda ctx: ctx.arrange(
            ctx.drafts[1:], dropped=[Dropped((ctx.drafts[0],), WHY), Dropped((ctx.drafts[0],), WHY)]
        ),
        DuplicateKey,
    ),
    "drops a message that never was": (
        lambda ctx: ctx.arrange(ctx.drafts, dropped=[Dropped((ghost("node"),), WHY)]),
        InvalidDraft,
    ),
    "drops a text that never was": (
        lambda ctx: ctx.arrange(ctx.drafts, dropped=[Dropped((ghost("made"),), WHY)]),
        InvalidDraft,
    ),
    "drops another text under the same key": (
        lambda ctx: ctx.arrange(
            ctx.drafts[:-1], dropped=[Dropped((replace(ctx.drafts[-1], body=ghost("made").body),), WHY)]
        ),
        UnexplainedRewrite,
    ),
    "drops for no reason": (lambda ctx: ctx.drop(["end"], Cause("", "", "")), UnexplainedDrop),
    "drops in another's name": (lambda ctx: ctx.drop(["end"], Cause("token-limiter", "a", "b")), UnexplainedDrop),
    "replaces notes": (lambda ctx: replace(ctx.note("info", "mine"), notes=()), LawBroken),
    "replaces the input": (lambda ctx: replace(ctx, input=replace(ctx.input, seed=7)), LawBroken),
    "gives a list": (lambda ctx: replace(ctx, drafts=list(ctx.drafts)), LawBroken),
    "swaps two texts": (swapped, LawBroken),
    "empties a body": (put(body=()), UnexplainedRewrite),
    "gives a string": (put(body=("words",)), InvalidDraft),
    "uses a key twice": (lambda ctx: ctx.insert(0, ctx.drafts[0]), DuplicateKey),
    "loses one": (lambda ctx: ctx.arrange(ctx.drafts[:-1]), UnexplainedDrop),
    "takes a file": (only("ask", lambda d: replace(d, body=d.body[:1])), UnexplainedChange),
    "moves a file": (only("ask", lambda d: replace(d, body=d.body[::-1])), UnexplainedChange),
    "changes a file": (
        only("ask", lambda d: replace(d, body=(d.text, replace(MAP, kind="document")))),
        UnexplainedChange,
    ),
    "lies about a field": (
        only("end", lambda d: replace(d, role="system", changes=(Change("role", "tool", WHY),))),
        UnexplainedChange,
    ),
    "lies about a place": (only("end", lambda d: d.moved(3, WHY)), UnexplainedChange),
    "changes in another's name": (
        only("end", lambda d: d.changed(Cause("other", "a", "b"), role="system")),
        UnexplainedChange,
    ),
}


@pytest.mark.parametrize("name", ROGUES)
def test_a1_a_step_that_breaks_the_law_is_refused(name: str) -> None:
    change, error = ROGUES[name]

    if name == "replaces notes":
        ctx = Context(BuildInput(Session(id="s")), CHAT, notes=(Note("info", "there"),))
        with pytest.raises(error, match="took back a note"):
            Pipeline.of([processor("plugin")(change)]).run(ctx, SERVICES)
        return
    with pytest.raises(error, match="plugin"):
        after(change, *CHAT)


def test_a1_what_an_earlier_step_left_is_not_replaced() -> None:
    def leaves(ctx: Context) -> Context:
        return ctx.put(Table("rows", [1]))

    def replaces(ctx: Context) -> Context:
        return replace(ctx, reports=(Table("rows", [2]),))

    with pytest.raises(LawBroken, match="replaces took back a report of an earlier step"):
        Pipeline.of([leaves, replaces]).run(Context(BuildInput(Session(id="s"))), SERVICES)


def test_a1_forgotten_changes_are_missed() -> None:
    def changes(ctx: Context) -> Context:
        return ctx.edit(lambda d: d.changed(Cause("changes", "rule", "why"), role="system"))

    def forgets(ctx: Context) -> Context:
        return ctx.edit(lambda d: replace(d, changes=()))

    with pytest.raises(UnexplainedChange, match="forgets forgot what earlier steps had changed of 'end'"):
        Pipeline.of([changes, forgets]).run(Context(BuildInput(Session(id="s")), (draft("end"),)), SERVICES)


RIGHT: dict[str, Change_of_context] = {
    "rewrites": each(lambda d: d.edit_text(lambda t: t.splice([Edit(0, 4, "words", WHY)]))),
    "takes all words": each(lambda d: d.edit_text(lambda t: t.splice([Edit(0, len(t), "", WHY)]))),
    "adds words": each(lambda d: d.edit_text(lambda t: t + Text.of("!", Origin("made", "plugin"), WHY))),
    "inserts text of others": each(
        lambda d: d.edit_text(lambda t: t.splice([Edit(2, 2, Text.of("!", Origin("kb", "1")), WHY)]))
    ),
    "rewrites and rewrites": each(
        lambda d: d.edit_text(
            lambda t: t.splice([Edit(0, 8, "abc", WHY)]).splice([Edit(1, 2, "-", WHY)]).splice([Edit(0, 5, "x", WHY)])
        )
    ),
    "cuts apart and joins": each(lambda d: d.edit_text(lambda t: t.cut(0, 3) + t.cut(3, 99))),
    "changes roles": each(lambda d: d.changed(WHY, role="user") if d.role == "system" else d),
    "changes twice": each(lambda d: d.changed(WHY, priority=7).changed(WHY, priority=9)),
    "drops a pair": lambda ctx: ctx.drop(["call", "one", "two"], WHY),
    "drops a call and mends": lambda ctx: with_whole_pairs(ctx.drop(["call"], WHY), "plugin"),
    "drops a result and mends": lambda ctx: with_whole_pairs(ctx.drop(["two"], WHY), "plugin"),
    "moves one": lambda ctx: ctx.arrange((ctx.drafts[-1].moved(5, WHY), *ctx.drafts[:-1])),
    "adds one": lambda ctx: ctx.insert(1, ghost("made")),
    "moves a file": only("ask", lambda d: d.with_body(d.body[::-1], WHY)),
    "puts words in the place of a file": only(
        "ask", lambda d: d.with_body((d.text, Text.of("a map", Origin("transcript", "map"), WHY)), WHY)
    ),
    "merges": lambda ctx: ctx.merge(["ask", "end"], " ", WHY),
    "merges and drops": lambda ctx: ctx.merge(["ask", "end"], " ", WHY).drop(["ask"], WHY),
    "merges all roles": lambda ctx: ctx.merge(["sys", "ask"], " ", WHY),
    "notes": lambda ctx: ctx.note("info", "hello").put(Table("mine", 1)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_step_that_says_what_it_does_may_do_it(name: str) -> None:
    result = after(RIGHT[name], *CHAT)

    there = {part.key for d in result.drafts for part in d.parts}
    there |= {part.key for group in result.dropped for d in group.drafts for part in d.parts}
    assert {d.key for d in CHAT} <= there


def test_a_merge_of_two_roles_says_which_they_were() -> None:
    whole = after(RIGHT["merges all roles"], *CHAT).drafts[0]

    assert (whole.role, whole.speaker) == ("system", None)
    assert {change.field: change.before for change in whole.changes} == {
        "role": ("system", "user"),
        "speaker": (None, "Ann"),
    }


def test_a_merge_keeps_files_and_words_in_order() -> None:
    first, second = draft("a", MAP), draft("b", SKETCH)

    (whole,) = after(lambda ctx: ctx.merge(["a", "b"], " | ", WHY), first, second).drafts

    assert [str(part) if isinstance(part, Text) else part.id for part in whole.body] == [
        "text of a",
        "map",
        " | text of b",
        "sketch",
    ]


def test_b7_what_has_no_words_is_joined_without_a_separator() -> None:
    calls = replace(draft("b", calls=(LOOK,)), body=(Text(),))
    drafts = [draft("a"), calls, draft("r", role="tool", result_of="c1")]

    whole, _ = after(lambda ctx: ctx.merge(["a", "b"], " | ", WHY), *drafts).drafts

    assert (str(whole.text), whole.calls) == ("text of a", (LOOK,))


# --- the conversation


def loaded(change: Callable[[Draft], Draft | None], node: dict[str, Any]) -> Context:
    """A loader that does something else with the one message of a session."""

    class Loader(type(default_pipeline().stage("session-loader").base)):
        def __call__(self, ctx: Context, services: Services) -> Context:
            done = super().__call__(ctx, services)
            return replace(done, drafts=tuple(d for d in map(change, done.drafts) if d is not None))

    session = Session.model_validate(
        {
            "id": "s",
            "rootNodeId": "root",
            "activeLeafId": "n",
            "nodes": {"root": {"id": "root"}, "n": {"id": "n", "parentId": "root", **node}},
        }
    )
    return Pipeline.of([Loader()]).run(Context(BuildInput(session)), SERVICES).result


STORED: dict[str, Any] = {
    "role": "assistant",
    "content": "the words",
    "speaker": "Ann",
    "attachments": [{"id": "f", "type": "image"}],
    "metadata": {
        "priority": 2,
        "reasoningContent": "hm",
        "toolCallsRequested": [{"requestId": "c1", "toolName": "look"}],
    },
}


@pytest.mark.parametrize(
    "change",
    [
        lambda d: None,
        lambda d: replace(d, body=(Text.of("other words", d.origin), *d.assets)),
        lambda d: replace(d, body=d.body[:1]),
        lambda d: replace(d, role="user"),
        lambda d: replace(d, speaker=None),
        lambda d: replace(d, calls=()),
        lambda d: replace(d, reasoning=None),
        lambda d: replace(d, priority=0),
        lambda d: replace(d, meta=NOTHING),
        lambda d: replace(d, placement=Placement("template", anchor="user_profile")),
    ],
)
def test_a4_every_message_of_the_path_is_loaded_as_it_is(change: Callable[[Draft], Draft | None]) -> None:
    assert [d.key for d in loaded(lambda d: d, STORED).drafts] == ["node:n"]

    with pytest.raises(LawBroken, match="session-loader"):
        loaded(change, STORED)


def test_b1_a_root_with_words_is_a_message_like_any_other() -> None:
    session = Session.model_validate(
        {
            "rootNodeId": "a",
            "activeLeafId": "b",
            "nodes": {
                "a": {"id": "a", "role": "user", "content": "FIRST WORDS"},
                "b": {"id": "b", "parentId": "a", "role": "assistant", "content": "answer"},
            },
        }
    )

    trace = build(session)

    assert [message["content"] for message in trace.messages] == ["FIRST WORDS", "answer"]
    assert [place.state for place in trace.where("FIRST WORDS")] == ["sent"]


def test_a4_who_speaks_is_sent_and_two_speakers_stay_two_messages() -> None:
    session = Session(id="s").append("", role="system")
    session = session.append("hi", speaker="Bob", name="first").append("yo", speaker="Ann")

    messages = build(session).messages

    assert [(m["name"], m["content"]) for m in messages] == [("Bob", "hi"), ("Ann", "yo")]


def test_a4_a_preset_says_who_speaks() -> None:
    agent = Agent(preset_messages=(MessageNode(role="user", content="hello", speaker="Ann", name="label"),))

    (message,) = build(Session(id="s"), agent).messages

    assert message["name"] == "Ann"


def test_a3_a_message_of_high_priority_outlives_the_others() -> None:
    session = Session(id="s").append("", role="system").append("keep me " * 20, metadata={"priority": 9})
    for words, role in (("a " * 40, "assistant"), ("b " * 40, "user"), ("c " * 40, "assistant"), ("d", "user")):
        session = session.append(words, role=role)

    trace = build(session, budget_tokens=100, settings={"token-limiter.strategy": "by-priority"})

    assert trace.messages[0]["content"].startswith("keep me")


@pytest.mark.parametrize("budget", [None, 10_000])
def test_a9_an_orphaned_result_is_not_sent_with_or_without_a_budget(budget: int | None) -> None:
    calls = {"toolCallsRequested": [{"requestId": "c1", "toolName": "look"}]}
    session = Session(id="s").append("", role="system").append("look").append("", role="assistant", metadata=calls)
    asking = str(session.leaf)
    session = session.append("blue", role="tool", metadata={"toolCall": {"requestId": "c1"}}).append("thanks")

    trace = build(session.disable(asking), budget_tokens=budget)

    assert {message["role"] for message in trace.messages} == {"user"}
    assert [g.cause.rule for g in trace.result.dropped] == ["disabled", "orphan-result"]


def test_a9_pinned_messages_are_repaired_too() -> None:
    calls = {"isCompressionNode": True, "toolCallsRequested": [{"requestId": "c1", "toolName": "look"}]}
    session = Session(id="s").append("", role="system").append("so far", role="assistant", metadata=calls).append("on")

    trace = build(session, budget_tokens=10_000)

    assert "tool_calls" not in trace.messages[0]
    assert [change.field for change in trace.result.drafts[0].changes] == ["calls"]

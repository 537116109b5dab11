"""The laws that everything rests on: texts, contexts, conservation, stepping, running again, comparing."""

import json
import re
import sys
from dataclasses import replace
from typing import Any

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.api import build, debug
from ctxlab.context import (
    AssetRef,
    BuildInput,
    Cause,
    Change,
    Context,
    Draft,
    Dropped,
    Edit,
    Origin,
    Span,
    Text,
    merged_draft,
)
from ctxlab.documents import Agent, Session, ToolCall
from ctxlab.errors import DuplicateKey, InvalidDraft, LawBroken, UnexplainedChange, UnexplainedDrop, UnexplainedRewrite
from ctxlab.pipeline import BudgetTooSmall, Pipeline, Services, Trace, diff, processor
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import agents, edits_of, sessions, spoken, texts

CAUSE = Cause("plugin", "law", "it is one")
SERVICES = Services(tokenizer=WordTokenizer(message_tokens=2, request_tokens=3))
PATTERNS = [
    "a",
    "b*",
    "",
    "$",
    "^",
    "(?m)^",
    r"\b",
    "[ab]+",
    "(a)|(b)",
    r"\s+",
    ".",
    "(?s).+",
    "中",
    r"(?<=a)",
    "(x)?y",
]
REPLACEMENTS = ["", "a", "xyz", r"<\g<0>>", "中文"]


# --- texts


@settings(deadline=None)
@given(texts(), st.sampled_from(PATTERNS), st.sampled_from(REPLACEMENTS), st.sampled_from([re, regex]))
def test_sub_gives_what_sub_on_the_string_gives(text: Text, pattern: str, replacement: str, engine: Any) -> None:
    compiled = engine.compile(pattern)

    assert str(text.sub(compiled, replacement, cause=CAUSE)) == compiled.sub(replacement, str(text))


@settings(deadline=None)
@given(texts(), st.sampled_from(PATTERNS))
def test_sub_with_a_function_gives_what_sub_on_the_string_gives(text: Text, pattern: str) -> None:
    compiled = re.compile(pattern)

    def shout(match: re.Match[str]) -> str:
        return match.group().upper() + "!"

    assert str(text.sub(compiled, shout, cause=CAUSE)) == compiled.sub(shout, str(text))


@settings(deadline=None)
@given(texts(), st.data())
def test_spans_cover_the_text_and_no_two_neighbours_could_be_one(text: Text, data: st.DataObject) -> None:
    edited = text.splice(data.draw(edits_of(text)))

    assert "".join(span.text for span in edited.spans) == str(edited)
    assert not any(a.same_provenance(b) for a, b in zip(edited.spans, edited.spans[1:], strict=False))
    assert all(span.text or span.was for span in edited.spans)


@settings(deadline=None)
@given(texts())
def test_every_character_has_its_span(text: Text) -> None:
    spelled = "".join(text.at(i).text[i - start] for i, start in ((i, start_of(text, i)) for i in range(len(text))))

    assert spelled == str(text)
    for outside in (-1, len(text)):
        with pytest.raises(IndexError):
            text.at(outside)


def start_of(text: Text, i: int) -> int:
    return text.starts()[text.spans.index(text.at(i))]


@settings(deadline=None)
@given(texts(), st.integers(-3, 60), st.integers(-3, 60))
def test_a_cut_is_a_slice_with_its_stories(text: Text, start: int, end: int) -> None:
    piece = text.cut(start, end)

    assert str(piece) == str(text)[max(0, start) : max(0, end)]
    assert [story(piece, i) for i in range(len(piece))] == [story(text, max(0, start) + i) for i in range(len(piece))]


def story(text: Text, i: int) -> Any:
    span = text.at(i)
    return span.origin, span.cause, [older.as_data() for older in span.was]


@settings(deadline=None)
@given(texts().filter(len), st.integers(0, 60))
def test_what_is_cut_apart_and_joined_is_what_it_was(text: Text, at: int) -> None:
    joined = text.cut(0, at) + text.cut(at, len(text))

    assert joined.as_data() == text.as_data()


@settings(deadline=None)
@given(texts(), texts())
def test_adding_joins_words_and_origins(first: Text, second: Text) -> None:
    both = first + second

    assert str(both) == str(first) + str(second)
    assert both.origins() == first.origins() | second.origins()


@settings(deadline=None)
@given(texts(), st.data())
def test_no_origin_is_lost_through_any_chain_of_edits(text: Text, data: st.DataObject) -> None:
    edited = text
    for _ in range(data.draw(st.integers(1, 5))):
        edited = edited.splice(data.draw(edits_of(edited)))

    assert edited.origins() >= text.origins()


@settings(deadline=None)
@given(texts(), st.data())
def test_an_edit_changes_its_own_characters_and_no_others(text: Text, data: st.DataObject) -> None:
    edits = data.draw(edits_of(text))

    edited = text.splice(edits)

    expected: list[Any] = []
    done = 0
    for edit in edits:
        expected += [story(text, i) for i in range(done, edit.start)]
        if edit.new != str(text)[edit.start : edit.end]:
            expected += [(edit.origin, edit.cause)] * len(edit.new)
        else:
            expected += [story(text, i) for i in range(edit.start, edit.end)]
        done = edit.end
    expected += [story(text, i) for i in range(done, len(text))]
    found = [story(edited, i) for i in range(len(edited))]
    assert len(found) == len(expected)
    for (origin, cause, *_), now in zip(expected, found, strict=True):
        assert cause == now[1]
        assert origin in (None, now[0])


@settings(deadline=None)
@given(texts(), st.sampled_from(PATTERNS))
def test_putting_the_same_characters_back_changes_nothing(text: Text, pattern: str) -> None:
    assert text.sub(re.compile(pattern), r"\g<0>", cause=CAUSE) is text
    assert text.sub(re.compile("never there"), "x", cause=CAUSE) is text
    assert text.splice([]) is text
    assert text + Text() is text
    assert text.cut(0, len(text)) is text


def test_edits_may_not_overlap_or_leave_the_text() -> None:
    text = Text.of("hello", Origin("node", "n"))

    for edits in ([Edit(0, 3, "a", CAUSE), Edit(2, 4, "b", CAUSE)], [Edit(3, 6, "", CAUSE)], [Edit(3, 2, "", CAUSE)]):
        with pytest.raises(ValueError, match="overlaps an earlier one or leaves"):
            text.splice(edits)


def work(text: Text, edits: list[Edit]) -> int:
    """Lines of Python run by a splice, and characters copied."""
    copied = 0

    class Counted(str):
        __slots__ = ()

        def __getitem__(self, index: Any) -> str:
            nonlocal copied
            piece = super().__getitem__(index)
            copied += len(piece)
            return piece

    lines = 0

    def trace(frame: Any, event: str, arg: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    counted = Text([Span(Counted(span.text), span.origin, span.cause, span.was) for span in text.spans])
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        counted.splice(edits)
    finally:
        sys.settrace(before)
    return lines + copied


@pytest.mark.parametrize("spans", [1, 200])
def test_twice_as_much_to_edit_is_twice_the_work(spans: int) -> None:
    def work_for(n: int) -> int:
        text = Text([Span("word " * (n // spans), Origin("node", str(i))) for i in range(spans)])
        return work(text, [Edit(i, i + 4, "name", CAUSE) for i in range(0, len(text), 5)])

    assert work_for(2000) < 2.2 * work_for(1000)


def test_the_past_of_a_text_is_walked_once_however_often_it_was_split() -> None:
    text = Text.of("a long road", Origin("node", "n"))
    for n in range(12):
        middle = Edit(4, 8, f"{n:04}", Cause("regex", f"middle {n}"))
        text = text.splice([middle]).splice([Edit(0, 11, f"on{n:02}way{n:04}", Cause("regex", f"whole {n}"))])

    met = [origin for span in text.spans for origin in span.origins()]

    assert len(met) < 12 * 10
    assert Origin("node", "n") in met


# --- conservation: what plugins may do and what not


def message(id: str, said: str, role: Any = "user") -> Draft:
    origin = Origin("node", id)
    return Draft(f"node:{id}", role, (Text.of(said, origin),), origin)


class Plugin:
    """A step put together by chance, and the laws it breaks."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.dropped: list[Dropped] = []
        self.breaks: set[type[LawBroken]] = set()
        self.forgets = False
        self.answers_nothing = False
        self.deeds: list[str] = []

    def __repr__(self) -> str:
        return f"Plugin({self.deeds}, breaks {[law.__name__ for law in self.breaks]})"

    def __call__(self, ctx: Context) -> Any:
        if self.answers_nothing:
            return None
        after = ctx.arrange(self.drafts, dropped=self.dropped)
        if self.forgets:
            return Context(ctx.input, after.drafts, tuple(self.dropped))
        return after

    def do(self, deed: str, draft: Draft) -> None:
        self.deeds.append(deed)
        if deed == "keep":
            self.drafts.append(draft)
        elif deed == "drop":
            self.dropped.append(Dropped((draft,), CAUSE))
        elif deed == "drop a changed one":
            self.dropped.append(Dropped((renewed(draft, draft.text.sub(re.compile("e"), "3", cause=CAUSE)),), CAUSE))
        elif deed == "lose":
            self.breaks.add(UnexplainedDrop)
        elif deed == "drop without a cause":
            self.dropped.append(Dropped((draft,), None))  # pyright: ignore[reportArgumentType]
            self.breaks.add(UnexplainedDrop)
        elif deed == "rewrite":
            self.drafts.append(renewed(draft, draft.text.sub(re.compile("[a-z]+"), "word", cause=CAUSE)))
        elif deed == "rewrite and forget":
            self.drafts.append(renewed(draft, Text.of("new", Origin("made", "plugin"))))
            self.breaks.add(UnexplainedRewrite)
        elif deed == "another role":
            self.drafts.append(draft.changed(CAUSE, role="system"))
        elif deed == "another role in silence":
            self.drafts.append(replace(draft, role="system"))
            self.breaks.add(UnexplainedChange)
        elif deed == "another key":
            self.drafts.append(replace(draft, key=f"other:{draft.key}"))
            self.breaks.add(UnexplainedDrop)
        elif deed == "twice":
            self.drafts += [draft, draft]
            self.breaks.add(DuplicateKey)
        elif deed == "a double":
            self.drafts += [draft, renewed(draft, draft.text + draft.text)]
            self.breaks.add(DuplicateKey)
        elif deed == "add":
            origin = Origin("made", f"new-{draft.key}")
            self.drafts += [draft, Draft(origin.ref, "user", (Text.of("hi", origin),), origin)]
        else:
            self.merge(deed, draft)

    def shuffle(self, drafts: list[Draft], keys: list[str]) -> None:
        """In another order, which breaks the law where what was there stands in another order than before."""
        self.drafts = drafts
        places = [keys.index(draft.key) for draft in drafts if draft.key in keys]
        if places != sorted(places):
            self.breaks.add(UnexplainedChange)

    def merge(self, deed: str, draft: Draft) -> None:
        """Into the draft before, in one of the ways to do it right or wrong."""
        if not self.drafts:
            return self.do("keep", draft)
        first = self.drafts.pop()
        if not first.key.startswith("node:"):  # a part is what was there before
            self.breaks.add(InvalidDraft)
        text = first.text if deed == "merge and lose the words" else first.text + draft.text
        merged = () if deed == "merge and name nobody" else (*first.parts, *draft.parts)
        self.drafts.append(replace(first, body=(text,), merged=merged))
        if deed == "merge and name nobody":
            self.breaks.add(UnexplainedDrop)
        elif deed == "merge and lose the words" and draft.text:
            self.breaks.add(UnexplainedRewrite)
        return None


RIGHT = ("keep", "keep", "drop", "drop a changed one", "rewrite", "another role", "add", "merge")
WRONG = (
    "lose",
    "another role in silence",
    "drop without a cause",
    "rewrite and forget",
    "another key",
    "twice",
    "a double",
    "merge and name nobody",
    "merge and lose the words",
)


def renewed(draft: Draft, text: Text) -> Draft:
    return replace(draft, body=(text,))


@st.composite
def plugins(draw: st.DrawFn, ctx: Context) -> Plugin:
    plugin = Plugin()
    deeds = st.sampled_from(RIGHT if draw(st.booleans()) else RIGHT + WRONG)
    for draft in ctx.drafts:
        plugin.do(draw(deeds), draft)
    if draw(st.booleans()):
        plugin.shuffle(draw(st.permutations(plugin.drafts)), [draft.key for draft in ctx.drafts])
    if draw(st.integers(0, 9)) == 0:
        plugin.forgets = True
        if ctx.dropped:
            plugin.breaks.add(UnexplainedDrop)
    if draw(st.integers(0, 19)) == 0:
        plugin.answers_nothing = True
        plugin.breaks = {LawBroken}
    return plugin


rows = st.lists(spoken | st.just(""), max_size=6).map(
    lambda said: tuple(message(str(n), text) for n, text in enumerate(said))
)


@settings(deadline=None, max_examples=300)
@given(rows, st.booleans(), st.data())
def test_a_step_is_stopped_exactly_when_it_breaks_a_law(
    drafts: tuple[Draft, ...], some_gone: bool, data: st.DataObject
) -> None:
    ctx = Context(BuildInput(Session(id="s")), drafts)
    if some_gone and drafts:
        ctx = ctx.drop([drafts[0].key], CAUSE)
    plugin = data.draw(plugins(ctx))
    pipeline = Pipeline.of([processor("plugin")(plugin)])

    if plugin.breaks:
        with pytest.raises(tuple(plugin.breaks)):
            pipeline.run(ctx, SERVICES)
    else:
        after = pipeline.run(ctx, SERVICES).result
        named = {part.key for draft in after.drafts for part in draft.parts}
        named |= {part.key for group in after.dropped for draft in group.drafts for part in draft.parts}
        assert {draft.key for draft in drafts} <= named


SOME_FIELDS = {
    "role": st.sampled_from(["user", "assistant", "system", "tool", "wizard"]),
    "speaker": st.sampled_from([None, "Ann", "Bob"]),
    "reasoning": st.sampled_from([None, "hm"]),
    "result_of": st.sampled_from([None, "c1", "c2"]),
    "calls": st.sampled_from([(), (ToolCall("c1", "look"),), (ToolCall("c1", "look", "{}"), ToolCall("c2", "go"))]),
    "pinned": st.booleans(),
    "priority": st.integers(0, 2),
    "origin": st.sampled_from([Origin("node", "0"), Origin("made", "plugin")]),
}
FILE = re.compile("<[a-z]+>")
FILES = [AssetRef("map", "image"), AssetRef("sketch", "image")]


@st.composite
def rich_rows(draw: st.DrawFn) -> tuple[Draft, ...]:
    """Drafts with all kinds of fields, some with files among their words."""
    rows: list[Draft] = []
    for n in range(draw(st.integers(1, 4))):
        made = message(str(n), draw(spoken))
        body = draw(st.permutations([made.text, *draw(st.lists(st.sampled_from(FILES), max_size=2))]))
        fields = {name: draw(values) for name, values in SOME_FIELDS.items() if name != "origin"}
        rows.append(replace(made, body=tuple(body), **{**fields, "role": draw(st.sampled_from(["user", "assistant"]))}))
    return tuple(rows)


@st.composite
def vandalised(draw: st.DrawFn, draft: Draft, others: tuple[Draft, ...]) -> Draft:
    """A draft after something that a careless step might do to it, with a cause or without."""
    deed = draw(st.sampled_from(["field", "told field", "splice", "slice", "body", "steal", "sign", "mark", "nothing"]))
    name = draw(st.sampled_from(list(SOME_FIELDS)))
    cause = draw(st.sampled_from([CAUSE, CAUSE, Cause("plugin", "", ""), Cause("other", "a", "b")]))
    at, end = draw(st.integers(0, 3)), draw(st.integers(0, 9))
    match deed:
        case "field":
            return replace(draft, **{name: draw(SOME_FIELDS[name])})
        case "told field":
            return draft.changed(cause, **{name: draw(SOME_FIELDS[name])})
        case "splice":
            return draft.edit_text(
                lambda t: t.splice([Edit(min(at, len(t)), max(min(at, len(t)), min(end, len(t))), "new", cause)])
            )
        case "slice":
            return draft.edit_text(lambda t: t.cut(at, end) + (t.cut(end, 99) if cause is CAUSE else Text()))
        case "body":
            body = draw(st.permutations(draft.body))[: draw(st.integers(1, 3))]
            return draft.with_body(body, cause) if at else replace(draft, body=tuple(body))
        case "steal":
            return replace(draft, body=draw(st.sampled_from(others)).body)
        case "sign":
            return draft.edit_text(lambda t: Text(replace(span, cause=cause) for span in t.spans))
        case "mark":
            return replace(draft, changes=(*draft.changes, Change("role", draw(SOME_FIELDS["role"]), cause)))
        case _:
            return draft


@st.composite
def vandals(draw: st.DrawFn, ctx: Context) -> Context:
    """What a careless step makes of a context."""
    drafts = [draw(vandalised(draft, ctx.drafts)) for draft in ctx.drafts]
    dropped: list[Dropped] = []
    if drafts and draw(st.booleans()):
        gone = drafts.pop(draw(st.integers(0, len(drafts) - 1)))
        dropped = draw(st.sampled_from([[], [Dropped((gone,), CAUSE)], [Dropped((gone,), Cause("other", "a", "b"))]]))
    if len(drafts) > 1 and draw(st.booleans()):
        parts = drafts[:2]
        whole = merged_draft(parts, separator=draw(st.sampled_from(["", " "])), cause=CAUSE)
        drafts[:2] = [draw(vandalised(whole, ctx.drafts))]
    if draw(st.integers(0, 3)) == 0:
        drafts = draw(st.permutations(drafts))
    return replace(ctx, drafts=tuple(drafts), dropped=(*ctx.dropped, *dropped))


@settings(deadline=None, max_examples=400)
@given(rich_rows(), st.data())
def test_a1_a_careless_step_is_refused_or_can_be_taken_back(drafts: tuple[Draft, ...], data: st.DataObject) -> None:
    before = Context(BuildInput(Session(id="s")), drafts)
    after = data.draw(vandals(before))

    try:
        Pipeline.of([processor("plugin")(lambda ctx: after)]).run(before, SERVICES)
    except LawBroken:
        return

    back = [
        draft
        for whole in (*after.drafts, *(d for g in after.dropped for d in g.drafts))
        for draft in taken_back(whole, before)
    ]
    assert sorted(back) == sorted((draft.key, spelled_out(draft.body), fields_of(draft)) for draft in before.drafts)


def spelled_out(body: Any) -> str:
    return "".join(str(part) if isinstance(part, Text) else f"<{part.id}>" for part in body)


def fields_of(draft: Draft) -> str:
    return repr([getattr(draft, name) for name in SOME_FIELDS])


def taken_back(whole: Draft, before: Context) -> list[tuple[str, str, str]]:
    """The drafts that one was made of: its words without what the step put, its fields as its changes say they were."""
    old = {draft.key: draft for draft in before.drafts}
    sources = [old[part.key] for part in whole.parts]
    told = {change.field: change.before for change in reversed(whole.changes)}
    assert all(change.cause.processor == "plugin" for change in whole.changes)
    body = "".join(spelled_out(source.body) for source in sources)
    found = words_and_files(whole)
    if "files" in told:
        assert told["files"] == tuple(asset for source in sources for asset in source.assets)
        assert FILE.sub("", found) == FILE.sub("", body)
    else:
        assert found == body
    if len(sources) == 1:
        was = {name: told.get(name, getattr(whole, name)) for name in SOME_FIELDS}
        return [(whole.key, body, repr(list(was.values())))]
    for name in ("role", "speaker", "result_of"):
        values = tuple(getattr(source, name) for source in sources)
        assert told.get(name, getattr(whole, name)) in (values, values[0])
        assert name in told or len(set(values)) == 1
    calls = tuple(call for source in sources for call in source.calls)
    assert told.get("calls", whole.calls) == calls
    return [(source.key, spelled_out(source.body), fields_of(source)) for source in sources]


def words_and_files(whole: Draft) -> str:
    """The words before the step, and the files where they stand."""
    given_back: set[int] = set()

    def words(spans: Any) -> str:
        found = ""
        for span in spans:
            if span.cause is None:
                found += span.text
            elif id(span.was) not in given_back or not span.was:
                given_back.add(id(span.was))
                found += words(span.was)
        return found

    return "".join(words(part.spans) if isinstance(part, Text) else f"<{part.id}>" for part in whole.body)


def test_a_merged_draft_may_not_forget_its_parts() -> None:
    ctx = Context(BuildInput(Session(id="s")), (message("a", "one"), message("b", "two")))
    merged = ctx.merge(["node:a", "node:b"], " ", CAUSE)

    def forget(ctx: Context) -> Context:
        return ctx.edit(lambda draft: replace(draft, merged=()))

    with pytest.raises(UnexplainedDrop, match="lost 'node:b', a part of 'node:a'"):
        Pipeline.of([forget]).run(merged, SERVICES)


def test_merging_and_dropping_the_whole_in_one_step_accounts_for_every_part() -> None:
    ctx = Context(BuildInput(Session(id="s")), (message("a", "one"), message("b", "two")))

    def swallow(ctx: Context) -> Context:
        return ctx.merge(["node:a", "node:b"], " ", CAUSE).drop(["node:a"], CAUSE)

    after = Pipeline.of([processor("plugin")(swallow)]).run(ctx, SERVICES).result

    assert [part.key for part in after.dropped[0].drafts[0].merged] == ["node:a", "node:b"]


def test_a_draft_may_not_take_the_place_of_one_that_was_dropped() -> None:
    ctx = Context(BuildInput(Session(id="s")), (message("a", "one"), message("b", "two"), message("c", "three")))

    def doubles(ctx: Context) -> Context:
        a, b, c = ctx.drafts
        return ctx.arrange((b, a, a), dropped=[Dropped((c,), CAUSE)])

    with pytest.raises(DuplicateKey, match="two drafts with key 'node:a'"):
        Pipeline.of([processor("plugin")(doubles)]).run(ctx, SERVICES)


# --- stepping, going back, running again


SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "session-loader.tool_role": st.just("user"),
        "session-loader.enabled": st.just(False),
        "injection-assembler.enabled": st.just(False),
        "token-limiter.budget_tokens": st.sampled_from([60, 90]),
        "token-limiter.retained_characters": st.just(3),
        "token-limiter.enabled": st.just(False),
        "merge-system.hoist": st.just("all"),
        "merge-system.enabled": st.just(False),
        "merge-consecutive.separator": st.just(" + "),
        "merge-consecutive.priority": st.just(350),
        "convert-system.enabled": st.just(True),
        "ensure-alternating.enabled": st.just(True),
    },
)


def run(session: Session, agent: Agent | None, changed: dict[str, Any]) -> Trace:
    try:
        return build(session, agent, settings=changed, services=SERVICES)
    except BudgetTooSmall:
        assume(False)
        raise


def states(trace: Trace) -> list[dict[str, Any]]:
    return [step.after.as_data() for step in trace.steps]


@settings(deadline=None)
@given(sessions(), agents(), SETTINGS)
def test_stepping_to_the_end_is_running(session: Session, agent: Agent, changed: dict[str, Any]) -> None:
    ran = run(session, agent, changed)
    debugger = debug(session, agent, settings=changed, services=SERVICES)

    while not debugger.done:
        debugger.step()

    assert states(debugger.trace) == states(ran)
    assert [step.id for step in debugger.trace.steps] == [step.id for step in ran.steps]


@settings(deadline=None)
@given(sessions(), agents(), SETTINGS, st.data())
def test_going_back_and_on_again_gives_the_same_objects(
    session: Session, agent: Agent, changed: dict[str, Any], data: st.DataObject
) -> None:
    debugger = debug(session, agent, settings=changed, services=SERVICES)
    try:
        done = debugger.run().steps
    except BudgetTooSmall:
        assume(False)
        raise

    for _ in range(data.draw(st.integers(1, len(done)))):
        debugger.back()
    debugger.run()

    assert all(now is then for now, then in zip(debugger.trace.steps, done, strict=True))


@settings(deadline=None)
@given(sessions(), agents(), st.integers(0, 5))
def test_a_fork_goes_its_own_way(session: Session, agent: Agent, position: int) -> None:
    debugger = debug(session, agent, services=SERVICES)
    while debugger.position < position and not debugger.done:
        debugger.step()
    before = states(debugger.trace)

    fork = debugger.fork()
    fork.edit(lambda ctx: ctx.insert(0, message("mine", "something else")))
    fork.breakpoints.add("merge-system")
    fork.run()

    assert states(debugger.trace) == before
    assert debugger.breakpoints == set()
    assert states(debugger.run()) == states(build(session, agent, services=SERVICES))


@settings(deadline=None)
@given(sessions(), agents(), SETTINGS, SETTINGS)
def test_a_rerun_is_a_fresh_run_with_these_settings(
    session: Session, agent: Agent, first: dict[str, Any], second: dict[str, Any]
) -> None:
    trace = run(session, agent, first)
    fresh = run(session, agent, {**first, **second})

    again = trace.rerun(second)

    assert again.start.as_data() == fresh.start.as_data()
    assert states(again) == states(fresh)
    assert again.pipeline.as_data() == fresh.pipeline.as_data()


@settings(deadline=None)
@given(sessions(), agents(), SETTINGS, SETTINGS)
def test_a_rerun_takes_over_what_the_settings_do_not_touch(
    session: Session, agent: Agent, first: dict[str, Any], second: dict[str, Any]
) -> None:
    trace = run(session, agent, first)
    run(session, agent, {**first, **second})

    again = trace.rerun(second)

    assert all(now is then for now, then in zip(again.steps, untouched(trace, again), strict=False))


def untouched(trace: Trace, again: Trace) -> list[Any]:
    """The steps before the first one that another setting, another place or later steps' needs have changed."""
    if trace.start.notes != again.start.notes:
        return []
    kept: list[Any] = []
    for step, before, after in zip(trace.steps, described(trace), described(again), strict=False):
        if before != after:
            break
        if step.id == "token-limiter" and described(trace) != described(again):
            break
        kept.append(step)
    return kept


def described(trace: Trace) -> list[Any]:
    return [(row["id"], row["settings"]) for row in trace.pipeline.as_data() if row["enabled"]]


# --- the same again


@settings(deadline=None)
@given(sessions(), agents(), SETTINGS, st.integers())
def test_the_same_request_gives_the_same_context(
    session: Session, agent: Agent, changed: dict[str, Any], seed: int
) -> None:
    first = run(session, agent, changed)

    copies = Session.model_validate(session.to_data()), Agent.model_validate(agent.to_data())

    assert states(run(*copies, changed)) == states(first)
    assert build(*copies, seed=seed).result.dice("x") == build(session, agent, seed=seed).result.dice("x")


def test_dice_fall_the_same_in_every_process() -> None:
    def dice(id: str, **build_input: Any) -> float:
        return Context(BuildInput(Session(id="s"), **build_input)).dice(id)

    assert dice("lore/3", leaf="n1", seed=7) == 0.3206281740150786
    others = [dice("lore/3", leaf="n1", seed=8), dice("lore/3", leaf="n2", seed=7), dice("lore/4", leaf="n1", seed=7)]
    assert len({dice("lore/3", leaf="n1", seed=7), *others}) == 4
    assert dice("x", dice={"x": 0.25}) == 0.25


@settings(deadline=None)
@given(st.integers(), st.text(), st.text())
def test_dice_lie_between_nothing_and_one(seed: int, leaf: str, id: str) -> None:
    assert 0 <= Context(BuildInput(Session(id="s"), leaf=leaf, seed=seed)).dice(id) < 1


# --- comparing and showing


@settings(deadline=None)
@given(sessions(), agents(), SETTINGS)
def test_nothing_differs_from_itself(session: Session, agent: Agent, changed: dict[str, Any]) -> None:
    trace = run(session, agent, changed)

    assert not diff(trace, trace)
    assert not diff(trace, run(session, agent, changed))
    assert {row.kind for row in diff(trace, trace)} <= {"same"}


@settings(deadline=None)
@given(sessions(), agents(), SETTINGS, SETTINGS, st.randoms())
def test_a_diff_turned_round_counts_the_same(
    session: Session, agent: Agent, first: dict[str, Any], second: dict[str, Any], chance: Any
) -> None:
    a, b = run(session, agent, first).result, run(session, agent, second).result
    shuffled = list(b.drafts)
    chance.shuffle(shuffled)
    b = b.arrange(shuffled)

    there, back = kinds(a, b), kinds(b, a)

    swapped = {"only in a": "only in b", "only in b": "only in a"}
    assert sorted(there) == sorted((key, swapped.get(kind, kind)) for key, kind in back)


def kinds(a: Context, b: Context) -> list[tuple[str, str]]:
    return [(row.key, row.kind) for row in diff(a, b)]


@settings(deadline=None)
@given(sessions(), agents(), SETTINGS)
def test_a_view_is_json_with_every_value_once(session: Session, agent: Agent, changed: dict[str, Any]) -> None:
    view = run(session, agent, changed).view()

    assert json.loads(json.dumps(view)) == view
    for table in ("texts", "causes", "spans", "drafts"):
        written = [json.dumps(value) for value in view[table]]
        assert len(set(written)) == len(written) or table == "drafts"


@settings(deadline=None)
@given(sessions(), agents(), SETTINGS)
def test_a_view_holds_every_message_of_every_step(session: Session, agent: Agent, changed: dict[str, Any]) -> None:
    trace = run(session, agent, changed)

    view = trace.view()

    for step, shown in zip(trace.steps, view["steps"], strict=True):
        assert [spelled(view, i) for i in shown["drafts"]] == [(d.key, d.role, str(d.text)) for d in step.after.drafts]
        groups = step.after.dropped[len(step.before.dropped) :]
        for group, shown_group in zip(groups, shown["dropped"], strict=True):
            assert [spelled(view, i)[0] for i in shown_group["drafts"]] == [draft.key for draft in group.drafts]
            assert view["causes"][shown_group["cause"]] == group.cause.as_data()


def spelled(view: dict[str, Any], i: int) -> tuple[str, str, str]:
    draft = view["drafts"][i]
    return draft["key"], draft["role"], "".join(view["texts"][view["spans"][span][0]] for span in draft["spans"])

"""The promises of looking for words: whatever stood in some text of a run is found, and what is said of it is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.context import AssetRef, BuildInput, Cause, Context, Draft, Edit, Origin, Text
from ctxlab.documents import Session
from ctxlab.pipeline import Pipeline, Services, Trace, processor
from ctxlab.testing.fakes import WordTokenizer

KEYS = ("a", "b", "c")
short = st.text("ab ", max_size=3)


@dataclass
class Journal:
    """What really happened: every text of every message, and the edits that were done on it, in order."""

    texts: list[str] = field(default_factory=list[str])
    broken: list[tuple[str, str, str, list[Edit]]] = field(default_factory=list[tuple[str, str, str, list[Edit]]])
    """Key, step, text, and the edits that led away from it."""

    def occurrences(self, words: str) -> list[tuple[str, str, str, int, str]]:
        """Key, step, text, start and rule of every place of the words that edits broke, by trying all of them."""
        return [
            (key, step, text, at, next(edit.cause.rule for edit in edits if breaks(edit, at, at + len(words))))
            for key, step, text, edits in self.broken
            for at in range(len(text))
            if text.startswith(words, at) and any(breaks(edit, at, at + len(words)) for edit in edits)
        ]


def breaks(edit: Edit, start: int, end: int) -> bool:
    if edit.start == edit.end:
        return start < edit.start < end
    return any(start <= i < end for i in range(edit.start, edit.end))


@st.composite
def edits(draw: st.DrawFn, text: str, step: str, rule: str) -> list[Edit]:
    """Edits in order that don't overlap and each change something; insertions and deletions among them."""
    found: list[Edit] = []
    at = 0
    for n in range(draw(st.integers(0, 3))):
        start = draw(st.integers(at, len(text)))
        end = draw(st.sampled_from([start, start, min(start + 1, len(text)), len(text)]))
        new = draw(short)
        if new != text[start:end]:
            found.append(Edit(start, end, new, Cause(step, f"{rule}.{n}", "why")))
        at = min(end + 1, len(text))
    return [edit for i, edit in enumerate(found) if not i or found[i - 1].end <= edit.start]


class Rewriter:
    """A step of rules by chance: each edits the texts that the one before it left. What it does is in the journal."""

    def __init__(self, data: st.DataObject, name: str, journal: Journal, *, forgets: bool, rules: int) -> None:
        self.data, self.name, self.journal, self.forgets, self.rules = data, name, journal, forgets, rules

    def __call__(self, ctx: Context) -> Context:
        rules = self.data.draw(st.integers(1, self.rules), label="rules")
        return ctx.edit(lambda draft: self.edited(draft, rules))

    def edited(self, draft: Draft, rules: int) -> Draft:
        text = draft.text
        for rule in range(rules):
            found = self.data.draw(edits(str(text), self.name, f"r{rule}"), label=f"{self.name} {draft.key}")
            if found:
                self.journal.broken.append((draft.key, self.name, str(text), found))
            text = text.splice(found)
            self.journal.texts.append(str(text))
        if self.forgets and text is not draft.text:
            text = Text(text.spans)  # as a plugin may build it: nothing but spans tells what stood there
        return replace(draft, body=(text,))


class Joiner(Rewriter):
    """A step that merges two messages and edits what came of it."""

    def __call__(self, ctx: Context) -> Context:
        parents = ctx.drafts[:2]
        if len(parents) < 2:
            return ctx
        ctx = ctx.merge([draft.key for draft in parents], "|", Cause(self.name, "merge", "why"))
        whole = ctx.drafts[0]
        found = self.data.draw(edits(str(whole.text), self.name, "r"), label=self.name)
        text = whole.text.splice(found)
        if self.forgets:
            text, shift = Text(text.spans), 0
            for parent in parents:
                shift += 1 if shift and parent.text else 0  # no separator beside an empty text
                here = [replace(edit, start=edit.start - shift, end=edit.end - shift) for edit in found]
                self.journal.broken.append((parent.key, self.name, str(parent.text), here))
                shift += len(parent.text)
        else:
            self.journal.texts.append(str(whole.text))
            self.journal.broken.append((whole.key, self.name, str(whole.text), found))
        self.journal.texts.append(str(text))
        return replace(ctx, drafts=(replace(whole, body=(text,)), *ctx.drafts[1:]))


def merges(ctx: Context) -> Context:
    return ctx.merge([draft.key for draft in ctx.drafts][:2], "|", Cause("merges", "rule", "why"))


def drops(ctx: Context) -> Context:
    return ctx.drop([ctx.drafts[0].key], Cause("drops", "rule", "why"))


def ran(data: st.DataObject, *, forgets: bool, rules: int = 3) -> tuple[Trace, Journal]:
    journal = Journal()
    typed = data.draw(st.lists(st.text("ab ", max_size=8), min_size=2, max_size=3), label="typed")
    origins = [Origin("node", key) for key in KEYS]
    drafts = [Draft(o.ref, "user", (Text.of(text, o),), o) for o, text in zip(origins, typed, strict=False)]
    journal.texts += typed
    kinds = data.draw(
        st.lists(st.sampled_from(["rewrites", "rewrites", "merges", "joins", "drops"]), max_size=4), label="steps"
    )
    steps: list[Any] = []
    for n, kind in enumerate(kinds):
        if kind == "rewrites":
            rewriter = Rewriter(data, f"s{n}", journal, forgets=forgets, rules=rules)
            steps.append(processor(f"s{n}")(rewriter.__call__))
        elif kind == "joins":
            joiner = Joiner(data, f"s{n}", journal, forgets=forgets, rules=rules)
            steps.append(processor(f"s{n}")(joiner.__call__))
        elif kinds.index(kind) == n:
            steps.append(merges if kind == "merges" else drops)
    ctx = Context(BuildInput(Session(id="s")), tuple(drafts))
    return Pipeline.of(steps).run(ctx, Services(tokenizer=WordTokenizer())), journal


def some_words(data: st.DataObject, texts: Sequence[str]) -> str:
    assume(any(texts))
    text = data.draw(st.sampled_from([text for text in texts if text]), label="text")
    start = data.draw(st.integers(0, len(text) - 1), label="start")
    return text[start : data.draw(st.integers(start + 1, len(text)), label="end")]


def told(trace: Trace, words: str) -> list[tuple[str, str, str, int, str]]:
    """What the trace says of replaced words, in the journal's form, without texts of which it knows a stretch only."""
    return sorted(
        (place.part, place.step, str(place.version.text), place.start, place.cause.rule if place.cause else "")
        for place in trace.where(words)
        if place.state == "replaced" and place.version.is_whole
    )


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a10_words_of_every_text_between_are_found_once_with_what_broke_them(data: st.DataObject) -> None:
    trace, journal = ran(data, forgets=False)
    words = some_words(data, journal.texts)

    assert trace.where(words)
    assert sorted(without_part(told(trace, words))) == sorted(without_part(journal.occurrences(words)))


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a10_spans_alone_tell_what_the_only_rule_of_a_step_broke(data: st.DataObject) -> None:
    trace, journal = ran(data, forgets=True, rules=1)
    words = some_words(data, journal.texts)

    assert trace.where(words)
    assert sorted(without_part(told(trace, words))) == sorted(without_part(journal.occurrences(words)))


def without_part(rows: Sequence[tuple[str, str, str, int, str]]) -> list[tuple[str, str, int, str]]:
    """A message that was merged is another part of the same one from there on."""
    return [row[1:] for row in rows]


@settings(deadline=None, max_examples=300)
@given(st.data(), st.booleans())
def test_a10_what_a_place_says_is_true(data: st.DataObject, forgets: bool) -> None:
    trace, journal = ran(data, forgets=forgets)
    words = some_words(data, journal.texts)
    after = {"": trace.start, **{step.id: step.after for step in trace.steps}}
    sent = [str(draft.text) for draft in trace.result.drafts]
    dropped = [str(draft.text) for group in trace.result.dropped for draft in group.drafts]

    places = trace.where(words)

    for state, texts in (("sent", sent), ("dropped", dropped)):
        found = [str(place.version.text) for place in places if place.state == state]
        assert len(found) == sum(text.startswith(words, i) for text in texts for i in range(len(text)))
        assert set(found) <= set(texts)
    assert len({(place.key, place.part, id(place.version), place.start) for place in places}) == len(places)
    for place in places:
        text = str(place.version.text)
        assert text[place.start : place.end] == words
        assert "".join(span.text for span in place.spans) == words
        if not place.version.is_inside:
            assert text in [str(draft.text) for draft in after[place.version.step].drafts] + dropped
        elif place.version.is_whole and not forgets:
            assert text in journal.texts
        assert (place.cause is None) == (place.state == "sent")
        assert place.cause is None or place.cause.processor == place.step


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a10_words_are_found_although_a_plugin_keeps_nothing_but_spans(data: st.DataObject) -> None:
    trace, _ = ran(data, forgets=True)
    contexts = (trace.start, *(step.after for step in trace.steps))
    words = some_words(data, [str(draft.text) for ctx in contexts for draft in ctx.drafts])

    assert trace.where(words)


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_a10_texts_with_files_between_them_are_looked_at_too(data: st.DataObject) -> None:
    journal = Journal()
    origin = Origin("node", "a")
    typed = data.draw(st.lists(st.text("ab", min_size=1, max_size=5), min_size=2, max_size=3), label="typed")
    body = [part for text in typed for part in (Text.of(text, origin), AssetRef("f", "image"))]

    def rewrites(ctx: Context) -> Context:
        (draft,) = ctx.drafts
        done = list(draft.body)
        for n in range(0, len(done), 2):
            for rule in ("r0", "r1"):
                texts = [part for part in done if isinstance(part, Text)]
                found = data.draw(edits(str(done[n]), "rewrites", rule), label="edits")
                shift = sum(len(text) + 1 for text in texts[: n // 2])
                moved = [replace(edit, start=edit.start + shift, end=edit.end + shift) for edit in found]
                journal.broken.append(("a", "rewrites", "\n".join(map(str, texts)), moved))
                done[n] = texts[n // 2].splice(found)
        return replace(ctx, drafts=(replace(draft, body=tuple(done)),))

    ctx = Context(BuildInput(Session(id="s")), (Draft("a", "user", tuple(body), origin),))
    trace = Pipeline.of([rewrites]).run(ctx, Services(tokenizer=WordTokenizer()))
    words = some_words(data, ["\n".join(typed), *(text for _, _, text, _ in journal.broken)])

    assert trace.where(words)
    assert told(trace, words) == sorted(journal.occurrences(words))

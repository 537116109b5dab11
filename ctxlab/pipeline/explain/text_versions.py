"""Every text that a message had before the one it has now, and which edits led away from it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ctxlab.context import Cause, Context, Draft, Dropped, Edit, Origin, Span, Text
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.explain.diff import smallest_change
from ctxlab.pipeline.explain.provenance_text import done_by
from ctxlab.prompt.merged_parts import pieces

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Step, Trace

TAKEN_OUT_BY_HAND = Cause("debugger", "by hand", "a person took it out")
CHANGED_BY_HAND = Cause("debugger", "by hand", "a person changed it")
"""Causes of edits by hand between two steps, the only changes that need no cause of their own."""


@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """A text that a message had at some time: after a step, or inside one between two of its edits.

    `step` is empty for what was there from the start. `cause` is the last edit before it, None where the step had done
    none yet. One that is not whole is a stretch of such a text: more of it isn't known.
    """

    text: Text
    step: str
    is_inside: bool = False
    cause: Cause | None = None
    is_whole: bool = True

    def __str__(self) -> str:
        what = "the text" if self.is_whole else "a stretch of the text"
        if self.is_inside:
            return f"{what} inside {self.step} {f'after {done_by(self.cause)}' if self.cause else 'before its edits'}"
        return f"{what} after {self.step}" if self.step else f"{what} at the start"

    def __repr__(self) -> str:
        return f"Version({self}, {len(self.text)} characters)"


@dataclass(frozen=True, slots=True)
class ReplacedRange:
    """Characters of an older text that an edit replaced; an empty range is an insertion."""

    start: int
    end: int
    cause: Cause | None


@dataclass(frozen=True, slots=True, eq=False)
class SupersededVersion:
    """A version that was replaced: its message, the step that replaced it, and the replaced ranges in order."""

    version: Version
    draft: Draft
    step: str
    breaks: Sequence[ReplacedRange]
    is_dropped: bool = False

    def broken(self, words: str) -> Iterator[tuple[int, int, Cause | None]]:
        """The places of the words that an edit broke, with its cause; intact ones are left out."""
        text = str(self.version.text)
        at, i = text.find(words), 0
        while at >= 0:
            end = at + len(words)
            while i < len(self.breaks) and self.breaks[i].end <= at:
                i += 1
            if i == len(self.breaks):
                return
            if self.breaks[i].start < end:
                yield at, end, self.breaks[i].cause
            at = text.find(words, at + 1)


class TextHistory:
    """All texts of all messages of a run, collected in one pass over its steps.

    `superseded` are in the order in which they ended. `dropped` are all groups, also those that a person took away.
    """

    def __init__(self, trace: Trace) -> None:
        self.superseded: list[SupersededVersion] = []
        self.dropped: dict[int, tuple[Dropped, str]] = {id(group): (group, "") for group in trace.start.dropped}
        self._made_in: dict[int, str] = {}  # by identity of a draft; those that were there from the start have none
        for step in trace.steps:
            self._take(step)

    def version_of(self, draft: Draft) -> Version:
        """The text of a message of some context, with the step that gave it."""
        return Version(draft.text, self._made_in.get(id(draft), ""))

    def _take(self, step: Step) -> None:
        before, after = step.before, step.after
        if after.drafts is before.drafts and after.dropped is before.dropped:
            return
        groups = [group for group in after.dropped if id(group) not in self.dropped]
        self.dropped.update((id(group), (group, step.id)) for group in groups)
        if step.edited:
            self._forget(before.dropped, after)
        there = (*after.drafts, *(draft for group in groups for draft in group.drafts))
        old, new = set(map(id, before.drafts)), set(map(id, there))
        made = [draft for draft in there if id(draft) not in old]
        texts = StepTexts(step, self._made_in)
        parents = _parents([draft for draft in before.drafts if id(draft) not in new], made)
        for draft in made:
            if parents.get(id(draft)):
                self.superseded += reversed(list(texts.rewritten(draft, parents[id(draft)])))
            elif id(draft) not in self._made_in:
                self.superseded += reversed(list(texts.written(draft, draft.text)))
        for draft in parents[None]:
            gone = (ReplacedRange(0, len(draft.text), TAKEN_OUT_BY_HAND),)
            self.superseded.append(SupersededVersion(self.version_of(draft), draft, step.id, gone, is_dropped=True))
        for draft in made:
            self._made_in[id(draft)] = step.id

    def _forget(self, before: Iterable[Dropped], after: Context) -> None:
        """Take back the drops that a person undid; messages of them that are not in the context again stay dropped."""
        kept, there = set(map(id, after.dropped)), {draft.key for draft in after.drafts}
        for group in before:
            if id(group) not in kept and id(group) in self.dropped:
                _, step = self.dropped.pop(id(group))
                rest = replace(group, drafts=tuple([draft for draft in group.drafts if draft.key not in there]))
                self.dropped[id(rest)] = (rest, step)


class StepTexts:
    """The texts of a step's messages before it, and between its edits. `made_in` is by identity of a draft."""

    def __init__(self, step: Step, made_in: Mapping[int, str]) -> None:
        self.step = step
        self._made_in = made_in
        self._values: set[tuple[int, int]] = set()

    def version_of(self, draft: Draft) -> Version:
        return Version(draft.text, self._made_in.get(id(draft), ""))

    def written(self, draft: Draft, text: Text) -> Iterator[SupersededVersion]:
        """The earlier versions of a new text, before the step's edits, newest first."""
        while (splice := text.made_by) is not None:
            yield from self._put_in(draft, splice.edits)
            text = splice.before
            yield SupersededVersion(_inside(self.step, text), draft, self.step.id, _breaks(splice.edits))
        for stretch in _between_separators(text):
            if any(span.was for span in stretch.spans):
                yield from _unwritten(self.step, draft, stretch, is_whole=stretch is text)

    def _put_in(self, draft: Draft, edits: Iterable[Edit]) -> Iterator[SupersededVersion]:
        """The earlier versions of texts that edits inserted whole."""
        for edit in edits:
            if isinstance(edit.new, Text) and (id(draft), id(edit.new)) not in self._values:
                self._values.add((id(draft), id(edit.new)))
                yield from self.written(draft, edit.new)

    def rewritten(self, draft: Draft, parents: Sequence[Draft]) -> Iterator[SupersededVersion]:
        """All texts from the message back to those that it was made of, newest first."""
        texts = _texts(draft)
        stops: list[Text | None] = [*_texts(parents[0])] if len(parents) == 1 else []
        stops = stops if len(stops) == len(texts) else [None] * len(texts)
        for i in reversed(range(len(texts))):
            while not _is(texts[i], stops[i]) and (splice := texts[i].made_by) is not None:
                yield from self._put_in(draft, splice.edits)
                texts[i] = splice.before
                shift = sum(len(text) + 1 for text in texts[:i])
                done = all(map(_is, texts, stops))
                version = self.version_of(parents[0]) if done else _inside(self.step, _joined(texts, draft))
                yield SupersededVersion(
                    version, parents[0] if done else draft, self.step.id, _breaks(splice.edits, shift)
                )
        if not all(map(_is, texts, stops)):
            yield from self._taken_back(draft, _joined(texts, draft), parents)

    def _taken_back(self, draft: Draft, text: Text, parents: Sequence[Draft]) -> Iterator[SupersededVersion]:
        """The texts of the parents where no splice leads back to them: what the step put in is taken out again."""
        provenances = {_provenance(span) for parent in parents for span in parent.text.spans}
        back = _UndoneEdits(
            text.spans,
            lambda span: (
                span.cause is not None
                and (span.cause.processor == self.step.id or _provenance(span) not in provenances)
            ),
        )
        yield from back.stretches(self.step, draft)
        whole, at = str(back.text), 0
        for parent in parents:
            words = str(parent.text)
            found = whole.find(words, at)
            if found >= 0:
                breaks = back.breaks_of(found, found + len(words))
                at = found + len(words)
            else:
                breaks = _change(self.step, parent, draft, text)
            if breaks:
                yield SupersededVersion(self.version_of(parent), parent, self.step.id, breaks)


def edit_causes(step: Step, before: Draft, after: Draft) -> tuple[Cause, ...]:
    """The causes of what a step did to the words of one message, in the order of its edits, each once."""
    older = StepTexts(step, {}).rewritten(after, [before])
    causes = [each.cause for gone in reversed(list(older)) for each in gone.breaks if each.cause]
    return tuple(dict.fromkeys(causes))


def _parents(gone: Iterable[Draft], made: Sequence[Draft]) -> dict[int | None, list[Draft]]:
    """By identity of a new message, those that it was made of, in the order of its parts; None has those left over."""
    own = {draft.key: draft for draft in reversed(made)}
    holder = {part.key: draft for draft in reversed(made) for part in draft.merged}
    found: dict[int | None, list[Draft]] = {None: []}
    for draft in gone:
        heir = own.get(draft.key) or holder.get(draft.key)
        found.setdefault(id(heir) if heir else None, []).append(draft)
    for draft in made:
        if len(found.get(id(draft), ())) > 1:
            place = {part.key: i for i, part in enumerate(draft.parts)}
            found[id(draft)].sort(key=lambda parent, place=place: place.get(parent.parts[0].key, 0))
    return found


def _texts(draft: Draft) -> list[Text]:
    return [part for part in draft.body if isinstance(part, Text)]


def _joined(texts: Sequence[Text], draft: Draft) -> Text:
    return texts[0] if len(texts) == 1 else replace(draft, body=tuple(texts)).text


def _is(text: Text, other: Text | None) -> bool:
    return other is not None and text.spans is other.spans


def _inside(step: Step, text: Text) -> Version:
    cause = text.made_by.edits[-1].cause if text.made_by else None
    return Version(text, step.id, is_inside=True, cause=cause)


def _breaks(edits: Iterable[Edit], shift: int = 0) -> tuple[ReplacedRange, ...]:
    return tuple([ReplacedRange(edit.start + shift, edit.end + shift, edit.cause) for edit in edits])


def _change(step: Step, parent: Draft, draft: Draft, text: Text) -> tuple[ReplacedRange, ...]:
    """The smallest stretch that differs, where nothing in the text says what became of the one before."""
    if draft.merged:
        text = next((piece.text for piece in pieces(draft) if piece.part.key == parent.key), text)
    change = smallest_change(str(parent.text), str(text))
    if change is None:
        return ()
    start, gone, _ = change
    return (ReplacedRange(start, start + len(gone), CHANGED_BY_HAND if step.edited else None),)


# --- taking back what a step put in


def _provenance(span: Span) -> tuple[Origin, Cause | None, int]:
    return span.origin, span.cause, id(span.was) if span.was else 0


def _unwritten(step: Step, draft: Draft, text: Text, *, is_whole: bool) -> Iterator[SupersededVersion]:
    """A text before anything in it was replaced; what was put in between without replacing anything stays."""
    back = _UndoneEdits(text.spans, lambda span: bool(span.was))
    yield from back.stretches(step, draft)
    version = Version(back.text, step.id, is_inside=True, is_whole=is_whole)
    yield SupersededVersion(version, draft, step.id, back.breaks)


def _between_separators(text: Text) -> Iterator[Text]:
    """The texts that were joined: words across a separator may never have stood side by side before."""
    at = [i for i, span in enumerate(text.spans) if span.origin.kind == "separator"]
    if not at:
        yield text
        return
    for start, end in zip([0, *(i + 1 for i in at)], [*at, len(text.spans)], strict=True):
        yield Text(text.spans[start:end])


class _UndoneEdits:
    """Spans with the new ones taken back: `text` is what stood there, `breaks` where the new ones changed it.

    Spans that were split share what they replaced: it is given back once, where the first of them stands.
    """

    def __init__(self, spans: Sequence[Span], is_new: Callable[[Span], bool]) -> None:
        self.breaks: list[ReplacedRange] = []
        self._is_new = is_new
        self._replaced: dict[int, Span] = {}  # by what they replaced, spans that replaced new ones
        older: list[Span] = []
        met: set[int] = set()
        at = 0
        stack: list[tuple[Span, Span | None]] = [(span, None) for span in reversed(spans)]
        while stack:
            span, inside = stack.pop()
            if not is_new(span):
                older.append(span)
                if inside is not None:
                    self.breaks.append(ReplacedRange(at, at + len(span.text), inside.cause))
                at += len(span.text)
            elif not span.was:
                self.breaks.append(ReplacedRange(at, at, span.cause))
            elif id(span.was) not in met:
                met.add(id(span.was))
                if any(map(is_new, span.was)):
                    self._replaced[id(span.was)] = span
                stack.extend((was, span) for was in reversed(span.was))
        self.text = Text(older)
        self._ends = [found.end for found in self.breaks]

    def breaks_of(self, start: int, end: int) -> list[ReplacedRange]:
        """The breaks inside a stretch, counted from its start."""
        found: list[ReplacedRange] = []
        for i in range(bisect_right(self._ends, start), len(self.breaks)):
            each = self.breaks[i]
            if each.start >= end:
                break
            found.append(ReplacedRange(each.start - start, each.end - start, each.cause))
        return found

    def stretches(self, step: Step, draft: Draft) -> Iterator[SupersededVersion]:
        """Versions between the first edit and the last: words that one new span put and another one replaced."""
        for span in self._replaced.values():
            breaks: list[ReplacedRange] = []
            at, cause = 0, None
            for was in span.was:
                if self._is_new(was):
                    breaks.append(ReplacedRange(at, at + len(was.text), span.cause))
                    cause = was.cause
                at += len(was.text)
            version = Version(Text(span.was), step.id, is_inside=True, cause=cause, is_whole=False)
            yield SupersededVersion(version, draft, step.id, breaks)

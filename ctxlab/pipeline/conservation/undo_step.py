"""Undo of a step on one draft: the draft as it was before, from the draft that the step made of it.

A span that the step put gives back the spans that it replaced, and a field that it changed has a `Change` with its
value before. The result must be the earlier draft, character for character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from ctxlab.context import AssetRef, Cause, Change, Draft, Edit, Origin, Span, Text
from ctxlab.context.draft_message import SHARED_FIELDS, combined_fields
from ctxlab.display.short_texts import short
from ctxlab.errors import UnexplainedChange, UnexplainedRewrite
from ctxlab.pipeline.conservation.cause_is_valid import check_cause

FIELDS = ("role", "origin", "calls", "result_of", "reasoning", "speaker", "pinned", "priority", "meta", "placement")
"""Fields of a draft that stay as they were unless a Change says otherwise; files and places are looked at apart."""
VALUES = attrgetter(*FIELDS)


class DerivedDraft:
    """A draft that a step made of others, its ancestors; undoing the step must give them."""

    def __init__(self, draft: Draft, ancestors: Sequence[Draft], processor: str) -> None:
        self.draft, self.ancestors, self.processor = draft, ancestors, processor
        earlier = tuple([change for ancestor in ancestors for change in ancestor.changes])
        self.forgot = not begins_with(draft.changes, earlier)
        self.made_now = draft.changes[len(earlier) :]
        self.changes: dict[str, Change] = {}
        """By field, the first that the step made: its `before` is what an ancestor had."""
        for change in self.made_now:
            self.changes.setdefault(change.field, change)

    def check(self, place_of: Callable[[Draft], int]) -> None:
        if self.forgot:
            raise UnexplainedChange(f"{self.processor} forgot what earlier steps had changed of {self.draft.key!r}")
        for change in self.made_now:
            what = f"changed {change.field} of {self.draft.key!r}"
            check_cause(change.cause, self.processor, what, UnexplainedChange)
        self.check_body()
        self._fields_are_kept()
        moved = self.changes.get("place")
        if moved is not None and moved.before != place_of(self.ancestors[0]):
            raise UnexplainedChange(f"{self.processor} says that {self.draft.key!r} stood at {moved.before}; it didn't")

    # --- words and files

    def check_body(self) -> None:
        draft = self.draft
        if len(self.ancestors) == 1 and _are_the_same(draft.body, self.ancestors[0].body) and not self.changes:
            return
        if len(self.ancestors) == 1 and self._is_spliced_from(self.ancestors[0]):
            return
        known = _Known(self.ancestors, self.processor)
        was = _layout(str(p) if isinstance(p, Text) else p for ancestor in self.ancestors for p in ancestor.body)
        back = _layout(self._taken_back(p, known) if isinstance(p, Text) else p for p in draft.body)
        self._check_before("files", tuple([asset for ancestor in self.ancestors for asset in ancestor.assets]))
        if was == back:
            return
        words, words_back = _words(was), _words(back)
        if words != words_back:
            raise UnexplainedRewrite(
                f"{self.processor} rewrote {draft.key!r} ({first_words(self.ancestors[0])!r}) and forgot what "
                f"stood there ({_difference(words, words_back)}): use splice or sub"
            )
        if "files" not in self.changes:
            raise UnexplainedChange(
                f"{self.processor} took or moved a file of {draft.key!r} ({first_words(draft)!r}) and gives no cause: "
                f"use draft.with_body"
            )

    def _is_spliced_from(self, old: Draft) -> bool:
        """True if the texts come from signed edits of the old ones: `Text.splice` records the replaced spans itself."""
        return (
            "files" not in self.changes
            and len(self.draft.body) == len(old.body)
            and all(
                now is was
                or (isinstance(now, Text) and isinstance(was, Text) and _is_spliced_from(now, was, self.processor))
                for now, was in zip(self.draft.body, old.body, strict=True)
            )
        )

    def _taken_back(self, text: Text, known: _Known) -> str:
        """The text with this step's edits undone; raises UnexplainedRewrite for one that the step has not signed."""
        for span in text.spans:
            if span not in known:
                check_cause(
                    span.cause, self.processor, f"put {short(span.text)!r} into {self.draft.key!r}", UnexplainedRewrite
                )
        return text_before(text.spans, known.__contains__)

    # --- fields

    def _fields_are_kept(self) -> None:
        if len(self.ancestors) == 1:
            (old,) = self.ancestors
            if not self.changes and VALUES(old) == VALUES(self.draft):
                return
            for name in FIELDS:
                self._check_field(name, getattr(old, name))
            return
        for name, value in combined_fields(self.ancestors).items():
            if name not in SHARED_FIELDS:
                self._check_field(name, value)
        self._check_field("origin", self.ancestors[0].origin)
        for name in SHARED_FIELDS:
            values = tuple([getattr(ancestor, name) for ancestor in self.ancestors])
            is_one = all(value == values[0] for value in values)
            self._check_field(name, values[0] if is_one else values)

    def _check_field(self, name: str, before: Any) -> None:
        now = getattr(self.draft, name)
        if not (now is before or now == before) and name not in self.changes:
            raise UnexplainedChange(
                f"{self.processor} changed {name} of {self.draft.key!r} from {short(repr(before))} to "
                f"{short(repr(now))} and gives no cause: use draft.changed"
            )
        self._check_before(name, before)

    def _check_before(self, name: str, before: Any) -> None:
        change = self.changes.get(name)
        if change is not None and not (change.before is before or change.before == before):
            raise UnexplainedChange(
                f"{self.processor} says that {name} of {self.draft.key!r} was {short(repr(change.before))}; it wasn't"
            )


def text_before(spans: Iterable[Span], was_there: Callable[[Span], bool]) -> str:
    """The text before a step: a span that wasn't there gives back the spans it replaced, once.

    Slices of one span share what it replaced, so that is compared by identity.
    """
    out: list[str] = []
    given_back: set[int] = set()
    stack = list(spans)[::-1]
    while stack:
        span = stack.pop()
        if was_there(span):
            out.append(span.text)
        elif span.was and id(span.was) not in given_back:
            given_back.add(id(span.was))
            stack.extend(reversed(span.was))
    return "".join(out)


def _is_spliced_from(text: Text, was: Text, processor: str) -> bool:
    while text.spans is not was.spans:
        splice = text.made_by
        if splice is None or not all(_puts_words_signed_by(edit, processor) for edit in splice.edits):
            return False
        text = splice.before
    return True


def _puts_words_signed_by(edit: Edit, processor: str) -> bool:
    cause = edit.cause
    is_signed = type(cause) is Cause and cause.processor == processor and bool(cause.rule and cause.reason)
    return is_signed and isinstance(edit.new, str)


def check_text(draft: Draft, old: Draft, processor: str) -> None:
    """Raise the LawBroken that applies where undoing a step's edits of a draft's text doesn't give the old text."""
    DerivedDraft(draft, [old], processor).check_body()


# --- pieces


class _Known:
    """The spans that were there before a step and their slices: same origin, same cause, same replaced spans.

    Compared by identity first. One that is only equal, since the step made it anew, doesn't bear the step's signature.
    """

    def __init__(self, drafts: Sequence[Draft], processor: str) -> None:
        self.drafts, self.processor = drafts, processor
        self.same = {(id(s.origin), id(s.cause), id(s.was)) for draft in drafts for s in spans_of(draft)}
        self.equal: set[tuple[Origin, Cause | None, int]] | None = None

    def __contains__(self, span: Span) -> bool:
        if (id(span.origin), id(span.cause), id(span.was)) in self.same:
            return True
        if span.cause is not None and span.cause.processor == self.processor:
            return False
        if self.equal is None:
            self.equal = {(s.origin, s.cause, id(s.was)) for draft in self.drafts for s in spans_of(draft)}
        return (span.origin, span.cause, id(span.was)) in self.equal


def spans_of(draft: Draft) -> Iterator[Span]:
    return (span for part in draft.body if isinstance(part, Text) for span in part.spans)


def _layout(pieces: Iterable[str | AssetRef]) -> list[str | int]:
    """Words and files in order; neighbouring words as one, files by identity."""
    found: list[str | int] = []
    words: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            words.append(piece)
            continue
        found += [*_joined(words), id(piece)]
        words = []
    return found + _joined(words)


def _joined(words: Sequence[str]) -> list[str | int]:
    whole = "".join(words)
    return [whole] if whole else []


def _words(layout: Iterable[str | int]) -> str:
    return "".join([piece for piece in layout if isinstance(piece, str)])


def _difference(was: str, back: str) -> str:
    """The first words that are not given back, or that are too many."""
    at = next((i for i, (a, b) in enumerate(zip(was, back, strict=False)) if a != b), min(len(was), len(back)))
    lost = was[at : at + 20]
    return f"{lost!r} at character {at}" if lost else f"{back[at : at + 20]!r} is there twice"


def begins_with(row: tuple[Any, ...], start: tuple[Any, ...]) -> bool:
    return row is start or (len(row) >= len(start) and all(a is b for a, b in zip(row, start, strict=False)))


def _are_the_same(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    return a is b or (len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True)))


def first_words(draft: Draft) -> str:
    return short(str(draft.text))

"""Text with provenance: a string with the origin of each character, and what it replaced."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Protocol, Self

from ctxlab.context.portable_pickles import LEVELS, by_depth
from ctxlab.display.short_texts import short
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of characters: `kind` is node, preset, pending, summary, macro, separator, notice, lore, ..."""

    kind: str
    ref: str = ""

    def as_data(self) -> dict[str, str]:
        return {"kind": self.kind, "id": self.ref}


@dataclass(frozen=True, slots=True)
class Cause:
    """Which step put, changed or took something, by which rule, and why, in words.

    With `quotes` the characters are the origin's own words, such as an entry of lore, and `rule` is its title. `words`
    name the doer where that isn't the step, such as `macro {{char}}`; with `rewrites` it rewrote the origin's words.
    """

    processor: str
    rule: str
    reason: str = ""
    quotes: bool = False
    words: str = ""
    rewrites: bool = False

    def as_data(self) -> dict[str, str]:
        return {"processor": self.processor, "rule": self.rule, "reason": self.reason}

    def __str__(self) -> str:
        head = f"{self.processor} / {self.rule}"
        return f"{head}: {self.reason}" if self.reason else head


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """Characters with one story. `was` are the spans they replaced; a span of no characters marks a deletion."""

    text: str
    origin: Origin
    cause: Cause | None = None
    was: tuple[Span, ...] = ()

    def same_provenance(self, other: Span) -> bool:
        """Whether both have the same origin and cause and replaced the same text."""
        return (
            (self.origin is other.origin or self.origin == other.origin)
            and (self.cause is other.cause or self.cause == other.cause)
            and (self.was is other.was or self.was == other.was)
        )

    def origins(self) -> Iterator[Origin]:
        """Its origin and those of everything it replaced, back to what was typed."""
        stack: list[Span] = [self]
        seen: set[int] = set()  # parts of one span share what they replaced: without this, twice as much every edit
        while stack:
            span = stack.pop()
            yield span.origin
            if id(span.was) not in seen:
                seen.add(id(span.was))
                stack.extend(span.was)

    def as_data(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "origin": self.origin.as_data(),
            "cause": self.cause.as_data() if self.cause else None,
            "was": [span.as_data() for span in self.was],
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return Span, (self.text, self.origin, self.cause, self.was)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # strings all the way down


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters from `start` up to `end` by `new`; `origin` None keeps the origin of what is replaced."""

    start: int
    end: int
    new: str | Text
    cause: Cause
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Splice:
    """The text before some edits, and those of them that changed it, in its characters."""

    before: Text
    edits: tuple[Edit, ...]


class Match(Protocol):
    """The methods that `re` and `regex` matches share."""

    def start(self) -> int: ...
    def end(self) -> int: ...
    def group(self) -> Any: ...
    def expand(self, template: Any) -> Any: ...


class Pattern(Protocol):
    """The methods that `re` and `regex` patterns share."""

    def finditer(self, string: Any) -> Iterator[Any]: ...


class Text:
    """A string made of spans. Immutable; operations that change nothing return the same object.

    >>> typed = Text.of("hello Bob", Origin("node", "n1"))
    >>> str(typed.splice([Edit(6, 9, "Ann", Cause("regex", "names"))]))
    'hello Ann'
    """

    __slots__ = ("_joined", "_made_by", "_starts", "spans")

    spans: tuple[Span, ...]

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        _set_spans(self, _merged(spans))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Text is immutable; {name!r} can't be set")

    @classmethod
    def of(cls, text: str, origin: Origin, cause: Cause | None = None) -> Text:
        """The text as one span; an empty string gives the empty text."""
        return cls._of_spans((Span(text, origin, cause),) if text else ())

    @classmethod
    def _of_spans(cls, spans: tuple[Span, ...]) -> Text:
        """Spans that are known to be merged already."""
        made = cls.__new__(cls)
        _set_spans(made, spans)
        return made

    @classmethod
    def join(cls, separator: Text, parts: Iterable[Text]) -> Text:
        spans: list[Span] = []
        for i, part in enumerate(parts):
            if i:
                spans.extend(separator.spans)
            spans.extend(part.spans)
        return cls(spans)

    def __str__(self) -> str:
        if len(self.spans) == 1:
            return self.spans[0].text
        try:
            return self._joined
        except AttributeError:  # not computed before
            joined = "".join([span.text for span in self.spans])
            object.__setattr__(self, "_joined", joined)
            return joined

    _joined: str
    _made_by: Splice
    _starts: list[int]

    @property
    def made_by(self) -> Splice | None:
        """The splice that gave this text; None for one that was typed, cut or joined.

        `was` has what each span replaced. Only this has the order in which edits at different places came.
        """
        try:
            return self._made_by
        except AttributeError:
            return None

    def __repr__(self) -> str:
        text = str(self)
        shown = short(text)
        return f"Text({shown!r}, {len(self.spans)} spans)"

    def __len__(self) -> int:
        return len(str(self))

    def __bool__(self) -> bool:
        return len(self) > 0

    def __add__(self, other: Text) -> Text:
        if not other.spans:
            return self
        return Text((*self.spans, *other.spans)) if self.spans else other

    def starts(self) -> Sequence[int]:
        """Offset of the first character of each span."""
        try:
            return self._starts
        except AttributeError:  # not computed before
            starts = [0, *accumulate(len(span.text) for span in self.spans)][:-1]
            object.__setattr__(self, "_starts", starts)
            return starts

    def at(self, i: int) -> Span:
        """The span that holds character `i`; raises IndexError."""
        if not 0 <= i < len(self):
            raise IndexError(f"character {i} of a text of {len(self)}")
        return self.spans[bisect_right(self.starts(), i) - 1]

    def cut(self, start: int, end: int) -> Text:
        """The characters from `start` up to `end`, clamped, with their stories."""
        start, end = max(0, start), min(len(self), end)
        if start == 0 and end == len(self):
            return self
        return Text(_slice(self, start, end)) if start < end else EMPTY

    def splice(self, edits: Sequence[Edit]) -> Text:
        """All edits at once; they are in order and don't overlap. What they replace lives on in `was`.

        Linear in spans plus edits. An edit that puts the same characters back changes nothing.
        """
        if not edits:
            return self
        whole = str(self)
        done = 0
        out: list[Span] = []
        cursor = _Cursor(self.spans)
        applied: list[Edit] = []
        for edit in edits:
            if not done <= edit.start <= edit.end <= len(whole):
                raise ValueError(
                    f"edit {edit.start}:{edit.end} overlaps an earlier one or leaves a text of {len(whole)}"
                )
            new = edit.new if isinstance(edit.new, str) else str(edit.new)
            if new == whole[edit.start : edit.end] and (isinstance(edit.new, str) or not new):
                continue
            applied.append(edit)
            cursor.take(edit.start, out)
            gone: list[Span] = []
            cursor.take(edit.end, gone)
            out.extend(_written(edit, tuple(gone)))
            done = edit.end
        if not applied:
            return self
        cursor.take(len(whole), out)
        made = Text(out)
        object.__setattr__(made, "_made_by", Splice(self, tuple(applied)))
        return made

    def sub(
        self,
        pattern: Pattern,
        replacement: str | Callable[[Any], str],
        *,
        cause: Cause,
        origin: Origin | None = None,
    ) -> Text:
        """The text of `pattern.sub(replacement, str(text))`, with the replaced spans of every match."""
        edits = [
            Edit(
                match.start(),
                match.end(),
                replacement(match) if callable(replacement) else match.expand(replacement),
                cause,
                origin,
            )
            for match in pattern.finditer(str(self))
        ]
        return self.splice(edits)

    def origins(self) -> set[Origin]:
        """Every origin that had a part in this text, what was replaced included."""
        if len(self.spans) == 1 and not self.spans[0].was:
            return {self.spans[0].origin}
        return {origin for span in self.spans for origin in span.origins()}

    def as_data(self) -> list[dict[str, Any]]:
        return [span.as_data() for span in self.spans]

    def __reduce__(self) -> tuple[Any, ...]:
        deep = (*by_depth(self.spans), *self._earlier())
        return _unpickled, ((deep, self.spans) if deep else (self.spans,)), self.made_by

    def __setstate__(self, made_by: Splice) -> None:
        object.__setattr__(self, "_made_by", made_by)

    def _earlier(self) -> tuple[Text, ...]:
        """Some of the texts that this one was spliced from, oldest first, so that pickle needs little stack."""
        found: list[Text] = []
        text, steps = self, 0
        while text.made_by is not None:
            text, steps = text.made_by.before, steps + 1
            if steps % LEVELS == 0:
                found.append(text)
        return tuple(reversed(found))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def _unpickled(*rows: tuple[Any, ...]) -> Text:
    """The text of the last row of spans; the rows before it are only there to be unpickled first."""
    return Text._of_spans(rows[-1])  # pyright: ignore[reportPrivateUsage]


class _Cursor:
    """Hands out the spans of a text from front to back, each character once."""

    __slots__ = ("_at", "_index", "_offset", "_spans")

    def __init__(self, spans: tuple[Span, ...]) -> None:
        self._spans = spans
        self._index = 0  # the span that is being handed out
        self._offset = 0  # how much of it is gone
        self._at = 0  # how much of the whole text is gone

    def take(self, end: int, out: list[Span]) -> None:
        """Append everything up to character `end` of the whole text to `out`."""
        while self._index < len(self._spans):
            span = self._spans[self._index]
            rest = len(span.text) - self._offset
            if self._at + rest <= end:
                if rest or not self._offset:  # a mark of a deletion has no characters and goes along
                    out.append(_part(span, self._offset, len(span.text)))
                self._at += rest
                self._index += 1
                self._offset = 0
                continue
            if self._at < end:
                take = end - self._at
                out.append(_part(span, self._offset, self._offset + take))
                self._offset += take
                self._at = end
            return


def _part(span: Span, start: int, end: int) -> Span:
    if start == 0 and end == len(span.text):
        return span
    return Span(span.text[start:end], span.origin, span.cause, span.was)


def _slice(text: Text, start: int, end: int) -> list[Span]:
    cursor = _Cursor(text.spans)
    if start:  # a mark of a deletion belongs to the text before it, one at the very front to the front
        cursor.take(start, [])
    out: list[Span] = []
    cursor.take(end, out)
    return out


def _written(edit: Edit, gone: tuple[Span, ...]) -> list[Span]:
    """The spans an edit leaves: each remembers what was there."""
    if isinstance(edit.new, Text) and edit.new.spans:
        first, *rest = edit.new.spans
        put = Span(first.text, first.origin, first.cause or edit.cause, (*gone, *first.was))
        return [put, *(s if s.cause else Span(s.text, s.origin, edit.cause, s.was) for s in rest)]
    origin = edit.origin or (gone[0].origin if gone else Origin("made", edit.cause.processor))
    new = edit.new if isinstance(edit.new, str) else ""
    return [Span(new, origin, edit.cause, gone)]


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Neighbours with equal stories become one; spans that say nothing go."""
    out: list[Span] = []
    run: list[str] = []
    head: Span | None = None
    for span in spans:
        if not span.text and not span.was:
            continue
        if head is not None and head.same_provenance(span):
            run.append(span.text)
            continue
        if head is not None:
            out.append(head if len(run) == 1 else Span("".join(run), head.origin, head.cause, head.was))
        head, run = span, [span.text]
    if head is not None:
        out.append(head if len(run) == 1 else Span("".join(run), head.origin, head.cause, head.was))
    return tuple(out)


_set_spans = Text.spans.__set__  # pyright: ignore[reportAttributeAccessIssue,reportUnknownVariableType]  (the slot)

EMPTY = Text()

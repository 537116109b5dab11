"""A string that knows which leaf of the input each of its characters is from.

Templates work on it as on any string: what they slice, strip, split, join or replace keeps its source.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import index
from typing import Any, NamedTuple, Self, SupportsIndex, cast

from ctxlab.engines.chat_templates.jinja.limits import MOST_CHARACTERS, TemplateTooLarge


class Run(NamedTuple):
    """So many characters of a leaf from `start` on; with `whole` all of them are written for the one at `start`."""

    length: int
    leaf: int
    start: int
    whole: bool = False


def _cut_run(run: Run, start: int, length: int) -> Run:
    return Run(length, run.leaf, run.start, True) if run.whole else Run(length, run.leaf, run.start + start)


class TracedString(str):
    """A str with the runs of its characters; `leaf` numbers are those of the one who traces."""

    _runs: tuple[Run, ...]

    def __new__(cls, text: str = "", runs: tuple[Run, ...] | None = None) -> Self:
        made = str.__new__(cls, text)
        made._runs = runs_of(str.__str__(text)) if runs is None else runs
        return made

    @classmethod
    def of(cls, text: str, leaf: int) -> TracedString:
        """A text that is a leaf."""
        return cls(text, (Run(len(text), leaf, 0),) if text else ())

    def __str__(self) -> str:
        return self

    def __add__(self, other: str) -> TracedString:
        if isinstance(other, TracedMarkup):
            return other.__radd__(self)
        if type(other) is TracedString and self._runs and other._runs and self._runs[-1].leaf != other._runs[0].leaf:
            return TracedString(str.__add__(self, other), self._runs + other._runs)
        return joined((self, other)) if isinstance(other, str) else NotImplemented  # pyright: ignore[reportUnnecessaryIsInstance]

    def __radd__(self, other: str) -> TracedString:
        return joined((other, self)) if isinstance(other, str) else NotImplemented  # pyright: ignore[reportUnnecessaryIsInstance]

    def __mul__(self, times: SupportsIndex) -> TracedString:  # pyright: ignore[reportIncompatibleMethodOverride]
        return joined([self] * int(times))

    __rmul__ = __mul__  # pyright: ignore[reportAssignmentType]

    def __getitem__(self, key: SupportsIndex | slice) -> TracedString:
        size = len(self)
        if isinstance(key, slice):
            start, end, step = key.indices(size)
            if step == 1:
                return self._cut(start, max(start, end))
            return joined([self._cut(at, at + 1) for at in range(start, end, step)])
        at = index(key)
        at = at + size if at < 0 else at
        if not 0 <= at < size:
            raise IndexError("string index out of range")
        return self._cut(at, at + 1)

    def __iter__(self) -> Iterator[str]:
        return (self._cut(at, at + 1) for at in range(len(self)))

    def _cut(self, start: int, end: int) -> TracedString:
        if start == 0 and end == len(self):
            return self
        found: list[Run] = []
        at = 0
        for run in self._runs:
            low, high = max(start, at), min(end, at + run.length)
            if low < high:
                found.append(_cut_run(run, low - at, high - low))
            at += run.length
            if at >= end:
                break
        return TracedString(str.__getitem__(self, slice(start, end)), tuple(found))

    # --- the methods of str that templates call

    def lstrip(self, chars: str | None = None) -> TracedString:
        return self._cut(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None) -> TracedString:
        return self._cut(0, len(str.rstrip(self, chars)))

    def strip(self, chars: str | None = None) -> TracedString:
        return self.lstrip(chars).rstrip(chars)

    def removeprefix(self, prefix: str) -> TracedString:
        return self._cut(len(prefix), len(self)) if self.startswith(prefix) else self

    def removesuffix(self, suffix: str) -> TracedString:
        return self._cut(0, len(self) - len(suffix)) if suffix and self.endswith(suffix) else self

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._parts(str.split(self, sep, maxsplit), sep)

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._parts(str.rsplit(self, sep, maxsplit), sep)

    def splitlines(self, keepends: bool = False) -> list[str]:  # noqa: FBT001, FBT002  # pyright: ignore[reportIncompatibleMethodOverride]
        found: list[str] = []
        at = 0
        for whole, bare in zip(str.splitlines(self, keepends=True), str.splitlines(self), strict=True):
            found.append(self._cut(at, at + len(whole if keepends else bare)))
            at += len(whole)
        return found

    def _parts(self, plain: list[str], sep: str | None) -> list[str]:
        """The parts of a split at their places: behind each other with a separator of a known length, else found."""
        found: list[str] = []
        at = 0
        for part in plain:
            start = at if sep is not None else str.find(self, part, at)
            found.append(self._cut(start, start + len(part)))
            at = start + len(part) + len(sep or "")
        return found

    def partition(self, sep: str) -> tuple[str, str, str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        at = str.find(self, sep)
        return (self, EMPTY, EMPTY) if at < 0 else self._around(at, len(sep))

    def rpartition(self, sep: str) -> tuple[str, str, str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        at = str.rfind(self, sep)
        return (EMPTY, EMPTY, self) if at < 0 else self._around(at, len(sep))

    def _around(self, at: int, size: int) -> tuple[TracedString, TracedString, TracedString]:
        return self._cut(0, at), self._cut(at, at + size), self._cut(at + size, len(self))

    def replace(self, old: str, new: str, count: SupportsIndex = -1) -> TracedString:  # pyright: ignore[reportIncompatibleMethodOverride]
        left = int(count)
        places = str.count(self, old) if left < 0 else min(left, str.count(self, old))
        if not places:
            return self
        found: list[str] = []
        at = 0
        for _ in range(places):
            start = str.find(self, old, at) if old else at
            found += [self._cut(at, start), new]
            if not old:
                found.append(self._cut(at, at + 1))
            at = start + (len(old) or 1)
        return joined([*found, self._cut(at, len(self))])

    def _in_case(self, change: Callable[[str], str]) -> TracedString:
        text = change(self)
        return (
            TracedString(text, self._runs)
            if len(text) == len(self)
            else joined(
                [
                    TracedString(each, (Run(len(each), *_place(one), True),))
                    for one in self
                    if (each := change(str.__str__(one)))
                ]
            )
        )

    def upper(self) -> TracedString:
        return self._in_case(str.upper)

    def lower(self) -> TracedString:
        return self._in_case(str.lower)

    def capitalize(self) -> TracedString:
        return self._in_case(str.capitalize)

    def title(self) -> TracedString:
        return self._in_case(str.title)

    def join(self, iterable: Iterable[str]) -> TracedString:  # pyright: ignore[reportIncompatibleMethodOverride]
        found: list[str] = []
        for number, part in enumerate(iterable):
            if not isinstance(part, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f"sequence item {number}: expected str instance, {type(part).__name__} found")
            if number and self:
                found.append(self)
            found.append(part)
        return joined(found)


def _place(character: str) -> tuple[int, int]:
    run = runs_of(character)[0]
    return run.leaf, run.start


class TracedMarkup(TracedString):
    """A text that the filter `safe` has let through: as markupsafe does it, what is added to it is escaped for HTML."""

    def __add__(self, other: str) -> TracedString:
        return TracedMarkup(*_whole(self, other if isinstance(other, TracedMarkup) else _escaped_for_html(other)))

    def __radd__(self, other: str) -> TracedString:
        return TracedMarkup(*_whole(_escaped_for_html(other), self))


HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;"}


def _whole(one: str, other: str) -> tuple[str, tuple[Run, ...]]:
    found = joined((one, other))
    return str.__str__(found), found._runs  # pyright: ignore[reportPrivateUsage]


def _escaped_for_html(text: str) -> str:
    found = text if isinstance(text, TracedString) else TracedString.of(text, -1)
    if not any(character in HTML for character in str.__str__(found)):
        return found
    return joined(
        [
            TracedString(HTML[each], (Run(len(HTML[each]), *_place(each), True),)) if each in HTML else each
            for each in found
        ]
    )


def runs_of(text: str) -> tuple[Run, ...]:
    """The runs of a string; one that isn't traced is of no leaf."""
    if isinstance(text, TracedString):
        return text._runs  # pyright: ignore[reportPrivateUsage]
    return (Run(len(text), -1, 0),) if text else ()


EMPTY = TracedString("", ())


def joined(parts: Sequence[str]) -> TracedString:
    """Strings behind each other; runs that follow each other in one leaf become one."""
    found: list[Run] = []
    for part in parts:
        runs = runs_of(part)
        if found and runs and found[-1].leaf == runs[0].leaf:
            last = _merged(found[-1], runs[0])
            if last is not None:
                found[-1] = last
                runs = runs[1:]
        found += runs
    text = _PLAIN(parts)
    if len(text) > MOST_CHARACTERS:
        raise TemplateTooLarge
    return TracedString(text, tuple(found))


_PLAIN = "".join


def _merged(one: Run, other: Run) -> Run | None:
    """Two runs of a leaf as one, where the second goes on with the first."""
    if one.whole or other.whole or (one.leaf != -1 and one.start + one.length != other.start):
        return None
    return Run(one.length + other.length, one.leaf, one.start)


def traced_json(value: Any, *, ensure_ascii: bool, indent: int | None, separators: Any, sort_keys: bool) -> str:
    """A value as JSON, in which the characters of its strings keep their sources, escaped or not."""
    leaves: list[TracedString] = []

    def marked(each: Any) -> Any:
        if isinstance(each, TracedString):
            leaves.append(each)
            return f"{_MARK}{len(leaves) - 1}{_MARK}"
        if isinstance(each, Mapping):
            fields = cast("Mapping[Any, Any]", each)
            items = sorted(fields.items()) if sort_keys else fields.items()
            return {marked(name): marked(member) for name, member in items}
        if isinstance(each, list | tuple):
            return [marked(member) for member in cast("Sequence[Any]", each)]
        return each

    text = json.dumps(marked(value), ensure_ascii=False, indent=indent, separators=separators)
    if not leaves:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    found: list[str] = []
    for number, part in enumerate(text.split(_MARK)):
        if number % 2 == 0:
            found.append(part)
        else:
            found += _escaped(leaves[int(part)], ascii_only=ensure_ascii)
    return joined(found)


_MARK = "\ue000"
"""A character of private use that stands around the number of a string; it is in no message that is traced."""


def _escaped(text: TracedString, *, ascii_only: bool) -> list[str]:
    plain = str.__str__(text)
    if len(json.dumps(plain, ensure_ascii=ascii_only)) == len(text) + 2:
        return [text]
    found: list[str] = []
    for character in text:
        written = json.dumps(str.__str__(character), ensure_ascii=ascii_only)[1:-1]
        is_same = len(written) == 1
        found.append(character if is_same else TracedString(written, (Run(len(written), *_place(character), True),)))
    return found

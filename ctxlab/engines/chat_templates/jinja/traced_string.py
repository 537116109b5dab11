"""A string that knows which leaf of the input each of its characters is from.

Templates work on it as on any string: what they slice, strip, split, join or replace keeps its source. The characters
of a result are those that `str` gives for the same call, so that a text is never another one because it is traced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import index
from typing import NamedTuple, Self, SupportsIndex

from ctxlab.engines.chat_templates.jinja.limits import MOST_CHARACTERS, TemplateTooLarge, check_count, check_replace


class Run(NamedTuple):
    """So many characters of a leaf from `start` on; with `whole` all of them are written for the one at `start`."""

    length: int
    leaf: int
    start: int
    whole: bool = False


Runs = tuple[Run, ...]


def _cut_run(run: Run, start: int, length: int) -> Run:
    return Run(length, run.leaf, run.start, True) if run.whole else Run(length, run.leaf, run.start + start)


class TracedString(str):
    """A str with the runs of its characters; `leaf` numbers are those of the one who traces."""

    __slots__ = ("_runs",)
    _runs: Runs

    def __new__(cls, text: str = "", runs: Runs | None = None) -> Self:
        made = str.__new__(cls, text)
        made._runs = runs_of(str.__str__(text)) if runs is None else runs
        return made

    def __str__(self) -> str:
        return self

    def __add__(self, other: str, /) -> TracedString:
        if isinstance(other, TracedMarkup):
            return other.__radd__(self)
        if type(other) is TracedString:
            mine, theirs = self._runs, other._runs
            if mine and theirs and mine[-1].leaf != theirs[0].leaf:
                return _made(_ADD(self, other), mine + theirs)
        return joined((self, other)) if isinstance(other, str) else NotImplemented  # pyright: ignore[reportUnnecessaryIsInstance]

    def __radd__(self, other: str, /) -> TracedString:
        return joined((other, self)) if isinstance(other, str) else NotImplemented  # pyright: ignore[reportUnnecessaryIsInstance]

    def __mul__(self, times: SupportsIndex, /) -> TracedString:  # pyright: ignore[reportIncompatibleMethodOverride]
        return joined([self] * index(times))

    __rmul__ = __mul__  # pyright: ignore[reportAssignmentType]

    def __getitem__(self, key: SupportsIndex | slice, /) -> TracedString:
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
        check_count(len(self))
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
        return _made(str.__getitem__(self, slice(start, end)), tuple(found))

    # --- the methods of str that templates call

    def lstrip(self, chars: str | None = None, /) -> TracedString:
        return self._cut(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> TracedString:
        return self._cut(0, len(str.rstrip(self, chars)))

    def strip(self, chars: str | None = None, /) -> TracedString:
        return self.lstrip(chars).rstrip(chars)

    def removeprefix(self, prefix: str, /) -> TracedString:
        return self._cut(len(self) - len(str.removeprefix(self, prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> TracedString:
        return self._cut(0, len(str.removesuffix(self, suffix)))

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
        check_count(len(plain))
        found: list[str] = []
        at = 0
        for part in plain:
            start = at if sep is not None else str.find(self, part, at)
            found.append(self._cut(start, start + len(part)))
            at = start + len(part) + len(sep or "")
        return found

    def partition(self, sep: str, /) -> tuple[str, str, str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._around(str.partition(self, sep))

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._around(str.rpartition(self, sep))

    def _around(self, parts: tuple[str, str, str]) -> tuple[TracedString, TracedString, TracedString]:
        at, end = len(parts[0]), len(parts[0]) + len(parts[1])
        return self._cut(0, at), self._cut(at, end), self._cut(end, len(self))

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> TracedString:  # pyright: ignore[reportIncompatibleMethodOverride]
        check_replace(self, old, new)
        text = str.replace(self, old, new, count)
        left, places = index(count), str.count(self, old)
        found: list[str] = []
        at = 0
        for _ in range(places if left < 0 else min(left, places)):
            start = str.find(self, old, at) if old else at
            found += [self._cut(at, start), new]
            if not old:
                found.append(self._cut(at, at + 1))
            at = start + (len(old) or 1)
        return with_text(text, joined([*found, self._cut(at, len(self))])) if found else self

    def _in_case(self, change: Callable[[str], str]) -> TracedString:
        text = change(self)
        if len(text) == len(self):
            return _made(text, self._runs)
        each_alone = [(change(str.__str__(one)), _place(one)) for one in self]
        runs = tuple(Run(len(written), *place, True) for written, place in each_alone if written)
        return with_text(text, _made("".join(written for written, _ in each_alone), runs))

    def upper(self) -> TracedString:
        return self._in_case(str.upper)

    def lower(self) -> TracedString:
        return self._in_case(str.lower)

    def capitalize(self) -> TracedString:
        return self._in_case(str.capitalize)

    def title(self) -> TracedString:
        return self._in_case(str.title)

    def join(self, iterable: Iterable[str], /) -> TracedString:  # pyright: ignore[reportIncompatibleMethodOverride]
        found: list[str] = []
        for number, part in enumerate(iterable):
            if not isinstance(part, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f"sequence item {number}: expected str instance, {type(part).__name__} found")
            if number and self:
                found.append(self)
            found.append(part)
        return joined(found)


_ADD = str.__add__
_NEW = str.__new__


def _made(text: str, runs: Runs) -> TracedString:
    """A traced string; the shortest way to one."""
    made = _NEW(TracedString, text)
    made._runs = runs  # pyright: ignore[reportPrivateUsage]
    return made


def leaf_string(text: str, leaf: int) -> TracedString:
    """A text that is a leaf."""
    return _made(text, (Run(len(text), leaf, 0),) if text else ())


def with_text(text: str, like: TracedString) -> TracedString:
    """A text with the runs of another; where that has other characters, nobody knows its own."""
    return like if str.__eq__(text, like) is True else leaf_string(text, -1)


def _place(character: str) -> tuple[int, int]:
    run = runs_of(character)[0]
    return run.leaf, run.start


class TracedMarkup(TracedString):
    """A text that the filter `safe` has let through: as markupsafe does it, what is added to it is escaped for HTML."""

    __slots__ = ()

    def __add__(self, other: str, /) -> TracedString:
        return TracedMarkup(*_whole(self, other if isinstance(other, TracedMarkup) else _escaped_for_html(other)))

    def __radd__(self, other: str, /) -> TracedString:
        return TracedMarkup(*_whole(_escaped_for_html(other), self))


HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;"}


def _whole(one: str, other: str) -> tuple[str, Runs]:
    found = joined((one, other))
    return str.__str__(found), found._runs  # pyright: ignore[reportPrivateUsage]


def _escaped_for_html(text: str) -> str:
    found = text if isinstance(text, TracedString) else leaf_string(text, -1)
    if not any(character in HTML for character in str.__str__(found)):
        return found
    return joined(
        [
            TracedString(HTML[each], (Run(len(HTML[each]), *_place(each), True),)) if each in HTML else each
            for each in found
        ]
    )


def runs_of(text: str) -> Runs:
    """The runs of a string; one that isn't traced is of no leaf."""
    if isinstance(text, TracedString):
        return text._runs  # pyright: ignore[reportPrivateUsage]
    return (Run(len(text), -1, 0),) if text else ()


EMPTY = leaf_string("", -1)


def joined(parts: Sequence[str]) -> TracedString:
    """Strings behind each other; runs that follow each other in one leaf become one."""
    if sum(map(len, parts)) > MOST_CHARACTERS:
        raise TemplateTooLarge
    found: list[Run] = []
    for part in parts:
        runs = runs_of(part)
        if found and runs and found[-1].leaf == runs[0].leaf:
            last = _merged(found[-1], runs[0])
            if last is not None:
                found[-1] = last
                runs = runs[1:]
        found += runs
    return _made(_PLAIN(parts), tuple(found))


_PLAIN = "".join


def _merged(one: Run, other: Run) -> Run | None:
    """Two runs of a leaf as one, where the second goes on with the first."""
    if one.whole or other.whole or (one.leaf != -1 and one.start + one.length != other.start):
        return None
    return Run(one.length + other.length, one.leaf, one.start)

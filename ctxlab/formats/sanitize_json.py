"""Data that UTF-8 JSON can hold: what it can't is replaced, with a loss for every field."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

LONE_SURROGATE = lazy_pattern("[\ud800-\udfff]")
DEEPEST = 2000
ATOMS = frozenset({bool, int, type(None)})


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of the way to a value; the way is put into words only when there is something to say."""

    before: _Step | None
    key: str | int
    depth: int


def sanitized(data: Any, *, place: str = "") -> tuple[Any, list[Loss]]:
    """The data with plain JSON types only: no lone surrogates, no NaN, no infinity, no foreign objects.

    Data that has nothing else is given back itself, anything else as a copy.
    Raises RecursionError when the data is deeper than 2,000 levels, or holds itself.
    """
    if _is_plain(data):
        return data, []
    cleaner = _Cleaner(place)
    return cleaner.whole(data), cleaner.losses


def _is_plain(data: Any) -> bool:
    """Whether there is nothing to be replaced in the data, as in nearly all that comes from JSON."""
    waiting: list[tuple[Any, int]] = [({"": data}, 0)]
    while waiting:
        holder, depth = waiting.pop()
        if depth > DEEPEST:
            return False
        values: Iterable[Any] = holder
        if type(holder) is dict:
            if not all(map(_is_text, cast("dict[Any, Any]", holder))):
                return False
            values = cast("dict[Any, Any]", holder).values()
        for value in values:
            kind = type(value)
            if kind is dict or kind is list:
                waiting.append((value, depth + 1))
            elif not (_is_text(value) if kind is str else math.isfinite(value) if kind is float else kind in ATOMS):
                return False
    return True


def _is_text(value: Any) -> bool:
    return type(value) is str and (value.isascii() or LONE_SURROGATE.search(value) is None)


class _Cleaner:
    """Goes through data with a stack of its own: trees of replies can be deeper than Python's stack."""

    def __init__(self, place: str) -> None:
        self.losses: list[Loss] = []
        self._place = place
        self._waiting: list[tuple[Any, Any, Any, _Step | None]] = []

    def whole(self, data: Any) -> Any:
        holder: list[Any] = [None]
        self._waiting.append((data, holder, 0, None))
        while self._waiting:
            value, holding, key, step = self._waiting.pop()
            holding[key] = self._clean(value, step)
        return holder[0]

    def _clean(self, value: Any, step: _Step | None) -> Any:
        if isinstance(value, str):
            return self._text(value, step)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return self._number(value, step)
        if isinstance(value, BaseModel):
            value = value.model_dump(mode="json", by_alias=True, exclude_none=True)
        if isinstance(value, Mapping):
            return self._object(cast("Mapping[Any, Any]", value), step)
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            items = cast("Sequence[Any]", value)
            return self._filled([None] * len(items), enumerate(items), step)
        self._lose(step, f"{type(value).__name__} is no JSON value; its text is used")
        return self._text(str(value), step)

    def _object(self, items: Mapping[Any, Any], step: _Step | None) -> dict[str, Any]:
        pairs = [(self._text(key if isinstance(key, str) else str(key), step), value) for key, value in items.items()]
        return self._filled(dict.fromkeys(key for key, _ in pairs), pairs, step)

    def _filled(self, copy: Any, pairs: Iterable[tuple[Any, Any]], step: _Step | None) -> Any:
        depth = step.depth + 1 if step else 1
        if depth > DEEPEST:
            raise RecursionError(f"deeper than {DEEPEST:,} levels")
        later: list[tuple[Any, Any, Any, _Step | None]] = []
        for key, value in pairs:
            if value is None or (isinstance(value, str) and value.isascii()):
                copy[key] = value
            else:
                later.append((value, copy, key, _Step(step, key, depth)))
        self._waiting.extend(reversed(later))
        return copy

    def _number(self, value: float, step: _Step | None) -> float | None:
        if math.isfinite(value):
            return value
        self._lose(step, f"{value} is no JSON value; null is used")
        return None

    def _text(self, text: str, step: _Step | None) -> str:
        found = None if text.isascii() else LONE_SURROGATE.search(text)
        if found is None:
            return text
        mended, count = LONE_SURROGATE.subn("\ufffd", text)
        what = "a lone surrogate was" if count == 1 else f"{count} lone surrogates were"
        self._lose(step, f"{what} replaced by U+FFFD", at=f", character {found.start()}")
        return mended

    def _lose(self, step: _Step | None, text: str, *, at: str = "") -> None:
        self.losses.append(Loss(_where(self._place, step) + at, text))


def _where(place: str, step: _Step | None) -> str:
    """A person's words for a way through the data: nodes by their id, the rest as in a program."""
    steps: list[str | int] = []
    while step is not None:
        steps.append(step.key)
        step = step.before
    steps.reverse()
    shown = _dotted(steps)
    if "nodes" in steps[:-2]:
        at = steps.index("nodes")
        shown = f"node {steps[at + 1]!r} {_dotted(steps[at + 2 :])}"
    return ", ".join(part for part in (place, LONE_SURROGATE.sub("\ufffd", shown)) if part) or "the data"


def _dotted(steps: Sequence[str | int]) -> str:
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return shown.removeprefix(".")

"""Shapes of JSON values as a vendor's form has them, and the places where a body has another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol, cast

from ctxlab.display.short_texts import short
from ctxlab.errors import did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Problem

Found = list[Problem]


class Shape(Protocol):
    """A form of values. `look` adds the problems of a value to a list; True: the value has this shape."""

    def look(self, value: Any, at: JsonPath, found: Found) -> bool: ...


@dataclass(frozen=True, slots=True)
class Words:
    """A text, with at least `least` and at most `most` characters."""

    least: int = 0
    most: int | None = None

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        if not isinstance(value, str):
            return _wrong(value, "a text", at, found)
        if len(value) < self.least:
            found.append(
                Problem(at, "empty-value", "this text is empty", "write something here, or leave the field out")
            )
        elif self.most is not None and len(value) > self.most:
            reason = f"this text has {len(value):,} characters, at most {self.most:,} are taken"
            found.append(Problem(at, "too-long", reason, f"shorten it to {self.most:,} characters"))
        return True


@dataclass(frozen=True, slots=True)
class Number:
    """A number from `least` to `most`; `whole` without a fraction."""

    least: float | None = None
    most: float | None = None
    whole: bool = False

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not isinstance(value, int | float) or (self.whole and not is_whole):
            return _wrong(value, "a whole number" if self.whole else "a number", at, found)
        low = self.least is not None and value < self.least
        if low or (self.most is not None and value > self.most) or value != value:
            reason = f"{value:,} is out of range, which is {self._range()}"
            found.append(Problem(at, "range", reason, f"take a value in the range {self._range()}"))
        return True

    def _range(self) -> str:
        if self.most is None:
            return f"{self.least:,} and more"
        return f"{self.least:,} to {self.most:,}" if self.least is not None else f"up to {self.most:,}"


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        return isinstance(value, bool) or _wrong(value, "true or false", at, found)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words; without `exact` in capitals or small letters."""

    words: tuple[str, ...]
    exact: bool = True

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        if not isinstance(value, str):
            return _wrong(value, "a text", at, found)
        if value in self.words or (not self.exact and value.upper() in self.words):
            return True
        known = ", ".join(repr(word) for word in self.words)
        reason = f"{short(value)!r} is none of the values that are taken{did_you_mean(value, list(self.words))}"
        found.append(Problem(at, "choice", reason, f"take one of {known}"))
        return False


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value; with `kind` an object or a list of any content."""

    kind: type | None = None

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        if self.kind is None or isinstance(value, self.kind):
            return True
        return _wrong(value, "an object" if self.kind is dict else "a list", at, found)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of values of one shape; with `lone` a single value stands for a list of one."""

    each: Shape
    least: int = 0
    most: int | None = None
    lone: bool = False

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        if self.lone and isinstance(value, dict):
            return self.each.look(value, at, found)
        if not isinstance(value, list | tuple):
            return _wrong(value, "a list", at, found)
        items = cast("Sequence[Any]", value)
        if len(items) < self.least:
            found.append(Problem(at, "empty-value", "this list is empty", "put something into it, or leave it out"))
        elif self.most is not None and len(items) > self.most:
            reason = f"this list has {len(items):,} values, at most {self.most:,} are taken"
            found.append(Problem(at, "too-many", reason, f"take away all but {self.most:,}"))
        look = self.each.look
        for i, item in enumerate(items):
            look(item, (*at, i), found)
        return True


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with known fields. Those of `optional` may be null; `others` gives fields of a free name a pass.

    `alias` gives a field's other spelling its name.
    """

    required: Mapping[str, Shape] = field(default_factory=dict[str, Any])
    optional: Mapping[str, Shape] = field(default_factory=dict[str, Any])
    others: bool = False
    alias: Mapping[str, str] = field(default_factory=dict[str, str])

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        if not isinstance(value, dict):
            return _wrong(value, "an object", at, found)
        own = cast("Mapping[str, Any]", value)
        missing = len(self.required)
        for name, item in own.items():
            known = self.alias.get(name, name)
            shape = self.required.get(known)
            if shape is not None:
                missing -= 1
                shape.look(item, (*at, name), found)
                continue
            shape = self.optional.get(known)
            if shape is not None:
                if item is not None:
                    shape.look(item, (*at, name), found)
            elif not self.others:
                self._unknown(name, at, found)
        if missing > 0:
            self._missing(own, at, found)
        return True

    def _unknown(self, name: str, at: JsonPath, found: Found) -> None:
        hint = did_you_mean(str(name), [*self.required, *self.optional])
        reason = f"there is no field {short(str(name))!r} here{hint}"
        found.append(Problem((*at, name), "unknown-field", reason, "leave it out"))

    def _missing(self, own: Mapping[str, Any], at: JsonPath, found: Found) -> None:
        there = {self.alias.get(name, name) for name in own}
        for name in self.required:
            if name not in there:
                found.append(Problem(at, "missing-field", f"the field {name!r} is missing", f"write {name!r}"))


@dataclass(frozen=True, slots=True)
class Tagged:
    """An object whose field `tag` says which of several shapes it has; `otherwise` is that of unknown tags."""

    tag: str
    cases: Mapping[str, Shape]
    otherwise: Shape | None = None

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        if not isinstance(value, dict):
            return _wrong(value, "an object", at, found)
        own = cast("Mapping[str, Any]", value)
        if self.tag not in own:
            if self.otherwise is not None:
                return self.otherwise.look(value, at, found)
            found.append(Problem(at, "missing-field", f"the field {self.tag!r} is missing", f"write {self.tag!r}"))
            return False
        name = own[self.tag]
        case = self.cases.get(name) if isinstance(name, str) else None
        if case is not None:
            return case.look(value, at, found)
        if self.otherwise is not None:
            return self.otherwise.look(value, at, found)
        known = ", ".join(repr(word) for word in self.cases)
        reason = f"{short(repr(name))} is no known {self.tag} here"
        found.append(Problem((*at, self.tag), "choice", reason, f"take one of {known}"))
        return False


@dataclass(frozen=True, slots=True)
class TextOr:
    """A text, or a value of another shape."""

    other: Shape
    words: Words = Words()

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        return self.words.look(value, at, found) if isinstance(value, str) else self.other.look(value, at, found)


def _wrong(value: object, wanted: str, at: JsonPath, found: Found) -> bool:
    found.append(Problem(at, "type", f"this is {_kind(value)}, and {wanted} is wanted", f"write {wanted} here"))
    return False


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, int | float):
        return "a number"
    return "an object" if isinstance(value, dict) else "a list" if isinstance(value, list | tuple) else "no JSON"

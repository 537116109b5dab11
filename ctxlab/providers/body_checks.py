"""Checks of a plain JSON body: problems as they are found, and fields with the values that they take."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field
from typing import Any, Literal, cast

from ctxlab.display.short_texts import nearest, short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Fix, Problem
from ctxlab.providers.unwritable import written_size

Json = Mapping[str, Any]


@dataclass(slots=True, eq=False)
class Findings:
    """The problems of one body, in its order. `vendor` is named in their sentences.

    With `lenient` it isn't known what the vendor takes beyond: an unknown field is a warning.
    """

    vendor: str
    lenient: bool = False
    found: list[Problem] = field(default_factory=list[Problem])

    def add(
        self,
        path: JsonPath,
        rule: str,
        reason: str,
        mend: str,
        *,
        level: Literal["error", "warning"] = "error",
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Record a problem."""
        self.found.append(Problem(path, rule, reason, mend, level, fixes))


@dataclass(frozen=True, slots=True)
class Value:
    """The values that a field takes; `wanted` says them in words."""

    wanted: str
    takes: Callable[[Any], bool]


def number(low: float, high: float) -> Value:
    """A number in a range."""
    return Value(
        f"a number from {low:g} to {high:g}",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high,
    )


def whole(low: int, high: int | None = None) -> Value:
    """A whole number in a range."""
    wanted = f"a whole number from {low} to {high}" if high is not None else f"a whole number of at least {low}"
    return Value(
        wanted,
        lambda value: (
            isinstance(value, int) and not isinstance(value, bool) and low <= value and (high is None or value <= high)
        ),
    )


def one_of(*names: str) -> Value:
    """One of some words."""
    return Value(f"one of {', '.join(map(repr, names))}", lambda value: isinstance(value, str) and value in names)


def text(most: int | None = None, *, least: int = 0) -> Value:
    """A text, up to a number of characters."""
    wanted = "a text" if not least else "a text that isn't empty"
    wanted = f"{wanted} of up to {most} characters" if most is not None else wanted
    return Value(
        wanted, lambda value: isinstance(value, str) and least <= len(value) and (most is None or len(value) <= most)
    )


def matching(pattern: str, wanted: str) -> Value:
    """A text that a pattern fits as a whole."""
    compiled = re.compile(pattern)
    return Value(wanted, lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None)


def or_null(value: Value) -> Value:
    """A value, or null."""
    return Value(f"{value.wanted}, or null", lambda given: given is None or value.takes(given))


def texts(most: int | None = None) -> Value:
    """An array of texts."""
    wanted = "an array of texts" if most is None else f"an array of up to {most} texts"
    return Value(
        wanted,
        lambda value: (
            isinstance(value, list)
            and (most is None or len(cast("list[Any]", value)) <= most)
            and all(isinstance(item, str) for item in cast("list[Any]", value))
        ),
    )


BOOLEAN = Value("true or false", lambda value: isinstance(value, bool))
OBJECT = Value("an object", lambda value: isinstance(value, dict))
ARRAY = Value("an array", lambda value: isinstance(value, list))
ANYTHING = Value("any value", lambda value: True)


def shown(value: Any) -> str:
    """A value in a few characters; of a long text, an array or an object what it is."""
    match value:
        case str():
            return repr(value) if len(value) <= 40 else f"a text of {len(value):,} characters"
        case list():
            return f"an array of {len(cast('list[Any]', value)):,}"
        case dict():
            return "an object"
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return short(str(value))


def check_fields(
    body: Json,
    fields: Mapping[str, Value],
    at: JsonPath,
    findings: Findings,
    *,
    required: Iterable[str] = (),
    extra: Collection[str] = (),
    what: str = "",
) -> None:
    """Record unknown fields of an object, values that its fields don't take, and required fields that aren't there."""
    place = what or "the request"
    for name, value in body.items():
        known = fields.get(name)
        if known is None:
            if name not in extra:
                unknown_field(name, fields, at, findings, place)
        elif not known.takes(value):
            reason = f"{findings.vendor} takes {known.wanted} here, and it is {shown(value)}"
            findings.add((*at, name), "field-value", reason, f"give {known.wanted}")
    for name in required:
        if name not in body:
            reason = f"{findings.vendor} wants the field {name!r} in {place}, and it isn't there"
            findings.add((*at, name), "field-missing", reason, f"give {name} {fields[name].wanted}")


def unknown_field(name: str, known: Collection[str], at: JsonPath, findings: Findings, place: str) -> None:
    """Record a field that the vendor doesn't know; to one that takes more than is known it is a warning."""
    near = nearest(name, sorted(known))
    if findings.lenient:
        reason = f"{short(name)!r} is no field of OpenAI's form in {place}; some servers refuse it"
    else:
        reason = f"{findings.vendor} knows no field {short(name)!r} in {place}{near}"
    level = "warning" if findings.lenient else "error"
    findings.add((*at, name), "field-unknown", reason, "leave it out", level=level)


def is_object(value: object, at: JsonPath, findings: Findings, what: str) -> bool:
    """Whether a value is an object; otherwise a problem is recorded."""
    if isinstance(value, dict):
        return True
    reason = f"{what} is an object, and this is {shown(value)}"
    findings.add(at, "field-value", reason, "make it an object with its fields, or take it out")
    return False


def check_size(body: Json, most_bytes: int, findings: Findings) -> None:
    """Record a body that is larger than the vendor takes, or that can't be written as JSON in UTF-8."""
    size = written_size(body)
    if isinstance(size, Problem):
        findings.add(size.path, "text-encoding", size.reason, size.mend)
        return
    if size > most_bytes:
        reason = f"the request has {size:,} bytes, and {findings.vendor} takes up to {most_bytes:,}"
        findings.add((), "request-size", reason, "send fewer or smaller files")

"""Checks of JSON values by their shape, put together from small ones; each reports to a `Report` at its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ctxlab.testing.fake_server.refusal import Path, Report

Check = Callable[[Any, Path, Report], None]
MOST_SHOWN = 40


def shown(value: Any) -> str:
    """A value in a sentence: a text or number as it is, cut; of lists and objects the kind alone."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    written = json.dumps(value, ensure_ascii=False)
    return written if len(written) <= MOST_SHOWN else f"{written[:MOST_SHOWN]}…"


def as_text(value: Any) -> str:
    """The value where it is a text, else an empty one: for the rules that look beyond shapes."""
    return value if isinstance(value, str) else ""


def anything(value: Any, path: Path, report: Report) -> None:
    """Any value passes."""


def _of_type(words: str, fits: Callable[[Any], bool]) -> Callable[[Any, Path, Report], bool]:
    def check(value: Any, path: Path, report: Report) -> bool:
        if fits(value):
            return True
        report.refuse("shape.type", path, f"expected {words}, got {shown(value)}")
        return False

    return check


_text = _of_type("a string", lambda value: isinstance(value, str))
_list = _of_type("an array", lambda value: isinstance(value, list))
_object = _of_type("an object", lambda value: isinstance(value, dict))
_flag = _of_type("a boolean", lambda value: isinstance(value, bool))
_number = _of_type("a number", lambda value: isinstance(value, (int, float)) and not isinstance(value, bool))
_whole = _of_type("an integer", lambda value: isinstance(value, int) and not isinstance(value, bool))


def flag(value: Any, path: Path, report: Report) -> None:
    _flag(value, path, report)


def text(*, least: int = 0, most: int | None = None, pattern: str = "", rule: str = "") -> Check:
    """A string of so many characters that has a pattern; `rule` is refused in place of the common ones."""
    compiled = re.compile(pattern) if pattern else None

    def check(value: Any, path: Path, report: Report) -> None:
        if not _text(value, path, report):
            return
        if len(value) < least:
            report.refuse(rule or "shape.length", path, "the text is empty")
        elif most is not None and len(value) > most:
            report.refuse(rule or "shape.length", path, f"the text has {len(value)} characters, at most {most} go")
        elif compiled is not None and compiled.fullmatch(value) is None:
            report.refuse(rule or "shape.pattern", path, f"{shown(value)} does not match {pattern}")

    return check


def number(low: float | None = None, high: float | None = None, *, whole: bool = False, rule: str = "") -> Check:
    """A number between two limits, both included."""

    def check(value: Any, path: Path, report: Report) -> None:
        if not (_whole if whole else _number)(value, path, report):
            return
        if low is not None and value < low:
            report.refuse(rule or "shape.range", path, f"{value} is below the minimum of {low}")
        elif high is not None and value > high:
            report.refuse(rule or "shape.range", path, f"{value} is above the maximum of {high}")

    return check


def one_of(*values: Any, rule: str = "") -> Check:
    def check(value: Any, path: Path, report: Report) -> None:
        if (
            isinstance(value, (dict, list))
            or value not in values
            or isinstance(value, bool) not in {*map(_bool, values)}
        ):
            allowed = ", ".join(map(shown, values))
            report.refuse(rule or "shape.choice", path, f"{shown(value)} is none of {allowed}")

    return check


def _bool(value: Any) -> bool:
    return isinstance(value, bool)


def items(each: Check, *, least: int = 0, most: int | None = None, rule: str = "") -> Check:
    """A list whose items all pass."""

    def check(value: Any, path: Path, report: Report) -> None:
        if not _list(value, path, report):
            return
        if len(value) < least:
            report.refuse(
                rule or "shape.length", path, f"the array has {len(value)} items, at least {least} are needed"
            )
        if most is not None and len(value) > most:
            report.refuse(rule or "shape.length", path, f"the array has {len(value)} items, at most {most} go")
        for index, item in enumerate(value):
            each(item, (*path, index), report)

    return check


def mapping(each: Check = anything, *, most: int | None = None) -> Check:
    """An object of any keys whose values all pass."""

    def check(value: Any, path: Path, report: Report) -> None:
        if not _object(value, path, report):
            return
        if most is not None and len(value) > most:
            report.refuse("shape.length", path, f"the object has {len(value)} keys, at most {most} go")
        for key, item in value.items():
            each(item, (*path, key), report)

    return check


def record(
    required: Mapping[str, Check],
    optional: Mapping[str, Check] = {},
    *,
    takes_null: bool = False,
    open_fields: bool = False,
) -> Check:
    """An object of known fields; with `takes_null` a null counts as a field that isn't there, where it is optional."""

    def check(value: Any, path: Path, report: Report) -> None:
        if not _object(value, path, report):
            return
        for key in required.keys() - value.keys():
            report.refuse("shape.missing", (*path, key), "the field is required")
        for key, item in value.items():
            inner = required.get(key) or optional.get(key)
            if inner is None:
                if not open_fields and not report.open:
                    report.refuse("shape.unknown", (*path, key), f"the field {shown(key)} is not known here")
            elif item is not None or key in required or not takes_null:
                inner(item, (*path, key), report)

    return check


def tagged(kinds: Mapping[str, Check], *, tag: str = "type", default: str = "", rule: str = "") -> Check:
    """An object whose tag says which check it has to pass."""

    def check(value: Any, path: Path, report: Report) -> None:
        if not _object(value, path, report):
            return
        kind = value.get(tag, default or None)
        if kind is None:
            report.refuse("shape.missing", (*path, tag), "the field is required")
        elif not isinstance(kind, str) or kind not in kinds:
            report.refuse(rule or "shape.choice", (*path, tag), f"{shown(kind)} is none of {', '.join(kinds)}")
        else:
            kinds[kind](value, path, report)

    return check


def either(*, text: Check | None = None, items: Check | None = None, record: Check | None = None) -> Check:
    """The check for the JSON type that the value has."""
    words = " or ".join(
        word for word, there in (("a string", text), ("an array", items), ("an object", record)) if there is not None
    )

    def check(value: Any, path: Path, report: Report) -> None:
        chosen = text if isinstance(value, str) else items if isinstance(value, list) else record
        if chosen is None or not isinstance(value, (str, list, dict)):
            report.refuse("shape.type", path, f"expected {words}, got {shown(value)}")
        else:
            chosen(value, path, report)

    return check


def nullable(inner: Check) -> Check:
    def check(value: Any, path: Path, report: Report) -> None:
        if value is not None:
            inner(value, path, report)

    return check

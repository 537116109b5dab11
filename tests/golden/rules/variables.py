"""Session variables: where ours differs from the reference on purpose.

What ours must give comes from a plain fold over all messages, in the reference's own syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data, text_of
from tests.golden.rules.rule import Rule
from tests.golden.variables import changed, config_of, snapshot_of

TAG = re.compile(r"<svar\s+([^>]*?)\s*/?>")
ATTRIBUTE = re.compile(r"(\w+)\s*=\s*[\"']?([^\"'\s>]+)")
PLACE = re.compile(r"\$\[([\w.:-]+)\]", re.ASCII)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
NAMES = {"set": "=", "add": "+", "sub": "-"}


def _ours(case: Case) -> Data:
    """Every message writes and is read, as if no snapshot had been kept and every message were text."""
    definitions = dict(_flat(_config(case)["definitions"], ""))
    values: Data = {}
    for path, definition in definitions.items():
        if "initialValue" in definition:
            _put(values, path, _value(definition["initialValue"]))
    changes: list[Data] = []
    messages: list[Data] = []
    for n, message in enumerate(case.input["messages"]):
        text = text_of(message)
        for attributes in (dict(ATTRIBUTE.findall(tag)) for tag in TAG.findall(text)):
            changes.append({"message": n, **_write(attributes, values, definitions)})
        form = case.expected["messages"][n]
        messages.append({**form, "text": PLACE.sub(lambda place: _read(place, values, definitions), text)})
    return {"messages": messages, **changed(changes, values)}


def _config(case: Case) -> Data:
    return config_of(case.input).get("variableConfig") or {}


def _flat(items: list[Data], above: str) -> Iterator[tuple[str, Data]]:
    for item in items:
        path = f"{above}.{item['key']}" if above else item["key"]
        if item["type"] == "group":
            yield from _flat(item.get("children") or [], path)
        else:
            yield path, item


def _value(given: Any) -> Any:
    if not isinstance(given, str) or not NUMBER.fullmatch(given.strip()):
        return given
    number = float(given)
    return int(number) if number.is_integer() else number


def _get(values: Any, path: str) -> Any:
    for step in path.split("."):
        values = values.get(step) if isinstance(values, dict) else None
    return values


def _put(values: Data, path: str, value: Any) -> None:
    *way, last = path.split(".")
    for step in way:
        values = values.setdefault(step, {})
    values[last] = value


def _write(attributes: Data, values: Data, definitions: Data) -> Data:
    path, op, value = attributes.get("name") or attributes["path"], attributes.get("op", "="), attributes.get("value")
    old, value = _get(values, path), _value(value)
    a = old if isinstance(old, int | float) else 0
    new = (
        {"=": value, "+": a + value, "-": a - value, "*": a * value}.get(NAMES.get(op, op), old)
        if _is(value)
        else value
    )
    bounds = definitions.get(path) or {}
    if _is(new):
        new = min(max(new, bounds.get("min", new)), bounds.get("max", new))
    _put(values, path, new)
    told = {"opValue": value, "oldValue": old, "newValue": new}
    return {"path": path, "op": op, **{name: it for name, it in told.items() if it is not None}}


def _is(value: Any) -> bool:
    return isinstance(value, int | float)


def _read(place: re.Match[str], values: Data, definitions: Data) -> str:
    path = place[1]
    if path == "svars::list":
        seen = [(path, of, _get(values, path)) for path, of in definitions.items() if not of.get("hidden")]
        return "\n".join(_line(*row) for row in seen)
    if path.startswith("svars::"):
        return "<panel>"
    value = _get(values, path)
    return place[0] if value is None else str(value)


def _line(path: str, of: Data, value: Any) -> str:
    about = f" ({of['description']})" if of.get("description") else ""
    return f"- {of.get('displayName') or path}: {value}{about}"


# --- the rules


def _is_on(case: Case) -> bool:
    return bool(_config(case).get("enabled"))


def _has_a_snapshot(case: Case) -> bool:
    return _is_on(case) and any(snapshot_of(message) for message in case.input["messages"])


def _has_text_in_parts(case: Case) -> bool:
    parts = [text_of(message) for message in case.input["messages"] if not isinstance(message.get("content"), str)]
    return _is_on(case) and any(TAG.search(text) or PLACE.search(text) for text in parts)


FILES = ("variable_processor", "session_variables")
RULES = (
    Rule(
        "D26",
        "Values follow from the messages alone: older ones are read and shown too, and an edit changes what follows.",
        FILES,
        _has_a_snapshot,
        _ours,
    ),
    Rule(
        "decisions, Variables: all text",
        "The words of a message write and show variables whether or not they come with other parts.",
        FILES,
        _has_text_in_parts,
        _ours,
    ),
)

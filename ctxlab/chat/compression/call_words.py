"""The words of a tool call: of each argument its call, its field and its value without JSON's escapes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from ctxlab.engines.compression.facts.find_facts import is_code

MOST_DEPTH = 40
"""Levels of lists and objects in an argument that are taken apart; deeper ones stay JSON."""


def call_words(name: str, arguments: str) -> Iterator[str]:
    """A line for each value of a call, `[read_file] path: notes.txt`; arguments that are no JSON stay as they are.

    Values with several lines of code are fenced.
    """
    head = f"[{name}]"
    given = _decoded(arguments)
    if given is None:
        yield f"{head} {arguments}".rstrip()
        return
    values = list(_values("", given, MOST_DEPTH))
    for field, value in values:
        label = f"{head} {field}:" if field else head
        yield _fenced(label, value) if is_code(value) else f"{label} {value}".rstrip()
    if not values:
        yield head


def _decoded(arguments: str) -> object:
    """The value of the JSON; None where it is none, or has characters that can't be written."""
    try:
        given: object = json.loads(arguments)
        json.dumps(given, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return given


def _values(field: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    """The single values of an argument with the way to each, such as `edits.0.path`."""
    if depth and isinstance(value, dict):
        inside: Any = cast("dict[str, Any]", value).items()
    elif depth and isinstance(value, list):
        inside = enumerate(cast("list[Any]", value))
    else:
        yield field, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return
    for key, each in inside:
        yield from _values(f"{field}.{key}" if field else str(key), each, depth - 1)


def _fenced(label: str, code: str) -> str:
    fence = next((each for each in ("```", "~~~") if each not in code), None)
    return f"{label}\n{fence}\n{code}\n{fence}" if fence else f"{label}\n{code}"

"""JSON of values with traced strings, in which the characters of each string keep their sources, escaped or not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.engines.chat_templates.jinja.traced_string import Run, TracedString, joined, runs_of, with_text


def traced_json(value: Any, *, ensure_ascii: bool, indent: int | None, separators: Any, sort_keys: bool) -> str:
    """A value as JSON writes it; each string of it that is traced is traced there too."""
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    found: list[str] = []
    at = end = 0  # what is written up to there, and where the last string ends
    for each in _strings(value, sort_keys=sort_keys):
        # Between two strings there are no quotation marks, so that the next one begins at the next.
        written = json.dumps(each, ensure_ascii=ensure_ascii)
        start = text.index('"', end)
        end = start + len(written)
        if isinstance(each, TracedString):
            found += [text[at : start + 1], *_escaped(each, written[1:-1], ascii_only=ensure_ascii)]
            at = end - 1
    return with_text(text, joined([*found, text[at:]])) if found else text


def _strings(value: Any, *, sort_keys: bool) -> Iterator[str]:
    """The strings of a value in the order in which JSON writes them, names of members too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        for name, member in sorted(members.items()) if sort_keys else members.items():
            yield name if isinstance(name, str) else json.dumps(name)
            yield from _strings(member, sort_keys=sort_keys)
    elif isinstance(value, list | tuple):
        for member in cast("Sequence[Any]", value):
            yield from _strings(member, sort_keys=sort_keys)


def _escaped(text: TracedString, written: str, *, ascii_only: bool) -> list[str]:
    if len(written) == len(text):
        return [text]
    found: list[str] = []
    for character in text:
        one = json.dumps(str.__str__(character), ensure_ascii=ascii_only)[1:-1]
        if len(one) == 1:
            found.append(character)
        else:
            source = runs_of(character)[0]
            found.append(TracedString(one, (Run(len(one), source.leaf, source.start, True),)))
    return found

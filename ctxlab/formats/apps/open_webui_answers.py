"""Answers of Open WebUI as messages in a row: of the items in their `output`, or of the `<details>` in their text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from ctxlab.formats.apps.answer_in_a_row import AnswerInARow
from ctxlab.formats.apps.exported_chats import text_in
from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kind_of
from ctxlab.lazy_pattern import lazy_pattern

OPENING: Final = lazy_pattern(r'<details\s+type="(reasoning|tool_calls|code_interpreter)"', re.IGNORECASE)
CLOSING: Final = lazy_pattern(r"</details>", re.IGNORECASE)
"""Around what the program shows folded; it is none of the text that is sent."""
ATTRIBUTE: Final = lazy_pattern(r'\b(\w{1,40})="([^"]*)"')
SUMMARY: Final = lazy_pattern(r"\s*<summary>.*?</summary>\s*", re.DOTALL)
QUOTED: Final = lazy_pattern(r"^> ?", re.MULTILINE)
READ: Final = frozenset({"type", "id", "status", "role", "call_id", "name", "arguments", "text"})
"""Fields of items and of their parts that become part of a message, or that only number them."""


class Answer(NamedTuple):
    """The messages of an answer; what the program takes out without sending it in any form, and what is left."""

    said: tuple[Data, ...]
    taken_out: list[Any]
    left: list[Data]


def of_details(text: str) -> Answer:
    """An answer whose thoughts and calls are `<details>` in its text."""
    row = AnswerInARow()
    taken_out: list[Any] = []
    end = 0
    for start, after, (kind, attributes, inside) in _folded(text):
        row.add_text(_between(text, end, start))
        end = after
        values = {name: html.unescape(it) for name, it in ATTRIBUTE.findall(attributes)}
        summary = SUMMARY.match(inside)
        inner = inside[summary.end() :] if summary else inside
        if kind == "reasoning":
            row.add_thought(html.unescape(QUOTED.sub("", inner).strip()))
        elif kind == "tool_calls":
            id, name = values.get("id", ""), values.get("name", "")
            row.add_call(id, name, _unquoted(values.get("arguments", "")))
            row.add_result(id, name, _unquoted(values["result"]) if "result" in values else inner.strip())
        else:
            taken_out.append(text[start:end])
    row.add_text(_between(text, end, len(text)))
    return Answer(row.end(), taken_out, [])


def _folded(text: str) -> Iterator[tuple[int, int, tuple[str, str, str]]]:
    """The beginning and the end of each folded part, with its kind, its attributes and what is in it."""
    at = 0
    while opening := OPENING.search(text, at):
        head = text.find(">", opening.end())
        closing = CLOSING.search(text, head) if head >= 0 else None
        if closing is None:
            return
        at = closing.end()
        yield opening.start(), at, (opening[1].lower(), text[opening.end() : head], text[head + 1 : closing.start()])


def _between(text: str, start: int, end: int) -> str:
    """The text between two folded parts; an answer without any stays as it is."""
    return text if (start, end) == (0, len(text)) else text[start:end].strip("\n")


def _unquoted(value: str) -> str:
    """A text that is written as JSON's once more; anything else as it is."""
    if not value.startswith('"'):
        return value
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return found if isinstance(found, str) else value


def of_output(items: Sequence[Data]) -> Answer:
    """An answer whose parts are items as OpenAI's Responses has them."""
    row = AnswerInARow()
    taken_out: list[Any] = []
    left: list[Data] = []
    names: dict[str, str] = {}
    for item in items:
        kind, id = kind_of(item), text_in(item, "call_id") or text_in(item, "id")
        used = {"message": "content", "function_call": "", "function_call_output": "output"}.get(kind)
        if kind == "message":
            row.add_text("".join(_texts(item.get("content"))))
        elif kind == "reasoning":
            used = "content" if _texts(item.get("content")) else "summary"
            row.add_thought("\n\n".join(_texts(item.get(used))))
        elif kind == "function_call":
            names[id] = text_in(item, "name")
            row.add_call(id, names[id], item.get("arguments", ""))
        elif kind == "function_call_output":
            texts = _texts(item.get("output"))
            row.add_result(id, names.get(id, ""), "\n".join(texts) if texts else item.get("output", ""))
        if used is None:
            taken_out.append(item)
            continue
        inner = [_unread(fields_of(part)) for part in items_of(item.get(used))]
        rest = {key: value for key, value in _unread(item).items() if key != used}
        left += [found for found in (rest, *inner) if found]
    return Answer(row.end(), taken_out, left)


def _unread(fields: Data) -> Data:
    return {key: value for key, value in fields.items() if key not in READ and value not in (None, "", [], {})}


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content] if content else []
    return [text for part in items_of(content) if (text := text_in(fields_of(part), "text"))]

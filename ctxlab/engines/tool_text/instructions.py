"""The words that tell a model in a prompt which tools there are, and how it calls them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.engines.tool_text.calls import BEGIN, CLOSE, END, NAME, OPEN

Data = Mapping[str, Any]


def definitions_text(tools: Sequence[Data], only: Sequence[str] = ()) -> str:
    """The tools, one after the other, with their parameters; `only` names those that are told, empty for all.

    `tools` are definitions in OpenAI's form; one without a name is left out.
    """
    told = [
        "\n".join(_lines(function))
        for tool in tools
        if (function := _function(tool)) is not None and (not only or function["name"] in only)
    ]
    return "\n\n".join(["Available tools:", *told]) if told else ""


def usage_text() -> str:
    """Instructions for writing a call."""
    return "\n".join(
        [
            "To call a tool, write a request in this form, outside of any code block:",
            "",
            BEGIN,
            f"{NAME}:{OPEN}name of the tool{CLOSE},",
            f"parameter:{OPEN}value{CLOSE}",
            END,
            "",
            f"Each value stands between {OPEN} and {CLOSE}; values that are no text are written as JSON. "
            f"A value that holds {CLOSE} itself stands between 「始ESCAPE」 and 「末ESCAPE」. "
            "Several requests may follow each other. "
            "End your message after them: the results come in the next message.",
        ]
    )


def _function(tool: Data) -> dict[str, Any] | None:
    inner = tool.get("function", tool)
    if not isinstance(inner, Mapping):
        return None
    function = dict(cast("Data", inner))
    return function if isinstance(function.get("name"), str) and function["name"] else None


def _lines(function: Data) -> Iterator[str]:
    yield f"### {_one_line(function['name'])}"
    if isinstance(description := function.get("description"), str) and description.strip():
        yield description.strip()
    schema = function.get("parameters")
    fields = cast("Data", schema).get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(fields, Mapping) or not fields:
        yield "No parameters."
        return
    required = cast("Data", schema).get("required")
    needed = cast("list[object]", required) if isinstance(required, list | tuple) else []
    yield "Parameters:"
    for name, field in cast("Data", fields).items():
        yield _parameter(name, cast("Data", field) if isinstance(field, Mapping) else {}, needed=name in needed)
    if isinstance(nested := cast("Data", schema).get("$defs"), Mapping) and nested:
        yield f"Types: {_json(nested)}"


def _parameter(name: str, field: Data, *, needed: bool) -> str:
    kind = "required" if needed else "optional"
    description = field.get("description")
    words = f": {_one_line(description)}" if isinstance(description, str) and description.strip() else ""
    rest = {key: value for key, value in field.items() if key not in ("description", "title", "type", "default")}
    default = f", {_json(field['default'])} by default" if "default" in field else ""
    form = field.get("type") if isinstance(field.get("type"), str) else ""
    about = ", ".join(part for part in (form, kind) if part)
    return f"- {_one_line(name)} ({about}{default}){words}{f' {_json(rest)}' if rest else ''}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _json(value: object) -> str:
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[object]", value)]
    return value

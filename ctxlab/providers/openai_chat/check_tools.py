"""Problems of tools, of the choice among them, and of the form of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.display.short_texts import short
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.body_checks import (
    BOOLEAN,
    OBJECT,
    Findings,
    Value,
    check_fields,
    is_object,
    one_of,
    or_null,
    shown,
    text,
)
from ctxlab.providers.place import JsonPath

Json = Mapping[str, Any]

MAX_TOOLS = 128
NAME = lazy_pattern(r"[a-zA-Z0-9_-]{1,64}")
TOOL_NAME = Value("1 to 64 letters, digits, _ and -", lambda v: isinstance(v, str) and NAME.fullmatch(v) is not None)
FUNCTION: Mapping[str, Value] = {
    "name": TOOL_NAME,
    "description": or_null(text()),
    "parameters": or_null(OBJECT),
    "strict": or_null(BOOLEAN),
}
SCHEMA_FORMAT: Mapping[str, Value] = {
    "name": TOOL_NAME,
    "description": text(),
    "schema": OBJECT,
    "strict": or_null(BOOLEAN),
}
CHOICES = ("none", "auto", "required")


def check_tools(tools: Any, findings: Findings, *, lenient: bool, unique: bool = False) -> set[str] | None:
    """Record the problems of `tools`; gives their names, None where they can't be known.

    With `unique` the vendor refuses two tools of one name; else that is a warning.
    """
    at: JsonPath = ("tools",)
    if not isinstance(tools, list):
        findings.add(
            at, "tools", f"tools are an array, and this is {shown(tools)}", "make it an array, or leave it out"
        )
        return None
    tools = cast("list[Any]", tools)
    if not tools:
        findings.add(at, "tools", "an array of tools has at least one", "leave it out")
    check_tool_count(tools, findings, lenient=lenient)
    names: set[str] = set()
    for i, tool in enumerate(tools):
        if is_object(tool, (*at, i), findings, "a tool"):
            _tool(cast("Json", tool), (*at, i), names, findings, lenient=lenient, unique=unique)
    return names


def check_tool_count(tools: list[Any], findings: Findings, *, lenient: bool) -> None:
    """Record more tools than the vendor takes."""
    if len(tools) > MAX_TOOLS and not lenient:
        reason = f"{findings.vendor} takes up to {MAX_TOOLS} tools, and these are {len(tools)}"
        findings.add(("tools",), "tool-count", reason, f"send {MAX_TOOLS} of them at most")


def _tool(tool: Json, at: JsonPath, names: set[str], findings: Findings, *, lenient: bool, unique: bool) -> None:
    kind = tool.get("type")
    if kind not in ("function", "custom"):
        level = "warning" if lenient and isinstance(kind, str) else "error"
        reason = f"a tool of a chat is of type 'function' or 'custom', and this is {shown(kind)}"
        findings.add((*at, "type"), "tool-type", reason, "make it a function, or take it out", level=level)
        return
    kind = cast("str", kind)
    check_fields(tool, {"type": text(), kind: OBJECT}, at, findings, required=(kind,), what="a tool")
    inner = tool.get(kind)
    if isinstance(inner, dict):
        fields = FUNCTION if kind == "function" else {"name": TOOL_NAME, "description": text(), "format": OBJECT}
        check_function(cast("Json", inner), fields, (*at, kind), names, findings, unique=unique)


def check_function(
    function: Json,
    fields: Mapping[str, Value],
    at: JsonPath,
    names: set[str],
    findings: Findings,
    *,
    unique: bool = False,
) -> None:
    """Record the problems of a function: its fields, its name, the schema of its parameters."""
    check_fields(function, fields, at, findings, required=("name",), what="a tool")
    name = function.get("name")
    if isinstance(name, str):
        if name in names:
            reason = f"another tool has the name {short(name)!r} too"
            findings.add(
                (*at, "name"),
                "tool-name-twice",
                reason,
                "give each its own name",
                level="error" if unique else "warning",
            )
        names.add(name)
    parameters = function.get("parameters")
    if isinstance(parameters, dict) and parameters:
        strict = function.get("strict") is True and not findings.lenient
        check_schema(cast("Json", parameters), (*at, "parameters"), findings, strict=strict)


def check_schema(schema: Json, at: JsonPath, findings: Findings, *, strict: bool) -> None:
    """Record a schema that isn't one of an object; of a strict one also what it leaves open."""
    if schema.get("type") != "object":
        reason = f"the schema is one of type 'object', and this has {shown(schema.get('type'))}"
        findings.add((*at, "type"), "schema", reason, "make its type 'object', with properties")
    if strict:
        _strict(schema, at, findings, depth=0)


MAX_DEPTH = 40


def _strict(schema: Any, at: JsonPath, findings: Findings, *, depth: int) -> None:
    """Record objects inside a strict schema that leave fields open."""
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return
    schema = cast("Json", schema)
    properties = schema.get("properties")
    kind = schema.get("type")
    if kind == "object" or (isinstance(kind, list) and "object" in cast("list[Any]", kind)):
        if schema.get("additionalProperties") is not False:
            reason = "a strict schema takes no fields beyond, and this one doesn't say so"
            findings.add((*at, "additionalProperties"), "strict-schema", reason, "set it to false, or strict to false")
        required = schema.get("required")
        named = cast("list[Any]", required) if isinstance(required, list) else []
        missing = (
            [name for name in cast("Json", properties) if name not in named] if isinstance(properties, dict) else []
        )
        if missing:
            reason = f"a strict schema requires each of its properties, and not {short(missing[0])!r}"
            findings.add((*at, "required"), "strict-schema", reason, "name all in required, or set strict to false")
    for name, inner in _inside(schema):
        _strict(inner, (*at, *name), findings, depth=depth + 1)


def _inside(schema: Json) -> list[tuple[JsonPath, Any]]:
    found: list[tuple[JsonPath, Any]] = [(("items",), schema.get("items"))]
    for name in ("properties", "$defs", "definitions"):
        inner = schema.get(name)
        if isinstance(inner, dict):
            found += [((name, key), value) for key, value in cast("Json", inner).items()]
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        found += [(("anyOf", i), value) for i, value in enumerate(cast("list[Any]", choices))]
    return found


def check_choice(choice: Any, names: set[str] | None, findings: Findings) -> None:
    """Record a choice of tools that isn't one, without tools, or of a tool that isn't there."""
    at: JsonPath = ("tool_choice",)
    if names is None:
        reason = "there are no tools, and tool_choice is taken with tools alone"
        findings.add(at, "choice-without-tools", reason, "leave it out, or give tools")
        return
    if isinstance(choice, str):
        if choice not in CHOICES:
            mend = f"make it one of {', '.join(CHOICES)}, or name a tool in an object"
            findings.add(at, "tool-choice", f"{shown(choice)} is no choice of tools", mend)
        return
    if not isinstance(choice, dict):
        mend = f"make it one of {', '.join(CHOICES)}, or leave it out"
        findings.add(at, "tool-choice", f"a choice of tools is a word or an object, and this is {shown(choice)}", mend)
        return
    _named_choice(cast("Json", choice), names, at, findings)


def _named_choice(choice: Json, names: set[str], at: JsonPath, findings: Findings) -> None:
    kind = choice.get("type")
    if kind not in ("function", "custom", "allowed_tools"):
        reason = f"the choice of a tool is of type 'function', 'custom' or 'allowed_tools', and this is {shown(kind)}"
        findings.add((*at, "type"), "tool-choice", reason, "make it 'function', with the name of a tool")
        return
    kind = cast("str", kind)
    check_fields(choice, {"type": text(), kind: OBJECT}, at, findings, required=(kind,), what="the choice of a tool")
    inner = choice.get(kind)
    if not isinstance(inner, dict):
        return
    inner = cast("Json", inner)
    if kind == "allowed_tools":
        check_allowed(inner, (*at, kind), findings)
    else:
        check_fields(inner, {"name": text()}, (*at, kind), findings, required=("name",), what="the choice of a tool")
        is_there(inner.get("name"), names, (*at, kind, "name"), findings)


def check_allowed(allowed: Json, at: JsonPath, findings: Findings, *more: str) -> None:
    """Record a choice among some tools that isn't one."""
    tools = Value("an array of objects", lambda v: isinstance(v, list) and all(isinstance(t, dict) for t in v))  # pyright: ignore[reportUnknownVariableType]
    fields = {"mode": one_of("auto", "required"), "tools": tools, **dict.fromkeys(more, text())}
    check_fields(allowed, fields, at, findings, required=("mode", "tools"), what="the choice of tools")


def is_there(name: object, names: set[str], at: JsonPath, findings: Findings) -> None:
    """Record the choice of a tool that isn't among the tools."""
    if isinstance(name, str) and name not in names:
        reason = f"no tool has the name {short(name)!r}"
        findings.add(at, "tool-choice", reason, "name one of tools, or leave tool_choice out")


def check_format(form: Any, at: JsonPath, findings: Findings, *, json_schema: bool = True) -> None:
    """Record a form of an answer that isn't one, in the nested form of a chat."""
    kinds = ("text", "json_object", "json_schema") if json_schema else ("text", "json_object")
    if not is_object(form, at, findings, "the form of an answer"):
        return
    form = cast("Json", form)
    if form.get("type") not in kinds:
        reason = f"{findings.vendor} gives answers as one of {', '.join(kinds)}, and this is {shown(form.get('type'))}"
        findings.add(
            (*at, "type"), "answer-form", reason, f"make it one of {', '.join(kinds)}, or take the whole form out"
        )
        return
    fields = {"type": text(), **({"json_schema": OBJECT} if form["type"] == "json_schema" else {})}
    check_fields(form, fields, at, findings, required=fields, what="the form of an answer")
    inner = form.get("json_schema")
    if isinstance(inner, dict) and form["type"] == "json_schema":
        check_schema_format(cast("Json", inner), (*at, "json_schema"), findings)


def check_schema_format(form: Json, at: JsonPath, findings: Findings, *more: str) -> None:
    """Record an answer's schema that isn't one."""
    fields = {**SCHEMA_FORMAT, **dict.fromkeys(more, text())}
    check_fields(form, fields, at, findings, required=("name",), what="the schema of an answer")
    schema = form.get("schema")
    if isinstance(schema, dict) and form.get("strict") is True and not findings.lenient:
        check_schema(cast("Json", schema), (*at, "schema"), findings, strict=True)

"""Problems of parameters and tools for Anthropic: what doesn't go together, what a model doesn't take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard, cast

from ctxlab.display.short_texts import short
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.anthropic.history_rules import NO_THINKING
from ctxlab.providers.anthropic.parameters import NO_SAMPLING, SAMPLING, SERVER_TOOLS, has_no_sampling
from ctxlab.providers.anthropic.shapes import SERVER_TOOL, TOOL
from ctxlab.providers.body_shapes import Found
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Fix, Problem
from ctxlab.providers.provider import Provider

MAX_REQUEST = 32 * 1024 * 1024
MOST_MARKS = 4
FIELDS_OF = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "stop": "stop_sequences"}
"""Parameters that a model may refuse, and their fields."""
_NAME = lazy_pattern(r"[a-zA-Z0-9_-]{1,128}")
_PROPERTY = lazy_pattern(r"[a-zA-Z0-9_.-]{1,64}")

Body = Mapping[str, Any]


def parameter_problems(body: Body, model: ModelInfo, provider: Provider, found: Found) -> None:
    """Add the problems of everything but the history, beyond the shapes."""
    thinking = _mode(body)
    _limits(body, model, found)
    _thinking(body, thinking, model, found)
    _sampling(body, thinking, model, found)
    if has_no_sampling(provider):
        _version(body, found)
    for i, words in enumerate(_list(body.get("stop_sequences"))):
        if isinstance(words, str) and not words.strip():
            at = ("stop_sequences", i)
            found.append(
                Problem(at, "blank-stop", "a stop sequence needs a character that is no white space", "take it out")
            )
    names = _tools(body, model, found)
    _tool_choice(body, names, thinking, found)
    _format(body, found)
    _marks(body, found)


def _mode(body: Body) -> str | None:
    config = body.get("thinking")
    mode = cast("Body", config).get("type") if isinstance(config, dict) else None
    return mode if isinstance(mode, str) else None


def _limits(body: Body, model: ModelInfo, found: Found) -> None:
    limit, most = body.get("max_tokens"), model.max_output_tokens
    if _is_number(limit) and most is not None and limit > most:
        reason = f"{model.name} writes at most {most:,} tokens"
        fix = Fix(f"at most {most:,} tokens", parameters={"maxTokens": most})
        found.append(Problem(("max_tokens",), "reply-limit", reason, f"write {most} or less", fixes=(fix,)))
    if limit == 0 and body.get("stream") is True:
        reason = "a reply of 0 tokens fills the cache and can't be streamed"
        found.append(Problem(("max_tokens",), "reply-limit", reason, "write 1 or more, or take 'stream' out"))


def _thinking(body: Body, mode: str | None, model: ModelInfo, found: Found) -> None:
    at = ("thinking", "type")
    config = cast("Body", body["thinking"]) if mode is not None else {}
    off = (NO_THINKING,)
    if mode == "enabled" and model.known and not {"budget", "on"} & set(model.thinking):
        reason = f"{model.name} takes no budget of thinking"
        mend = "write 'adaptive' without a budget" if "adaptive" in model.thinking else "take 'thinking' out"
        found.append(Problem(at, "thinking-kind", reason, mend, fixes=off))
    elif mode == "adaptive" and "adaptive" not in model.thinking:
        reason = f"{model.name} takes no adaptive thinking"
        mend = "write 'enabled' and 'budget_tokens'" if "budget" in model.thinking else "take 'thinking' out"
        found.append(Problem(at, "thinking-kind", reason, mend, fixes=off))
    elif mode == "disabled" and model.thinks_always:
        reason = f"{model.name} can't be kept from thinking"
        found.append(Problem(at, "thinking-kind", reason, "take 'thinking' out"))
    budget, limit = config.get("budget_tokens"), body.get("max_tokens")
    if mode == "enabled" and _is_number(budget) and _is_number(limit) and budget >= limit:
        reason = f"the budget of {budget:,} tokens is part of the reply's {limit:,} and has to be below them"
        mend = f"write a budget below {limit}, or max_tokens above {budget}"
        fix = Fix("a longer reply", parameters={"maxTokens": int(budget) + 4096})
        found.append(Problem(("thinking", "budget_tokens"), "thinking-budget", reason, mend, fixes=(fix, *off)))


def _sampling(body: Body, mode: str | None, model: ModelInfo, found: Found) -> None:
    for name, field in FIELDS_OF.items():
        if field in body and body[field] is not None and name in model.without:
            reason = f"{model.name} doesn't take {field!r}"
            found.append(Problem((field,), "model-parameter", reason, f"leave {field!r} out"))
    thinks = mode in ("enabled", "adaptive", "between_tools")
    temperature, top_p = body.get("temperature"), body.get("top_p")
    if thinks:
        off = (NO_THINKING,)
        if _is_number(temperature) and temperature != 1:
            reason = "a model that thinks takes the temperature 1 alone"
            found.append(Problem(("temperature",), "while-thinking", reason, "write 1, or leave it out", fixes=off))
        if body.get("top_k") is not None:
            reason = "a model that thinks takes no top_k"
            found.append(Problem(("top_k",), "while-thinking", reason, "leave it out", fixes=off))
        if _is_number(top_p) and not 0.95 <= top_p <= 1:
            reason = "a model that thinks takes a top_p of 0.95 to 1"
            found.append(
                Problem(("top_p",), "while-thinking", reason, "write 0.95 or more, or leave it out", fixes=off)
            )
    for first, second in model.not_both:
        one, other = FIELDS_OF.get(first), FIELDS_OF.get(second)
        if one and other and body.get(one) is not None and body.get(other) is not None:
            reason = f"{model.name} takes {one!r} or {other!r}, not both"
            found.append(Problem((other,), "not-both", reason, "leave one of the two out"))


def _version(body: Body, found: Found) -> None:
    """Add what the newer version of the API took away."""
    for name in SAMPLING:
        if name in body:
            reason = f"version {NO_SAMPLING} of the API has no {name!r}"
            found.append(Problem((name,), "api-version", reason, "leave it out"))
    for i, message in enumerate(_list(body.get("messages"))):
        own = cast("Body", message) if isinstance(message, dict) else {}
        for number, each in enumerate(_list(own.get("content"))):
            block = cast("Body", each) if isinstance(each, dict) else {}
            at = ("messages", i, "content", number)
            if own.get("role") == "user" and block.get("type") == "text" and block.get("citations"):
                reason = f"version {NO_SAMPLING} of the API takes no citations in the user's texts"
                found.append(Problem((*at, "citations"), "api-version", reason, "leave them out"))
            elif own.get("role") == "assistant" and block.get("type") == "document":
                reason = f"version {NO_SAMPLING} of the API takes documents from the user alone"
                found.append(Problem(at, "api-version", reason, "take it out"))


def _tools(body: Body, model: ModelInfo, found: Found) -> set[str] | None:
    """Add the problems of the tools; gives their names, None where the body has none."""
    tools = _list(body.get("tools"))
    if not tools:
        return None
    if model.tools is False:
        found.append(Problem(("tools",), "model-parameter", f"{model.name} takes no tools", "leave 'tools' out"))
    names: set[str] = set()
    for i, each in enumerate(tools):
        at = ("tools", i)
        own = cast("Body", each) if isinstance(each, dict) else {}
        kind = own.get("type")
        served = kind if isinstance(kind, str) and kind != "custom" else None
        if served and not SERVER_TOOLS.fullmatch(served):
            reason = f"{short(served)!r} is no type of tool"
            found.append(Problem((*at, "type"), "tool-type", reason, "leave 'type' out, and give 'input_schema'"))
        else:
            (SERVER_TOOL if served else TOOL).look(each, at, found)
        name = own.get("name")
        if isinstance(name, str):
            _tool_name(name, (*at, "name"), names, found)
        if not served:
            _input_schema(own.get("input_schema"), (*at, "input_schema"), found)
    return names


def _tool_name(name: str, at: JsonPath, names: set[str], found: Found) -> None:
    if name in names:
        reason = f"two tools have the name {short(name)!r}"
        found.append(Problem(at, "tool-name", reason, "give each a name of its own"))
    elif name and len(name) <= 128 and not _NAME.fullmatch(name):
        reason = "a tool's name has letters of ASCII, digits, _ and - alone"
        found.append(Problem(at, "tool-name", reason, "replace the other characters"))
    names.add(name)


def _input_schema(schema: object, at: JsonPath, found: Found) -> None:
    if not isinstance(schema, dict):
        return
    own = cast("Body", schema)
    for name in ("oneOf", "anyOf", "allOf"):
        if name in own:
            reason = f"a tool's schema has no {name!r} at its top"
            found.append(Problem((*at, name), "tool-schema", reason, "move it into a property, or take it out"))
    properties = own.get("properties")
    for name in cast("Body", properties) if isinstance(properties, dict) else ():
        if not _PROPERTY.fullmatch(name):
            reason = "a property's name has 1 to 64 letters of ASCII, digits, _, . and - alone"
            found.append(Problem((*at, "properties", name), "tool-schema", reason, "give it another name"))


def _tool_choice(body: Body, names: set[str] | None, mode: str | None, found: Found) -> None:
    choice = body.get("tool_choice")
    if not isinstance(choice, dict):
        return
    own = cast("Body", choice)
    kind, name = own.get("type"), own.get("name")
    if names is None:
        mend = "leave 'tool_choice' out, or give tools"
        found.append(Problem(("tool_choice",), "tool-choice", "there are no tools to choose from", mend))
    elif kind == "tool" and isinstance(name, str) and name not in names:
        reason = f"there is no tool {short(name)!r}"
        found.append(Problem(("tool_choice", "name"), "tool-choice", reason, "name one of 'tools'"))
    if kind in ("any", "tool") and mode in ("enabled", "adaptive", "between_tools"):
        reason = "a model that thinks can't be made to call a tool"
        mend = "write 'auto' without a name, or switch thinking off"
        found.append(Problem(("tool_choice", "type"), "while-thinking", reason, mend, fixes=(NO_THINKING,)))


def _format(body: Body, found: Found) -> None:
    config = body.get("output_config")
    held = cast("Body", config).get("format") if isinstance(config, dict) else None
    schema = cast("Body", held).get("schema") if isinstance(held, dict) else None
    if isinstance(schema, dict):
        for at, own in _objects(cast("Body", schema), ("output_config", "format", "schema")):
            if own.get("additionalProperties") is not False:
                reason = "an object of the reply's schema says 'additionalProperties': false"
                found.append(Problem(at, "output-schema", reason, "write 'additionalProperties': false here"))


def _objects(schema: Body, at: JsonPath) -> Iterator[tuple[JsonPath, Body]]:
    """The objects of a schema, from the outside in."""
    waiting: list[tuple[JsonPath, object]] = [(at, schema)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, list | tuple):
            waiting += [((*place, i), each) for i, each in enumerate(cast("Sequence[object]", value))]
        elif isinstance(value, dict):
            own = cast("Body", value)
            if own.get("type") == "object":
                yield place, own
            for name in ("items", "anyOf", "allOf"):
                if name in own:
                    waiting.append(((*place, name), own[name]))
            for name in ("properties", "$defs", "definitions"):
                inner = own.get(name)
                if isinstance(inner, dict):
                    waiting += [((*place, name, key), each) for key, each in cast("Body", inner).items()]


def _marks(body: Body, found: Found) -> None:
    marks = list(_marked(body))
    if len(marks) > MOST_MARKS:
        reason = f"a request has at most {MOST_MARKS} cache marks, and this is the {len(marks)}th"
        mend = f"take away all but {MOST_MARKS}"
        found.append(Problem((*marks[-1][0], "cache_control"), "cache-marks", reason, mend))
    short_lived = False
    for at, mark in marks:
        if mark.get("ttl") != "1h":
            short_lived = True
        elif short_lived:
            reason = "a mark of 1h can't stand after one of 5m"
            found.append(Problem((*at, "cache_control"), "cache-order", reason, "write 'ttl': '5m' here"))
            return


def _marked(body: Body) -> Iterator[tuple[JsonPath, Body]]:
    """The values with a cache mark and their marks, in the order in which the prompt is cached."""
    for name in ("tools", "system"):
        yield from _of_blocks(body.get(name), (name,))
    for i, message in enumerate(_list(body.get("messages"))):
        if isinstance(message, dict):
            yield from _of_blocks(cast("Body", message).get("content"), ("messages", i, "content"))
    if isinstance(mark := body.get("cache_control"), dict):
        yield (), cast("Body", mark)


def _of_blocks(blocks: object, at: JsonPath) -> Iterator[tuple[JsonPath, Body]]:
    for i, each in enumerate(_list(blocks)):
        if not isinstance(each, dict):
            continue
        own = cast("Body", each)
        if isinstance(mark := own.get("cache_control"), dict):
            yield (*at, i), cast("Body", mark)
        if own.get("type") == "tool_result":
            yield from _of_blocks(own.get("content"), (*at, i, "content"))


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list(value: object) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()

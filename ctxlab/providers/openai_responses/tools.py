"""Tools and the choice of one, from OpenAI's chat form to the flat one of Responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.providers.plain_json import plain_json

Json = dict[str, Any]


def flat_tool(tool: Mapping[str, Any]) -> Json:
    """A tool in the flat form; one that is no function or custom tool of a chat stays as it is.

    A function of a chat isn't strict unless it says so, one of Responses is: `strict` is always there.

    >>> flat_tool({"type": "function", "function": {"name": "now"}})
    {'type': 'function', 'name': 'now', 'parameters': None, 'strict': False}
    """
    whole = plain_json(tool)
    kind = whole.get("type", "function")
    inner = whole.get(kind) if isinstance(kind, str) else None
    if kind == "custom" and isinstance(inner, dict):
        return {**_rest(whole, kind), "type": kind, **_custom(cast("Json", inner))}
    if kind != "function":
        return whole
    flat = {**_rest(whole, kind), "type": "function", **(cast("Json", inner) if isinstance(inner, dict) else {})}
    flat.setdefault("parameters", None)
    flat.setdefault("strict", False)
    return flat


def _rest(whole: Json, kind: str) -> Json:
    return {name: value for name, value in whole.items() if name not in ("type", kind)}


def _custom(inner: Json) -> Json:
    form = inner.get("format")
    if isinstance(form, dict) and isinstance(form.get("grammar"), dict):  # pyright: ignore[reportUnknownMemberType]
        return {**inner, "format": {"type": "grammar", **cast("Json", form["grammar"])}}
    return inner


def flat_choice(choice: str | Mapping[str, Any]) -> Any:
    """The choice of a tool in the flat form.

    >>> flat_choice({"type": "function", "function": {"name": "now"}})
    {'type': 'function', 'name': 'now'}
    """
    if isinstance(choice, str):
        return choice
    whole = plain_json(choice)
    kind = whole.get("type")
    inner = whole.get(kind) if isinstance(kind, str) else None
    if not isinstance(inner, dict):
        return whole
    flat: Json = {"type": kind, **cast("Json", inner)}
    if kind == "allowed_tools" and isinstance(flat.get("tools"), list):
        flat["tools"] = [flat_choice(tool) for tool in flat["tools"]]
    return flat


def flat_format(form: Mapping[str, Any]) -> Json:
    """The form of an answer, flat.

    >>> flat_format({"type": "json_schema", "json_schema": {"name": "t", "schema": {}}})
    {'type': 'json_schema', 'name': 't', 'schema': {}}
    """
    whole = plain_json(form)
    inner = whole.get("json_schema")
    if whole.get("type") != "json_schema" or not isinstance(inner, dict):
        return whole
    return {"type": "json_schema", **cast("Json", inner)}

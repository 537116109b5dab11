"""Schemas in Gemini's words, in those of JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})
_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Objects whose values are schemas, under names that say nothing."""
_HOLD_SCHEMAS = frozenset({"items", "prefixItems", "anyOf", "allOf", "oneOf", "not", "additionalProperties"})


def with_json_types(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool whose parameters have JSON Schema's types ("object"), where they have Gemini's ("OBJECT")."""
    function = tool.get("function")
    if isinstance(function, Mapping):
        return {**tool, "function": with_json_types(cast("Mapping[str, Any]", function))}
    schema = tool.get("parameters")
    return {**tool, "parameters": json_schema_of(schema)} if isinstance(schema, Mapping) else tool


def json_schema_of(schema: Any) -> Any:
    """A schema with the types of JSON Schema; `nullable` beside one of Gemini's types becomes the type null.

    >>> json_schema_of({"type": "ARRAY", "items": {"type": "STRING", "nullable": True}})
    {'type': 'array', 'items': {'type': ['string', 'null']}}
    """
    if isinstance(schema, list | tuple):
        return [json_schema_of(each) for each in cast("list[Any]", schema)]
    if not isinstance(schema, Mapping):
        return schema
    found = {name: _inside(name, value) for name, value in cast("Mapping[str, Any]", schema).items()}
    kind = found.get("type")
    if isinstance(kind, str) and kind in TYPES:
        nullable = found.pop("nullable", False) is True
        found["type"] = [kind.lower(), "null"] if nullable else kind.lower()
    return found


def _inside(name: str, value: Any) -> Any:
    if name in _HOLD_SCHEMAS:
        return json_schema_of(value)
    if name in _BY_NAME and isinstance(value, Mapping):
        return {each: json_schema_of(schema) for each, schema in cast("Mapping[str, Any]", value).items()}
    return value

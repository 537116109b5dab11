"""The part of JSON Schema that Gemini's own Schema has: what `parameters` and `responseSchema` may say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.providers.place import JsonPath

TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL", "TYPE_UNSPECIFIED"})
FORMATS = {"STRING": ("enum", "date-time"), "NUMBER": ("float", "double"), "INTEGER": ("int32", "int64")}
FIELDS: Mapping[str, str] = {
    "type": "type",
    "format": "text",
    "title": "text",
    "description": "text",
    "nullable": "bool",
    "enum": "texts",
    "maxItems": "number",
    "minItems": "number",
    "properties": "schemas",
    "required": "texts",
    "minProperties": "number",
    "maxProperties": "number",
    "minLength": "number",
    "maxLength": "number",
    "pattern": "text",
    "example": "any",
    "anyOf": "listed schemas",
    "propertyOrdering": "texts",
    "default": "any",
    "items": "schema",
    "minimum": "number",
    "maximum": "number",
}
"""Fields of a Schema and what they hold; JSON Schema's others, such as additionalProperties and $ref, are refused."""
_SNAKE = {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): name for name in FIELDS}
_DEEPEST = 60


def fits_schema(schema: Mapping[str, Any]) -> bool:
    """Whether a JSON schema says nothing that Gemini's Schema doesn't know."""
    return next(schema_faults(schema, ()), None) is None


def is_object_schema(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says that it is of an object, as a function's `parameters` do."""
    return str(schema.get("type")).upper() == "OBJECT"


def schema_faults(schema: object, at: JsonPath, *, depth: int = 0) -> Iterator[tuple[JsonPath, str]]:
    """Places in a schema that Gemini's Schema has no field for, each with a clause that says why."""
    if not isinstance(schema, Mapping):
        yield at, "a schema is an object"
        return
    if depth > _DEEPEST:
        yield at, f"it is nested deeper than {_DEEPEST} levels"
        return
    own = cast("Mapping[Any, Any]", schema)
    for name, value in own.items():
        held = FIELDS.get(_SNAKE.get(name, name)) if isinstance(name, str) else None
        if held is None:
            yield (*at, str(name)), f"Schema has no field {str(name)[:60]!r}"
        else:
            yield from _faults_of(held, value, (*at, name), depth)
    kind = own.get("type")
    if isinstance(kind, str) and kind.upper() == "OBJECT" and own.get("properties") == {}:
        yield (*at, "properties"), "an object's properties may not be empty"
    form, formats = own.get("format"), FORMATS.get(kind.upper()) if isinstance(kind, str) else None
    if isinstance(form, str) and formats is not None and form not in formats:
        yield (*at, "format"), f"Schema has only the formats {' and '.join(formats)} here"
    if isinstance(kind, str) and kind.upper() == "ARRAY" and "items" not in own:
        yield at, "an array needs items"


def _faults_of(held: str, value: object, at: JsonPath, depth: int) -> Iterator[tuple[JsonPath, str]]:
    if held == "type":
        if not isinstance(value, str) or value.upper() not in TYPES:
            yield at, "a type is one of string, number, integer, boolean, array, object and null"
    elif held == "schema":
        yield from schema_faults(value, at, depth=depth + 1)
    elif held == "schemas":
        if not isinstance(value, Mapping):
            yield at, "properties are an object"
            return
        for name, each in cast("Mapping[str, Any]", value).items():
            yield from schema_faults(each, (*at, name), depth=depth + 1)
    elif held == "listed schemas":
        if not isinstance(value, Sequence) or isinstance(value, str):
            yield at, "it is a list"
            return
        for i, each in enumerate(cast("Sequence[Any]", value)):
            yield from schema_faults(each, (*at, i), depth=depth + 1)
    elif not _is(held, value):
        yield at, f"it is no {held.rstrip('s')}" if held != "texts" else "it is no list of texts"


def _is(held: str, value: object) -> bool:
    match held:
        case "text":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "texts":
            return isinstance(value, list | tuple) and all(isinstance(each, str) for each in cast("list[Any]", value))
        case _:
            return True

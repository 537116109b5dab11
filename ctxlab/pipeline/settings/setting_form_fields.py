"""The form schema of a setting: title, type, choices, bounds."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

KINDS: dict[Any, str] = {bool: "boolean", int: "integer", float: "number", str: "text"}


def field_of(info: FieldInfo) -> dict[str, Any]:
    """Title, type (choice, boolean, integer, number, text, json), choices, bounds, and whether it may be none.

    A bound is one that a value may have, and None where there is none.
    """
    options = _options(info.annotation)
    kind, choices = _kind([option for option in options if option is not NoneType])
    return {
        "title": info.title or "",
        "type": kind,
        "choices": choices,
        "minimum": next((rule.ge for rule in info.metadata if isinstance(rule, Ge)), None),
        "maximum": next((rule.le for rule in info.metadata if isinstance(rule, Le)), None),
        "optional": NoneType in options,
    }


def _options(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _kind(options: list[Any]) -> tuple[str, list[Any]]:
    if len(options) != 1:
        return "json", []
    if get_origin(options[0]) is Literal:
        return "choice", list(get_args(options[0]))
    return KINDS.get(options[0], "json"), []

"""The form schema of a setting: title, type, choices with their labels, placeholder, bounds."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo
from pydantic.types import JsonValue

FieldKind = Literal["", "lines", "model"]
"""Kinds of a text's field: one line, several, the name of a model."""
KINDS: dict[Any, str] = {bool: "boolean", int: "integer", float: "number", str: "text"}


def form_hints(
    *, placeholder: str = "", labels: Mapping[str, str] | None = None, group: str = "", kind: FieldKind = ""
) -> dict[str, JsonValue]:
    """More of a field's form, as the `json_schema_extra` of a pydantic field.

    `placeholder` is shown in an empty field, `labels` are words for choices by the choice, `group` is a heading under
    which the field is drawn. `kind` is for texts: `lines` is a field of several lines, `model` chooses a model.

    >>> form_hints(placeholder="none", labels={"leading": "only those in front"})
    {'placeholder': 'none', 'labels': {'leading': 'only those in front'}}
    """
    hints: dict[str, JsonValue] = {
        "placeholder": placeholder,
        "labels": dict(labels or {}),
        "group": group,
        "kind": kind,
    }
    return {name: value for name, value in hints.items() if value}


def field_of(info: FieldInfo) -> dict[str, Any]:
    """Title, type (choice, boolean, integer, number, text, lines, model, json), choices, labels, placeholder, group.

    Also bounds, and whether it may be none. Each choice has a label, which is empty where the choice is to be shown
    itself. A bound is one that a value may have, and None where there is none.
    """
    options = _options(info.annotation)
    kind, choices = _kind([option for option in options if option is not NoneType])
    hints = hints_of(info)
    labels = hints.get("labels", {})
    kind = str(hints.get("kind", kind)) if kind == "text" else kind
    return {
        "title": info.title or "",
        "type": kind,
        "choices": choices,
        "labels": [str(labels.get(str(choice), "")) for choice in choices],
        "placeholder": str(hints.get("placeholder", "")),
        "group": str(hints.get("group", "")),
        "minimum": next((rule.ge for rule in info.metadata if isinstance(rule, Ge)), None),
        "maximum": next((rule.le for rule in info.metadata if isinstance(rule, Le)), None),
        "optional": NoneType in options,
    }


def takes_texts(info: FieldInfo) -> bool:
    """Whether a field takes a list of texts."""
    return tuple[str, ...] in _options(info.annotation)


def hints_of(info: FieldInfo) -> Mapping[str, Any]:
    """The hints that `form_hints` put into a field; empty where there are none."""
    extra = info.json_schema_extra
    return cast("Mapping[str, Any]", extra) if isinstance(extra, Mapping) else {}


def _options(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _kind(options: list[Any]) -> tuple[str, list[Any]]:
    if len(options) != 1:
        return "json", []
    if get_origin(options[0]) is Literal:
        return "choice", list(get_args(options[0]))
    return KINDS.get(options[0], "json"), []

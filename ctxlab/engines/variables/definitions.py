"""The variables that an agent defines: a tree of groups, flattened to dotted paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, cast

from ctxlab.engines.variables.values_by_path import MISSING, is_number, number_of, put
from ctxlab.lazy_dataclass import dataclass

DEEPEST = 50


@dataclass(frozen=True, slots=True)
class Definition:
    """One variable; a result of arithmetic stays between `min` and `max`, None is no bound."""

    path: str
    initial: Any = MISSING
    name: str = ""
    description: str = ""
    min: float | None = None
    max: float | None = None
    hidden: bool = False

    @property
    def shown_name(self) -> str:
        return self.name or self.path


@dataclass(frozen=True, slots=True, eq=False)
class Definitions:
    """All of an agent's, by path in the order of the file; `initial` are the values before any message."""

    by_path: Mapping[str, Definition] = field(default_factory=dict[str, Definition])
    initial: Mapping[str, Any] = field(default_factory=dict[str, Any])
    problems: tuple[str, ...] = ()

    def visible(self) -> Iterator[Definition]:
        return (definition for definition in self.by_path.values() if not definition.hidden)


def definitions_of(config: Mapping[str, Any] | None) -> Definitions:
    """The variables that a stored `variableConfig` defines; unreadable ones are named in `problems`."""
    problems: list[str] = []
    found: dict[str, Definition] = {}
    initial: dict[str, Any] = {}
    for definition in _flat((config or {}).get("definitions") or (), "", problems, hidden=False):
        if definition.path in found:
            problems.append(f"variable {definition.path!r} is defined twice; the first counts")
            continue
        found[definition.path] = definition
        if definition.initial is not MISSING:
            initial = put(initial, definition.path, definition.initial)
    return Definitions(found, initial, tuple(problems))


def _flat(items: Any, above: str, problems: list[str], *, hidden: bool, depth: int = 0) -> Iterator[Definition]:
    if not isinstance(items, list | tuple) or depth > DEEPEST:
        problems.append(f"definitions {f'of {above!r} ' if above else ''}are not a list; they are left out")
        return
    for item in cast("list[Any]", items):
        fields = cast("Mapping[str, Any]", item) if isinstance(item, Mapping) else {}
        key = fields.get("key")
        if not isinstance(key, str) or not key.strip():
            problems.append(f"a definition {f'in {above!r} ' if above else ''}has no key; it is left out")
            continue
        path = f"{above}.{key.strip()}" if above else key.strip()
        out_of_sight = hidden or fields.get("hidden") is True
        if fields.get("type") == "group":
            yield from _flat(fields.get("children") or (), path, problems, hidden=out_of_sight, depth=depth + 1)
        else:
            yield _definition(path, fields, hidden=out_of_sight)


def _definition(path: str, fields: Mapping[str, Any], *, hidden: bool) -> Definition:
    initial = fields.get("initialValue", MISSING)
    if isinstance(initial, str) and (number := number_of(initial)) is not None:
        initial = number
    return Definition(
        path,
        initial,
        name=str(fields.get("displayName") or ""),
        description=str(fields.get("description") or ""),
        min=_bound(fields.get("min")),
        max=_bound(fields.get("max")),
        hidden=hidden,
    )


def _bound(value: Any) -> float | None:
    if isinstance(value, str):
        return number_of(value)
    return value if is_number(value) else None

"""Three-way merges of JSON data: what each side changed is taken; where both changed the same place, it is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

Data = dict[str, Any]
ABSENT: Final = object()
"""The value of a field that isn't there."""


@dataclass(frozen=True, slots=True)
class MergedData:
    """Both sides in one; at `conflicts`, which are names of fields joined by dots, it has theirs."""

    data: Data
    conflicts: tuple[str, ...] = ()


def merged_data(base: Mapping[str, Any], theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> MergedData:
    """Two states of one object that came from `base`. Lists of objects with ids are merged by id, others as a whole."""
    conflicts: list[str] = []
    data = _objects(base, theirs, ours, "", conflicts)
    return MergedData(data, tuple(conflicts))


def _objects(
    base: Mapping[str, Any], theirs: Mapping[str, Any], ours: Mapping[str, Any], place: str, conflicts: list[str]
) -> Data:
    merged: Data = {}
    for name in dict.fromkeys((*theirs, *ours)):
        where = f"{place}.{name}" if place else name
        value = _value(base.get(name, ABSENT), theirs.get(name, ABSENT), ours.get(name, ABSENT), where, conflicts)
        if value is not ABSENT:
            merged[name] = value
    return merged


def _value(base: object, theirs: object, ours: object, place: str, conflicts: list[str]) -> object:
    if theirs == ours or base == ours:
        return theirs
    if base == theirs:
        return ours
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        held = cast("Mapping[str, Any]", base) if isinstance(base, Mapping) else {}
        return _objects(held, cast("Mapping[str, Any]", theirs), cast("Mapping[str, Any]", ours), place, conflicts)
    lists = [_by_id([] if base is ABSENT else base), _by_id(theirs), _by_id(ours)]
    if all(found is not None for found in lists):
        held, one, other = (cast("Mapping[str, Any]", found) for found in lists)
        return [*_objects(held, one, other, place, conflicts).values()]
    conflicts.append(place)
    return ours if theirs is ABSENT else theirs


def _by_id(value: object) -> Mapping[str, Any] | None:
    """The items of a list by id; None for what isn't a list of objects that have each its own."""
    if not isinstance(value, list | tuple):
        return None
    items = cast("list[Any]", value)
    found = {str(item["id"]): item for item in items if isinstance(item, Mapping) and item.get("id")}
    return found if len(found) == len(items) else None

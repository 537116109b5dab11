"""Three-way merges of JSON data: what each side changed is taken; where both changed the same place, it is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, cast

import orjson

from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.alignment import aligned, moved_keys

Data = dict[str, Any]
ABSENT: Final = object()
"""The value of a field that isn't there."""
ORDER: Final = "order"
"""The last name of a conflict in which both sides put the same items in another order."""


@dataclass(frozen=True, slots=True)
class MergedData:
    """Both sides in one; at `conflicts`, which are names of fields joined by dots, it has theirs."""

    data: Data
    conflicts: tuple[str, ...] = ()


def merged_data(base: Mapping[str, Any], theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> MergedData:
    """Two states of one object that came from `base`.

    Objects in lists that have each its own id are merged by id, and what moved is where the side that moved it has it.
    Other lists are merged where the sides changed different stretches of them.
    """
    conflicts: list[str] = []
    data = _fields(base, theirs, ours, "", conflicts)
    return MergedData(data, tuple(conflicts))


def _fields(
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
    if _are_same(theirs, ours) or _are_same(base, ours):
        return theirs
    if _are_same(base, theirs):
        return ours
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        held = cast("Mapping[str, Any]", base) if isinstance(base, Mapping) else {}
        one, other = cast("Mapping[str, Any]", theirs), cast("Mapping[str, Any]", ours)
        return (_items if _is_table(one) and _is_table(other) else _fields)(held, one, other, place, conflicts)
    lists = [_by_id([] if base is ABSENT else base), _by_id(theirs), _by_id(ours)]
    if all(found is not None for found in lists):
        held, one, other = (cast("Mapping[str, Any]", found) for found in lists)
        return [*_items(held, one, other, place, conflicts).values()]
    if all(isinstance(each, list | tuple) for each in (base, theirs, ours)):
        woven = _woven(*(cast("Sequence[Any]", each) for each in (base, theirs, ours)))
        if woven is not None:
            return woven
    conflicts.append(place)
    return ours if theirs is ABSENT else theirs


def _items(
    base: Mapping[str, Any], theirs: Mapping[str, Any], ours: Mapping[str, Any], place: str, conflicts: list[str]
) -> Data:
    """Items by id, in the order of both."""
    found = _fields(base, theirs, ours, place, conflicts)
    order = merged_order([*base], [*theirs], [*ours], found.keys())
    if order is None:
        conflicts.append(f"{place}.{ORDER}")
        return found
    return {name: found[name] for name in order}


def merged_order(
    base: Sequence[str], theirs: Sequence[str], ours: Sequence[str], kept: Collection[str]
) -> list[str] | None:
    """The order of the kept items of both sides, each of which is once in a side; None where no order keeps both.

    What a side added or moved stands where that side has it; all others are in the order of both.
    """
    one, other = ([name for name in side if name in kept] for side in (theirs, ours))
    theirs_put, ours_put = _put(base, one, other), _put(base, other, one)
    if theirs_put & ours_put:
        return one if one == other else None
    order = [name for name in one if name not in ours_put]
    behind: dict[str | None, list[str]] = {}
    following: str | None = None
    for name in reversed(other):
        if name in ours_put:
            behind.setdefault(following, []).append(name)
        elif name not in theirs_put:
            following = name
    woven = [each for name in order for each in (*reversed(behind.get(name, ())), name)]
    woven += reversed(behind.get(None, ()))
    if [each for each in woven if each not in theirs_put] != [each for each in other if each not in theirs_put]:
        return None
    by_theirs, by_ours, by_both = ({name: n for n, name in enumerate(row)} for row in (one, other, woven))
    # Of two that moved, each on one side, no side alone tells the order: where both agree on it, so must the result.
    pairs = ((a, b) for a in ours_put if a in by_theirs for b in theirs_put if b in by_ours)
    orders = ([at[a] < at[b] for at in (by_theirs, by_ours, by_both)] for a, b in pairs)
    return woven if all(found == said or said != other for said, other, found in orders) else None


def _put(base: Sequence[str], side: Sequence[str], other: Sequence[str]) -> set[str]:
    """The items that a side alone has, or has moved."""
    there, held = set(other), set(base)
    stayed = [name for name in side if name in held]
    moved = moved_keys([name for name in base if name in set(stayed)], stayed)
    return {*moved, *(name for name in side if name not in there)}


def _woven(base: Sequence[Any], theirs: Sequence[Any], ours: Sequence[Any]) -> list[Any] | None:
    """Lists of things without ids; None where both sides changed one stretch, or one moved what the other took out."""
    held, one, other = ([_key(each) for each in side] for side in (base, theirs, ours))
    in_theirs, in_ours = (dict(aligned(held, side).pairs) for side in (one, other))
    found: list[Any] = []
    i = j = k = 0
    for at in (*(n for n in range(len(held)) if n in in_theirs and n in in_ours), len(held)):
        a, b = in_theirs.get(at, len(one)), in_ours.get(at, len(other))
        if held[i:at] == other[k:b] or one[j:a] == other[k:b]:
            found += theirs[j:a]
        elif held[i:at] == one[j:a]:
            found += ours[k:b]
        else:
            return None
        found += theirs[a : a + 1]
        i, j, k = at + 1, a + 1, b + 1
    counts = [Counter(side) for side in (held, one, other, [_key(each) for each in found])]
    return found if all(_is_expected(*(count[key] for count in counts)) for key in {*held, *one, *other}) else None


def _key(item: object) -> bytes:
    return orjson.dumps(item, option=orjson.OPT_SORT_KEYS)


def _is_expected(base: int, theirs: int, ours: int, found: int) -> bool:
    """Whether a thing is there as often as both sides would have it."""
    return found == (theirs if theirs == ours else theirs + ours - base)


def _are_same(a: object, b: object) -> bool:
    """Whether two values are equal; of items by id the order counts too."""
    return a == b and _orders(a) == _orders(b)


def _orders(value: object) -> object:
    """The order of items by id in a value, to be compared."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        inside = [(name, _orders(each)) for name, each in fields.items() if isinstance(each, Mapping | list | tuple)]
        return inside if _is_table(fields) else sorted(inside, key=lambda each: each[0])
    if isinstance(value, list | tuple):
        items = cast("Sequence[Any]", value)
        return [_orders(each) for each in items if isinstance(each, Mapping | list | tuple)]
    return None


def _is_table(value: Mapping[str, Any]) -> bool:
    """Whether an object holds items by their ids, such as the entries of a book, and not fields of its own."""
    return bool(value) and all(isinstance(each, Mapping) for each in value.values())


def _by_id(value: object) -> Mapping[str, Any] | None:
    """The items of a list by id; None for what isn't a list of objects that have each its own."""
    if not isinstance(value, list | tuple):
        return None
    items = cast("list[Any]", value)
    found = {str(item["id"]): item for item in items if isinstance(item, Mapping) and item.get("id")}
    return found if len(found) == len(items) else None

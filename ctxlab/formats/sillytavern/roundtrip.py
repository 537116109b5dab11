"""Lossless writing back of another program's file: only what was changed here is changed in it.

A value that was read keeps the original JSON. To write it, the JSON that its fields would make is made twice, of the
value as it was read and as it is now, and only the difference between the two is applied to the original: what ctxlab
doesn't know, spells otherwise or leaves out stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

IDS: Final = ("identifier", "uid", "id")
"""Keys that name an item of a list, the most specific first."""


class _Missing:
    """A value for a place at which the original has none."""


MISSING: Final = _Missing()


def patched(original: Any, before: Any, after: Any) -> Any:
    """`original` with the difference from `before` to `after`; `patched(o, b, b)` is `o`.

    Objects are patched by key. Items of lists are matched by their identifier, uid or id where every item that was read
    has one of its own (of several in the original the last is meant), else by position after what is equal at both
    ends; a list of which reading left out items that can't be told is replaced. The result shares what didn't change
    with `original`.

    >>> patched({"name": "Mira", "extra": 1}, {"name": "Mira"}, {"name": "Mirabel"})
    {'name': 'Mirabel', 'extra': 1}
    """
    if isinstance(before, dict) and isinstance(after, dict) and (original is MISSING or isinstance(original, dict)):
        known = cast("dict[str, Any]", {} if original is MISSING else original)
        result = _patched_object(known, cast("dict[str, Any]", before), cast("dict[str, Any]", after))
        return original if result is known else result
    if isinstance(original, list) and isinstance(before, list) and isinstance(after, list):
        return _patched_list(cast("list[Any]", original), cast("list[Any]", before), cast("list[Any]", after))
    return original if same(before, after) else after


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are written alike: true is not 1, 1.0 is not 1, and NaN is NaN."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        mine, theirs = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        return mine.keys() == theirs.keys() and all(same(mine[key], theirs[key]) for key in mine)
    if isinstance(one, list):
        items, others = cast("list[Any]", one), cast("list[Any]", other)
        return len(items) == len(others) and all(map(same, items, others))
    return bool(one == other or (one != one and other != other))


def _patched_object(original: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    result = {key: value for key, value in original.items() if key in after or key not in before}
    for key, value in after.items():
        if key in before:
            now = patched(original.get(key, MISSING), before[key], value)
            if now is not MISSING:
                result[key] = now
        else:
            result[key] = value
    unchanged = len(result) == len(original) and all(result[key] is original.get(key, MISSING) for key in result)
    return original if unchanged else result


def _patched_list(original: list[Any], before: list[Any], after: list[Any]) -> list[Any]:
    if same(before, after):
        return original
    for key in IDS:
        was, now = _ids(before, key), _ids(after, key)
        if was is not None and now is not None:
            return _by_id(_last_of_each(original, key), was, now)
    return _by_position(original, before, after)


def _ids(items: Sequence[Any], key: str) -> dict[Any, Any] | None:
    """The items by id; None when one has none, or another's."""
    found: dict[Any, Any] = {}
    for item in items:
        name = cast("dict[str, Any]", item).get(key) if isinstance(item, dict) else None
        if not isinstance(name, str | int) or name in found:
            return None
        found[name] = item
    return found


def _last_of_each(items: Sequence[Any], key: str) -> dict[Any, Any]:
    """The items in their order: the last of each id under it, the others under their place, which is no id."""
    names = [cast("dict[str, Any]", item).get(key) if isinstance(item, dict) else None for item in items]
    last = {name: place for place, name in enumerate(names) if isinstance(name, str | int)}
    return {
        name if isinstance(name, str | int) and last[name] == place else (place,): item
        for place, (name, item) in enumerate(zip(names, items, strict=True))
    }


def _by_id(original: dict[Any, Any], before: dict[Any, Any], after: dict[Any, Any]) -> list[Any]:
    """The items in the order of `after`; those that only the original has stay behind the same item as there."""
    followers: dict[Any, list[Any]] = {}
    leader: Any = MISSING
    for name, item in original.items():
        if name in before or name in after:
            leader = name
        else:
            followers.setdefault(leader, []).append(item)
    result = followers.pop(MISSING, [])
    for name, item in after.items():
        if name in before and name not in original and same(before[name], item):
            continue  # reading made it up
        result.append(patched(original.get(name, item), before[name], item) if name in before else item)
        result += followers.pop(name, [])
    return result + [item for items in followers.values() for item in items]


def _by_position(original: list[Any], before: list[Any], after: list[Any]) -> list[Any]:
    paired = _paired(original, before)
    if paired is None:
        return after
    leading, items = paired
    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    was, now = len(before) - head - tail, len(after) - head - tail
    result = leading + [item for group in items[:head] for item in group]
    for index in range(max(was, now)):
        group = items[head + index] if index < was else []
        if index < now:
            value = after[head + index]
            result.append(patched(group[0], before[head + index], value) if group else value)
        result += group[1:]
    return result + [item for group in items[len(items) - tail :] for item in group]


def _paired(original: list[Any], before: list[Any]) -> tuple[list[Any], list[list[Any]]] | None:
    """For each item of `before` the original's, followed by what only the original has; and what leads them.

    None where what was left out on reading can't be told.
    """
    if len(original) == len(before):
        return [], [[item] for item in original]
    leading: list[Any] = []
    groups: list[list[Any]] = []
    for item in original:
        if len(groups) < len(before) and same(item, before[len(groups)]):
            groups.append([item])
        else:
            (groups[-1] if groups else leading).append(item)
    return (leading, groups) if len(groups) == len(before) else None


def _alike(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Number of items that are equal from the start."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if not same(mine, theirs):
            break
        count += 1
    return count

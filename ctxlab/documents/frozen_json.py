"""Dicts and lists that refuse changes, for the JSON data inside stored values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NoReturn, cast

from pydantic import AfterValidator


class FrozenDict(dict[str, Any]):
    """A dict that refuses changes. It equals a dict of the same items and is written as JSON like one.

    `{**data, "name": value}` and `data.copy()` are plain dicts, to be changed.
    """

    __slots__ = ()

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Any]]]:
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A list that refuses changes. It equals a list of the same items and is written as JSON like one."""

    __slots__ = ()

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, memo: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[type[FrozenList], tuple[list[Any]]]:
        return FrozenList, (list(self),)


def _refuse(self: object, *args: object, **named: object) -> NoReturn:
    raise TypeError("values don't change: make a changed copy, such as {**data, 'name': value} or [*data, value]")


_OF_BOTH = ("__setitem__", "__delitem__", "clear", "pop")
_OF_DICTS = ("__ior__", "popitem", "setdefault", "update")
_OF_LISTS = ("__iadd__", "__imul__", "append", "extend", "insert", "remove", "reverse", "sort")
for _kind, _names in ((FrozenDict, _OF_BOTH + _OF_DICTS), (FrozenList, _OF_BOTH + _OF_LISTS)):
    for _name in _names:
        setattr(_kind, _name, _refuse)

_ATOMS = frozenset({str, int, float, bool, type(None), FrozenDict, FrozenList})


def frozen(value: Any) -> Any:
    """The data with every dict and list in it refusing changes; the same object if it is frozen already.

    Data that is nested deeper than Python's stack is frozen at the top only.
    """
    if type(value) in _ATOMS:
        return value
    try:
        return _frozen(value)
    except RecursionError:
        return FrozenDict(cast("Any", value)) if isinstance(value, Mapping) else value


def _frozen(value: Any) -> Any:
    kind: Any = type(value)
    if kind in _ATOMS:
        return value
    if kind is list:
        return FrozenList([item if type(item) in _ATOMS else _frozen(item) for item in value])
    if kind is tuple:
        if _ATOMS.issuperset(map(type, value)):
            return value
        items = tuple([_frozen(item) for item in value])
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value)
        return FrozenDict({key: item if type(item) in _ATOMS else _frozen(item) for key, item in items.items()})
    return value


FreezeData = AfterValidator(frozen)
"""Marks a field of a stored value whose dicts and lists refuse changes."""
FreezeTable = AfterValidator(lambda table: table if type(table) is FrozenDict else FrozenDict(table))
"""Marks a field that is a dict of values which are frozen by themselves."""
JsonObject = Annotated[dict[str, Any], FreezeData]
"""A JSON object as a field of a stored value: a dict that refuses changes."""

"""Stored values in less memory: those of one class share the names of their fields."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ctxlab.documents.frozen_json import FrozenDict

if TYPE_CHECKING:
    from ctxlab.documents.stored import Stored

MOST_SETS = 1000
NOTHING = FrozenDict()


def compact(value: Stored, *, looked_up: tuple[str, ...] = ()) -> None:
    """Keep a new value's fields in a third of the memory; `looked_up` are properties that it will remember.

    A message has 22 fields, mostly the defaults: as pydantic makes it, a table of names of its own and the set of those
    that were given are three quarters of what it takes. No value changes.
    """
    kind: Any = type(value)  # pyright takes the class for an instance, which can't be hashed
    fields = _without_values(kind, looked_up).copy()
    fields.update(value.__dict__)
    given = value.__pydantic_fields_set__
    known = _SETS.get(names := frozenset(given))
    if known is None and len(_SETS) < MOST_SETS:
        _SETS[names] = given
    _set(value, "__dict__", fields)
    if known is not None:
        _set(value, "__pydantic_fields_set__", known)
    if not value.__pydantic_extra__:
        _set(value, "__pydantic_extra__", NOTHING)


_set = object.__setattr__
_SETS: dict[frozenset[str], set[str]] = {}


@cache
def _without_values(kind: type[Stored], looked_up: tuple[str, ...]) -> dict[str, Any]:
    """A dict with the fields of a class: its copies share one table of names, as dicts of attributes do in CPython."""

    class Fields:
        pass

    names = (*kind.model_fields, *looked_up)
    first, fields = Fields(), Fields()
    for name in names:
        setattr(first, name, None)
    for name in kind.model_fields:
        setattr(fields, name, None)
    return fields.__dict__

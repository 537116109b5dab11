"""Dataclasses whose methods are written when they are first used: a start makes hundreds and uses a few of each.

The standard library writes and compiles five methods for a frozen class, which takes half a millisecond whether or not
there will ever be an object of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(kind: type | None = None, /, **options: bool) -> Any:
        """`dataclasses.dataclass` with its options; a class that inherits from a dataclass is written at once."""
        return lazy_dataclass(kind, **options) if kind else lambda kind: lazy_dataclass(kind, **options)


def lazy_dataclass(kind: type, **options: bool) -> type:
    """The class as a dataclass with these options, its methods yet to be written."""
    if options.keys() & {"order", "unsafe_hash"} or dataclasses.is_dataclass(kind):
        return dataclasses.dataclass(**options)(kind)
    own, doc = dict(vars(kind)), kind.__doc__
    asked = {"init": True, "repr": True, "eq": True, "frozen": False} | options
    has_hash = "__hash__" in own and (own["__hash__"] is not None or "__eq__" not in own)
    kind.__doc__ = doc or kind.__name__  # else the standard library works out a signature to have one
    made: Any = dataclasses.dataclass(**options | {"init": False, "repr": False, "eq": False, "frozen": False})(kind)
    made.__doc__ = doc
    for option in ("init", "repr", "eq", "frozen"):
        setattr(made.__dataclass_params__, option, asked[option])
        if option != "frozen" and asked[option] and f"__{option}__" not in own:
            setattr(made, f"__{option}__", _Unwritten(made, f"__{option}__", asked))
    if asked["eq"] and not has_hash:
        made.__hash__ = _Unwritten(made, "__hash__", asked) if asked["frozen"] else None
    if asked["frozen"]:
        _freeze(made, own, has_slots=asked.get("slots", False))
    return made


class _Unwritten:
    """Stands for a method of a class; whoever looks it up, to call it or to read its signature, gets the real one."""

    __slots__ = ("_kind", "_name", "_options")

    def __init__(self, kind: type, name: str, options: dict[str, bool]) -> None:
        self._kind = kind
        self._name = name
        self._options = options

    def __get__(self, value: object, kind: type | None = None) -> Any:
        method = _written(self._kind, self._name, self._options)
        setattr(self._kind, self._name, method)
        return method.__get__(value, kind)


def _written(kind: type, name: str, options: dict[str, bool]) -> Any:
    """A method as the standard library writes it for a class with the same fields."""
    fields = {each.name: each for each in dataclasses.fields(kind)}
    body = {**fields, "__annotations__": {each: field.type for each, field in fields.items()}, "__doc__": kind.__doc__}
    body |= {each: getattr(kind, each) for each in ("__module__", "__qualname__")}
    if hasattr(kind, "__post_init__"):
        body["__post_init__"] = None
    wanted = {"init": name == "__init__", "repr": name == "__repr__", "eq": name in {"__eq__", "__hash__"}}
    return vars(dataclasses.dataclass(**options | wanted)(type(kind.__name__, (), body)))[name]


def _freeze(kind: Any, own: dict[str, Any], *, has_slots: bool) -> None:
    """Refuse to change objects of a class."""

    def refuse(value: object, verb: str, name: str) -> None:
        if type(value) is kind or name in kind.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot {verb} field {name!r}")

    def assign(self: object, name: str, value: object) -> None:
        refuse(self, "assign to", name)
        super(kind, self).__setattr__(name, value)

    def delete(self: object, name: str) -> None:
        refuse(self, "delete", name)
        super(kind, self).__delattr__(name)

    methods: dict[str, Any] = {"__setattr__": assign, "__delattr__": delete}
    if has_slots:
        methods |= {"__getstate__": _state, "__setstate__": _set_state}
    for name in methods.keys() - own.keys():
        setattr(kind, name, methods[name])


def _state(value: Any) -> list[Any]:
    """The fields of a frozen object, for pickle, which can't set its slots."""
    return [getattr(value, field.name) for field in dataclasses.fields(value)]


def _set_state(value: Any, state: Sequence[Any]) -> None:
    for field, each in zip(dataclasses.fields(value), state, strict=True):
        object.__setattr__(value, field.name, each)

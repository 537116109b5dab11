"""A lazy dataclass behaves as one of the standard library; what nobody uses is not written."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from copy import copy, deepcopy
from dataclasses import FrozenInstanceError, field, fields, replace
from threading import Barrier, Thread
from typing import Any

import pytest

from ctxlab.lazy_dataclass import dataclass, lazy_dataclass

METHODS = ("__init__", "__repr__", "__eq__", "__hash__")
OPTIONS = [
    {},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "repr": False, "weakref_slot": True},
    {"slots": True},
    {"eq": False, "repr": False},
    {"frozen": True, "kw_only": True},
    {"frozen": True, "order": True},
]


def lamp(options: dict[str, bool], *, is_lazy: bool) -> Any:
    class Lamp:
        """A light."""

        name: str
        colours: tuple[str, ...] = ("white",)
        seen: list[str] = field(default_factory=list[str], compare=False, repr=False)
        lit: bool = field(default=False, kw_only=True)
        length: int = field(init=False, default=0)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", len(self.name))

    return lazy_dataclass(Lamp, **options) if is_lazy else dataclasses.dataclass(**options)(Lamp)


def behaviour(kind: Any) -> list[object]:
    one, same, other = (kind(name=name, lit=True) for name in ("pier", "pier", "mole"))
    found: list[object] = [one == same, one == other, one == "pier", [getattr(one, each.name) for each in fields(one)]]
    found += [inspect.signature(kind), kind.__doc__, kind.__match_args__, repr(kind.__dataclass_params__)]
    found += [replace(one, name="quay").length, one.seen is same.seen, kind.__hash__ is None]
    if kind.__repr__ is not object.__repr__:
        found.append(repr(one))
    if kind.__hash__ not in (None, object.__hash__):
        found.append(hash(one) == hash(same))
    for attempt in (
        lambda: setattr(one, "name", "x"),
        lambda: delattr(one, "name"),
        lambda: kind(),
        lambda: kind(1, 2, 3, 4),
    ):
        try:
            attempt()
            found.append(None)
        except (FrozenInstanceError, TypeError) as refusal:
            found.append((type(refusal), str(refusal)))
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "plain")
def test_a_lazy_dataclass_behaves_as_one_of_the_standard_library(options: dict[str, bool]) -> None:
    assert behaviour(lamp(options, is_lazy=True)) == behaviour(lamp(options, is_lazy=False))


def test_a_method_is_written_when_it_is_first_used() -> None:
    kind = lamp({"frozen": True, "slots": True}, is_lazy=True)

    before = [inspect.isfunction(vars(kind)[name]) for name in METHODS]
    kind("pier")
    after = [inspect.isfunction(vars(kind)[name]) for name in METHODS]

    assert (before, after) == ([False] * 4, [True, False, False, False])


@dataclass(frozen=True, slots=True)
class Berth:
    """A place for a ship."""

    name: str
    metres: int = 10

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Place(Berth):
    """A subclass that isn't a dataclass, and has attributes of its own."""


@dataclasses.dataclass(frozen=True)
class Deep(Berth):
    """A dataclass of the standard library that inherits."""

    depth: int = 4


@dataclass(frozen=True)
class Deeper(Deep):
    """One of ours that inherits from it."""

    tide: int = 1


@pytest.mark.parametrize("value", [Berth("a"), Deep("b", depth=2), Deeper("c", tide=3)])
def test_frozen_values_pickle_and_copy(value: Berth) -> None:
    copies = [pickle.loads(pickle.dumps(value, protocol)) for protocol in range(2, 6)] + [copy(value), deepcopy(value)]

    assert copies == [value] * 6
    assert {hash(each) for each in copies} == {hash(value)}


def test_a_method_of_the_class_s_own_stays_and_subclasses_are_as_frozen() -> None:
    place: Any = Place("quay")
    place.remark = "high"

    assert repr(place) == "<quay>"
    assert Deeper("x", 1, 2, 3) != Deeper("x", 1, 2, 4)
    frozen: list[Any] = [place, Deep("y"), Deeper("z")]
    for value in frozen:
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
            value.name = "other"


def test_threads_that_make_the_first_object_all_get_one() -> None:
    kind, barrier, made = lamp({"frozen": True, "slots": True}, is_lazy=True), Barrier(8), list[Any]()

    def make() -> None:
        barrier.wait()
        made.append(kind("pier"))

    threads = [Thread(target=make) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert made == [kind("pier")] * 8

"""Facts that were worked out of a frozen value, kept beside it for as long as it lives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar
from weakref import ref

V = TypeVar("V")
F = TypeVar("F")


class _Alive(ref[V]):
    """A reference to a value, with the id that it had."""

    __slots__ = ("key",)
    key: int

    def __new__(cls, value: V, callback: Callable[[Any], None]) -> _Alive[V]:
        made = super().__new__(cls, value, callback)
        made.key = id(value)
        return made


class KeptFacts(Generic[V, F]):
    """Facts of values, told apart by identity; nothing of it is in the values, so copies and pickles have none.

    A fact must not hold its value, which would then live for ever.
    """

    def __init__(self, work_out: Callable[[V], F]) -> None:
        self._work_out = work_out
        self._facts: dict[int, F] = {}
        self._alive: dict[int, _Alive[V]] = {}

    def __len__(self) -> int:
        return len(self._facts)

    def __repr__(self) -> str:
        return f"KeptFacts({len(self)} values)"

    def of(self, value: V) -> F:
        """The fact of a value, worked out if it isn't known."""
        return self.of_all((value,))[0]

    def of_all(self, values: Iterable[V]) -> list[F]:
        """The facts of some values, in their order."""
        facts = self._facts
        return [facts[id(value)] if id(value) in facts else self._new(value) for value in values]

    def _new(self, value: V) -> F:
        fact = self._work_out(value)
        self._alive[id(value)] = _Alive(value, self._forget)
        self._facts[id(value)] = fact
        return fact

    def _forget(self, dead: _Alive[V]) -> None:
        self._facts.pop(dead.key, None)
        self._alive.pop(dead.key, None)

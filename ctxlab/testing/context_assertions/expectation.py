"""An expectation of a built context: a value that is used again, negated and combined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from textwrap import indent
from typing import Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace

PAD = "  "


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether something holds of a run, and the facts in words, which may have several lines.

    `holds` is None where it can't be decided, such as for a message that the run never had: neither the expectation
    nor its negation is then met.
    """

    holds: bool | None
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """Something that a built context must be. `a & b` wants both, `a | b` one of them, `~a` the contrary.

    An expectation of one's own is a name and a function of the trace: `Expectation("three presets", find)`.
    """

    name: str
    find: Callable[[Trace], Finding] = field(repr=False)

    def __and__(self, other: Expectation) -> Expectation:
        return all_of(self, other)

    def __or__(self, other: Expectation) -> Expectation:
        return any_of(self, other)

    def __invert__(self) -> Expectation:
        return _Negated(f"not {self.name}", self.find, self)

    def problems(self, trace: Trace, *, negated: bool = False) -> tuple[str, ...]:
        """A block of text for each thing that is not as expected; nothing where all is."""
        found = self.find(trace)
        if found.holds is (not negated):
            return ()
        head = f"not {self.name}" if negated else self.name
        first, *more = found.words.splitlines() or [""]
        return ("\n".join([f"{head}: {first}", *(f"{PAD}{line}" for line in more)]),)


class _Negated(Expectation):
    """The contrary of an expectation."""

    __slots__ = ("_of",)

    def __init__(self, name: str, find: Callable[[Trace], Finding], of: Expectation) -> None:
        super().__init__(name, find)
        object.__setattr__(self, "_of", of)

    def __invert__(self) -> Expectation:
        return self._of

    def problems(self, trace: Trace, *, negated: bool = False) -> tuple[str, ...]:
        return self._of.problems(trace, negated=not negated)


class _Combined(Expectation):
    """Several expectations, of which all or any must be met."""

    __slots__ = ("_of", "_wanted")

    def __init__(self, of: tuple[Expectation, ...], wanted: Literal["all", "any"]) -> None:
        super().__init__(f"{wanted}_of({', '.join([each.name for each in of])})", self._find)
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_wanted", wanted)

    def __invert__(self) -> Expectation:
        return _Negated(f"not {self.name}", self._find, self)

    def _find(self, trace: Trace) -> Finding:
        problems = self.problems(trace)
        return Finding(not problems, "\n".join(problems) or "holds")

    def problems(self, trace: Trace, *, negated: bool = False) -> tuple[str, ...]:
        each = [one.problems(trace, negated=negated) for one in self._of]
        if (self._wanted == "all") is not negated:
            return tuple([problem for problems in each for problem in problems])
        if not all(each):
            return ()
        blocks = "\n".join([problem for problems in each for problem in problems])
        return (f"none of these {len(each)} holds:\n{indent(blocks, PAD)}",)


@checked_arguments
def all_of(*expectations: Expectation) -> Expectation:
    """An expectation that wants all of these; a failure names each that is not met."""
    return _combined(expectations, "all")


@checked_arguments
def any_of(*expectations: Expectation) -> Expectation:
    """An expectation that wants at least one of these."""
    return _combined(expectations, "any")


def _combined(expectations: tuple[Expectation, ...], wanted: Literal["all", "any"]) -> Expectation:
    if not expectations:
        raise WrongArgument(f"{wanted}_of takes at least one expectation, such as kept('u5')", function=f"{wanted}_of")
    return _Combined(expectations, wanted)

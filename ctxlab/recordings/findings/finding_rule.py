"""A rule that finds something in a context, as a value that packages can bring too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from ctxlab.recordings.findings.finding import FindingPlace, Level

if TYPE_CHECKING:
    from ctxlab.recordings.findings.checked_context import CheckedContext

Checked = Literal["recording", "trace", "session"]
ALL: Final[tuple[Checked, ...]] = get_args(Checked)
BUILT: Final[tuple[Checked, ...]] = ("trace", "session")
"""Things that were built here, whose agent, presets and lore are known."""


@dataclass(frozen=True, slots=True)
class Found:
    """A thing that a rule's function found; the rule adds its id, its level and its title. Fields as in `Finding`."""

    text: str
    remedy: str
    places: tuple[FindingPlace, ...] = ()
    tokens: int = 0
    usd: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class FindingRule:
    """A rule: `find` takes a CheckedContext and gives a Found for each thing that it finds.

    `id` is a slug, `title` three to six words, `description` a sentence that says when it speaks. `works_on` are the
    kinds of things that it is asked about; `example_real` says whether it has found something in a real recording.
    """

    id: str
    title: str
    description: str
    level: Level
    find: Callable[[CheckedContext], Iterable[Found]]
    works_on: tuple[Checked, ...] = ALL
    example_real: bool = False

    def __repr__(self) -> str:
        return f"FindingRule({self.id!r}, {self.level})"


def finding_rule(
    id: str,
    title: str,
    description: str,
    level: Level,
    works_on: tuple[Checked, ...] = ALL,
    *,
    example_real: bool = False,
) -> Callable[[Callable[[CheckedContext], Iterable[Found]]], FindingRule]:
    """A decorator that makes a rule of a function."""
    return lambda find: FindingRule(id, title, description, level, find, works_on, example_real)

"""A rule that finds something in a context, as a value that packages can bring too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, Literal, get_args

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.short_texts import short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.findings.finding import FindingPlace, Level

if TYPE_CHECKING:
    from ctxlab.recordings.findings.checked_context import CheckedContext

Checked = Literal["recording", "trace", "session", "rendered"]
ALL: Final[tuple[Checked, ...]] = get_args(Checked)
BUILT: Final[tuple[Checked, ...]] = ("trace", "session")
"""Things that were built here, whose agent, presets and lore are known."""
RENDERED: Final[tuple[Checked, ...]] = ("rendered",)
"""Of those the ones whose text is known, since they are for a model with a chat template."""


@dataclass(frozen=True, slots=True, repr=False)
class Found:
    """A thing that a rule's function found; the rule adds its id, its level and its title. Fields as in `Finding`."""

    text: str
    remedy: str
    places: tuple[FindingPlace, ...] = ()
    tokens: int = 0
    usd: float | None = None

    def __repr__(self) -> str:
        return f"Found({short(self.text, 80)!r}, {self.tokens:,} tokens)"

    def _repr_html_(self) -> str:
        return heading(self) + fields_table({"text": self.text, "remedy": self.remedy, "tokens": self.tokens})


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
        return f"FindingRule({short(self.id)!r}, {self.level})"

    def _repr_html_(self) -> str:
        return heading(self) + fields_table({"title": self.title, "description": self.description, "level": self.level})


@checked_arguments
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

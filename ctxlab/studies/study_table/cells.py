"""The cells of a study's frame by variant and budget, with what has no score apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from math import isfinite
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import nearest
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.statistics.paired_difference import CellKey

if TYPE_CHECKING:
    import pandas as pd

GROUPED = ("variant", "budget")
CaseName = tuple[str, str]
"""A case by its conversation and its own name, which others may have in other conversations."""
REQUIRED = ("conversation", "case", "variant")


@dataclass(slots=True, eq=False)
class CellGroup:
    """The cells of one variant at one budget: scores and other columns by cell, and the cases of those without.

    `failed` are pairs of an error and a case, `without_score` cases, each by its conversation and its name.
    """

    variant: str
    budget: int | None
    values: tuple[Any, ...] = ()
    scores: dict[CellKey, float] = field(default_factory=dict[CellKey, float])
    also: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    failed: list[tuple[str, CaseName]] = field(default_factory=list[tuple[str, CaseName]])
    without_score: list[CaseName] = field(default_factory=list[CaseName])
    settings: dict[str, None] = field(default_factory=dict[str, None])

    @property
    def place(self) -> tuple[Any, ...]:
        """Budget and further columns, which it shares with the groups that it is compared with."""
        return (self.budget, *self.values)

    def cells(self) -> Iterator[tuple[str, str, float]]:
        return ((key.conversation, key.case, value) for key, value in self.scores.items())

    def mean_of(self, column: str) -> float | None:
        """The mean of another column over the cells that have a score."""
        values = self.also.get(column)
        return sum(values) / len(values) if values else None


def cell_groups(
    frame: pd.DataFrame, score: str, *, by: Sequence[str] = ("variant",), also: Sequence[str] = ()
) -> tuple[CellGroup, ...]:
    """Groups in the order in which the frame meets them; raises WrongArgument for a column that it doesn't have."""
    extra = [name for name in dict.fromkeys(by) if name not in GROUPED]
    _check_columns(frame, [*REQUIRED, score, *extra, *also])
    columns = [*REQUIRED, score, *extra, *also]
    optional = [name for name in ("budget", "seed", "error", "settings") if name in frame.columns]
    names = list(dict.fromkeys([*columns, *optional]))
    groups: dict[tuple[Any, ...], CellGroup] = {}
    for row in zip(*(frame[name].tolist() for name in names), strict=True):
        cell = dict(zip(names, row, strict=True))
        budget = _whole(cell.get("budget"))
        values = tuple(_known(cell[name]) for name in extra)
        group = groups.setdefault((cell["variant"], budget, values), CellGroup(str(cell["variant"]), budget, values))
        _add(group, cell, score, also)
    return tuple(groups.values())


def _add(group: CellGroup, cell: dict[str, Any], score: str, also: Sequence[str]) -> None:
    error, value = _known(cell.get("error")), _known(cell[score])
    name = (str(cell["conversation"]), str(cell["case"]))
    group.settings[str(_known(cell.get("settings")) or "")] = None
    if error:
        group.failed.append((str(error), name))
    elif value is None:
        group.without_score.append(name)
    else:
        key = CellKey(*name, (group.place, _known(cell.get("seed"))))
        if key in group.scores:
            raise WrongArgument(_twice(group, key))
        group.scores[key] = _number(value, score)
        for column in also:
            known = _known(cell[column])
            if known is not None:
                group.also.setdefault(column, []).append(_number(known, column))


def _twice(group: CellGroup, key: CellKey) -> str:
    place = f"case {plain(key.case, 40)!r} of variant {plain(group.variant, 40)!r}"
    return f"the frame has {place} twice with the same budget and seed; drop one: frame.drop_duplicates(...)"


def _check_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    known = [str(name) for name in frame.columns]
    missing = next((name for name in names if name not in known), None)
    if missing is not None:
        raise WrongArgument(f"the frame has no column {plain(missing, 40)!r}{nearest(missing, known)}")


def _known(value: Any) -> Any:
    """The value, or None for the marks that pandas has for a missing one."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # NA can't be compared with itself
        return None
    return None if value != value else value


def _whole(budget: Any) -> int | None:
    known = _known(budget)
    try:
        return None if known is None else int(known)
    except (TypeError, ValueError, OverflowError):
        raise WrongArgument(f"column 'budget' takes whole numbers, got {plain(str(known), 40)!r}") from None


def _number(value: Any, column: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("inf")
    if isinstance(value, str) or not isfinite(number):
        shown = plain(str(value), 40)
        raise WrongArgument(f"column {column!r} takes numbers to make a mean of, got {shown!r}")
    return number

"""The contract of a scorer: the run that it gets, and the columns that it fills."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.study.case import Case

ScoreValue = float | int | bool | str | None
"""A value of one cell; None where there is nothing to score, which no mean counts."""
Unit = Literal["share", "tokens", "messages", "usd", "number", "text"]
Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A column of a study's frame. A share is in [0, 1]; `better` is None where more is neither better nor worse."""

    name: str
    title: str
    unit: Unit
    better: Better | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRun:
    """A build of a case under a variant. `at(leaf)` is the same build at another message of the conversation."""

    case: Case
    trace: Trace
    at: Callable[[str], Trace]


class Scorer(Protocol):
    """Scores one build. It is deterministic, and reads nothing but the run; `version` changes when its answers do.

    Cells that are kept follow changes of its code by themselves, as `Study.run` says.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def columns(self) -> tuple[ScoreColumn, ...]: ...

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        """A value for each of the columns."""
        ...

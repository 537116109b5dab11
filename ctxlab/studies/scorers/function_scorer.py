"""Scorers of one's own: a function of a scored run that gives a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue

ScorerFunction = Callable[[ScoredRun], float | None]


@dataclass(frozen=True, slots=True, eq=False)
class FunctionScorer:
    """A scorer around a function of a scored run; its column has the function's name."""

    name: str
    version: str
    function: ScorerFunction

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return (ScoreColumn(self.name, self.name.replace("_", " "), "number"),)

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        return {self.name: self.function(run)}


def function_scorer(function: ScorerFunction) -> FunctionScorer:
    """A scorer around a function, by its name; its version is a hash of its source."""
    return FunctionScorer(getattr(function, "__name__", type(function).__name__), _version(function), function)


def _version(function: Any) -> str:
    """A name for what a function does, from its source, so that other words in it make another version."""
    from inspect import getsource

    try:
        text = getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        text = repr((code.co_code, code.co_names)) if code is not None else type(function).__qualname__
    return sha256(text.encode()).hexdigest()[:12]

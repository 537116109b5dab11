"""The scorers by name: those that come with ctxlab, and those of other packages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, cast

from ctxlab.display.short_texts import short
from ctxlab.errors import WrongArgument, did_you_mean
from ctxlab.plugins import announced
from ctxlab.studies.scorers.evidence_retention import EVIDENCE
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, Scorer, ScoreValue

GROUP = "ctxlab.scorers"
"""Entry points of other packages' scorers."""
SCORERS: tuple[Scorer, ...] = (EVIDENCE,)
ScorerFunction = Callable[[ScoredRun], float | None]
ScorerSource = Scorer | ScorerFunction | str
"""A scorer, the name of one, or a function of a scored run that gives a number."""


@dataclass(frozen=True, slots=True, eq=False)
class Scorers:
    """Scorers by name, and why some that other packages announce can't be used."""

    by_name: Mapping[str, Scorer]
    problems: tuple[str, ...] = ()


@cache
def scorers() -> Scorers:
    """Our own scorers and those under the entry point group `ctxlab.scorers`; scanned once per process."""
    found: dict[str, Scorer] = {scorer.name: scorer for scorer in SCORERS}
    problems: list[str] = []
    for plugin in announced(GROUP, problems):
        problem = _problem(plugin.value, found)
        if problem is None:
            found[plugin.value.name] = plugin.value
        else:
            problems.append(plugin.left_out(problem))
    return Scorers(found, tuple(problems))


def scorer_named(name: str) -> Scorer:
    """The scorer of this name; raises WrongArgument with the nearest one."""
    found = scorers().by_name.get(name)
    if found is None:
        raise WrongArgument(f"there is no scorer {short(name)!r}{did_you_mean(name, list(scorers().by_name))}")
    return found


def scorers_of(sources: Iterable[ScorerSource]) -> tuple[Scorer, ...]:
    """Scorers from scorers, names and functions; raises WrongArgument where two fill one column."""
    found = tuple([_scorer(source) for source in sources])
    columns = [column.name for scorer in found for column in scorer.columns]
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise WrongArgument(f"two scorers fill the column {twice!r}; each column has one scorer")
    return found


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


def _scorer(source: ScorerSource) -> Scorer:
    if isinstance(source, str):
        return scorer_named(source)
    if callable(getattr(source, "score", None)):
        return cast("Scorer", source)
    if callable(source):
        function = source
        return FunctionScorer(getattr(function, "__name__", type(function).__name__), _version(function), function)
    raise WrongArgument(f"{short(repr(source))} is no scorer: it needs name, version, columns and score(run)")


def _version(function: Any) -> str:
    """A name for what a function does, from its source, so that other words in it make another version."""
    from inspect import getsource

    try:
        text = getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        text = repr((code.co_code, code.co_names)) if code is not None else type(function).__qualname__
    return sha256(text.encode()).hexdigest()[:12]


def _problem(loaded: Any, taken: Mapping[str, Scorer]) -> str | None:
    """Why something that was loaded is no scorer; None when it is one."""
    name = getattr(loaded, "name", None)
    if not isinstance(name, str) or not name:
        return "it has no name"
    if name in taken:
        return f"there is a scorer {name!r} already; names are unique"
    if not callable(getattr(loaded, "score", None)) or isinstance(loaded, type):
        return f"{name!r} has no score(run)"
    if not isinstance(getattr(loaded, "version", None), str):
        return f"{name!r} has no version"
    columns = getattr(loaded, "columns", None)
    if not isinstance(columns, tuple) or not all(isinstance(each, ScoreColumn) for each in cast("Any", columns)):
        return f"the columns of {name!r} are no tuple of ScoreColumn"
    return None

"""Scorers by name: those of ctxlab, and those that other packages announce as `ctxlab.scorers`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import Any

from ctxlab.errors import WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins import announced, raised
from ctxlab.studies.study.scorer import Scorer

GROUP = "ctxlab.scorers"
MEMBERS = ("name", "version", "columns", "score")


@dataclass(frozen=True, slots=True, eq=False)
class Scorers:
    """Scorers by name, and why some that are announced can't be used."""

    by_name: Mapping[str, Scorer]
    problems: tuple[str, ...] = ()


@cache
def scorers() -> Scorers:
    """Every scorer that can be named; scanned once per process."""
    from ctxlab.studies.scorers import SCORERS

    problems: list[str] = []
    found: dict[str, Scorer] = {scorer.name: scorer for scorer in SCORERS}
    for plugin in announced(GROUP, problems):
        try:
            scorer: Any = plugin.value() if isinstance(plugin.value, type) else plugin.value
            problem = _problem(scorer, found)
        except Exception as error:  # somebody else's class may raise anything when it is made
            scorer, problem = None, raised(error)
        if problem is None:
            found[scorer.name] = scorer
        else:
            problems.append(plugin.left_out(problem))
    return Scorers(found, tuple(problems))


def scorers_of(sources: Sequence[Scorer | str | Any]) -> tuple[Scorer, ...]:
    """Scorers as they are, those of names, and those around functions of a scored run that give a number.

    Raises WrongArgument for a name that there is not, or that is twice.
    """
    from ctxlab.studies.scorers import function_scorer

    found = [
        scorer_named(each)
        if isinstance(each, str)
        else function_scorer(each)
        if isinstance(each, FunctionType)
        else each
        for each in sources
    ]
    for each in found:
        if not _is_scorer(each):
            raise WrongArgument(f"scorers takes scorers and their names, got a {type(each).__name__}")
    names = [each.name for each in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise WrongArgument(f"two scorers are named {twice!r}; name each once")
    return tuple(found)


def scorer_named(name: str) -> Scorer:
    """The scorer of a name; raises WrongArgument with the nearest one."""
    known = scorers()
    if name not in known.by_name:
        why = f"; {known.problems[0]}" if known.problems else ""
        raise WrongArgument(f"there is no scorer {name!r}{did_you_mean(name, list(known.by_name))}{why}")
    return known.by_name[name]


def _problem(scorer: Any, taken: Mapping[str, object]) -> str | None:
    if not _is_scorer(scorer):
        return f"it has not {', '.join(MEMBERS)}"
    return f"there is a scorer {scorer.name!r} already; names are unique" if scorer.name in taken else None


def _is_scorer(value: Any) -> bool:
    return not isinstance(value, type) and all(hasattr(value, name) for name in MEMBERS)

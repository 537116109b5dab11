"""Truncation strategies that can be used here, and why the others can't."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ctxlab.documents import Session
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.engines.truncation.registry import strategies
from ctxlab.errors import MissingExtra, WrongArgument, did_you_mean
from ctxlab.knowledge.embedders import embedder_for
from ctxlab.pipeline import ProcessorFailed
from ctxlab.studies.study.build_function import BuildFunction
from ctxlab.studies.study.variant import STRATEGY

BY_MEANING = ("embeddings", "hybrid")
"""Rankers that ask an embedder."""
BUDGET_TOKENS = 20
"""A budget for the question and one of the two messages before it, so that a strategy has to choose."""


class UsableStrategies(NamedTuple):
    """Names of strategies, and a sentence for each one that needs what is not installed."""

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


def usable_strategies(build: BuildFunction, wanted: Sequence[str] = ()) -> UsableStrategies:
    """The strategies of these names; without names every one that there is and that needs nothing that is missing.

    Raises WrongArgument for a name that there is not, and MissingExtra for a named one that needs what is missing.
    """
    known = strategies().by_name
    unknown = next((name for name in wanted if name not in known), None)
    if unknown is not None:
        raise WrongArgument(f"there is no strategy {unknown!r}{did_you_mean(unknown, list(known))}")
    names: list[str] = []
    notes: list[str] = []
    for name in wanted or known:
        missing = _missing(build, name)
        if missing is None:
            names.append(name)
        elif wanted:
            raise missing
        else:
            notes.append(f"strategy {name!r} is left out: {missing}")
    return UsableStrategies(tuple(names), tuple(notes))


def embedder_lines(names: Sequence[str]) -> tuple[str, ...]:
    """A sentence on the embedder of those strategies that rank by meaning, as they stand without settings."""
    by_name = strategies().by_name
    ranked = [name for name in names if name in by_name and _ranker_of(by_name[name]) in BY_MEANING]
    if not ranked:
        return ()
    verb = "ranks" if len(ranked) == 1 else "rank"
    return (f"{' and '.join(ranked)} {verb} by meaning with the embedder {embedder_for(()).name!r}",)


def _ranker_of(strategy: Any) -> str | None:
    made: object = strategy() if isinstance(strategy, type) else strategy
    found = getattr(made, "ranker_name", None)
    return found if isinstance(found, str) else None


def _missing(build: BuildFunction, strategy: str) -> MissingExtra | None:
    """The error of a strategy that needs what is not installed, found by building with it."""
    session = Session(id="strategy").append("The key is under the mat.").append("It is red.", role="assistant")
    try:
        build(
            session,
            pending="Where is the key?",
            budget_tokens=BUDGET_TOKENS,
            settings={STRATEGY: strategy},
            tokenizer=tokenizer_named("chars4+4"),
        )
    except MissingExtra as missing:
        return missing
    except ProcessorFailed as problem:
        return problem.__cause__ if isinstance(problem.__cause__, MissingExtra) else None
    return None

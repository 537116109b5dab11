"""Which rankers there are: our own, those that other packages bring by entry point, and those that a build is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cache

from ctxlab.engines.ranking import Ranker, as_ranker
from ctxlab.errors import WrongSetting, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins import announced, raised

GROUP = "ctxlab.rankers"


@cache
def _bm25() -> Ranker:
    from ctxlab.engines.ranking.bm25 import Bm25

    return Bm25()


@cache
def _by_worth(name: str) -> Ranker:
    from ctxlab.engines.ranking.worth import Adaptive, Coverage, Worth

    return {"worth": Worth, "coverage": Coverage, "adaptive": Adaptive}[name]()


def _embeddings() -> Ranker:
    from ctxlab.knowledge.ranking.embeddings import EmbeddingsRanker

    return EmbeddingsRanker()


def _hybrid() -> Ranker:
    from ctxlab.knowledge.ranking.hybrid import HybridRanker

    return HybridRanker()


BUILT_IN: Mapping[str, Callable[[], Ranker]] = {
    "bm25": _bm25,
    "worth": lambda: _by_worth("worth"),
    "coverage": lambda: _by_worth("coverage"),
    "adaptive": lambda: _by_worth("adaptive"),
    "embeddings": _embeddings,
    "hybrid": _hybrid,
}
"""Our own by name, each made when it is first asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Rankers:
    """Makers of rankers by name, and why some that other packages announce can't be used.

    `packages` are those that brought a ranker, by its name.
    """

    by_name: Mapping[str, Callable[[], Ranker]]
    problems: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict[str, str])


@cache
def rankers() -> Rankers:
    """Our own rankers and those under the entry point group `ctxlab.rankers`; scanned once per process."""
    by_name = dict(BUILT_IN)
    problems: list[str] = []
    packages: dict[str, str] = {}
    for plugin in announced(GROUP, problems):
        try:
            made = as_ranker(plugin.value() if isinstance(plugin.value, type) else plugin.value)
            name = made.name
        except Exception as error:  # somebody else's code may raise anything when it is looked at
            problems.append(plugin.left_out(raised(error)))
            continue
        if name in by_name:
            problems.append(plugin.left_out(f"there is a ranker {name!r} already; names are unique"))
            continue
        by_name[name] = lambda made=made: made
        packages[name] = plugin.package
    return Rankers(by_name, tuple(problems), packages)


def ranker_named(name: str, given: Iterable[Ranker] = ()) -> Ranker:
    """The ranker of a name: one of those that are given, else one of all that there are.

    Raises WrongSetting where there is none.
    """
    own = {each.name: each for each in given}
    if name in own:
        return own[name]
    known = rankers()
    if name not in known.by_name:
        left_out = "".join([f"; {problem}" for problem in known.problems])
        raise WrongSetting(f"there is no ranker {name!r}{did_you_mean(name, [*own, *known.by_name])}{left_out}")
    return known.by_name[name]()

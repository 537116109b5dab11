"""Hits scored anew by something that reads the query and each text together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, Protocol, cast

from ctxlab.context.knowledge_hit import KnowledgeHit
from ctxlab.context.portable_pickles import by_fields
from ctxlab.display.short_texts import short
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import CtxlabError, WrongArgument, WrongSetting, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins import announced, raised

GROUP = "ctxlab.rerankers"
RERANK = "rerank"


class Reranker(Protocol):
    """Scores hits by what they have to do with a query, higher is better."""

    @property
    def name(self) -> str: ...

    def rerank(self, query: str, hits: Sequence[KnowledgeHit]) -> Sequence[float]:
        """A score for each hit, in their order."""
        ...


RerankFunction = Callable[[str, Sequence[str]], Sequence[float]]
"""A reranker of one's own: a function of the query and the texts that gives a score for each."""


@dataclass(frozen=True, slots=True, eq=False)
class FunctionReranker:
    """A reranker around a function."""

    name: str
    function: RerankFunction

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "function")

    def rerank(self, query: str, hits: Sequence[KnowledgeHit]) -> Sequence[float]:
        return self.function(query, [hit.text for hit in hits])


def as_reranker(reranker: Reranker | RerankFunction | str) -> Reranker:
    """A reranker as it is, the one that a package brings under this name, or one around a function."""
    if isinstance(reranker, str):
        return reranker_named(reranker)
    if not isinstance(reranker, type) and callable(getattr(reranker, "rerank", None)) and hasattr(reranker, "name"):
        return cast("Reranker", reranker)
    if isinstance(reranker, type) or not callable(reranker):
        raise WrongArgument(
            f"reranker is a {type(reranker).__name__}; it takes a reranker, the name of one, or a function of a query"
            " and texts"
        )
    function = cast("Any", reranker)
    return FunctionReranker(getattr(function, "__name__", type(function).__name__), function)


def reranker_named(name: str) -> Reranker:
    """The reranker that another package announces under the entry point group `ctxlab.rerankers`.

    Raises WrongSetting with the nearest name where there is none, and with those that can't be used.
    """
    problems: list[str] = []
    found: dict[str, Reranker] = {}
    for plugin in announced(GROUP, problems):
        try:
            made = as_reranker(plugin.value() if isinstance(plugin.value, type) else plugin.value)
            found.setdefault(made.name, made)
        except Exception as error:  # somebody else's code may raise anything when it is looked at
            problems.append(plugin.left_out(raised(error)))
    if name not in found:
        left_out = "".join([f"; {problem}" for problem in problems])
        raise WrongSetting(f"there is no reranker {name!r}{did_you_mean(name, list(found))}{left_out}")
    return found[name]


def reranked(reranker: Reranker, query: str, hits: Sequence[KnowledgeHit], notes: list[str]) -> list[KnowledgeHit]:
    """The hits in the order of their new scores, of equal ones in the order that they had.

    Where the reranker fails they stay as they are, and a note says why.
    """
    try:
        scores = _checked(_scores(reranker, query, hits), len(hits), reranker.name)
    except CtxlabError as error:
        notes.append(f"the hits were not ranked anew: {error}")
        return list(hits)
    order = sorted(range(len(hits)), key=lambda i: -scores[i])
    return [
        replace(
            hits[i],
            scores=FrozenDict({**hits[i].scores, RERANK: scores[i]}),
            ranks=FrozenDict({**hits[i].ranks, RERANK: rank}),
        )
        for rank, i in enumerate(order, 1)
    ]


def _scores(reranker: Reranker, query: str, hits: Sequence[KnowledgeHit]) -> Sequence[float]:
    try:
        return reranker.rerank(query, hits)
    except CtxlabError:
        raise
    except Exception as error:  # a reranker of one's own may raise anything; its words may hold a key
        raise CtxlabError(f"reranker {short(reranker.name)!r} raised {type(error).__name__}") from error


def _checked(scores: Any, count: int, name: str) -> list[float]:
    try:
        found = [float(score) for score in scores]
    except (TypeError, ValueError):
        raise CtxlabError(f"reranker {short(name)!r} gave no numbers") from None
    if len(found) != count or not all(map(isfinite, found)):
        raise CtxlabError(f"reranker {short(name)!r} gave {len(found):,} scores for {count:,} hits, or one not finite")
    return found

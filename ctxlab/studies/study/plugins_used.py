"""Packages of the strategies and rankers that a cell is cut by: others may come and go without another key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.engines.truncation.registry import STRATEGIES, settings_of, strategies
from ctxlab.knowledge.ranker_registry import BUILT_IN, rankers
from ctxlab.processors import TokenLimiter
from ctxlab.studies.study.variant import STRATEGY

RANKER = f"{TokenLimiter.id}.ranker"
OURS = frozenset(strategy.name for strategy in STRATEGIES)


def plugins_used(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of packages whose strategies or rankers a build under a variant's own settings may go by.

    Without a strategy among them a case, an agent or a model may name any, so all count; so do all rankers where the
    strategy isn't one of ours, or takes a ranker by a name that the settings don't give.
    """
    known, ranked = strategies(), rankers()
    strategy = settings.get(STRATEGY)
    if not isinstance(strategy, str) or strategy not in known.by_name:
        return tuple(sorted({*known.packages.values(), *ranked.packages.values()}))
    if strategy not in OURS:
        return tuple(sorted({known.packages[strategy], *ranked.packages.values()}))
    if "ranker" not in settings_of(known.by_name[strategy]):
        return ()
    ranker = settings.get(RANKER)
    if ranker in BUILT_IN:
        return ()
    one = ranked.packages.get(ranker) if isinstance(ranker, str) else None
    return (one,) if one is not None else tuple(sorted(set(ranked.packages.values())))

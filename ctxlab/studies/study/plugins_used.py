"""Packages of strategies, rankers and scorers that a cell is made by: others may come and go without another key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ctxlab.engines.truncation.registry import STRATEGIES, settings_of, strategies
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.ranker_registry import BUILT_IN, rankers
from ctxlab.plugins import has_changed, package_of_module
from ctxlab.processors import TokenLimiter
from ctxlab.studies.study.code_version import in_every_build, packages_in
from ctxlab.studies.study.scorer import Scorer
from ctxlab.studies.study.settings_given import settings_in
from ctxlab.studies.study.variant import STRATEGY, Variant

if TYPE_CHECKING:
    from ctxlab.studies.study.plan import StudyPlan

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


def plugins_of_variant(variant: Variant) -> tuple[str, ...]:
    """Names of packages whose strategies or rankers the builds of a variant may go by."""
    return plugins_used({**settings_in(variant.options), **variant.settings})


def plugins_of_scorers(scorers: Iterable[Scorer]) -> tuple[str, ...]:
    """Names of packages with plugins that scorers are from."""
    modules = [type(scorer).__module__ for scorer in scorers]
    modules += [str(getattr(getattr(scorer, "function", None), "__module__", "")) for scorer in scorers]
    return tuple(sorted({name for each in modules if (name := package_of_module(each)) is not None}))


def plugins_of(plan: StudyPlan) -> tuple[str, ...]:
    """Names of all packages with plugins that the cells of a study may be made by."""
    of_variants = [name for variant in plan.variants for name in plugins_of_variant(variant)]
    return tuple(sorted({*packages_in(in_every_build()), *of_variants, *plugins_of_scorers(plan.scorers)}))


def refuse_changed_plugins(plan: StudyPlan) -> None:
    """Raise CtxlabError where the files of a plugin changed since it was loaded: other code would run than is named."""
    changed = next((name for name in plugins_of(plan) if has_changed(name)), None)
    if changed is not None:
        raise CtxlabError(
            f"the files of package {changed!r} changed since its plugins were loaded; restart Python or the kernel, so "
            "that the code that runs is the code that the cells are kept under"
        )

"""The columns of a comparison: runs that were given, and runs that are made from the base by a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ctxlab import rebuild
from ctxlab.documents import Agent
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import ProcessorFailed, Trace
from ctxlab.pipeline.explain.token_breakdown import LIMITER
from ctxlab.studies.comparison import COLUMNS

BASE = "base"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a column has otherwise than the base; None is as in the base. `budget` counts prompt tokens exactly."""

    strategy: str | None = None
    budget: int | None = None
    agent: Agent | None = None
    leaf: str | None = None

    def __bool__(self) -> bool:
        return any(part is not None for part in (self.strategy, self.budget, self.agent, self.leaf))

    @property
    def name(self) -> str:
        agent = (self.agent.name or self.agent.id) if self.agent is not None else None
        budget = f"{self.budget:,}" if self.budget is not None else None
        return " ".join(part for part in (self.strategy, budget, agent, self.leaf) if part)

    @property
    def settings(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.strategy is not None:
            found[f"{LIMITER}.strategy"] = self.strategy
        if self.budget is not None:
            found[f"{LIMITER}.budget_tokens"] = self.budget
        return {f"{LIMITER}.enabled": True, **found} if found else {}

    def run(self, base: Trace) -> Trace:
        """The base's run with this in it; raises what `build` raises."""
        return rebuild(base, leaf=self.leaf, agent=self.agent, settings=self.settings)

    def gives_the_base(self, base: Recipe) -> bool:
        """Whether nothing in it is other than in the base."""
        return (
            replace(
                base,
                strategy=self.strategy or base.strategy,
                budget=base.budget if self.budget is None else self.budget,
                agent=self.agent or base.agent,
                leaf=self.leaf or base.leaf,
            )
            == base
        )


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A run by name. Without a recipe it was given; without a trace `error` says why there is none."""

    name: str
    recipe: Recipe | None = None
    trace: Trace | None = None
    error: str = ""

    def made_from(self, base: Trace | None) -> Column:
        """The column for another base: given ones stay, the others run again and tell what goes wrong."""
        if self.recipe is None:
            return self
        if base is None:
            return Column(self.name, self.recipe)
        try:
            return made(self.name, self.recipe, base)
        except CtxlabError as problem:
            return Column(self.name, self.recipe, error=str(problem))


def made(name: str, recipe: Recipe, base: Trace) -> Column:
    """A column from the base; raises for what can't be asked, a run that fails is a column without a trace."""
    try:
        return Column(name, recipe, recipe.run(base))
    except ProcessorFailed as problem:  # asked for rightly, it stays as a column that says so
        return Column(name, recipe, error=str(problem))


def recipes(
    strategies: Iterable[str] | None,
    budgets: Iterable[int] | None,
    agents: Iterable[Agent] | None,
    leaves: Iterable[str] | None,
) -> list[Recipe]:
    """Every strategy at every budget, then each agent, then each leaf."""
    both = product(list(strategies or [None]), list(budgets or [None]))
    found = [Recipe(strategy, budget) for strategy, budget in both]
    found += [Recipe(agent=agent) for agent in agents or ()]
    found += [Recipe(leaf=leaf) for leaf in leaves or ()]
    return [recipe for recipe in found if recipe]


def rebased(columns: Sequence[Column], base: Trace | None) -> tuple[Column, ...]:
    """The columns with another base: one that is named by what it has is named anew."""
    first, *rest = columns or (Column(BASE),)
    wanted = [column.recipe for column in rest if column.recipe is not None]
    name, taken = first.name, [column.name for column in rest]
    if name != BASE and name == _name_of_base(first.trace, wanted):
        now = _name_of_base(base, wanted)
        name = free_name(BASE if now in taken else now, taken)
    return (Column(name, trace=base), *(column.made_from(base) for column in rest))


def columns_of(traces: Trace | Mapping[str, Trace] | None, wanted: Sequence[Recipe]) -> tuple[Column, ...]:
    """The given runs, then what is made from the first of them; what would be the base once more is left out."""
    if isinstance(traces, Mapping):
        given = [Column(name, trace=trace) for name, trace in traces.items()]
    else:
        given = [Column(_name_of_base(traces, wanted), trace=traces)]
    base = given[0].trace if given else None
    same = recipe_of(base) if base is not None else None
    found = given or [Column(BASE)]
    for recipe in wanted:
        if same is not None and recipe.gives_the_base(same):
            continue
        name = free_name(recipe.name, [column.name for column in found])
        found.append(made(name, recipe, base) if base is not None else Column(name, recipe))
    return tuple(found)


def recipe_of(trace: Trace) -> Recipe:
    """What a run has of that in which columns differ."""
    report = trace.result.report(BudgetReport)
    build_input = trace.start.input
    strategy, budget = (report.strategy, report.budget_tokens) if report is not None else (None, None)
    return Recipe(strategy, budget, build_input.agent, build_input.leaf_id)


def _name_of_base(trace: Trace | None, wanted: Sequence[Recipe]) -> str:
    """It is named by that in which the other columns differ from it."""
    if trace is None:
        return BASE
    own = recipe_of(trace)
    asked = {field for recipe in wanted for field in ("strategy", "budget", "agent", "leaf") if getattr(recipe, field)}
    return free_name(replace(own, **dict.fromkeys({"strategy", "budget", "agent", "leaf"} - asked)).name or BASE, [])


def free_name(name: str, taken: Sequence[str]) -> str:
    """The name, or with the first number that makes it a new one; a frame's own columns are none for a run."""
    found, n = name, 2
    while found in taken or found in COLUMNS:
        found, n = f"{name} {n}", n + 1
    return found

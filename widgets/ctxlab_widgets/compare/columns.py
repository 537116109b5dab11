"""The columns of a comparison: runs that were given, and runs that are made from the base, each a variant of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from ctxlab import rebuild
from ctxlab.display.one_line import plain
from ctxlab.documents import Agent
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import ProcessorFailed, Trace
from ctxlab.processors import TokenLimiter
from ctxlab.studies import NamedRun
from ctxlab.studies.comparison import COLUMNS, runs_by_name

BASE = "base"
LONGEST_ID = 12
"""Ids of messages that are longer say nothing to a person: their first words are the name."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Settings of a column that differ from the base; None is as in the base. `budget` counts prompt tokens exactly."""

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
            found[f"{TokenLimiter.id}.strategy"] = self.strategy
        if self.budget is not None:
            found[f"{TokenLimiter.id}.budget_tokens"] = self.budget
        return {f"{TokenLimiter.id}.enabled": True, **found} if found else {}

    def run(self, base: Trace) -> Trace:
        """The base's run with this in it; raises what `build` raises."""
        return rebuild(base, leaf=self.leaf, agent=self.agent, settings=self.settings)

    def gives_the_base(self, base: Variant) -> bool:
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
    """A run by name. Without a variant it was given; without a trace `error` says why there is none."""

    name: str
    variant: Variant | None = None
    trace: Trace | None = None
    error: str = ""

    def rebuilt(self, base: Trace | None) -> Column:
        """The column for another base: given ones stay, the others run again; where that fails, with its error."""
        if self.variant is None:
            return self
        if base is None:
            return Column(self.name, self.variant)
        try:
            return built_column(self.name, self.variant, base)
        except CtxlabError as problem:
            return Column(self.name, self.variant, error=str(problem))


def built_column(name: str, variant: Variant, base: Trace) -> Column:
    """A column from the base; raises for what can't be asked, a run that fails is a column without a trace."""
    try:
        return Column(name, variant, variant.run(base))
    except ProcessorFailed as problem:  # asked for rightly, it stays as a column that says so
        return Column(name, variant, error=str(problem))


def variants(
    strategies: Iterable[str] | None,
    budgets: Iterable[int] | None,
    agents: Iterable[Agent] | None,
    leaves: Iterable[str] | None,
) -> list[Variant]:
    """Every strategy at every budget, then each agent, then each leaf."""
    both = product(list(strategies or [None]), list(budgets or [None]))
    found = [Variant(strategy, budget) for strategy, budget in both]
    found += [Variant(agent=agent) for agent in agents or ()]
    found += [Variant(leaf=leaf) for leaf in leaves or ()]
    return [variant for variant in found if variant]


def rebased(columns: Sequence[Column], base: Trace | None) -> tuple[Column, ...]:
    """The columns with another base: one that is named by what it has is named anew.

    Two branches stay two branches while the conversation has one of them.
    """
    first, *rest = columns or (Column(BASE),)
    if first.variant is not None:
        again = [column.rebuilt(base) for column in columns]
        return tuple(again) if any(column.trace for column in again) else (Column(BASE, trace=base),)
    wanted = [column.variant for column in rest if column.variant is not None]
    name, taken = first.name, [column.name for column in rest]
    if name != BASE and name == _name_of_base(first.trace, wanted):
        now = _name_of_base(base, wanted)
        name = free_name(BASE if now in taken else now, taken)
    return (Column(name, trace=base), *(column.rebuilt(base) for column in rest))


def branch_columns(run: Trace, one: str, other: str) -> tuple[Column, ...]:
    """The run at two leaves; the one that it is at comes first and is the run itself."""
    if one == other:
        raise CtxlabError(f"{one!r} is named twice: two branches end at two messages")
    own = run.start.input.leaf_id
    leaves = (other, one) if other == own else (one, other)
    found: list[Column] = []
    for leaf in leaves:
        variant = Variant(leaf=leaf)
        name = free_name(variant_name(variant, run), [column.name for column in found])
        found.append(Column(name, trace=run) if leaf == own else built_column(name, variant, run))
    return tuple(found)


def variant_name(variant: Variant, base: Trace) -> str:
    """The variant in a few words; a branch by its leaf's id, or by its first words where the id is long."""
    session, leaf = base.start.input.session, variant.leaf
    if leaf is None or len(leaf) <= LONGEST_ID or leaf not in session.nodes:
        return variant.name
    words = plain(session.node(leaf).content, 2 * LONGEST_ID)
    return replace(variant, leaf=f"“{words}”" if words else leaf).name


def columns_of(
    traces: Trace | Mapping[str, Trace] | Sequence[NamedRun] | None, wanted: Sequence[Variant]
) -> tuple[Column, ...]:
    """The given runs, then what is made from the first of them; what would be the base once more is left out."""
    if traces is None or isinstance(traces, Trace):
        runs = [Column(_name_of_base(traces, wanted), trace=traces)]
    else:
        runs = [Column(name, trace=trace) for name, trace in runs_by_name(traces).items()]
    base = runs[0].trace if runs else None
    same = variant_of(base) if base is not None else None
    found = runs or [Column(BASE)]
    for variant in wanted:
        if same is not None and variant.gives_the_base(same):
            continue
        known = variant.name if base is None else variant_name(variant, base)
        name = free_name(known, [column.name for column in found])
        found.append(built_column(name, variant, base) if base is not None else Column(name, variant))
    return tuple(found)


def variant_of(trace: Trace) -> Variant:
    """The values of a run in which columns may differ."""
    report = trace.result.report(BudgetReport)
    build_input = trace.start.input
    strategy, budget = (report.strategy, report.budget_tokens) if report is not None else (None, None)
    return Variant(strategy, budget, build_input.agent, build_input.leaf_id)


def _name_of_base(trace: Trace | None, wanted: Sequence[Variant]) -> str:
    """It is named by that in which the other columns differ from it."""
    if trace is None:
        return BASE
    own = variant_of(trace)
    names = ("strategy", "budget", "agent", "leaf")
    same = [name for name in names if not any(getattr(variant, name) for variant in wanted)]
    return free_name(variant_name(replace(own, **dict.fromkeys(same)), trace) or BASE, [])


def free_name(name: str, taken: Sequence[str]) -> str:
    """The name, or with the first number that makes it a new one; a frame's own columns are none for a run."""
    found, n = name, 2
    while found in taken or found in COLUMNS:
        found, n = f"{name} {n}", n + 1
    return found

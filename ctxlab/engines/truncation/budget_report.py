"""The outcome of a cut: the budget, what must stay, what was kept of the history and what went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxlab.context.step_report import Row
from ctxlab.engines.truncation.unit_costs import UnitCosts


@dataclass(frozen=True, slots=True, eq=False)
class BudgetReport:
    """The budget of a prompt and what became of it, in tokens and in messages.

    `protected_tokens` are those of what must stay, tool definitions and the request itself included; `history_tokens`
    those of what the strategy kept beside it; `left_tokens` are unused. `overhead_tokens` is the overhead per message
    that the settings ask for, None where it is the tokenizer's. `costs` are those of every unit, kept and cut.
    """

    name = "budget"
    budget_tokens: int
    reserve_tokens: int
    strategy: str
    protected_tokens: int
    history_tokens: int
    left_tokens: int
    kept: int
    cut: int
    history: int
    shortened: int
    overhead_tokens: int | None
    estimated: bool
    costs: UnitCosts

    def rows(self) -> Sequence[Row]:
        row = {
            "budget": self.budget_tokens,
            "reserve": self.reserve_tokens,
            "strategy": self.strategy,
            "protected_tokens": self.protected_tokens,
            "history_tokens": self.history_tokens,
            "left_tokens": self.left_tokens,
            "kept": self.kept,
            "cut": self.cut,
            "history": self.history,
            "shortened": self.shortened,
            "overhead_tokens": self.overhead_tokens,
            "estimated": self.estimated,
        }
        return (row,)

    def summary(self) -> str:
        return ""

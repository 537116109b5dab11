"""The outcome of a cut: the budget, what must stay, what was kept of the history and what went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ctxlab.context.step_report import Row, report_html
from ctxlab.engines.truncation.unit_costs import UnitCosts
from ctxlab.lazy_dataclass import dataclass

EstimateSide = Literal["mean", "safe"]


@dataclass(frozen=True, slots=True, eq=False)
class BudgetReport:
    """The budget of a prompt and what became of it, in tokens and in messages.

    `protected_tokens` are those of what must stay, tool definitions and the request itself included; `history_tokens`
    those of what the strategy kept beside it, of which `summary_tokens` are those of a summary that it made of what
    went; `left_tokens` are unused. `overhead_tokens` is the overhead per message
    that the settings ask for, None where it is the tokenizer's. `costs` are those of every unit, kept and cut.
    `estimate` is the side of an estimate by which it was cut: these figures are by it.
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
    summary_tokens: int = 0
    estimate: EstimateSide = "mean"

    def __repr__(self) -> str:
        used = self.protected_tokens + self.history_tokens
        sent = f"{self.kept:,} kept, {self.cut:,} cut" + (f", {self.shortened:,} shortened" if self.shortened else "")
        return f"BudgetReport({self.strategy}, {used:,} of {self.budget_tokens:,} tokens, {sent})"

    def _repr_html_(self) -> str:
        return report_html(self)

    def rows(self) -> Sequence[Row]:
        row = {
            "budget": self.budget_tokens,
            "reserve": self.reserve_tokens,
            "strategy": self.strategy,
            "protected_tokens": self.protected_tokens,
            "history_tokens": self.history_tokens,
            "summary_tokens": self.summary_tokens,
            "left_tokens": self.left_tokens,
            "kept_messages": self.kept,
            "cut_messages": self.cut,
            "history_messages": self.history,
            "shortened_messages": self.shortened,
            "overhead_tokens": self.overhead_tokens,
            "estimated": self.estimated,
            "estimate": self.estimate,
        }
        return (row,)

    def summary(self) -> str:
        return ""

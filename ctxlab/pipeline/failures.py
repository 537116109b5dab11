"""Errors of a run that carry its trace, so that a person can look at the steps before the failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace


class ProcessorFailed(CtxlabError):
    """A step raised. `processor` is its id, `trace` the run up to it, failing step included."""

    def __init__(self, message: str, *, processor: str = "", trace: Trace | None = None) -> None:
        super().__init__(message)
        self.processor = processor
        self.trace = trace


class BudgetTooSmall(ProcessorFailed):
    """The protected messages need more tokens than the budget has."""


class OverBudget(ProcessorFailed):
    """The finished messages are larger than the limiter promised; the message says which steps added how much.

    `trace` is the whole run, the failure at its limiter.
    """

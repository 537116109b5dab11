"""Errors of a run that carry its trace, so that a person can look at the steps before the failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace


class ProcessorFailed(CtxlabError):
    """A step raised. `processor` is its id, `trace` the run up to it, failing step included."""

    def __init__(self, message: str, *, processor: str = "", trace: Trace | None = None) -> None:
        super().__init__(message)
        self.processor = processor
        self.trace = trace

    def with_trace(self, processor: str, trace: Trace) -> Self:
        """This error with the run that it ended; a new one, as the run's step holds this one."""
        made = type(self).__new__(type(self), *self.args)
        made.__dict__ |= self.__dict__ | {"processor": processor, "trace": trace}
        made.__cause__, made.__suppress_context__ = self.__cause__, self.__suppress_context__
        return made.with_traceback(self.__traceback__)


class BudgetTooSmall(ProcessorFailed):
    """The protected messages need more tokens than the budget has.

    `budget` is what there is, `least_budget` the least that holds what must stay; `largest` are the largest things in
    it, by key or by name, with their tokens.
    """

    def __init__(
        self,
        message: str,
        *,
        budget: int = 0,
        least_budget: int = 0,
        largest: tuple[tuple[str, int], ...] = (),
        processor: str = "",
        trace: Trace | None = None,
    ) -> None:
        super().__init__(message, processor=processor, trace=trace)
        self.budget = budget
        self.least_budget = least_budget
        self.largest = largest


class OverBudget(ProcessorFailed):
    """The finished messages are larger than the limiter promised; the message says which steps added how much.

    `trace` is the whole run, the failure at its limiter.
    """


class NothingToSend(ProcessorFailed):
    """No message is left for the model: write one, or switch on one of those that were left out."""


class StartsWithToolResult(ProcessorFailed):
    """The first message after the system's is the result of a tool call: let the tool pairs be repaired."""

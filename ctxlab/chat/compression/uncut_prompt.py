"""The size that a prompt would have if nothing of it were cut to fit a budget."""

from __future__ import annotations

from ctxlab.context.tool_pairs import with_whole_pairs
from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import Trace


def uncut_tokens(trace: Trace) -> int:
    """Tokens of a run's prompt, tools and system included, as if no step had cut any of it to fit a budget.

    They are those of the run's messages and those that a step with a budget took out, as this run counts both. What is
    left out with any budget, such as a tool's result without its call, doesn't count.
    """
    return trace.tokens + sum(_cut_tokens(trace, at) for at in range(len(trace.steps)))


def _cut_tokens(trace: Trace, at: int) -> int:
    """Tokens that one step took out to fit a budget."""
    step = trace.steps[at]
    if not any(isinstance(report, BudgetReport) for report in step.reports):
        return 0
    return trace.tokens_of(with_whole_pairs(step.before, step.id)) - trace.tokens_of(step.after)

"""The budget that leaves room for a share of a conversation."""

from __future__ import annotations

from ctxlab.argument_checks import checked_arguments
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace

NO_LIMIT = 10**9
"""A budget in tokens that cuts nothing."""


@checked_arguments
def budget_for_share(trace: Trace, share: float = 0.5) -> int:
    """The budget in tokens that has room for this share, 0 to 1, of the history beside what must stay.

    The history is what the limiter may cut, in tokens; what is kept of it depends on the strategy. Presets, summaries,
    tools and the newest messages must stay.
    """
    if not 0 <= share <= 1:
        raise CtxlabError(f"share={share!r} is not from 0 to 1; 0.5 is half of the history")
    report = trace.rerun({"token-limiter.budget_tokens": NO_LIMIT}).result.report(BudgetReport)
    if report is None:
        raise CtxlabError("the run has no token-limiter that is switched on; budget_for_share asks it")
    return report.protected_tokens + round(report.history_tokens * share)

"""Words on an estimated count: the range in which open vocabularies have it, and whether a budget may be broken."""

from __future__ import annotations

from ctxlab.context.step_report import PromptLimit
from ctxlab.documents import Note
from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import Trace
from ctxlab.prompt.token_range import safe_counter

REMEDY = "token-limiter.estimate=safe"


def estimate_words(trace: Trace) -> str:
    """`estimate; between 1,204 and 1,380 by five open vocabularies`; empty where texts are counted exactly."""
    found = trace.token_range
    return f"estimate; {found}" if found is not None else ""


def estimate_note(trace: Trace) -> Note | None:
    """The words of an estimate, a warning where the prompt may be over its budget; None where it is none.

    The warning names the safe side of the estimate, unless messages were cut by that, or there is none.
    """
    found, limit = trace.token_range, trace.result.report(PromptLimit)
    if found is None:
        return None
    over = found.high - limit.budget_tokens if limit is not None else 0
    if over <= 0:
        return Note("info", f"estimate; {found}")
    report, counter = trace.result.report(BudgetReport), trace.services.tokenizer
    may = f"; it may be over the budget, by up to {over:,}"
    has_safe_side = report is not None and report.estimate == "mean" and safe_counter(counter) is not counter
    remedy = f"; {REMEDY} cuts by the safe side of the estimate" if has_safe_side else ""
    return Note("warning", f"estimate; {found}{may}{remedy}")

"""The budget for a share of the history cuts to that share."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab.errors import CtxlabError


def test_with_the_budget_for_all_nothing_is_cut_and_with_one_token_less_something_is() -> None:
    trace = ctxlab.build(ctxlab.example("coding"))
    whole = ctxlab.budget_for_share(trace, 1)

    uncut, cut = (trace.rerun({"token-limiter.budget_tokens": budget}) for budget in (whole, whole - 1))

    assert uncut.result.report(ctxlab.BudgetReport).cut == 0
    report = cut.result.report(ctxlab.BudgetReport)
    assert report.cut + report.shortened > 0


def test_half_is_half_of_what_may_be_cut_whatever_the_run_kept() -> None:
    trace = ctxlab.build(ctxlab.example("coding"), budget_tokens=2000)
    least, half, whole = (ctxlab.budget_for_share(trace, share) for share in (0, 0.5, 1))

    report = trace.rerun({"token-limiter.budget_tokens": half}).result.report(ctxlab.BudgetReport)

    assert half - least == round((whole - least) / 2)
    assert 0 < report.history_tokens <= half - least
    assert trace.rerun({"token-limiter.budget_tokens": least}).result.report(ctxlab.BudgetReport).history_tokens == 0


def test_a_share_beyond_all_and_a_run_without_a_limiter_are_refused() -> None:
    trace = ctxlab.build(ctxlab.example("coding"))

    with pytest.raises(CtxlabError, match=r"share=50 is not from 0 to 1"):
        ctxlab.budget_for_share(trace, 50)
    with pytest.raises(CtxlabError, match="no token-limiter that is switched on"):
        ctxlab.budget_for_share(trace.rerun({"token-limiter.enabled": False}))

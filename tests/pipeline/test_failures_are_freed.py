"""Runs that failed are freed as soon as nobody holds them, without the collector of rings."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import ctxlab
from ctxlab.context import Context
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace

TALK = ctxlab.Session(id="s").append("Where is the ship, and who has seen it leave?")


def raising(_: Context) -> Context:
    raise ValueError("broken")


def losing(ctx: Context) -> Context:
    return replace(ctx, drafts=())


WAYS: dict[str, Callable[[], Any]] = {
    "too small a budget": lambda: ctxlab.build(TALK, budget_tokens=3),
    "a rerun": lambda: ctxlab.build(TALK).rerun({"token-limiter.budget_tokens": 3}),
    "nothing to send": lambda: ctxlab.build(ctxlab.Session(id="s").append("", id="u")),
    "an error of a step": lambda: ctxlab.build(TALK, pipeline=ctxlab.default_pipeline().with_processor(raising)),
    "a broken law": lambda: ctxlab.build(TALK, pipeline=ctxlab.default_pipeline().with_processor(losing)),
}


def traces() -> int:
    return sum(isinstance(each, Trace) for each in gc.get_objects())


@pytest.mark.parametrize("way", WAYS)
def test_a_failed_run_holds_no_ring(way: str) -> None:
    def fail() -> None:
        try:
            WAYS[way]()
        except CtxlabError:
            return
        pytest.fail("it didn't fail")

    fail()  # what is made once stays
    gc.freeze()  # only what comes now is looked through
    before = traces()
    gc.disable()
    try:
        fail()
        after = traces()
    finally:
        gc.enable()

    assert after == before


def test_the_error_has_the_run_and_the_place_where_it_was_raised() -> None:
    with pytest.raises(ctxlab.BudgetTooSmall) as caught:
        ctxlab.build(TALK, budget_tokens=3)

    error = caught.value
    assert error.trace is not None
    assert error.trace.steps[-1].error == str(error)
    assert (error.processor, error.least_budget > 3) == ("token-limiter", True)
    assert "_too_small" in [each.name for each in caught.traceback] or "_window" in [
        each.name for each in caught.traceback
    ]

"""The step that a run is opened at: failed before cut before changed."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab import Context, Session, Trace
from ctxlab.context import Draft, Origin, Text
from ctxlab.pipeline import ProcessorFailed
from ctxlab.pipeline.explain.consequential_step import most_consequential_step


def chat(n: int = 8) -> Session:
    roles = ("user", "assistant")
    return ctxlab.read_data([{"role": roles[i % 2], "content": f"some words of {i} " * 5} for i in range(n)]).pick()


def adds_three(ctx: Context) -> Context:
    origin = Origin("made", "x")
    return ctx.insert(0, *(Draft(f"made:{i}", "system", (Text.of("x", origin),), origin) for i in range(3)))


def fails(ctx: Context) -> Context:
    raise ValueError("no luck")


def opened(trace: Trace) -> str | None:
    at = most_consequential_step(trace)
    return None if at is None else trace.steps[at].id


def test_loading_alone_is_no_change() -> None:
    assert opened(ctxlab.build(chat())) is None


def test_without_a_cut_it_is_the_step_that_changed_most() -> None:
    pipeline = ctxlab.default_pipeline().with_processor(adds_three)

    assert opened(ctxlab.build(chat(), pipeline=pipeline)) == "adds-three"


def test_a_cut_for_want_of_room_counts_more_than_any_change() -> None:
    pipeline = ctxlab.default_pipeline().with_processor(adds_three)

    assert opened(ctxlab.build(chat(), pipeline=pipeline, budget_tokens=200)) == "token-limiter"


def test_a_failure_counts_more_than_a_cut() -> None:
    pipeline = ctxlab.default_pipeline().with_processor(fails)
    with pytest.raises(ProcessorFailed) as caught:
        ctxlab.build(chat(), pipeline=pipeline, budget_tokens=200)

    assert caught.value.trace is not None
    assert opened(caught.value.trace) == "fails"

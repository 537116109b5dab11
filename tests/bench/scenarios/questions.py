"""Questions to a run of 10,000 messages, with counts that are known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import ctxlab


def budget() -> Iterator[None]:
    """`trace.budget()` of 10,000 messages that all fit"""
    trace = _trace(2_000_000)
    yield
    trace.budget()


def analyze() -> Iterator[None]:
    """`ctxlab.analyze` of 10,000 messages that all fit, built before"""
    session = ctxlab.read_data(_data(10_000)).pick()
    ctxlab.analyze(session, budget_tokens=2_000_000)
    yield
    ctxlab.analyze(session, budget_tokens=2_000_000)


def flow() -> Iterator[None]:
    """`ctxlab.token_flow` of a run of 10,000 messages"""
    trace = _trace(128_000)
    yield
    ctxlab.token_flow(trace)


def check() -> Iterator[None]:
    """`ctxlab.check` of a run of 10,000 messages"""
    trace = _trace(128_000)
    yield
    ctxlab.check(trace)


def payload() -> Iterator[None]:
    """`ctxlab.payload` for Anthropic, of 10,000 messages that all fit"""
    trace = _trace(2_000_000)
    yield
    ctxlab.payload(trace, provider="anthropic")


def rerun() -> Iterator[None]:
    """Fifty reruns of 10,000 messages, each with another budget"""
    trace = _trace(8_000)
    yield
    for room in range(50):
        trace.rerun({"token-limiter.budget_tokens": 7_000 + room})


def compare() -> Iterator[None]:
    """`ctxlab.compare` of two runs of 10,000 messages"""
    a, b = _trace(8_000), _trace(128_000)
    yield
    ctxlab.compare({"short": a, "long": b})


def prefix() -> Iterator[None]:
    """`ctxlab.prefix` of 40 turns of a growing conversation"""
    build = partial(ctxlab.build, budget_tokens=4_000)
    session = ctxlab.read_data(_data(400)).pick()
    traces = [build(session, leaf=node.id) for node in session.path()[-80::2]]
    yield
    ctxlab.prefix(traces)


def _trace(budget: int) -> ctxlab.Trace:
    return ctxlab.build(ctxlab.read_data(_data(10_000)).pick(), budget_tokens=budget)


def _data(messages: int) -> object:
    from ctxlab.testing import generated_session

    return generated_session(messages, seed=1)

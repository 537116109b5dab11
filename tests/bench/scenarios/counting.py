"""Builds whose cost is counting, with the counts of nothing known and the encoder loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def everything_fits() -> Iterator[None]:
    """1,000 messages that all fit into 128,000 tokens, cold"""
    yield from _cold(1_000, 128_000)


def cut_to_8k() -> Iterator[None]:
    """10,000 messages to 8,000 tokens, cold"""
    yield from _cold(10_000, 8_000)


def _cold(messages: int, budget: int) -> Iterator[None]:
    from tests.bench.timing import forget_counts, load_encoder

    build = _build(messages, budget)
    load_encoder()
    build()
    forget_counts()
    yield
    build()


def first_of_a_small_chat() -> Iterator[None]:
    """100 messages in a process that has counted nothing"""
    build = _build(100, 128_000)
    yield
    build()


def _build(messages: int, budget: int) -> Callable[[], object]:
    import ctxlab
    from ctxlab.testing import generated_agent, generated_session

    session = ctxlab.read_data(generated_session(messages, seed=1)).pick()
    agent = ctxlab.read_data(generated_agent()).agents[0]
    return lambda: ctxlab.build(session, agent, budget_tokens=budget)

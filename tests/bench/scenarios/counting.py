"""Builds whose cost is counting, with the counts of nothing known and the encoder loaded."""

from __future__ import annotations

from collections.abc import Iterator


def everything_fits() -> Iterator[None]:
    """1,000 messages that all fit into 128,000 tokens, cold"""
    yield from _cold(1_000, 128_000)


def cut_to_8k() -> Iterator[None]:
    """10,000 messages to 8,000 tokens, cold"""
    yield from _cold(10_000, 8_000)


def _cold(messages: int, budget: int) -> Iterator[None]:
    from tests.bench.__main__ import case
    from tests.bench.timing import forget_counts

    chosen = case(messages, budget)
    chosen.build()
    forget_counts()
    yield
    chosen.build()

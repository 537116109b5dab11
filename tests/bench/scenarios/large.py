"""One conversation of 100,000 messages: building it, and what is asked of its run."""

from __future__ import annotations

from collections.abc import Iterator

import ctxlab

MESSAGES = 100_000


def build() -> Iterator[None]:
    """A build of 100,000 messages to 8,000 tokens"""
    from ctxlab.testing import generated_session

    session = ctxlab.read_data(generated_session(MESSAGES, seed=1)).pick()
    yield
    ctxlab.build(session, budget_tokens=8_000)


def ledger() -> Iterator[None]:
    """`trace.ledger()` of 100,000 messages"""
    trace = _trace()
    yield
    trace.ledger()


def view() -> Iterator[None]:
    """`trace.view()` of 100,000 messages"""
    trace = _trace()
    yield
    trace.view()


def _trace() -> ctxlab.Trace:
    from ctxlab.testing import generated_session

    return ctxlab.build(ctxlab.read_data(generated_session(MESSAGES, seed=1)).pick(), budget_tokens=8_000)

"""What the request for each vendor costs for 1,000 messages: body with places, our check, and the SDK's own check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ctxlab
from ctxlab.providers import built_in, payload
from ctxlab.providers.second_opinion import sdk_problems
from ctxlab.testing import generated_agent, generated_session
from tests.bench.timing import Work, ms, timed

MESSAGES = 1_000


def trace_for(model: str) -> ctxlab.Trace:
    session = ctxlab.read_data(generated_session(MESSAGES, seed=1)).pick()
    agent = ctxlab.read_data(generated_agent()).agents[0]
    return ctxlab.build(session, agent, model=model, budget_tokens=10_000_000)


def main() -> None:
    head = f"a request of {MESSAGES:,} messages, CPU"
    print(f"\n| {head} | body, places and our check | our check alone | SDK's check | body |")
    print("|---|--:|--:|--:|--:|")
    for name, provider in built_in().items():
        trace = trace_for(provider.default_model)
        found = payload(trace, name)
        times = timed(
            {
                "all": Work(_made_and_checked(trace, name)),
                "check": Work(lambda found=found: [*found.provider.check(found.body, found.model, found.provider)]),
                "sdk": Work(lambda found=found: sdk_problems(found.body, found.provider)),
            }
        )
        size = f"{len(found.as_bytes()) / 1e6:.2f} MB"
        print(f"| {name} | {ms(times['all'])} | {ms(times['check'])} | {ms(times['sdk'])} | {size} |")


def _made_and_checked(trace: ctxlab.Trace, name: str) -> Callable[[], Any]:
    return lambda: payload(trace, name).problems


if __name__ == "__main__":
    main()

"""What a request offers as a remedy, applied, makes its loss or its problem go away, whatever steps are on."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import Agent, ProcessorEntry, Session
from ctxlab.pipeline import BudgetTooSmall, NothingToSend
from ctxlab.providers import built_in, payload
from tests.promises.strategies import agents, rich_sessions
from tests.promises.test_requests import built

VENDORS: tuple[Any, ...] = tuple(built_in())
STEPS = ("merge-system", "merge-consecutive", "convert-system", "ensure-alternating", "token-limiter")
SWITCHES = st.dictionaries(st.sampled_from(STEPS), st.booleans())
PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "temperature": st.just(1.7),
        "topP": st.just(0.5),
        "maxTokens": st.sampled_from([9, 999_999]),
        "maxCompletionTokens": st.just(10),
        "seed": st.just(7),
        "thinkingBudget": st.sampled_from([0, 3_000]),
        "stopSequences": st.just(["z"]),
        "logprobs": st.just(True),
    },
)


@settings(deadline=None, max_examples=60)
@given(rich_sessions(), agents(), SWITCHES, PARAMETERS, st.sampled_from(VENDORS))
def test_a_remedy_that_is_offered_does_what_it_says(
    session: Session, agent: Agent, switches: dict[str, bool], parameters: dict[str, Any], vendor: Any
) -> None:
    entries = tuple(ProcessorEntry(id=step, enabled=on) for step, on in switches.items())
    found = payload(built(session, agent.with_(processors=entries), vendor), vendor, parameters=parameters)

    for loss in found.losses:
        if loss.fix is not None:
            try:
                left = found.mended(loss.fix).losses
            except (BudgetTooSmall, NothingToSend):
                continue
            assert (loss.kind, loss.what, loss.key) not in [(each.kind, each.what, each.key) for each in left]
    for problem in found.problems:
        for fix in problem.fixes:
            left_over = found.mended(fix).problems
            assert (problem.path, problem.rule) not in [(each.path, each.rule) for each in left_over]

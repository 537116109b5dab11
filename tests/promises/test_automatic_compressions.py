"""Laws of compression by itself: it goes by the prompt before a budget cuts it, and changes no other branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.chat.compression import (
    CompressionSettings,
    PromptSize,
    VisiblePath,
    compression_if_needed,
)
from ctxlab.documents import Agent, Session
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Pipeline, Trace
from ctxlab.processors import InjectionAssembler, SessionLoader, TokenLimiter
from tests.promises.strategies import STRATEGIES, rich_sessions

STEPS = Pipeline.of([SessionLoader(), InjectionAssembler(), TokenLimiter()])
LAW = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
COUNTER = tokenizer_named("chars4+4")
LOOK = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}
AGENT = Agent.model_validate(
    {
        "id": "g",
        "presetMessages": [{"role": "system", "content": "You keep the lamp."}],
        "tools": [LOOK],
    }
)


def one_line(messages: Sequence[Any]) -> str:
    return "a summary"


def built(session: Session, leaf: str | None = None, **options: Any) -> Trace:
    return ctxlab.build(session, AGENT, pipeline=STEPS, tokenizer=COUNTER, leaf=leaf, **options)


def cut_somehow(data: st.DataObject, session: Session) -> tuple[Trace, Trace]:
    """The run without a budget, and one with a budget below it, by any strategy."""
    whole = built(session)
    assume(whole.tokens > 2)
    strategy = {"token-limiter.strategy": data.draw(st.sampled_from(STRATEGIES))}
    budget = data.draw(st.integers(1, whole.tokens - 1))
    try:
        return whole, built(session, budget_tokens=budget, settings=strategy)
    except CtxlabError:
        assume(False)
        raise


@LAW
@given(rich_sessions(), st.data())
def test_a_cut_prompt_has_the_size_that_it_has_without_a_budget(session: Session, data: st.DataObject) -> None:
    whole, cut = cut_somehow(data, session)

    path = VisiblePath.of(session)
    assert PromptSize.of_run(cut, path) == PromptSize.of_run(whole, path) == PromptSize.of(whole.tokens, path)


@LAW
@given(rich_sessions(), st.data())
def test_it_fires_by_the_whole_prompt_whatever_the_budget_leaves_of_it(session: Session, data: st.DataObject) -> None:
    whole, cut = cut_somehow(data, session)
    threshold = data.draw(st.integers(max(0, whole.tokens - 3), whole.tokens + 3))
    wanted = CompressionSettings(
        enabled=True, token_threshold=threshold, min_history_count=0, protect_recent_count=0, tiers=("summary",)
    )

    made = compression_if_needed(
        cut,
        lambda changed, leaf: built(changed, leaf),
        settings=wanted,
        moment="before request",
        summariser=one_line,
    )

    assert (made is not None) == (whole.tokens > threshold)
    if made is not None:
        assert f"{whole.tokens:,} token" in made.reason and made.uncut_before_tokens == whole.tokens


def sent(session: Session, leaf: str) -> list[str]:
    """What is sent of a branch, by the words and not by the ids."""
    return [str(message["content"]) for message in built(session, leaf).messages]


@LAW
@given(rich_sessions(), st.data())
def test_a_compression_higher_up_leaves_a_branch_as_it_is_whose_summary_stands_for_more(
    session: Session, data: st.DataObject
) -> None:
    own = {"protect_recent_count": 0, "keep_exchanges_whole": False}
    options: dict[str, Any] = {"compression": own, "pipeline": STEPS, "tokenizer": COUNTER, "summariser": one_line}
    once = ctxlab.compress(session, AGENT, everything=True, **options)
    assume(not once.changes_nothing)
    wide, deep = once.session, once.session.active_leaf_id
    assert deep is not None
    above = data.draw(st.sampled_from([node.id for node in wide.path(once.summary_id)[:-1]]))

    twice = ctxlab.compress(wide, AGENT, everything=True, leaf=above, **options)
    assume(not twice.changes_nothing and set(twice.hides) <= set(once.hides))

    assert sent(twice.session, deep) == sent(wide, deep)
    assert {key: n.content for key, n in twice.session.delete(twice.summary_id).nodes.items()} == {
        key: n.content for key, n in wide.nodes.items()
    }
    history = ctxlab.History(wide)
    twice.applied(history)
    assert history.undo() == wide

"""Histories of which pieces are missing or broken: what is sent is taken, and what isn't sent is told."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.context import Draft, Origin, Text
from ctxlab.documents import Role, ToolCall
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.providers import Prompt, RequestParameters, Thinking, provider_named
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.models import model_info
from ctxlab.testing.fake_server.refusals import refusals_of

SONNET = "claude-sonnet-4-5"
THOUGHT = {"type": "thinking", "thinking": "I wonder.", "signature": "c2ln"}
ITEMS: dict[str, tuple[dict[str, Any], ...]] = {
    "anthropic": (THOUGHT, {**THOUGHT, "signature": "c2lnb"}, {"type": "redacted_thinking", "data": "c2ln"}),
    "gemini": (
        {"thoughtSignature": ""},
        {"thoughtSignature": "c2ln"},
        {"thoughtSignature": "c2lnb", "text": "I wonder.", "thought": True},
        {"thought_signature": "c2ln", "text": None},
        {"thought": True},
        {"text": "", "thought": True},
    ),
}


@st.composite
def histories(draw: st.DrawFn, vendor: str) -> list[Draft]:
    """Messages with blocks to be replayed anywhere; calls have lost their results, or not."""
    drafts: list[Draft] = []

    def add(role: Role, words: str, **fields: Any) -> None:
        origin = Origin("node", str(len(drafts)))
        drafts.append(Draft(f"node:{len(drafts)}", role, (Text.of(words, origin),), origin, **fields))

    words = st.sampled_from(("", " ", "hi", "好"))
    places = st.sampled_from(({"before": "text"}, {"before": "calls"}, {"before": "end"}, {"on": "text"}))
    for i in range(draw(st.integers(1, 4))):
        role: Role = draw(st.sampled_from(("system", "user", "assistant")))
        if role != "assistant":
            add(role, draw(words))
            continue
        items = draw(st.lists(st.tuples(st.sampled_from(ITEMS[vendor]), places), max_size=2))
        blocks = tuple(FrozenDict({"wire": vendor, "item": item, **place}) for item, place in items)
        calls = (ToolCall(f"c{i}", "look", "{}"),) if draw(st.booleans()) else ()
        add("assistant", draw(words), calls=calls, meta=FrozenDict({"reasoningArtifacts": blocks}))
        if calls:
            add("tool", draw(words), result_of=f"c{i}")
    if not any(str(draft.body[0]).strip() for draft in drafts):
        add("system", "Be brief.")
    return drafts


@pytest.mark.parametrize(("vendor", "model"), [("anthropic", SONNET), ("gemini", "gemini-3-pro-preview")])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_left_of_a_poisoned_history_is_taken_thinking_or_not(
    vendor: Literal["anthropic", "gemini"], model: str, data: st.DataObject
) -> None:
    drafts, provider, out = data.draw(histories(vendor)), provider_named(vendor), BodyWriter()
    thinks = drafts[-1].role != "assistant" and data.draw(st.booleans())
    parameters = RequestParameters(max_output_tokens=9_000, thinking=Thinking("on") if thinks else None)

    provider.write(Prompt(drafts), parameters, model_info(model, provider), provider, out)

    found = list(provider.check(out.body, model_info(model, provider), provider))
    told = {loss.key for loss in out.losses} | {place.key for place in out.places}
    if thinks and any(problem.rule == "prefill-thinking" for problem in found):
        return  # the end was empty, so that the model's words before it are the end now
    assert found == []
    assert refusals_of(out.body, vendor, model=model, api_version="2023-06-01") == ()
    assert {draft.key for draft in drafts} <= told


def _results_at_the_end(thinking: Thinking, model: str) -> BodyWriter:
    origin, out, provider = Origin("node", "a"), BodyWriter(), provider_named("anthropic")
    history = (
        Draft("node:a", "user", (Text.of("look", origin),), origin),
        Draft("node:b", "assistant", (Text.of("I look.", origin),), origin, calls=(ToolCall("c", "look", "{}"),)),
        Draft("node:c", "tool", (Text.of("a cat", origin),), origin, result_of="c"),
    )
    provider.write(Prompt(history), RequestParameters(thinking=thinking), model_info(model, provider), provider, out)
    return out


def test_a_turn_whose_thoughts_are_not_known_goes_on_without_thinking_and_says_so() -> None:
    provider = provider_named("anthropic")
    out = _results_at_the_end(Thinking("budget", budget_tokens=2_000), SONNET)
    asked = {**out.body, "thinking": {"type": "enabled", "budget_tokens": 2_000}}

    (problem,) = provider.check(asked, model_info(SONNET, provider), provider)

    assert out.body["thinking"] == {"type": "disabled"}
    assert [loss.what for loss in out.losses] == ["thinking"]
    assert problem.rule == "thinking-first"
    assert refusals_of(asked, "anthropic", model=SONNET, api_version="2023-06-01") != ()
    assert refusals_of(out.body, "anthropic", model=SONNET, api_version="2023-06-01") == ()


def test_adaptive_thinking_does_not_ask_for_the_thoughts_of_the_turn() -> None:
    out = _results_at_the_end(Thinking("on"), "claude-opus-4-8")

    assert out.body["thinking"] == {"type": "adaptive"}
    assert out.losses == []


@pytest.mark.parametrize(
    "thinking", [{"thinkingEnabled": True}, {"thinkingMode": "budget", "thinkingBudget": 2_000}, {"thinkingMode": "on"}]
)
def test_the_change_that_the_loss_offers_leaves_no_loss(thinking: dict[str, Any]) -> None:
    asked = {"toolCallsRequested": [{"requestId": "c", "toolName": "look", "args": {}}]}
    session = ctxlab.Session(id="s").append("look").append("", role="assistant", metadata=asked)
    session = session.append("a cat", role="tool", metadata={"toolCall": {"requestId": "c", "toolName": "look"}})
    trace = ctxlab.build(session, model=SONNET)
    found = ctxlab.payload(trace, "anthropic", parameters=thinking)
    (loss,) = (loss for loss in found.losses if loss.what == "thinking")
    assert loss.fix is not None

    mended = found.mended(loss.fix)

    assert [loss.what for loss in mended.losses] == []
    assert mended.problems == ()


@pytest.mark.parametrize(("vendor", "blank"), [("anthropic", "\n"), ("gemini", "")])
def test_a_system_prompt_before_an_empty_message_is_sent_as_the_users(vendor: str, blank: str) -> None:
    origin, out, provider = Origin("node", "a"), BodyWriter(), provider_named(vendor)
    said: tuple[tuple[Role, str], ...] = (("system", "Be brief."), ("system", "Sing."), ("user", blank))
    told = [Draft(f"node:{i}", role, (Text.of(words, origin),), origin) for i, (role, words) in enumerate(said)]

    provider.write(Prompt(told), RequestParameters(), model_info(None, provider), provider, out)

    (turn,) = out.body["messages" if vendor == "anthropic" else "contents"]
    assert turn["role"] == "user"
    assert "Sing." in str(turn)
    assert ("role", "node:1") in [(loss.kind, loss.key) for loss in out.losses]
    assert list(provider.check(out.body, model_info(None, provider), provider)) == []

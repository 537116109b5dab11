"""Parameters: what is settled stays settled, keeps a model's limits, and loses nothing without a word."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.providers import ModelInfo, Provider, RequestParameters, Thinking, built_in
from ctxlab.providers.models import model_info
from ctxlab.providers.parameters import layer_of, linked, merged, normalised, request_parameters, thinks
from ctxlab.providers.parameters.thinking import EFFORTS

MODELS = (
    *("gpt-4o", "gpt-4", "o3-mini", "o1-mini", "gpt-5", "gpt-5.1", "gpt-5.2", "gpt-5-pro", "gpt-6.1-sol"),
    *("claude-3-haiku", "claude-3-7-sonnet", "claude-sonnet-4-5", "claude-opus-4-1", "claude-opus-4-6"),
    *("claude-opus-4-7", "claude-opus-5", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"),
    *(
        "gemini-2.0-flash",
        "gemini-2.5-pro",
        "gemini-2.5-flash",
        "gemini-2.5-flash-lite",
        "gemini-3-pro",
        "gemini-4-argon",
    ),
    *("deepseek-chat", "deepseek-reasoner", "deepseek-v4-pro", "qwen3-max", ""),
)
EFFORT = st.none() | st.sampled_from(EFFORTS)
THINKING = st.builds(
    Thinking,
    st.sampled_from(["off", "on", "budget", "effort", "adaptive"]),
    st.none() | st.integers(1, 200_000),
    EFFORT,
    st.none() | st.booleans(),
)
ASKED = st.builds(
    RequestParameters,
    max_output_tokens=st.none() | st.integers(1, 2_000_000),
    temperature=st.none() | st.floats(0, 2),
    top_p=st.none() | st.floats(0, 1),
    top_k=st.none() | st.integers(1, 500),
    frequency_penalty=st.none() | st.floats(-2, 2),
    logprobs=st.none() | st.booleans(),
    top_logprobs=st.none() | st.integers(0, 20),
    stop=st.lists(st.sampled_from("abcdefghijklmnopqrstu"), unique=True, max_size=20).map(tuple),
    thinking=st.none() | THINKING,
)
MODEL = st.sampled_from(MODELS).map(model_info)
PROVIDER = st.sampled_from(sorted(built_in())).map(built_in().__getitem__)


@given(ASKED, MODEL, PROVIDER)
@settings(max_examples=300)
def test_what_is_settled_is_not_settled_again(asked: RequestParameters, model: ModelInfo, provider: Provider) -> None:
    once = normalised(asked, model, provider)

    again = normalised(once.parameters, model, provider)

    assert again.parameters == once.parameters
    assert (again.losses, again.notes) == ((), ())


@given(ASKED, MODEL, PROVIDER)
@settings(max_examples=300)
def test_what_is_settled_keeps_the_model_s_limits(
    asked: RequestParameters, model: ModelInfo, provider: Provider
) -> None:
    found = normalised(asked, model, provider).parameters

    limit, most = found.max_output_tokens, model.max_output_tokens
    assert limit is None or most is None or limit <= most
    assert limit is not None or provider.wire != "anthropic"
    assert not model.without & found.given().keys()
    if thinks(found, model):
        assert not model.without_while_thinking & found.given().keys()
    if found.thinking is not None:
        assert found.thinking.mode in model.thinking
        assert not model.known or found.thinking.effort in (None, *model.efforts)
        budget = found.thinking.budget_tokens
        assert budget is None or budget >= (model.min_thinking_budget or 1)
        assert budget is None or budget <= (model.max_thinking_budget or budget)
        assert budget is None or limit is None or budget < limit
    for first, second in model.not_both:
        assert getattr(found, first) is None or getattr(found, second) is None


@given(ASKED, MODEL, PROVIDER)
@settings(max_examples=300)
def test_each_parameter_that_goes_or_changes_is_told(
    asked: RequestParameters, model: ModelInfo, provider: Provider
) -> None:
    settled = normalised(asked, model, provider)

    before, after = asked.given(), settled.parameters.given()
    lost = {loss.what for loss in settled.losses}
    for name in before.keys() - after.keys():
        is_off = name == "thinking" and "off" in (before[name].mode, {"none": "off"}.get(before[name].effort))
        silent = is_off and not (set(model.thinking) - {"off"})
        noted = any(note.text.startswith(f"{name} ") for note in settled.notes)
        assert name in lost or noted or silent
    if any(before[name] != after[name] for name in before.keys() & after.keys() - {"thinking"}):
        assert settled.losses or settled.notes


@given(ASKED, MODEL, PROVIDER)
@settings(max_examples=200)
def test_the_fix_of_a_loss_mends_it(asked: RequestParameters, model: ModelInfo, provider: Provider) -> None:
    stored = {"temperature": asked.temperature, "topP": asked.top_p, "topK": asked.top_k}
    stored |= {"frequencyPenalty": asked.frequency_penalty, "thinkingEnabled": asked.thinking is not None}
    agent = layer_of("agent", {name: value for name, value in stored.items() if value is not None})

    def losses(call: dict[str, Any]) -> dict[str, Any]:
        parameters, _ = request_parameters(merged([agent, layer_of("call", call)]))
        return {loss.what: loss for loss in normalised(parameters, model, provider).losses}

    for what, loss in losses({}).items():
        if loss.fix is not None:
            assert what not in losses(dict(loss.fix.parameters))


NUMBERS = st.none() | st.integers(1, 200_000)


@given(
    st.fixed_dictionaries({"thinking_enabled": st.booleans(), "thinking_budget": NUMBERS, "max_tokens": NUMBERS}),
    st.sampled_from(["thinking_budget", "max_tokens", "thinking_enabled"]),
    MODEL,
)
def test_budget_and_limit_don_t_chase_each_other(values: dict[str, Any], changed: Any, model: ModelInfo) -> None:
    once = linked(values, changed, model)

    assert linked(once, changed, model) == once
    if changed == "max_tokens":
        assert once["max_tokens"] == values["max_tokens"]
    if not values["thinking_enabled"]:
        assert once == values
    limits = (once["thinking_budget"], once["max_tokens"])
    highest = model.max_output_tokens or model.context_window or 131_072
    if changed != "max_tokens" and once["thinking_enabled"] and None not in limits and highest > 8_192:
        assert limits[0] < limits[1]


def test_lowering_the_limit_lowers_the_budget_and_the_budget_doesn_t_raise_the_limit() -> None:
    values = {"thinking_enabled": True, "thinking_budget": 8_000, "max_tokens": 5_000}

    assert linked(values, "max_tokens", ModelInfo()) == values | {"thinking_budget": 3_976}


def test_every_known_parameter_is_reached_from_a_file() -> None:
    named = {each.name for each in fields(RequestParameters)} - {"thinking", "safety", "web_search", "custom"}
    stored: dict[str, Any] = {
        "maxTokens": 9,
        "temperature": 0.5,
        "topP": 0.9,
        "topK": 3,
        "frequencyPenalty": 1,
        "presencePenalty": 1,
        "seed": 4,
        "stop": "x",
        "n": 2,
        "logprobs": True,
        "topLogprobs": 2,
        "logitBias": {"1": 2},
        "responseFormat": {"type": "text"},
        "toolChoice": "auto",
        "parallelToolCalls": False,
        "modalities": ["text"],
        "audio": {"voice": "a"},
        "prediction": {"type": "content"},
        "user": "u",
        "serviceTier": "auto",
        "store": True,
        "include": ["a"],
        "metadata": {"a": "b"},
        "stream": True,
        "streamOptions": {"include_usage": True},
    }

    parameters, losses = request_parameters(merged([layer_of("agent", stored)]))

    assert named == parameters.given().keys() and not losses
    assert replace(parameters, stream=None).given().keys() == named - {"stream"}


@pytest.mark.parametrize("name", MODELS)
def test_unknown_models_are_permissive_and_known_ones_have_a_source(name: str) -> None:
    facts = model_info(name)

    assert facts.known == bool(facts.source and facts.as_of and facts.max_output_tokens and facts.context_window)
    assert facts.known or not facts.without

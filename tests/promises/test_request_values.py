"""What a request says of itself is true: parameters that give way, fixes, keys, prices, streams, addresses."""

from __future__ import annotations

import pickle
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.documents import Agent, Session
from ctxlab.errors import CtxlabError
from ctxlab.providers import Fix, Payload, built_in, payload
from ctxlab.providers.html import payload_html
from ctxlab.providers.models_table import ModelRow
from ctxlab.testing import refusals_of

VENDORS: tuple[Any, ...] = tuple(built_in())
SECRET = "sk-live-0123456789"


def request(vendor: Any, model: str | None = None, agent: dict[str, Any] | None = None, **parameters: Any) -> Payload:
    trace = ctxlab.build(Session(id="s").append("hi", role="user"), Agent.model_validate({"id": "a", **(agent or {})}))
    return payload(trace, vendor, model=model, parameters=parameters)


def said(found: Payload) -> str:
    return " ".join([*map(str, found.losses), *(note.text for note in found.notes)])


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_request_travels_and_is_the_same(vendor: Any) -> None:
    found = request(vendor)

    again = pickle.loads(pickle.dumps(found))

    assert again.provider is found.provider
    assert (again.body, again.curl(), again.problems) == (found.body, found.curl(), found.problems)


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("value", [float("nan"), [float("inf")], 2**70, object(), b"b", {1}, "half \ud83d"])
def test_a_value_that_is_no_json_is_a_problem_and_never_written(vendor: Any, value: object) -> None:
    found = request(vendor, custom={"odd": {"in": value}})

    assert any(problem.path[:2] == ("odd", "in") for problem in found.problems)
    assert "no JSON" in repr(found) + payload_html(found) and found.size is None
    for write in (found.as_bytes, found.curl):
        with pytest.raises(CtxlabError, match=r"odd\.in"):
            write()


@given(st.recursive(st.none() | st.floats() | st.integers(-(2**80), 2**80) | st.text(), st.lists, max_leaves=5))
def test_what_is_written_is_the_body(value: object) -> None:
    found = request("openai", custom={"odd": value})

    assert found.size is None or orjson.loads(found.as_bytes()) == found.body


@pytest.mark.parametrize("vendor", VENDORS)
def test_keys_among_custom_fields_are_in_the_body_alone(vendor: Any) -> None:
    keys = {"api_key": SECRET, "x-goog-api-key": SECRET, "deep": [{"Authorization": SECRET, "access_token": [SECRET]}]}
    found = request(vendor, custom={**keys, "max_tokens": 77})

    shown = [found.curl(), repr(found), payload_html(found), str(found.as_data()), repr(found.parameters), said(found)]

    assert not any(SECRET in text for text in shown)
    assert found.body.items() >= keys.items() and found.as_data()["body"]["max_tokens"] == 77


@pytest.mark.parametrize(
    "asked",
    [
        {"thinkingMode": "on", "reasoningEffort": "high"},
        {"thinkingMode": "effort", "thinkingBudget": 5_000},
        {"thinkingMode": "adaptive", "thinkingBudget": 5_000},
        {"thinkingMode": "effort", "thinkingBudget": 5_000, "reasoningEffort": "high"},
    ],
)
@pytest.mark.parametrize("model", ["gpt-5.2", "claude-sonnet-4-5", "claude-opus-4-6", "gemini-2.5-pro", "gemini-3-pro"])
def test_effort_and_budget_are_sent_or_told(model: str, asked: dict[str, Any]) -> None:
    found = request({"g": "openai", "c": "anthropic"}.get(model[0], "") if "gemini" not in model else "gemini", model)
    with_it = found.mended(Fix("ask", parameters=asked))

    body = str(with_it.body)
    for name, value, words in (("reasoningEffort", "high", "effort"), ("thinkingBudget", 5_000, "budget")):
        if name in asked:
            assert repr(value) in body or words in said(with_it)


def test_minus_one_leaves_the_budget_to_gemini() -> None:
    found = request("gemini", thinkingMode="budget", thinkingBudget=-1)

    assert found.body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": -1}


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"maxTokens": 9, "maxCompletionTokens": 10}, "max_tokens"),
        ({"user": "a", "claudeMetadata": {"user_id": "b"}}, "claude_metadata.user_id"),
        ({"claudeMetadata": {"user_id": "b", "x": 1}}, "claude_metadata.x"),
        ({"streamOptions": {"include_usage": True}}, "stream_options"),
    ],
)
def test_what_gives_way_is_told_and_its_fix_mends_it(vendor: Any, asked: dict[str, Any], what: str) -> None:
    found = request(vendor, **asked)
    loss = next(loss for loss in found.losses if loss.what == what)

    assert loss.fix is not None
    assert what not in [each.what for each in found.mended(loss.fix).losses]


def test_responses_go_by_their_own_store() -> None:
    asked: dict[str, Any] = {"store": True, "responsesStore": False}

    assert request("openai-responses", **asked).body["store"] is False
    assert request("openai", **asked).body["store"] is True


@pytest.mark.parametrize("vendor", VENDORS)
def test_stream_options_are_no_problem_anywhere(vendor: Any) -> None:
    found = request(vendor, stream=True, streamOptions={"include_usage": True})

    assert found.problems == () and not refusals_of(found.body, vendor)
    assert "stream_options" in found.body or "stream_options" in said(found)


@pytest.mark.parametrize(
    ("model", "asked"),
    [("gpt-5.2", {"stopSequences": ["z"]}), ("unheard-of", {"thinkingMode": "budget", "thinkingBudget": 3_000})],
)
def test_the_fix_of_a_lost_parameter_ends_the_loss(model: str, asked: dict[str, Any]) -> None:
    found = request("openai", model, **asked)
    loss = found.losses[0]

    assert loss.fix is not None and loss.what not in [each.what for each in found.mended(loss.fix).losses]


def test_a_mended_request_keeps_the_facts_that_it_was_made_with() -> None:
    own = (ModelRow("mine", {"max_output_tokens": 50}),)
    trace = ctxlab.build(Session(id="s").append("hi", role="user"))
    found = payload(trace, "openai", model="mine", models=own)

    assert found.mended(Fix("none")).model == found.model


@pytest.mark.parametrize("vendor", VENDORS)
def test_fields_that_were_read_from_a_body_are_sent_in_its_form_alone(vendor: Any) -> None:
    read = {"enabled": True, "wire": "anthropic", "params": {"context_management": {"edits": []}}}
    found = request(vendor, agent={"parameters": {"custom": read}})

    assert ("context_management" in found.body) == (vendor == "anthropic")
    assert found.problems == () and (vendor == "anthropic" or "context_management" in said(found))


@pytest.mark.parametrize("vendor", VENDORS)
def test_schemas_and_tools_of_other_vendors_are_sent_as_this_one_takes_them(vendor: Any) -> None:
    schema = {
        "type": "OBJECT",
        "properties": {"type": {"type": "STRING"}, "at": {"type": "ARRAY", "items": {"type": "NUMBER"}}},
    }
    tools = [{"type": "function", "function": {"name": "look", "parameters": schema}}]
    searching = {"type": "web_search_20250305", "name": "web_search"}
    found = request(vendor, agent={"tools": [*tools, searching] if vendor != "openai-compatible" else tools})

    assert found.problems == () and not refusals_of(found.body, vendor)
    assert ("OBJECT" in str(found.body)) == (vendor == "gemini")


def test_custom_fields_are_in_the_price() -> None:
    one = request("openai", "gpt-4o", maxTokens=1_000).cost()

    assert request("openai", "gpt-4o", maxTokens=1_000, n=4).cost().output_tokens == 4_000
    assert request("openai", "gpt-4o", maxTokens=1_000, custom={"max_tokens": 16_000}).cost().output_tokens == 16_000
    other = request("openai", "gpt-4o", maxTokens=1_000, custom={"model": "gpt-4.1"})
    assert other.model.name == other.body["model"] == "gpt-4.1" and other.cost().output_usd != one.output_usd


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_stream_among_the_custom_fields_is_a_stream(vendor: Any) -> None:
    found = request(vendor, custom={"stream": True})

    assert found.stream and "curl -N" in found.curl() and found.problems == ()
    assert vendor == "gemini" or found.body["stream"] is True


@settings(max_examples=30)
@given(st.text(min_size=1).map(lambda text: text.encode(errors="ignore").decode() or "?"))
def test_a_model_s_name_is_one_step_of_the_address(name: str) -> None:
    url = built_in()["gemini"].url(name)

    assert url.count("/") == 5 and not set("?#") & set(url) and url.endswith(":generateContent")


def test_gemini_models_are_named_with_and_without_their_folder() -> None:
    assert request("gemini", "models/gemini-2.5-pro").url == request("gemini", "gemini-2.5-pro").url
    assert [problem.rule for problem in request("gemini", "a/../b?key=x#").problems] == ["model-name"]


def test_the_step_that_had_glued_a_message_is_named() -> None:
    row = {"id": "p", "role": "user", "content": "And?", "injectionStrategy": {"type": "depth", "depth": 1}}
    agent = Agent.model_validate({"id": "a", "presetMessages": [row]})
    changes = {"merge-consecutive.enabled": True}
    first = Session(id="s").append("hi", role="user", id="node-1")
    second = first.append("yo", role="assistant").append("again", role="user")
    old, new = (ctxlab.build(each, agent, settings=changes) for each in (first, second))

    marks = payload(new, "openai", after=payload(old, "openai")).marks
    breaks = marks.breaks if marks else ()
    assert {each.step for each in breaks if each.key == "node:node-1"} == {"merge-consecutive"}, breaks

"""Bodies for Anthropic and Gemini: what goes where, what isn't sent and says so, and the changes that are offered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import ctxlab
from ctxlab.context import AssetRef, Draft, Origin, Text
from ctxlab.documents import Role, ToolCall
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.asset_source import InlineFile
from ctxlab.providers import ModelInfo, Prompt, Provider, RequestParameters, provider_named
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.models import model_info
from tests.wire_bodies import FOLDER, RecordedBody, bodies, ids

ANTHROPIC = provider_named("anthropic")
GEMINI = provider_named("gemini")


def _draft(role: Role, words: str, **fields: Any) -> Draft:
    key = f"node:{role}:{words}"
    return replace(Draft(key, role, (Text.of(words, Origin("node", key)),), Origin("node", key)), **fields)


def _written(
    provider: Provider, *drafts: Draft, model: str = "", tools: tuple[Any, ...] = (), **given: Any
) -> BodyWriter:
    out = BodyWriter()
    facts = model_info(model or None, provider)
    provider.write(Prompt(drafts, tools), RequestParameters(**given), facts, provider, out)
    return out


@FOLDER
@pytest.mark.parametrize("body", [*bodies(vendor="anthropic"), *bodies(vendor="gemini")], ids=ids)
def test_recorded_requests_are_taken_and_refused_as_they_were(body: RecordedBody) -> None:
    provider = provider_named(body.vendor)

    problems = list(provider.check(body.body, model_info(body.model, provider), provider))

    assert bool(problems) is (body.status != 200)


def test_a_system_message_after_the_user_stays_where_a_model_takes_it() -> None:
    history = (_draft("user", "hi"), _draft("system", "Be brief."))

    out = _written(ANTHROPIC, *history, model="claude-opus-4-8")

    assert [turn["role"] for turn in out.body["messages"]] == ["user", "system"]
    assert out.losses == []


def test_a_system_prompt_alone_is_sent_as_the_users_words() -> None:
    for provider, name in ((ANTHROPIC, "messages"), (GEMINI, "contents")):
        out = _written(provider, _draft("system", "Say hello."))

        assert [turn["role"] for turn in out.body[name]] == ["user"]
        assert [loss.kind for loss in out.losses] == ["role"]


def test_results_of_one_turn_stand_together_before_the_users_words() -> None:
    calls = (ToolCall("c1", "look", "{}"), ToolCall("c2", "look", "{}"))
    failed = FrozenDict({"toolCall": FrozenDict({"status": "error"})})
    history = (
        _draft("user", "look"),
        _draft("assistant", "I look.", calls=calls),
        _draft("tool", "a cat", result_of="c1"),
        _draft("tool", "no light", result_of="c2", meta=failed),
        _draft("user", "And?"),
    )

    claude = _written(ANTHROPIC, *history).body["messages"][2]["content"]
    gemini = _written(GEMINI, *history).body["contents"][2]["parts"]

    assert [(block["type"], block.get("is_error")) for block in claude] == [
        ("tool_result", None),
        ("tool_result", True),
        ("text", None),
    ]
    assert [part["functionResponse"]["name"] for part in gemini[:2]] == ["look", "look"]
    assert gemini[1]["functionResponse"]["response"] == {"error": "no light"}


def test_gemini_3_gets_a_word_for_a_signature_that_is_missing_and_the_real_one_where_it_is_there() -> None:
    signed = FrozenDict({"wire": "gemini", "item": FrozenDict({"thoughtSignature": "c2ln"}), "on": "c1"})
    kept = FrozenDict({"reasoningArtifacts": [signed]})
    call = (ToolCall("c1", "look", "{}"),)
    for meta, signature in ((FrozenDict(), "skip_thought_signature_validator"), (kept, "c2ln")):
        history = (
            _draft("user", "look"),
            _draft("assistant", "", calls=call, meta=meta),
            _draft("tool", "a cat", result_of="c1"),
        )

        out = _written(GEMINI, *history, model="gemini-3-pro-preview")

        assert out.body["contents"][1]["parts"][0]["thoughtSignature"] == signature
        assert ["signature"] * (meta is not kept) == [loss.kind for loss in out.losses]


def test_each_parameter_is_in_the_body_or_a_loss() -> None:
    given: dict[str, Any] = {
        "max_output_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.99,
        "top_k": 3,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.1,
        "seed": 1,
        "stop": ("x",),
        "n": 2,
        "logprobs": True,
        "top_logprobs": 2,
        "logit_bias": {"1": 2},
        "response_format": {"type": "json_object"},
        "tool_choice": "required",
        "modalities": ("text", "audio"),
        "audio": {"voice": "a"},
        "prediction": {"type": "content"},
        "safety": ({"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"},),
        "user": "u",
        "service_tier": "flex",
        "store": True,
        "include": ("x",),
        "metadata": {"a": "b"},
    }
    for provider in (ANTHROPIC, GEMINI):
        model = ModelInfo("some-model")
        for name, value in given.items():
            out = BodyWriter()
            provider.write(Prompt((_draft("user", "hi"),)), RequestParameters(**{name: value}), model, provider, out)
            bare = BodyWriter()
            provider.write(Prompt((_draft("user", "hi"),)), RequestParameters(), model, provider, bare)

            assert out.body != bare.body or any(loss.what.startswith(name) for loss in out.losses), name


def test_what_gemini_has_no_place_for_in_a_tool_is_a_loss() -> None:
    function = {"name": "look", "parameters": {"properties": {"at": {"type": "string"}}}}
    tools = (
        {"type": "function", "function": function, "cache_control": {"type": "ephemeral"}},
        {"type": "file_search", "vector_store_ids": ["v"]},
    )

    out = _written(GEMINI, _draft("user", "hi"), tools=tools)

    assert [loss.what for loss in out.losses] == ["cache_control of a tool", "vector_store_ids of a tool"]
    declared = {"name": "look", "parametersJsonSchema": function["parameters"]}
    assert out.body["tools"] == [{"functionDeclarations": [declared]}, {"fileSearch": {}}]


def test_names_of_files_that_have_no_field_are_noted() -> None:
    origin = Origin("node", "a")
    files = [
        AssetRef("a", "image", "cat.png", source=InlineFile("iVBORw0KGgo=", "image/png")),
        AssetRef("b", "document", "b.pdf", source=InlineFile("JVBERi0xLjQK", "application/pdf")),
    ]
    for provider, nameless in ((ANTHROPIC, "1 file"), (GEMINI, "2 files")):
        notes = _written(provider, Draft("node:a", "user", tuple(files), origin)).notes

        assert [note.text for note in notes if "name of" in note.text] == [
            f"{provider.title} has no field for the name of {nameless} that it gets"
        ]


def test_a_block_in_a_result_is_a_loss_of_that_result() -> None:
    for provider, wire in ((ANTHROPIC, "anthropic"), (GEMINI, "gemini")):
        block = FrozenDict({"wire": wire, "item": {"type": "thinking", "thought": True}, "before": "text"})
        result = _draft("tool", "a cat", result_of="c1", meta=FrozenDict({"reasoningArtifacts": [block]}))
        history = (_draft("user", "look"), _draft("assistant", "", calls=(ToolCall("c1", "look", "{}"),)), result)

        out = _written(provider, *history)

        assert [(loss.kind, loss.key) for loss in out.losses] == [("part", result.key)]


def test_sampling_is_a_loss_and_a_problem_in_the_version_of_the_api_that_has_none() -> None:
    newer = replace(ANTHROPIC, features=FrozenDict(api_version="2026-10-21"))
    facts = model_info("claude-sonnet-4-5", newer)

    out = _written(newer, _draft("user", "hi"), temperature=0.5)
    problems = list(newer.check({**out.body, "temperature": 0.5}, facts, newer))

    assert [loss.what for loss in out.losses] == ["temperature"]
    assert [(problem.rule, problem.path) for problem in problems] == [("api-version", ("temperature",))]
    assert ANTHROPIC.headers["anthropic-version"] == ANTHROPIC.features["api_version"]


def test_arguments_that_are_no_object_go_as_text_and_long_numbers_are_said_to_be_rounded() -> None:
    for words, sent in (("not json", {"arguments": "not json"}), ("", {}), ('{"n":1.10}', {"n": 1.1})):
        call = (ToolCall("c1", "look", words),)
        out = _written(ANTHROPIC, _draft("user", "x"), _draft("assistant", "y", calls=call))

        assert out.body["messages"][1]["content"][1]["input"] == sent
        assert len(out.losses) == (words == "not json")

    rounded = (ToolCall("c1", "look", '{"n":12345678901234567890123}'),)
    out = _written(GEMINI, _draft("user", "x"), _draft("assistant", "y", calls=rounded))
    assert [loss.kind for loss in out.losses] == ["field"]


def test_own_fields_come_last_and_take_places_away_with_what_they_replace() -> None:
    mine = FrozenDict({"messages": [{"role": "user", "content": "mine"}], "top_k": 4})

    out = _written(ANTHROPIC, _draft("user", "hi"), custom=mine)
    inner = _written(GEMINI, _draft("user", "hi"), temperature=0.1, custom={"generationConfig": {"seed": 1}})

    assert out.body["messages"][0]["content"] == "mine"
    assert out.body["top_k"] == 4
    assert out.places == []
    assert inner.body["generationConfig"] == {"temperature": 0.1, "seed": 1}


def test_the_change_that_a_loss_of_place_offers_puts_the_message_in_front() -> None:
    history = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "yo"},
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "bye"},
    ]
    session = _session(history)
    for vendor in ("anthropic", "gemini"):
        (loss,) = ctxlab.payload(ctxlab.build(session), vendor).losses
        assert loss.fix is not None

        mended = ctxlab.payload(ctxlab.build(session, settings=dict(loss.fix.settings)), vendor)

        assert mended.losses == ()


def test_the_change_that_a_beginning_of_the_reply_offers_while_thinking_mends_it() -> None:
    session = _session([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Once"}])
    trace = ctxlab.build(session, model="claude-sonnet-4-5")
    (problem,) = ctxlab.payload(trace, "anthropic", parameters={"thinkingEnabled": True}).problems
    (fix,) = problem.fixes

    mended = ctxlab.payload(trace, "anthropic", parameters={"thinkingEnabled": True, **fix.parameters})

    assert problem.rule == "prefill-thinking"
    assert mended.problems == ()


def _session(messages: list[dict[str, str]]) -> ctxlab.Session:
    session = ctxlab.Session(id="s").append("", role="system")
    for message in messages:
        session = session.append(message["content"], role=message["role"])
    return session

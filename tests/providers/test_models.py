"""Facts of models: the table, a user's file, a profile, and the table of prices."""

import re
from pathlib import Path

import pytest

import ctxlab
from ctxlab.documents import Agent, ModelProfile, Session
from ctxlab.errors import ReadError
from ctxlab.providers import payload
from ctxlab.providers.models import model_info, read_model_facts, vendor_of
from ctxlab.providers.models_table import TABLE

OTHER_WINDOWS = {
    "deepseek-chat": "128,000 since V3.1 (api-docs.deepseek.com)",
    "deepseek-reasoner": "128,000 since V3.1 (api-docs.deepseek.com)",
    "gemini-1.5-pro": "2,000,000 since 2024-06 (ai.google.dev)",
    "gpt-5.3": "the chat model is meant there; the others have 400,000",
}
NO_CHATS = re.compile(r"tts|image|live|realtime|transcribe")


def test_windows_are_those_of_the_table_of_prices() -> None:
    from genai_prices import data_snapshot

    different: list[str] = []
    for provider in data_snapshot.get_snapshot().providers:
        if provider.id not in ("openai", "anthropic", "google", "deepseek"):
            continue
        for model in provider.models:
            ours = model_info(model.id)
            if model.id in OTHER_WINDOWS or NO_CHATS.search(model.id):
                continue
            if ours.known and model.context_window and ours.context_window != model.context_window:
                different.append(f"{model.id}: {ours.context_window} here, {model.context_window} there")

    assert sorted(different) == []


def test_every_row_says_where_it_is_from() -> None:
    assert all(row.facts["source"] and len(row.facts["as_of"]) == 7 for row in TABLE)


@pytest.mark.parametrize(
    ("name", "vendor"),
    [
        ("gpt-4o", "openai"),
        ("gpt-6.1-sol", "openai"),
        ("o3-mini", "openai"),
        ("openrouter:anthropic/claude-sonnet-4.5", "anthropic"),
        ("google/gemini-2.5-pro", "google"),
        ("deepseek-chat", "deepseek"),
        ("qwen3-max", None),
        ("gpt4all-j", None),
        ("", None),
    ],
)
def test_the_vendor_of_a_name(name: str, vendor: str | None) -> None:
    assert vendor_of(name) == vendor


def test_a_file_of_one_s_own_beats_the_table_and_a_profile_beats_both(tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(
        "- {name: gpt-4o, maxOutputTokens: 99}\n- {pattern: 通义.*, thinking: [off, on], context_window: 5}\n"
    )
    table = read_model_facts(file)

    assert model_info("gpt-4o", table=table).max_output_tokens == 99
    assert model_info("gpt-4o", table=table).context_window == model_info("gpt-4o").context_window
    assert model_info("通义千问", table=table).known and model_info("通义千问", table=table).context_window == 5
    assert model_info(ModelProfile(id="gpt-4o", max_output_tokens=7), table=table).max_output_tokens == 7


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("{}", "a list of models is expected"),
        ("[3]", r"models\.json\[0\]: an object"),
        ("[{}]", "neither a name nor a pattern"),
        ('[{"name": "x", "maxOutputToken": 3}]', "did you mean 'max_output_tokens'"),
        ('[{"name": "x", "maxOutputTokens": "many"}]', r"\[0\]\.maxOutputTokens: .*got '\"?'?many"),
        ('[{"pattern": "("}]', "no regular expression"),
        ("[", "no JSON"),
    ],
)
def test_a_wrong_file_is_refused_at_its_place(written: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    file.write_text(written)

    with pytest.raises(ReadError, match=words):
        read_model_facts(file)


def test_a_model_of_another_vendor_gives_way_to_the_usual_one_with_a_note() -> None:
    run = ctxlab.build(Session().append("Hello."), model="gpt-4o")

    assert payload(run, "anthropic").model.name == "claude-sonnet-4-5"
    assert any("'gpt-4o'" in note.text and "files" in note.text for note in payload(run, "anthropic").notes)
    assert payload(run, "openai-compatible").model.name == payload(run, "openai-responses").model.name == "gpt-4o"
    assert payload(run, "anthropic", model="gpt-4o").model.name == "gpt-4o"


def test_what_a_request_costs() -> None:
    run = ctxlab.build(Session().append("Hello, how are you? " * 500), model="gpt-4o")

    cost = payload(run, parameters={"maxTokens": 1_000}).cost()

    assert cost.input_usd == pytest.approx(run.tokens * 2.5e-6)
    assert cost.output_usd == pytest.approx(1_000 * 10e-6)
    assert cost.most_usd == pytest.approx((cost.input_usd or 0) + (cost.output_usd or 0))
    assert cost.source.startswith("genai-prices") and cost.as_of == "2026-11"


def test_what_is_cached_costs_less() -> None:
    session = Session().append("light " * 3_000).append("Aye.", role="assistant").append("Go on.")
    first = payload(ctxlab.build(session), "anthropic")
    longer = session.append("I do.", role="assistant").append("And?")

    second = payload(ctxlab.build(longer), "anthropic", after=first).cost()

    assert first.cost().written_tokens > 3_000 and first.cost().cached_tokens == 0
    assert second.cached_tokens == first.cost().written_tokens
    plain = payload(ctxlab.build(longer), "anthropic", model="claude-sonnet-4-5").cost()
    assert None not in (second.input_usd, plain.most_usd)
    assert (second.input_usd or 0) < (plain.input_usd or 0)


def test_no_price_is_none() -> None:
    cost = payload(ctxlab.build(Session().append("Hello."), model="nobody-knows-it"), "openai-compatible").cost()

    assert (cost.input_usd, cost.cached_usd, cost.output_usd, cost.most_usd) == (None, None, None, None)
    assert "no price is known" in str(cost)


def test_parameters_of_agent_session_and_call_reach_the_request() -> None:
    agent = Agent(id="a", parameters={"temperature": 0.3, "topP": 0.5, "seed": 4, "maxTokens": "many"})
    session = Session.model_validate({"id": "s", "parameterOverrides": {"topP": 0.6, "seed": 5}}).append("Hello.")

    found = payload(ctxlab.build(session, agent, model="gpt-4o"), parameters={"seed": 6})

    asked = found.parameters
    assert (asked.temperature, asked.top_p, asked.seed, asked.max_output_tokens) == (0.3, 0.6, 6, None)
    assert any("maxTokens" in note.text for note in found.notes)
    with pytest.raises(ctxlab.CtxlabError, match="temperature"):
        payload(ctxlab.build(session), parameters={"temperature": "warm"})
    with pytest.raises(ctxlab.CtxlabError, match="did you mean 'temperature'"):
        payload(ctxlab.build(session), parameters={"temprature": 1})

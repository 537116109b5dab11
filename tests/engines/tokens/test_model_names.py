"""What a model's name says of its tokenizer."""

import pytest

from ctxlab.documents import ModelProfile
from ctxlab.engines.tokens import read_model_name
from ctxlab.errors import WrongSetting
from ctxlab.providers import tokenizer_for


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o",
        "GPT-4o-mini-2024-07-18",
        "chatgpt-4o-latest",
        "gpt-4.1-nano",
        "gpt-4.5-preview",
        "gpt-5",
        "gpt-5.1-codex",
        "o1",
        "o1-preview",
        "o3-mini",
        "o4-mini-high",
        "openai/gpt-4o-mini",
        "openrouter:openai/gpt-4o",
        "openai:gpt-4o",
        "ft:gpt-4o:acme::x1",
        "ft:gpt-4o-mini-2024-07-18:o3-team:name:id",
    ],
)
def test_newer_models_of_openai_count_by_o200k(name: str) -> None:
    assert read_model_name(name).encoding == "o200k_base"
    assert not tokenizer_for(name).estimated


@pytest.mark.parametrize("name", ["gpt-oss-20b", "openai/gpt-oss-120b:free", "openai.gpt-oss-120b-1:0"])
def test_open_weights_count_by_harmony_which_is_o200k(name: str) -> None:
    tokenizer = tokenizer_for(name)

    assert tokenizer.name == "o200k_harmony"
    assert tokenizer.counts is tokenizer_for("gpt-4o").counts


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4",
        "gpt-4-0613",
        "gpt-4-32k",
        "gpt-4-turbo-2024-04-09",
        "gpt-4-vision-preview",
        "gpt-3.5-turbo-16k",
        "gpt-35-turbo",
        "azure/gpt-35-turbo-1106",
        "ft:gpt-3.5-turbo:acme",
        "text-embedding-3-small",
        "text-embedding-ada-002",
        "davinci-002",
    ],
)
def test_older_models_of_openai_count_by_cl100k(name: str) -> None:
    assert tokenizer_for(name).name == "cl100k_base"


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("claude-sonnet-4-5-20250929", "anthropic"),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", "anthropic"),
        ("google/gemini-2.5-pro", "google"),
        ("meta-llama/llama-3.3-70b-instruct", "openai"),
        ("ollama:qwen2.5:7b", "openai"),
        ("deepseek-chat", "openai"),
        ("mistral-large", "openai"),
        ("glm-4.6", "openai"),
        ("kimi-k2", "openai"),
    ],
)
def test_other_vendors_are_estimated(name: str, wire: str) -> None:
    assert (read_model_name(name).encoding, read_model_name(name).wire) == (None, wire)
    estimate = "by-kind-safe" if wire == "anthropic" else "by-kind"
    assert (tokenizer_for(name).name, tokenizer_for(name).estimated) == (estimate, True)


@pytest.mark.parametrize(
    "name", ["gpt4all-j", "gpt-4x", "gpt-40", "gpt-6", "o100", "o3labs-7b", "text-davinci-003", "x", ":/:"]
)
def test_a_name_never_heard_of_is_estimated_not_guessed(name: str) -> None:
    assert tokenizer_for(name).estimated


@pytest.mark.parametrize("model", [None, "", " ", ModelProfile()])
def test_no_model_counts_exactly_by_o200k(model: str | ModelProfile | None) -> None:
    tokenizer = tokenizer_for(model)

    assert (tokenizer.name, tokenizer.estimated, tokenizer.media.name) == ("o200k_base", False, "default")


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "o200k_harmony", "estimator", "by-kind"])
def test_a_tokenizer_can_be_asked_for_by_its_own_name(name: str) -> None:
    assert tokenizer_for(name).name == name
    assert tokenizer_for(ModelProfile(id="claude-opus-4-8", tokenizer=name)).name == name


@pytest.mark.parametrize(
    ("stored", "name"),
    [("gpt4o", "o200k_base"), ("gpt4", "cl100k_base"), ("qwen3", "by-kind"), ("claude", "by-kind-safe")],
)
def test_stored_profiles_call_tokenizers_by_short_names(stored: str, name: str) -> None:
    assert tokenizer_for(ModelProfile(id="any", tokenizer=stored)).name == name


def test_a_profile_with_a_tokenizer_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(WrongSetting, match="did you mean 'o200k_base'"):
        tokenizer_for(ModelProfile(id="gpt-4o", tokenizer="o200k-base"))


def test_the_wire_of_a_profile_beats_the_vendor_of_its_name() -> None:
    by_name = tokenizer_for(ModelProfile(id="claude-opus-4-8"))
    by_wire = tokenizer_for(ModelProfile(id="claude-opus-4-8", wire="openai"))

    assert (by_name.message_tokens, by_wire.message_tokens) == (4, 3)

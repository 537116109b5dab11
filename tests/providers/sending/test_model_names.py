"""Names of models that nobody is known to serve are refused before a request goes out under one."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab.documents import ModelProfile, Session
from ctxlab.errors import CtxlabError, MissingKey, WrongArgument
from ctxlab.providers import model_info, payload, provider_of_model
from ctxlab.providers.sending.model_names import NAMES, check_model_name
from ctxlab.testing import FakeServer

CHAT = Session(id="s").append("Hi", id="u1").append("Hello ", role="assistant", id="a1")


def check(model: str | ModelProfile) -> None:
    check_model_name(payload(ctxlab.build(CHAT), model=model))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("gpt4-o", "gpt-4o"),
        ("gtp-4o", "gpt-4o"),
        ("claude-sonet-4", "claude-sonnet-4"),
        ("cluade-opus-4-5", "claude-opus-4-5"),
        ("gemini-2.5-flahs", "gemini-2.5-flash"),
        ("openrouter/gemni-2.5-pro", "gemini-2.5-pro"),
        ("deepsek-chat", "deepseek-chat"),
    ],
)
def test_a_misspelt_name_is_refused_with_the_nearest_ones_and_the_way_to_say_it_anyway(
    written: str, meant: str
) -> None:
    with pytest.raises(WrongArgument) as refused:
        check(written)

    assert f"did you mean {meant!r}" in str(refused.value) and "provider=" in str(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        *NAMES,
        *("claude-sonnet-6-1", "claude-fable-9", "gemini-7-ultra", "gpt-7-mini", "ft:gpt-4o:acme::x1"),
        *("openrouter:anthropic/claude-sonnet-4.5", "us.anthropic.claude-opus-4-7", "gemini-2.5-flash-image"),
    ],
)
def test_names_of_known_families_are_free_new_ones_too(name: str) -> None:
    check(name)


def test_every_name_that_is_offered_is_one_of_a_model_that_is_known() -> None:
    assert [name for name in NAMES if not model_info(name).known] == []
    assert "openai-compatible" not in {provider_of_model(name).name for name in NAMES}


def test_a_profile_that_says_more_than_a_name_is_taken_as_it_is() -> None:
    check(ModelProfile(id="claude-sonet-4", context_window=8_000))


def test_nobody_is_asked_under_a_name_that_no_vendor_has_and_the_conversation_stays() -> None:
    with pytest.raises(WrongArgument, match="no vendor is known to serve the model 'qwen3'"):
        ctxlab.send(CHAT, "Why?", model="qwen3", key="any")


@pytest.mark.parametrize("given", [{"provider": "openai-compatible"}, {}])
def test_an_address_makes_any_name_free(given: dict[str, Any]) -> None:
    with FakeServer("Aye.") as server:
        address = server.base_url("openai-compatible")
        turn = ctxlab.send(CHAT, "Why?", model="gpt4-o", base_url=address, key="any", **given)

    assert (turn.error, turn.text, server.requests[0].model) == (None, "Aye.", "gpt4-o")


def test_a_provider_makes_any_name_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setattr("ctxlab.providers.sending.keys._from_keyring", lambda service, name: None)

    with pytest.raises(MissingKey):  # the name is taken, and the key is asked for next
        ctxlab.send(CHAT, "Why?", model="claude-sonet-4", provider="anthropic")


def test_a_name_alone_goes_to_the_vendor_whose_it_is() -> None:
    found = [provider_of_model(name).name for name in ("deepseek-chat", "gpt-4o", "claude-opus-4-1", "gemini-2.5-pro")]

    assert found == ["deepseek", "openai", "anthropic", "gemini"]
    assert issubclass(WrongArgument, CtxlabError)

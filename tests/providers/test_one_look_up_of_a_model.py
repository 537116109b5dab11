"""A model's name is read once for a request, and what comes of it says where it is from."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

import ctxlab
from ctxlab.documents import ModelProfile
from ctxlab.engines.tokens.model_encodings import ModelName, read_model_name
from ctxlab.providers import model_info, tokenizer_for
from ctxlab.providers.tokenizers import _for_name  # pyright: ignore[reportPrivateUsage]

SESSION = ctxlab.Session(id="s").append("Hello", role="user")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names that are read, in order, wherever in ctxlab."""
    names: list[str] = []

    def counted(name: str) -> ModelName:
        names.append(name)
        return read_model_name(name)

    for module in [*sys.modules.values()]:
        if getattr(module, "read_model_name", None) is read_model_name and module.__name__.startswith("ctxlab."):
            monkeypatch.setattr(module, "read_model_name", counted)
    _for_name.cache_clear()
    yield names
    _for_name.cache_clear()


@pytest.mark.parametrize("vendor", [None, "openai", "openai-responses", "openai-compatible"])
@pytest.mark.parametrize("model", ["gpt-4o", ModelProfile(id="gpt-4o", context_window=9_000)])
def test_a_request_reads_the_name_of_its_model_once(
    model: str | ModelProfile, vendor: str | None, read: list[str]
) -> None:
    trace = ctxlab.build(SESSION, model="gemini-2.5-pro", budget_tokens=500)
    read.clear()

    request = ctxlab.payload(trace, vendor, model=model)

    assert read == ["gpt-4o"]
    assert not request.problems and request.cost().input_tokens == trace.tokens
    assert read == ["gpt-4o"]


@pytest.mark.parametrize("model", ["gemini-2.5-pro", "claude-sonnet-4-5", "deepseek-chat", "somebody/else:free"])
def test_a_run_for_a_model_is_sent_to_it_without_another_look(model: str, read: list[str]) -> None:
    trace = ctxlab.build(SESSION, model=model)
    read.clear()

    assert ctxlab.payload(trace).problems == ()
    assert read == [model]


def test_the_usual_model_takes_the_place_of_one_that_a_vendor_does_not_serve(read: list[str]) -> None:
    trace = ctxlab.build(SESSION, model="gemini-2.5-pro")
    read.clear()

    request = ctxlab.payload(trace, "anthropic")

    assert read == ["gemini-2.5-pro", request.model.name] and request.model.vendor == "anthropic"


def test_each_fact_says_where_it_is_from() -> None:
    profile = ModelProfile(id="gpt-4o", context_window=9_000, tokenizer="gpt4", wire="openai")
    found = model_info(profile)

    assert (found.context_window, found.source_of("context_window")) == (9_000, "the model's profile")
    assert (found.encoding, found.source_of("encoding")) == ("cl100k_base", "the model's profile")
    assert found.max_output_tokens == 16_384 and found.source_of("max_output_tokens").startswith("developers.openai")
    assert found.source_of("capabilities") == found.capabilities.source != ""
    assert (found.vendor, found.source_of("vendor")) == ("openai", "its name")
    assert tokenizer_for(found).name == tokenizer_for(profile).name == "cl100k_base"
    unknown = model_info("somebody/else")
    assert (unknown.vendor, unknown.encoding, unknown.source_of("context_window")) == (None, "by-kind", "")

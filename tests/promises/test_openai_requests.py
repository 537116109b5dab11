"""Laws of the bodies of OpenAI's forms: nothing is refused, places are true, and what isn't sent is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from ctxlab.context import AssetRef, Text
from ctxlab.providers import provider_named
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.models import model_info
from ctxlab.providers.place import value_at
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.request_parameters import RequestParameters
from ctxlab.providers.second_opinion import sdk_problems
from ctxlab.testing.fake_server.refusals import refusals_of
from tests.providers.random_drafts import prompts

of_each_provider = pytest.mark.parametrize("name", ("openai", "openai-responses", "deepseek", "openai-compatible"))
law = settings(deadline=None, max_examples=25)


def written(prompt: Prompt, provider: Provider, parameters: RequestParameters | None = None) -> BodyWriter:
    out = BodyWriter()
    provider.write(prompt, parameters or RequestParameters(), model_of(provider), provider, out)
    return out


def model_of(provider: Provider) -> ModelInfo:
    return model_info(None, provider)


@of_each_provider
@law
@given(prompts())
def test_nobody_refuses_what_was_made_of_any_messages(name: str, prompt: Prompt) -> None:
    provider = provider_named(name)

    body = written(prompt, provider).body

    assert tuple(provider.check(body, model_of(provider), provider)) == ()
    path = "/beta/chat/completions" if provider.base_url_of(body).endswith("/beta") else ""
    assert refusals_of(body, provider.name, path=path) == ()
    assert not sdk_problems(body, provider)


@of_each_provider
@law
@given(prompts())
def test_each_place_holds_its_text_and_each_text_has_a_place(name: str, prompt: Prompt) -> None:
    provider = provider_named(name)

    out = written(prompt, provider)

    for place in out.places:
        value = value_at(out.body, place.path)
        assert place.text is None or value == str(place.text)
    placed = {id(span.origin) for place in out.places if place.text for span in place.text.spans}
    for draft in prompt.drafts:
        assert draft.key in {place.key for place in out.places}
        for part in draft.body:
            assert not isinstance(part, Text) or all(id(span.origin) in placed for span in part.spans)


@of_each_provider
@law
@given(prompts())
def test_each_file_is_in_the_body_or_a_loss(name: str, prompt: Prompt) -> None:
    provider = provider_named(name)

    out = written(prompt, provider)

    files = sum(isinstance(part, AssetRef) for draft in prompt.drafts for part in draft.body)
    lost = sum(loss.kind == "part" for loss in out.losses)
    assert files == lost + sum(map(is_file, parts_of(out.body)))


def parts_of(body: dict[str, Any]) -> list[Any]:
    messages = body.get("messages") or body["input"]
    contents = [each.get("content") or each.get("output") for each in messages] if isinstance(messages, list) else []
    return [part for content in contents if isinstance(content, list) for part in content]


def is_file(part: dict[str, Any]) -> bool:
    return part["type"] not in ("text", "input_text", "output_text", "refusal")

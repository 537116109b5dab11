"""Parameters of a request once everything is settled, in nobody's form; None is not sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any

from ctxlab.documents.frozen_json import FrozenDict, JsonObject
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.parameters.thinking import Effort, ThinkingMode


@dataclass(frozen=True, slots=True)
class Thinking:
    """The way in which the model is to think: off, on, up to a budget of tokens, with an effort, or as it sees fit.

    `include` asks for the thoughts, or a summary of them, in the reply.
    """

    mode: ThinkingMode
    budget_tokens: int | None = None
    effort: Effort | None = None
    include: bool | None = None


@dataclass(frozen=True, slots=True)
class RequestParameters:
    """The parameters of one request. Tokens are counted by the vendor.

    `response_format` and `tool_choice` are in the form of OpenAI's chat; `web_search` holds the options of a search by
    the vendor, `safety` Gemini's settings. `custom` are fields that go into the body as they are, over all others;
    they may hold keys and are not in its repr.
    """

    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    n: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    logit_bias: JsonObject | None = None
    response_format: JsonObject | None = None
    tool_choice: str | JsonObject | None = None
    parallel_tool_calls: bool | None = None
    thinking: Thinking | None = None
    modalities: tuple[str, ...] = ()
    audio: JsonObject | None = None
    prediction: JsonObject | None = None
    web_search: JsonObject | None = None
    safety: tuple[JsonObject, ...] = ()
    user: str | None = None
    service_tier: str | None = None
    store: bool | None = None
    include: tuple[str, ...] = ()
    metadata: JsonObject | None = None
    stream: bool | None = None
    stream_options: JsonObject | None = None
    custom: Mapping[str, Any] = field(default_factory=FrozenDict, repr=False)

    def given(self) -> dict[str, Any]:
        """The parameters that are sent, by name, without `custom`."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "custom"}
        return {name: value for name, value in found.items() if value is not None and value != ()}

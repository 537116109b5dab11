"""The parameters of an agent's file as models: titles, bounds, groups and labels, enough to draw a form."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic.alias_generators import to_camel

from ctxlab.documents.frozen_json import JsonObject
from ctxlab.documents.refused_values import RefusesInOneLine
from ctxlab.pipeline.parameters.thinking import Effort, ThinkingMode
from ctxlab.pipeline.settings.setting_form_fields import form_hints

BASIC, ADVANCED, THINKING, TOOLS = "Basic", "Advanced", "Thinking", "Tools"
CONTEXT, SAFETY, CUSTOM = "Context management", "Safety", "Custom"
EFFORT_LABELS = {"xhigh": "extra high", "max": "maximal"}
MODE_LABELS = {
    "off": "off",
    "on": "on, as the model does it",
    "budget": "up to a number of tokens",
    "effort": "with an effort",
    "adaptive": "as the model sees fit",
}
Tier = Literal["auto", "default", "flex", "priority", "scale", "standard_only"]
HarmThreshold = Literal["OFF", "BLOCK_NONE", "BLOCK_ONLY_HIGH", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_LOW_AND_ABOVE"]


def _field(title: str, description: str, group: str, *, empty: str = "", **bounds: Any) -> Any:
    """A field that may be empty; `empty` says in an empty field what holds then."""
    labels = bounds.pop("labels", None)
    hints = form_hints(placeholder=empty, labels=labels, group=group)
    return Field(None, title=title, description=description, json_schema_extra=hints, **bounds)


class StoredForm(BaseModel, metaclass=RefusesInOneLine):
    """A group of parameters as a file has it. None is not sent."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )

    @field_validator("*", mode="before")
    @classmethod
    def _no_yes_for_a_number(cls, value: object, info: ValidationInfo) -> object:
        annotation = cls.model_fields[info.field_name or ""].annotation
        if isinstance(value, bool) and {int, float} & {annotation, *get_args(annotation)}:
            raise ValueError("a number is expected")
        return value


class BasicParameters(StoredForm):
    """The length of a reply, and the drawing of its words."""

    temperature: float | None = _field(
        "Temperature", "0 takes the likeliest word; the higher, the more varied.", BASIC, empty="1", ge=0, le=2
    )
    max_tokens: int | None = _field(
        "Reply limit", "Tokens that a reply may have, thoughts included.", BASIC, empty="the model's", ge=1
    )
    top_p: float | None = _field(
        "Top P", "Only the likeliest words that together have this probability.", BASIC, empty="1", ge=0, le=1
    )
    top_k: int | None = _field("Top K", "Only this many of the likeliest words.", BASIC, empty="all", ge=1)


class AdvancedParameters(StoredForm):
    """Penalties, ends and everything that a few vendors know."""

    frequency_penalty: float | None = _field(
        "Frequency penalty", "Against words by how often they were there.", ADVANCED, empty="0", ge=-2, le=2
    )
    presence_penalty: float | None = _field(
        "Presence penalty", "Against words that were there at all.", ADVANCED, empty="0", ge=-2, le=2
    )
    seed: int | None = _field("Seed", "Equal seeds give alike replies where the vendor keeps to it.", ADVANCED)
    stop: str | tuple[str, ...] | None = _field("Stop", "Texts at which a reply ends.", ADVANCED)
    stop_sequences: tuple[str, ...] | None = _field("Stop sequences", "Anthropic's name for stop.", ADVANCED)
    max_completion_tokens: int | None = _field(
        "Completion limit", "OpenAI's newer name for the reply limit; it wins over it.", ADVANCED, ge=1
    )
    n: int | None = _field("Replies", "How many replies are written at once.", ADVANCED, empty="1", ge=1, le=128)
    logprobs: bool | None = _field("Log probabilities", "Give the probability of each token.", ADVANCED)
    top_logprobs: int | None = _field(
        "Likeliest tokens", "How many others are named at each place, with their probability.", ADVANCED, ge=0, le=20
    )
    logit_bias: JsonObject | None = _field("Logit bias", "What is added for tokens, by their numbers.", ADVANCED)
    response_format: JsonObject | None = _field("Response format", "OpenAI's form: text, JSON or a schema.", ADVANCED)
    modalities: tuple[str, ...] | None = _field("Modalities", "What is given: text, audio, image.", ADVANCED)
    audio: JsonObject | None = _field("Audio", "Voice and format of a spoken reply.", ADVANCED)
    prediction: JsonObject | None = _field("Prediction", "What most of the reply will be.", ADVANCED)
    store: bool | None = _field("Store", "Keep the reply at the vendor's.", ADVANCED)
    responses_store: bool | None = _field("Store (Responses)", "Keep the reply at OpenAI, for its Responses.", ADVANCED)
    include: tuple[str, ...] | None = _field("Include", "What else a response of OpenAI's brings.", ADVANCED)
    user: str | None = _field("End user", "An id of who writes, for the vendor.", ADVANCED)
    service_tier: Tier | None = _field("Service tier", "How soon the vendor answers.", ADVANCED, empty="auto")
    metadata: JsonObject | None = _field("Metadata", "Words that the vendor keeps with the reply.", ADVANCED)
    claude_metadata: JsonObject | None = _field("Metadata (Claude)", "Anthropic's: user_id.", ADVANCED)
    stream: bool | None = _field("Stream", "Send the reply while it is written.", ADVANCED)
    stream_options: JsonObject | None = _field("Stream options", "What a stream tells besides.", ADVANCED)


class ThinkingParameters(StoredForm):
    """Thoughts of the model before it replies."""

    thinking_enabled: bool | None = _field("Thinking", "Think before the reply.", THINKING, empty="the model's own")
    thinking_mode: ThinkingMode | None = _field(
        "Way of thinking", "How it is set; by default by what else is filled in.", THINKING, labels=MODE_LABELS
    )
    thinking_budget: int | None = _field(
        "Thinking budget", "Tokens of thoughts; below the reply limit. -1 leaves it to the model.", THINKING, ge=-1
    )
    reasoning_effort: Effort | None = _field("Effort", "How much it thinks.", THINKING, labels=EFFORT_LABELS)
    include_thoughts: bool | None = _field("Show thoughts", "Give the thoughts, or a summary of them.", THINKING)


class ToolParameters(StoredForm):
    """Tools, and a search by the vendor."""

    tools: tuple[JsonObject, ...] | None = _field("Tools", "Definitions in OpenAI's form.", TOOLS)
    tool_choice: str | JsonObject | None = _field("Tool choice", "auto, none, required, or a tool.", TOOLS)
    parallel_tool_calls: bool | None = _field("Parallel calls", "Several calls in one reply.", TOOLS)
    web_search_enabled: bool | None = _field("Web search", "The vendor's own search.", TOOLS)
    web_search_options: JsonObject | None = _field("Search options", "Those of the vendor's search.", TOOLS)


class SafetySetting(StoredForm):
    """The threshold of one kind of harm for Gemini."""

    category: str = Field("", title="Category", description="HARM_CATEGORY_…")
    threshold: HarmThreshold | None = _field("Threshold", "From where on it blocks.", SAFETY, empty="the vendor's")


class SafetyParameters(StoredForm):
    """Filters of Gemini."""

    safety_settings: tuple[JsonObject, ...] | None = _field("Safety settings", "Category and threshold.", SAFETY)


class ContextManagement(StoredForm):
    """The limit of a prompt's length. It is read by the step that cuts, and not sent."""

    enabled: bool | None = _field("Limit the context", "Cut what doesn't fit.", CONTEXT)
    max_context_tokens: int | None = _field(
        "Context limit", "Tokens that a prompt may have; 0 is no limit.", CONTEXT, empty="no limit", ge=0
    )
    retained_characters: int | None = _field(
        "Characters kept", "How many characters stay of a message that is cut.", CONTEXT, empty="0", ge=0
    )


class CustomParameters(StoredForm):
    """Fields that go into a request as they are, over all others."""

    enabled: bool = Field(False, title="Send custom fields", json_schema_extra=form_hints(group=CUSTOM))
    params: JsonObject | None = _field("Fields", "By the vendor's own names.", CUSTOM)


class ModelParameters(BasicParameters, AdvancedParameters, ThinkingParameters, ToolParameters, SafetyParameters):
    """All parameters that an agent's file, a session and a call may have, apart from custom fields and the context."""


GROUPS: dict[str, type[StoredForm]] = {
    BASIC: BasicParameters,
    ADVANCED: AdvancedParameters,
    THINKING: ThinkingParameters,
    TOOLS: ToolParameters,
    SAFETY: SafetyParameters,
    CONTEXT: ContextManagement,
    CUSTOM: CustomParameters,
}
"""The forms by the headings under which they are drawn."""

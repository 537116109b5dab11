"""The parameters of requests as fields of a form: their groups, bounds, and the values of each origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from ctxlab.documents import Agent, Session
from ctxlab.pipeline import form_hints
from ctxlab.pipeline.settings.setting_form_fields import field_of
from ctxlab_widgets._shared.refusal_words import refusal_sentence

Origin = Literal["default", "model", "agent", "session", "call"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
"""Where a value may come from, the later over the earlier."""
GROUPS = ("Reply", "Thinking", "Context", "Sampling", "Safety", "Custom")
OVERRIDES = "parameterOverrides"
"""Field of a session with the parameters that hold for it alone."""
MISSING = object()


@dataclass(frozen=True, slots=True, eq=False)
class ParameterField:
    """One parameter: its name in files (dots lead into objects), its group, and what it takes.

    `sent_as` is its name among the settled parameters of a request; "" for what is not sent as it is. `sample` is a
    value that shows whether a vendor has a place for it.
    """

    name: str
    group: str
    info: FieldInfo
    default: Any = None
    sent_as: str = ""
    sample: Any = None

    @property
    def title(self) -> str:
        return self.info.title or self.name

    def error(self, value: object) -> str:
        """Why it doesn't take a value, as a sentence; empty where it does."""
        try:
            _adapter(self).validate_python(value)
        except ValidationError as refusal:
            error = refusal.errors(include_url=False)[0]
            return refusal_sentence(self.title, error, error["input"])
        return ""

    def as_data(self) -> dict[str, Any]:
        described = field_of(self.info)
        texts = self.info.annotation == list[str] | None
        return {
            "name": self.name,
            **described,
            "type": "texts" if texts else described["type"],
            "description": self.info.description or "",
        }


@cache
def _adapter(field: ParameterField) -> TypeAdapter[Any]:
    return TypeAdapter(Annotated[field.info.annotation, *field.info.metadata])


def _field(name: str, group: str, kind: Any, title: str, description: str, **more: Any) -> ParameterField:
    own = {key: more.pop(key) for key in ("default", "sent_as", "sample") if key in more}
    hints = form_hints(placeholder=more.pop("placeholder", ""), labels=more.pop("labels", None), group=group)
    info = FieldInfo.from_annotated_attribute(
        kind | None, Field(None, title=title, description=description, json_schema_extra=hints, **more)
    )
    return ParameterField(name, group, info, **own)


FIELDS: tuple[ParameterField, ...] = (
    _field(
        *("maxTokens", "Reply", int, "Reply limit", "Tokens that the reply may have."),
        ge=1,
        sent_as="max_output_tokens",
        sample=1000,
    ),
    _field(
        *("temperature", "Reply", float, "Temperature", "Higher is more varied, 0 the likeliest words."),
        ge=0,
        le=2,
        sent_as="temperature",
        sample=0.5,
    ),
    _field(
        *("stop", "Reply", list[str], "Stop at", "Texts at which the reply ends; they are not part of it."),
        sent_as="stop",
        sample=("END",),
        placeholder="add\u2026",
    ),
    _field(
        *("responseFormat", "Reply", dict[str, Any], "Form of the reply", "A JSON schema, in the form of OpenAI."),
        sent_as="response_format",
        sample={"type": "json_object"},
        placeholder="plain text",
    ),
    _field(
        "thinkingEnabled", "Thinking", bool, "Thinking", "Let the model think before it answers.", sent_as="thinking"
    ),
    _field(
        *("thinkingBudget", "Thinking", int, "Thinking budget", "Tokens for thoughts; part of the reply limit."),
        ge=1,
        sent_as="thinking",
    ),
    _field(
        *("reasoningEffort", "Thinking", Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"], "Effort"),
        description="How much thinking is put into an answer.",
        sent_as="thinking",
    ),
    _field(
        "includeThoughts", "Thinking", bool, "Thoughts in the reply", "Ask for the thoughts too.", sent_as="thinking"
    ),
    _field("contextManagement.enabled", "Context", bool, "Cut the history", "Keep what is sent below a budget."),
    _field(
        *("contextManagement.maxContextTokens", "Context", int, "Budget", "Tokens that what is sent may have."),
        ge=0,
        placeholder="no limit",
    ),
    _field(
        *("contextManagement.retainedCharacters", "Context", int, "Characters kept", "Of each message that is cut."),
        ge=0,
    ),
    _field(
        *("topP", "Sampling", float, "Top p", "Only the likeliest words that make up this share."),
        ge=0,
        le=1,
        sent_as="top_p",
        sample=0.9,
    ),
    _field(
        *("topK", "Sampling", int, "Top k", "Only so many of the likeliest words."),
        ge=1,
        le=100,
        sent_as="top_k",
        sample=40,
    ),
    _field(
        *("frequencyPenalty", "Sampling", float, "Frequency penalty", "Against words that come often."),
        ge=-2,
        le=2,
        sent_as="frequency_penalty",
        sample=0.5,
    ),
    _field(
        *("presencePenalty", "Sampling", float, "Presence penalty", "Against words that came at all."),
        ge=-2,
        le=2,
        sent_as="presence_penalty",
        sample=0.5,
    ),
    _field("seed", "Sampling", int, "Seed", "The same one gives much the same reply.", sent_as="seed", sample=7),
    _field(
        *("safetySettings", "Safety", list[dict[str, Any]], "Safety settings", "Categories and thresholds of Gemini."),
        sent_as="safety",
        sample=({"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"},),
        placeholder="the vendor's own",
    ),
    _field("custom.enabled", "Custom", bool, "Send custom fields", "Put them into the body, over all others."),
    _field(
        *("custom.params", "Custom", dict[str, Any], "Custom fields", "Fields of the body, as the vendor names them."),
        placeholder="{}",
    ),
)
BY_NAME: Mapping[str, ParameterField] = {field.name: field for field in FIELDS}


def value_of(parameters: Mapping[str, Any] | None, name: str) -> Any:
    """The value of a parameter in stored ones; MISSING where it isn't there. None counts as there."""
    found: Any = parameters or {}
    for step in name.split("."):
        if not isinstance(found, Mapping) or step not in found:
            return MISSING
        found = cast("Mapping[str, Any]", found)[step]
    return found


def with_value(parameters: Mapping[str, Any] | None, name: str, value: Any) -> dict[str, Any]:
    """Stored parameters with another value for one of them; MISSING takes it out, with the object that it leaves empty."""
    made = dict(parameters or {})
    first, dot, rest = name.partition(".")
    if dot:
        inner = made.get(first)
        value = with_value(cast("Mapping[str, Any]", inner) if isinstance(inner, Mapping) else None, rest, value)
        value = value or MISSING
    if value is MISSING:
        made.pop(first, None)
    else:
        made[first] = value
    return made


def session_overrides(session: Session | None) -> Mapping[str, Any]:
    """The parameters that hold for a session alone; empty where it has none."""
    found = (session.model_extra or {}).get(OVERRIDES) if session is not None else None
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def file_names(call: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a call by the names of files: `max_tokens` is `maxTokens`."""
    from pydantic.alias_generators import to_camel

    return {to_camel(name) if "_" in name else name: value for name, value in call.items()}


def values_of(
    field: ParameterField, agent: Agent | None, session: Session | None, call: Mapping[str, Any]
) -> dict[Origin, Any]:
    """The value of a parameter by each origin that has one."""
    stored: tuple[tuple[Origin, Mapping[str, Any] | None], ...] = (
        ("agent", agent.parameters if agent else None),
        ("session", session_overrides(session)),
        ("call", call),
    )
    found: dict[Origin, Any] = {"default": field.default}
    for origin, parameters in stored:
        value = value_of(parameters, field.name)
        if value is not MISSING:
            found[origin] = value
    return found


def newest_origin(values: Mapping[Origin, Any]) -> Origin:
    """The origin whose value counts."""
    return max(values, key=ORIGINS.index)


def fields_in(group: str) -> Iterator[ParameterField]:
    return (field for field in FIELDS if field.group == group)

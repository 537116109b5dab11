"""The parameters of requests as fields of a form: their groups, and the values of each origin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from ctxlab.documents import Agent, Session
from ctxlab.documents.refusal_sentence import refusal_sentence
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.parameters.forms import ContextManagement, CustomParameters, ModelParameters
from ctxlab.pipeline.parameters.layers import fields_by_name
from ctxlab.pipeline.settings.setting_form_fields import field_of, takes_texts
from ctxlab.providers.request_parameters import RequestParameters

Origin = Literal["default", "model", "agent", "session", "call"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
"""Sources of a value, the later over the earlier."""
OVERRIDES = "parameterOverrides"
"""Field of a session with the parameters that hold for it alone."""
MISSING = object()

IN_GROUPS: Mapping[str, tuple[str, ...]] = {
    "Reply": ("max_tokens", "temperature", "stop", "response_format"),
    "Thinking": (*("thinking_enabled", "thinking_mode", "thinking_budget", "reasoning_effort", "include_thoughts"),),
    "Context": (),
    "Sampling": (
        *("top_p", "top_k", "frequency_penalty", "presence_penalty", "seed", "n", "logprobs", "top_logprobs"),
        "logit_bias",
    ),
    "Tools": ("tool_choice", "parallel_tool_calls", "web_search_enabled", "web_search_options"),
    "Safety": ("safety_settings",),
    "More": (),
    "Custom": (),
}
"""The groups of the form in order, with their fields; a parameter in none of them is in More."""
GROUPS = tuple(IN_GROUPS)
OTHER_PLACES = frozenset({"tools"})
"""Parameters of files that are edited elsewhere: tools are the agent's."""
SENT_AS = {
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "stop_sequences": "stop",
    "safety_settings": "safety",
    "web_search_enabled": "web_search",
    "web_search_options": "web_search",
    "claude_metadata": "metadata",
    "responses_store": "store",
} | dict.fromkeys(IN_GROUPS["Thinking"], "thinking")
"""Names among the settled parameters of a request, where they are others than those of files."""


@dataclass(frozen=True, slots=True, eq=False)
class ParameterField:
    """One parameter: its name in files (dots lead into objects), its group, and what it takes.

    `sent_as` is its name among the settled parameters of a request; "" for what isn't sent as it is.
    """

    name: str
    group: str
    info: FieldInfo
    model: type[BaseModel]
    own_name: str
    sent_as: str

    @property
    def title(self) -> str:
        return self.info.title or self.name

    @property
    def default(self) -> Any:
        return self.info.default

    @property
    def is_texts(self) -> bool:
        """Whether it takes a list of texts."""
        return takes_texts(self.info)

    def error(self, value: object) -> str:
        """The reason why it doesn't take a value, as a sentence; empty where it does."""
        try:
            self.model.model_validate({self.own_name: value})
        except ValidationError as refusal:
            error = refusal.errors(include_url=False)[0]
            return refusal_sentence(self.title, error, error["input"])
        return ""

    def as_data(self) -> dict[str, Any]:
        """The data from which the page draws it."""
        described = field_of(self.info)
        return {
            **described,
            "name": self.name,
            "type": "texts" if self.is_texts else described["type"],
            "description": self.info.description or "",
        }


def _fields() -> list[ParameterField]:
    found = [
        ParameterField(to_camel(name), _group(name), info, ModelParameters, name, _sent_as(name))
        for name, info in ModelParameters.model_fields.items()
        if name not in OTHER_PLACES
    ]
    nested: tuple[tuple[str, str, type[BaseModel]], ...] = (
        ("contextManagement", "Context", ContextManagement),
        ("custom", "Custom", CustomParameters),
    )
    for container, group, model in nested:
        found += [
            ParameterField(f"{container}.{to_camel(name)}", group, info, model, name, "")
            for name, info in model.model_fields.items()
        ]
    return sorted(found, key=_place)


def _group(name: str) -> str:
    return next((group for group, names in IN_GROUPS.items() if name in names), "More")


def _sent_as(name: str) -> str:
    return SENT_AS.get(name, name if name in RequestParameters.__dataclass_fields__ else "")


def _place(field: ParameterField) -> tuple[int, int]:
    names = IN_GROUPS[field.group]
    return GROUPS.index(field.group), names.index(field.own_name) if field.own_name in names else len(names)


FIELDS: tuple[ParameterField, ...] = tuple(_fields())
BY_NAME: Mapping[str, ParameterField] = {field.name: field for field in FIELDS}


def parameter_field(name: str) -> ParameterField:
    """The parameter of this name, a file's or Python's; raises CtxlabError with the nearest one."""
    found = BY_NAME.get(file_name(name))
    if found is None:
        raise CtxlabError(f"there is no parameter {name!r}{did_you_mean(name, list(BY_NAME))}")
    return found


def file_name(name: str) -> str:
    """The name in files: `max_tokens` is `maxTokens`."""
    known = fields_by_name().get(name)
    return to_camel(known) if known is not None else to_camel(name) if "_" in name else name


def file_names(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters by their names in files."""
    return {file_name(name): value for name, value in parameters.items()}


def value_of(parameters: Mapping[str, Any] | None, name: str) -> Any:
    """The value of a parameter in stored ones; MISSING where it isn't there. None counts as there."""
    found: Any = parameters or {}
    for step in name.split("."):
        if not isinstance(found, Mapping) or step not in found:
            return MISSING
        found = cast("Mapping[str, Any]", found)[step]
    return found


def with_value(parameters: Mapping[str, Any] | None, name: str, value: Any) -> dict[str, Any]:
    """Stored parameters with another value for one of them; MISSING takes it out, and an object left empty."""
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
        if value is not MISSING and not (value is None and origin == "agent"):
            found[origin] = value
    return found


def newest_origin(values: Mapping[Origin, Any]) -> Origin:
    """The origin whose value counts."""
    return max(values, key=ORIGINS.index)


def newest_value(values: Mapping[Origin, Any]) -> Any:
    """The value that counts."""
    return values[newest_origin(values)]

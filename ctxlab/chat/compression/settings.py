"""Settings of compression: the agent's, overridden by the session's, overridden by the call's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import Field, ValidationError

from ctxlab.display.short_texts import kind_in_words, nearest, short
from ctxlab.documents import Agent, Note, Session
from ctxlab.documents.frozen_json import FrozenDict, JsonObject
from ctxlab.documents.refused_values import first_refusal
from ctxlab.documents.stored import Stored
from ctxlab.pipeline.settings.resolver import Given, WrongValue, names_of, resolve

PARAMETER = "contextCompression"
OVERRIDES = "parameterOverrides"

TriggerMode = Literal["token", "count", "both"]
SummaryRole = Literal["system", "assistant", "user"]
Tier = Literal["reasoning", "tool-results", "summary"]
TIERS: tuple[Tier, ...] = ("reasoning", "tool-results", "summary")


class CompressionSettings(Stored):
    """Settings of compression, by the names that agents' files use; None in a file means the default, 0 means 0.

    Thresholds are passed when a count is greater. `token_threshold` and `count_threshold` are soft: above them a
    compression that saves fewer than `least_gain` tokens is left. Above `hard_token_threshold` any gain will do, and a
    history may be shorter than `min_history_count`. A range that is longer than `summary_input_tokens` is summarised in
    parts. `tiers` are tried in order; the summary comes last, and only where
    the others weren't enough.
    """

    enabled: bool = Field(False, description="Compress without being asked to.")
    auto_trigger: bool = Field(True, description="Look at the thresholds before and after each request.")
    trigger_mode: TriggerMode = Field("token", description="Which threshold counts: both means either of them.")
    token_threshold: int = Field(80_000, ge=0, description="Tokens of the whole prompt before a budget cuts it.")
    hard_token_threshold: int | None = Field(None, ge=0, description="Tokens above which any gain will do.")
    count_threshold: int = Field(50, ge=0, description="Messages of the history.")
    least_gain: int = Field(0, ge=0, description="Tokens that a compression has to save between the two thresholds.")
    protect_recent_count: int = Field(10, ge=0, description="Newest messages that stay as they are.")
    compress_count: int = Field(20, ge=0, description="Messages that go into one summary, the oldest first.")
    min_history_count: int = Field(15, ge=0, description="Messages below which nothing is compressed.")
    summary_role: SummaryRole = Field("system", description="Role under which the summary is sent.")
    summary_model: JsonObject | None = Field(None, description="profileId and modelId of the model that summarises.")
    summary_temperature: float = Field(0.3, ge=0)
    summary_max_tokens: int = Field(4096, ge=1)
    summary_input_tokens: int | None = Field(
        None, ge=1, description="Tokens of one request for a summary; by default what the model's window allows."
    )
    summary_prompt: str = Field("", description="A prompt of one's own with {context}; blank for the one built in.")
    continue_summary_prompt: str = Field("", description="The same with {previous_summary} too.")
    fold_summaries: bool = Field(True, description="Take earlier summaries in the range into the new one.")
    keep_exchanges_whole: bool = Field(True, description="Cut only before a message of the user.")
    tiers: tuple[Tier, ...] = Field(TIERS, description="What is left out, in order, when it happens by itself.")
    keep_tool_results: int = Field(3, ge=0, description="Newest tool results that stay as they are.")
    must_keep: tuple[str, ...] = Field((), description="Texts that the summary has to have.")
    guidance: str = Field("", description="Words to whoever summarises.")


def compression_settings(
    agent: Agent | None = None, session: Session | None = None, call: Mapping[str, Any] | None = None
) -> tuple[CompressionSettings, tuple[Note, ...]]:
    """The settings in force and notes on values that were left out.

    A value of the call beats the session's (`parameterOverrides.contextCompression`), which beats the agent's
    (`parameters.contextCompression`). A wrong value, and None, leave what the one below says.
    """
    notes: list[Note] = []
    places = (
        (f"{PARAMETER} of the parameters of agent {agent.id!r}" if agent else "", agent.parameters if agent else None),
        (f"{PARAMETER} of the parameters of session {session.id!r}" if session else "", _overrides(session)),
    )
    stored = [(place, _group(parameters)) for place, parameters in places]
    layers = [
        _given(place, data, notes) for place, data in (*stored, ("the call's settings", call)) if data is not None
    ]

    def tell(wrong: WrongValue) -> None:
        name = CompressionSettings.model_fields[wrong.name].alias or wrong.name
        text = f"{wrong.layer}: {name} is {short(repr(wrong.value))}: {wrong.reason}; what is below it counts"
        notes.append(Note("warning", text, details={"place": wrong.layer, "field": name}))

    return resolve(CompressionSettings, layers, tell).settings, tuple(notes)


def refusal_of_settings(given: Mapping[str, Any]) -> str | None:
    """A sentence on the first of these settings that isn't one, or whose value it doesn't take; None where all fit."""
    there = {name: value for name, value in given.items() if value is not None}
    try:
        settings = CompressionSettings.model_validate(there)
    except ValidationError as refusal:
        return first_refusal(refusal)
    for name in settings.model_extra or {}:
        return f"there is no setting {name!r}{nearest(name, list(CompressionSettings.model_fields))}"
    return None


def _given(place: str, data: object, notes: list[Note]) -> Given:
    """The values by their Python names; None is not set."""
    if not isinstance(data, Mapping):
        notes.append(Note("warning", f"{place} is {kind_in_words(data)}, not an object; it is left out"))
        return Given(place)
    names, values = names_of(CompressionSettings), dict[str, Any]()
    for name, value in cast("Mapping[str, Any]", data).items():
        if name in names:
            values[names[name]] = value
        elif value is not None:
            notes.append(Note("info", f"{place}: there is no setting {name!r}; it is left out"))
    return Given(place, values, none="not set")


def _overrides(session: Session | None) -> object:
    return (session.model_extra or {}).get(OVERRIDES) if session is not None else None


def _group(parameters: object) -> object:
    return cast("Mapping[str, Any]", parameters).get(PARAMETER) if isinstance(parameters, Mapping) else None


def without_default_prompts(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Stored settings without prompts that are blank or the ones built in, as agents are exported."""
    from ctxlab.chat.compression.summary_prompt import BUILT_IN

    def is_default(name: str, value: object) -> bool:
        return name in ("summaryPrompt", "continueSummaryPrompt") and (
            value is None or (isinstance(value, str) and value.strip() in ("", *map(str.strip, BUILT_IN)))
        )

    return FrozenDict({name: value for name, value in config.items() if not is_default(name, value)})

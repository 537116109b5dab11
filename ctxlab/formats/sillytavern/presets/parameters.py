"""Settings of a SillyTavern preset: those that ctxlab has a name for, and those that change what is sent without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ctxlab.documents import Agent
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.card_fields import Data
from ctxlab.lazy_dataclass import dataclass
from ctxlab.wires import PROVIDERS

LIMITER, MERGE_SYSTEM, MERGE_NEIGHBOURS = "token-limiter", "merge-system", "merge-consecutive"
INJECTION, LOADER = "injection-assembler", "session-loader"
NAMES: Final = {"-1": "stored", "1": "field", "2": "text"}
"""The way in which names go along, by names_behavior; by default they go before the words in a group."""
PROCESSING, WITH_TOOLS, SERVER_ROLES = "custom_prompt_post_processing", "_tools", ("merge", "semi", "strict", "single")
WINDOW, REPLY, SQUASH = "openai_max_context", "openai_max_tokens", "squash_system_messages"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number under its names in SillyTavern, the first of which is written; below `off` it says nothing."""

    name: str
    keys: tuple[str, ...]
    off: float | None = None


PARAMETERS: Final = (
    Parameter("temperature", ("temperature", "temp_openai")),
    Parameter("topP", ("top_p", "top_p_openai")),
    Parameter("topK", ("top_k", "top_k_openai"), off=1),
    Parameter("frequencyPenalty", ("frequency_penalty", "freq_pen_openai")),
    Parameter("presencePenalty", ("presence_penalty", "pres_pen_openai")),
    Parameter("maxTokens", (REPLY, "max_tokens"), off=1),
    Parameter("seed", ("seed",), off=0),
    Parameter("n", ("n",), off=2),
)
REFERENCE: Final = (
    "temperature",
    "top_p",
    "top_k",
    "top_a",
    "min_p",
    "repetition_penalty",
    "presence_penalty",
    "frequency_penalty",
    "max_tokens",
)
"""Settings that the reference program reads, under its names."""

NOT_DONE: Final[tuple[tuple[str, Callable[[Any], bool], str], ...]] = (
    ("assistant_prefill", bool, "replies aren't begun with it"),
)
"""Settings that change SillyTavern's prompt and have no equal here: the condition, and the effect here."""


MODELS: Final[Mapping[str, str]] = {
    "openai": "openai_model",
    "anthropic": "claude_model",
    "google": "google_model",
    "deepseek": "deepseek_model",
}
"""By vendor, the setting that names its model."""


NO_SYSTEM: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "anthropic": (("claude_use_sysprompt", "use_sysprompt"), ("claude",)),
    "gemini": (("use_makersuite_sysprompt", "use_sysprompt"), ("makersuite", "vertexai")),
}
"""By provider, the setting that false sends system messages as the user's with, and SillyTavern's names of the source.

The second name of a setting is that of later versions.
"""


def models_from(raw: Mapping[str, Any]) -> Data:
    """By provider, the model that a preset names for it."""
    return {
        provider: raw[key]
        for provider, vendor in PROVIDERS.items()
        if vendor and isinstance(raw.get(key := MODELS[vendor]), str) and raw[key]
    }


def system_as_user_from(raw: Mapping[str, Any]) -> Data:
    """By provider, the setting of a preset by which it gets no system prompt."""
    found = {provider: next((key for key in keys if key in raw), "") for provider, (keys, _) in NO_SYSTEM.items()}
    return {provider: key for provider, key in found.items() if key and raw[key] is False}


def _no_system(raw: Mapping[str, Any]) -> list[Loss]:
    """A loss where the source that a preset is for gets no system prompt in SillyTavern."""
    source = raw.get("chat_completion_source")
    return [
        Loss(key, "false is kept, but system messages stay so; convert-system.enabled=true makes them the user's")
        for provider, key in system_as_user_from(raw).items()
        if source in NO_SYSTEM[provider][1]
    ]


OTHERWISE_NAMED: Final[Mapping[str, str]] = {"makersuite": "google_model"}
"""By source of completions, the setting that names its model where that isn't `<source>_model`."""


def own_model_from(raw: Mapping[str, Any]) -> str | None:
    """The model of the source of completions that a preset is for: OpenAI where it names no source."""
    source = raw.get("chat_completion_source") or "openai"
    name = raw.get(OTHERWISE_NAMED.get(source, f"{source}_model")) if isinstance(source, str) else None
    return name if isinstance(name, str) and name else None


def parameters_from(raw: Mapping[str, Any], losses: list[Loss]) -> Data:
    """Fields of an agent: parameters under the seeds' names, and settings of steps."""
    parameters: Data = {}
    for parameter in PARAMETERS:
        value = _number(raw, parameter.keys, losses)
        if value is not None and (parameter.off is None or value >= parameter.off):
            parameters[parameter.name] = value
    processors: list[Data] = []
    window = _number(raw, (WINDOW,), losses)
    if window is not None and window >= 1:
        parameters["contextManagement"] = {"enabled": True, "maxContextTokens": int(window)}
        reserve = min(int(parameters.get("maxTokens", 0)), int(window) - 1)
        processors.append({"id": LIMITER, "settings": {"budget_tokens": int(window) - reserve}})
    processors += _merging(raw)
    processors += _other_steps(raw)
    losses += _no_system(raw)
    losses += [
        Loss(key, f"{coerce.shown(raw[key])} is kept, but {instead}")
        for key, matters, instead in NOT_DONE
        if key in raw and matters(raw[key])
    ]
    return {"parameters": parameters or None, "processors": processors or None}


def _merging(raw: Mapping[str, Any]) -> list[Data]:
    """SillyTavern leaves messages apart, or joins neighbouring system messages by a line break.

    What it processes prompts to for some servers joins all neighbours, by a blank line.
    """
    squash, processing = raw.get(SQUASH), raw.get(PROCESSING)
    if not isinstance(squash, bool):
        return []
    system: Data = {"id": MERGE_SYSTEM, "enabled": squash}
    if squash:
        system["settings"] = {"separator": "\n", "hoist": "neighbours"}
    neighbours: Data = {"id": MERGE_NEIGHBOURS, "enabled": False}
    if isinstance(processing, str) and (roles := processing.removesuffix(WITH_TOOLS)) in SERVER_ROLES:
        settings = {"separator": "\n\n", "roles": roles, "tools": processing.endswith(WITH_TOOLS)}
        neighbours = {"id": MERGE_NEIGHBOURS, "enabled": True, "settings": settings}
    return [system, neighbours]


def _other_steps(raw: Mapping[str, Any]) -> list[Data]:
    """Settings of the steps that put names, quotes, lore and stored tool calls into the prompt."""
    injection: Data = {
        ours: value
        for ours, key, usual in (("lore_format", "wi_format", "{0}"), ("after_reply", "send_if_empty", ""))
        if isinstance(value := raw.get(key), str) and value and value != usual
    }
    if (names := NAMES.get(str(raw.get("names_behavior")))) is not None:
        injection["names"] = names
    steps: list[Data] = [{"id": INJECTION, "settings": injection}] if injection else []
    if raw.get("function_calling") is False:
        steps.append({"id": LOADER, "settings": {"stored_calls": False}})
    return steps


def _number(raw: Mapping[str, Any], keys: tuple[str, ...], losses: list[Loss]) -> int | float | None:
    key = next((key for key in keys if raw.get(key) not in (None, "")), None)
    if key is None:
        return None
    try:
        return coerce.number(raw[key])
    except ValueError as problem:
        losses.append(Loss(key, f"{coerce.shown(raw[key])} {problem}; left out"))
        return None


def unknown_parameters(agent: Agent) -> list[str]:
    """Parameters that a preset has no name for."""
    known = {"contextManagement", *(parameter.name for parameter in PARAMETERS)}
    return [name for name in agent.parameters or {} if name not in known]


def parameters_to(agent: Agent, original: Mapping[str, Any]) -> Data:
    """The settings as a preset has them, under the keys that the original uses."""
    own = agent.parameters or {}
    fields: Data = {}
    for parameter in PARAMETERS:
        if parameter.name in own:
            key = next((key for key in parameter.keys if key in original), parameter.keys[0])
            fields[key] = own[parameter.name]
    window = (own.get("contextManagement") or {}).get("maxContextTokens")
    if window:
        fields[WINDOW] = window
    merging = next((entry for entry in agent.processors if entry.id == MERGE_SYSTEM), None)
    if merging is not None and merging.enabled is not None:
        fields[SQUASH] = merging.enabled
    return fields

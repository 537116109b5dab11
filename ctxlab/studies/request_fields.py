"""Parameters in the bodies of vendors: which fields say one thing under different names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

NOT_PARAMETERS = frozenset(
    {
        *("model", "messages", "input", "contents", "system", "instructions"),
        *("system_instruction", "systemInstruction", "tools"),
    }
)
GROUPS = frozenset({"generationConfig", "generation_config"})
"""Fields that only hold other parameters."""

# By the name of `RequestParameters`: the paths of fields that carry it, in any wire format.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "max_output_tokens": (
        *("max_tokens", "max_completion_tokens", "max_output_tokens"),
        *("generationConfig.maxOutputTokens",),
    ),
    "temperature": ("temperature", "generationConfig.temperature"),
    "top_p": ("top_p", "generationConfig.topP"),
    "top_k": ("top_k", "generationConfig.topK"),
    "frequency_penalty": ("frequency_penalty", "generationConfig.frequencyPenalty"),
    "presence_penalty": ("presence_penalty", "generationConfig.presencePenalty"),
    "seed": ("seed", "generationConfig.seed"),
    "stop": ("stop", "stop_sequences", "generationConfig.stopSequences"),
    "n": ("n", "generationConfig.candidateCount"),
    "logprobs": ("logprobs", "generationConfig.responseLogprobs"),
    "top_logprobs": ("top_logprobs", "generationConfig.logprobs"),
    "response_format": ("response_format", "text", "output_config", "generationConfig.responseSchema"),
    "tool_choice": ("tool_choice", "toolConfig"),
    "thinking": ("reasoning_effort", "reasoning", "thinking", "generationConfig.thinkingConfig"),
    "modalities": ("modalities", "generationConfig.responseModalities"),
    "web_search": ("web_search_options",),
    "safety": ("safetySettings",),
    "user": ("user", "safety_identifier"),
}
FIELD_NAMES: Mapping[str, str] = {
    "max_output_tokens": "reply limit",
    "top_p": "top p",
    "top_k": "top k",
    "frequency_penalty": "frequency penalty",
    "presence_penalty": "presence penalty",
    "stop": "stop sequences",
    "n": "number of replies",
    "response_format": "form of the reply",
    "tool_choice": "choice of tools",
    "web_search": "web search",
}
"""Names that people have for a parameter, where that is another word."""

_OF_PATH = {path: name for name, paths in FIELDS.items() for path in paths}


def parameter_fields(body: Mapping[str, Any]) -> dict[str, tuple[str, object]]:
    """The parameters of a body, by what they are: the path of the field, and its value."""
    return {_OF_PATH.get(path, path): (path, value) for path, value in _fields(body)}


def _fields(body: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for name, value in body.items():
        if name in NOT_PARAMETERS:
            continue
        if name in GROUPS and isinstance(value, dict):
            for inner, each in cast("dict[str, object]", value).items():
                yield f"{name}.{inner}", each
        else:
            yield name, value

"""Parameters of bodies of OpenAI's chat completions, and of the many servers that speak it."""

from __future__ import annotations

from typing import Any, Final

from ctxlab.formats.openai.chat_app_messages import SUMMARIES
from ctxlab.formats.requests.blocks import Data, fields_of
from ctxlab.formats.requests.parameters import (
    AgentParameters,
    Row,
    is_flag,
    is_number,
    is_object,
    is_text,
    is_texts,
    is_whole,
)

ROWS: Final[tuple[Row, ...]] = (
    ("temperature", "temperature", is_number),
    ("max_tokens", "maxTokens", is_whole),
    ("max_completion_tokens", "maxCompletionTokens", is_whole),
    ("top_p", "topP", is_number),
    ("top_k", "topK", is_whole),
    ("frequency_penalty", "frequencyPenalty", is_number),
    ("presence_penalty", "presencePenalty", is_number),
    ("seed", "seed", is_whole),
    ("n", "n", is_whole),
    ("logprobs", "logprobs", is_flag),
    ("top_logprobs", "topLogprobs", is_whole),
    ("logit_bias", "logitBias", is_object),
    ("response_format", "responseFormat", is_object),
    ("tool_choice", "toolChoice", lambda value: is_text(value) or is_object(value)),
    ("parallel_tool_calls", "parallelToolCalls", is_flag),
    ("reasoning_effort", "reasoningEffort", is_text),
    ("modalities", "modalities", is_texts),
    ("audio", "audio", is_object),
    ("prediction", "prediction", is_object),
    ("metadata", "metadata", is_object),
    ("store", "store", is_flag),
    ("user", "user", is_text),
    ("service_tier", "serviceTier", is_text),
    ("stream", "stream", is_flag),
    ("stream_options", "streamOptions", is_object),
)
READ: Final = ("model", "messages", "tools", "thinking", "stop", "web_search_options", "system", "instructions")
OF_PROGRAMS: Final = frozenset(
    ("id", "title", "name", "object", "created", "createdAt", "created_at", "updatedAt", "updated_at", "timestamp")
) | {"chatId", "chat_id", "sessionId", "session_id", "messageEntities", "systemPrompts", "agents", "nodes", *SUMMARIES}
"""Fields of the files of chat programs, which no request has."""


def is_request(body: Data) -> bool:
    """Whether an object around messages is what a vendor gets, and not a chat that a program keeps."""
    return isinstance(body.get("model"), str) and OF_PROGRAMS.isdisjoint(body)


def chat_parameters(body: Data) -> AgentParameters:
    """The parameters of a body; what has no name of its own goes out as it is."""
    found = AgentParameters("openai-chat")
    found.read(body, ROWS, READ)
    for key, comes_to in (("stop", _stop), ("thinking", _thinking), ("web_search_options", _web_search)):
        if body.get(key) is not None:
            found.whole(key, body[key], comes_to(body[key]))
    return found


def _stop(value: Any) -> Data | None:
    return {"stop": [value]} if isinstance(value, str) else {"stop": value} if is_texts(value) else None


def _thinking(value: Any) -> Data | None:
    on = {"enabled": True, "disabled": False}.get(str(fields_of(value).get("type")))
    return {"thinkingEnabled": on} if on is not None and len(fields_of(value)) == 1 else None


def _web_search(value: Any) -> Data | None:
    if not isinstance(value, dict):
        return None
    return {"webSearchEnabled": True, **({"webSearchOptions": value} if value else {})}

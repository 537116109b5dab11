"""The body of OpenAI's chat completions."""

from __future__ import annotations

from typing import Any

from ctxlab.context import Draft
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.message_pieces import CallPiece, TextPiece, pieces_of
from ctxlab.providers.model_facts import ModelFacts
from ctxlab.providers.place import JsonPath
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.request_parameters import RequestParameters

WIRE = "openai-chat"


def write_body(
    prompt: Prompt, parameters: RequestParameters, model: ModelFacts, provider: Provider, out: BodyWriter
) -> None:
    """Put messages, tools and parameters into a chat completion's body."""
    messages: list[dict[str, Any]] = []
    out.body["model"] = model.name
    out.body["messages"] = messages
    for draft in prompt.drafts:
        messages.append(_message(draft, ("messages", len(messages)), out))
    if prompt.tools:
        out.body["tools"] = [dict(tool) for tool in prompt.tools]


def _message(draft: Draft, at: JsonPath, out: BodyWriter) -> dict[str, Any]:
    message: dict[str, Any] = {"role": draft.role, "content": ""}
    for piece in pieces_of(draft, WIRE, out):
        match piece:
            case TextPiece(text):
                message["content"] = str(text)
                out.place((*at, "content"), draft, text)
            case CallPiece(call):
                calls = message.setdefault("tool_calls", [])
                out.place((*at, "tool_calls", len(calls)), draft)
                calls.append(call.as_data())
            case _:
                pass
    if draft.role == "tool":
        message["tool_call_id"] = draft.result_of or ""
    return message

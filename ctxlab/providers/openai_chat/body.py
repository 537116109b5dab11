"""The body of OpenAI's chat completions."""

from __future__ import annotations

from typing import Any

from ctxlab.display.short_texts import short
from ctxlab.documents import Note
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms, long_ids, plain_names, with_sent_names
from ctxlab.providers.custom_fields import put_custom
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_chat.messages import ChatMessages
from ctxlab.providers.openai_chat.parameters import is_thinking, put_parameters
from ctxlab.providers.openai_chat.profiles import ChatProfile, profile_of
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.request_parameters import RequestParameters

WIRE = "openai-chat"


def write_body(
    prompt: Prompt, parameters: RequestParameters, model: ModelInfo, provider: Provider, out: BodyWriter
) -> None:
    """Put messages, tools and parameters into a chat completion's body."""
    profile = profile_of(provider)
    out.body["model"] = model.name
    forms = CallForms(prompt, out, long_ids(profile.max_call_id), plain_names(profile.max_tool_name))
    writer = ChatMessages(profile, provider, model, forms, out)
    writer.wants_thoughts = provider.name == "deepseek" and is_thinking(parameters, model)
    out.body["messages"] = writer.messages
    writer.write(prompt.drafts)
    _mark_prefix(writer, profile, provider, out)
    _put_tools(prompt, profile, provider, forms, out)
    put_parameters(parameters, model, provider, profile, forms, out)
    put_custom(parameters.custom, out)


def _mark_prefix(writer: ChatMessages, profile: ChatProfile, provider: Provider, out: BodyWriter) -> None:
    """Mark a last message of the assistant as the beginning of the reply, where the vendor knows of that."""
    last = writer.messages[-1] if writer.messages else {}
    if last.get("role") != "assistant" or last.get("tool_calls"):
        return
    if not profile.prefix:
        text = f"the last message is the assistant's; {provider.title} answers after it and doesn't continue it"
        out.notes.append(Note("info", text))
        return
    last["prefix"] = True
    path = provider.features.get("prefix_path")
    if path:
        text = f"the reply goes on from the last message; {provider.title} takes that below {path} alone"
        out.notes.append(Note("info", text))


def _put_tools(prompt: Prompt, profile: ChatProfile, provider: Provider, forms: CallForms, out: BodyWriter) -> None:
    tools: list[dict[str, Any]] = []
    for tool in prompt.tools:
        kind = tool.get("type", "function")
        if kind == "function" or (kind == "custom" and "custom" in tool) or profile.lenient:
            tools.append(with_sent_names(plain_json(tool), forms))
            continue
        reason = f"{provider.title}'s chat takes functions as tools, and none of this type; it isn't sent"
        out.lose("field", f"tool {short(str(kind))!r}", reason, path=("tools",))
    if tools:
        out.body["tools"] = tools

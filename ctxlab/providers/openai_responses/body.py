"""The body of OpenAI's Responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.display.short_texts import short
from ctxlab.documents import Note
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms, long_ids, plain_names, with_sent_names
from ctxlab.providers.custom_fields import put_custom
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.openai_responses.check import HOSTED
from ctxlab.providers.openai_responses.input_items import InputItems
from ctxlab.providers.openai_responses.parameters import put_parameters
from ctxlab.providers.openai_responses.tools import flat_tool
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.request_parameters import RequestParameters

KINDS = frozenset({"function", "custom"}) | HOSTED
MAX_CALL_ID = 64
MAX_TOOL_NAME = 64


def write_body(
    prompt: Prompt, parameters: RequestParameters, model: ModelInfo, provider: Provider, out: BodyWriter
) -> None:
    """Put input, instructions, tools and parameters into the body of a response."""
    out.body["model"] = model.name
    forms = CallForms(prompt, out, long_ids(MAX_CALL_ID), plain_names(MAX_TOOL_NAME))
    writer = InputItems(provider, model, forms, out, is_stored=parameters.store is not False)
    writer.write(prompt.drafts)
    if writer.items and writer.items[-1].get("role") == "assistant":
        text = f"the last message is the assistant's; {provider.title} answers after it and doesn't continue it"
        out.notes.append(Note("info", text))
    tools = [with_sent_names(flat_tool(tool), forms) for tool in prompt.tools if _is_known(tool, provider, out)]
    if parameters.web_search is not None:
        tools.append({"type": "web_search", **plain_json(parameters.web_search)})
    if tools:
        out.body["tools"] = tools
    put_parameters(parameters, model, provider, forms, out, has_encrypted_reasoning=writer.has_encrypted_reasoning)
    put_custom(parameters.custom, out)


def _is_known(tool: Mapping[str, Any], provider: Provider, out: BodyWriter) -> bool:
    """Whether a tool is of a type that the vendor has; one that isn't is a loss."""
    kind = tool.get("type", "function")
    if isinstance(kind, str) and kind in KINDS:
        return True
    reason = f"{provider.title} has no tool of this type; it isn't sent"
    out.lose("field", f"tool {short(str(tool.get('name') or kind))!r}", reason, path=("tools",))
    return False

"""Requests of vendors: the reference's, from its messages and parameters, beside ours.

A case names the reference's adapter; ours is the provider of the same wire format. Compared are the address, the header
and the body.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ctxlab.context import AssetRef, Draft, Origin, Text
from ctxlab.documents import Role, ToolCall
from ctxlab.documents.session.asset_source import AssetSource, InlineFile, LinkedFile
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.provider import Prompt
from ctxlab.providers.registry import built_in
from ctxlab.providers.request_parameters import RequestParameters, Thinking
from tests.golden import parameters, replies, streams
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data

PROVIDERS = {
    "openai-compatible": "openai-compatible",
    "openai-responses": "openai-responses",
    "anthropic-messages": "anthropic",
    "vertex-anthropic": "anthropic",
    "google-generate-content": "gemini",
}
"""Our provider for an adapter of the reference."""
KINDS = {"image": "image", "audio": "audio", "video": "video", "document": "document"}
ROLES: Mapping[str, Role] = {"developer": "system"}
NAMES = {
    "temperature": "temperature",
    "topP": "top_p",
    "topK": "top_k",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "seed": "seed",
    "stream": "stream",
    "responseFormat": "response_format",
    "toolChoice": "tool_choice",
    "parallelToolCalls": "parallel_tool_calls",
}
"""Our parameters by the reference's names, where their values are the same."""


def run(data: Data) -> Any:
    name = PROVIDERS.get(data["adapter"])
    if name is None:
        return {"threw": f"there is no provider for {data['adapter']}"}
    provider, request = built_in()[name], data["request"]
    model = ModelInfo(request["model"], efforts=("low", "medium", "high"))
    out = BodyWriter()
    prompt = Prompt(tuple(drafts_of(request["messages"])), request.get("tools") or ())
    provider.write(prompt, parameters_of(request), model, provider, out)
    streams = bool(request.get("stream"))
    key = data["profile"].get("apiKey")
    return {
        "url": provider.url(model.name, stream=streams, base_url=base_url_of(data)),
        "method": "POST",
        "headers": {"Content-Type": "application/json", **(provider.auth(key) | provider.headers if key else {})},
        "body": out.body,
        "streaming": streams,
    }


def base_url_of(data: Data) -> str:
    """The base URL as the official clients want it: OpenAI's ends with /v1, the others' before it."""
    base_url = data["profile"]["baseUrl"].rstrip("/").removesuffix("/v1")
    return f"{base_url}/v1" if data["adapter"].startswith("openai") else base_url


def parameters_of(request: Data) -> RequestParameters:
    """The parameters of a request in the reference's names; what it is told to send beyond them is ours too."""
    given = {ours: request[theirs] for theirs, ours in NAMES.items() if theirs in request}
    stop = request.get("stop", ())
    search = {} if request.get("webSearchEnabled") else None
    return RequestParameters(
        **given,
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
        max_output_tokens=request.get("maxCompletionTokens", request.get("maxTokens")),
        thinking=_thinking(request),
        web_search=search,
        safety=tuple(request.get("safetySettings") or ()),
        custom={**(request.get("extraBody") or {}), **(request.get("extensions") or {})},
    )


def _thinking(request: Data) -> Thinking | None:
    include = request.get("includeThoughts")
    if request.get("reasoningEffort"):
        return Thinking("effort", effort=request["reasoningEffort"], include=include)
    if "thinkingEnabled" not in request:
        return Thinking("on", include=include) if include is not None else None
    if not request["thinkingEnabled"]:
        return Thinking("off")
    budget = request.get("thinkingBudget")
    return Thinking("budget" if budget else "on", budget_tokens=budget, include=include)


def drafts_of(messages: Sequence[Data]) -> Iterator[Draft]:
    """The drafts of the reference's messages; each result of a tool is one."""
    for i, message in enumerate(messages):
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        results = [part for part in parts if part["type"] == "tool_result"]
        for j, part in enumerate(results):
            yield _draft(f"m{i}.{j}", "tool", [{"type": "text", "text": part["content"]}], part["toolUseId"])
        if not results:
            role = ROLES.get(message["role"], message["role"])
            yield _draft(f"m{i}", role, parts, message.get("toolCallId"))


def _draft(key: str, role: Role, parts: Sequence[Data], result_of: str | None) -> Draft:
    origin = Origin("node", key)
    body = [_piece(part, key, i, origin) for i, part in enumerate(parts) if part["type"] != "tool_use"]
    calls = [
        ToolCall(part["id"], part["name"], json.dumps(part["input"], separators=(",", ":"), ensure_ascii=False))
        for part in parts
        if part["type"] == "tool_use"
    ]
    return Draft(key, role, tuple(body), origin, calls=tuple(calls), result_of=result_of)


def _piece(part: Data, key: str, i: int, origin: Origin) -> Text | AssetRef:
    if part["type"] == "text":
        return Text.of(part["text"], origin)
    source = part["source"]
    where: AssetSource = (
        LinkedFile(source) if isinstance(source, str) else InlineFile(source["data"], source["media_type"])
    )
    mime_type = "" if isinstance(source, str) else source["media_type"]
    metadata = {"videoMetadata": part["metadata"]} if "metadata" in part else {}
    return AssetRef(f"{key}.{i}", KINDS[part["type"]], mime_type=mime_type, metadata=metadata, source=where)


def is_request(case: Case) -> bool:
    """Whether a case of the file is a request; others are replies, parameters and names of models."""
    return isinstance(case.input, dict) and "adapter" in case.input


def whole(case: Case) -> Any:
    if is_request(case):
        return run(case.input)
    if streams.is_stream(case):
        return streams.run(case)
    return parameters.run(case) if parameters.is_about_parameters(case) else replies.run(case)


ADAPTERS: dict[str, Adapter] = {"llm_requests": Adapter(run, parameters.expected, whole)}

"""Requests for Anthropic and Gemini: where ours differ from the reference's on purpose."""

from __future__ import annotations

import base64
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.requests import is_request
from tests.golden.rules.requests import FILES, asked, of, rule, without
from tests.golden.rules.rule import Rule

CLAUDE = of("anthropic-messages", "vertex-anthropic")
VERTEX = of("vertex-anthropic")
GEMINI = of("google-generate-content")


def _request(case: Case) -> Data:
    return case.input["request"]


def _roles(case: Case) -> list[str]:
    return [message["role"] for message in _request(case)["messages"]]


def _has_system(case: Case) -> bool:
    return any(role in ("system", "developer") for role in _roles(case))


def _parts(case: Case) -> list[Data]:
    messages = _request(case)["messages"]
    return [part for message in messages if isinstance(message["content"], list) for part in message["content"]]


def _has(case: Case, *kinds: str) -> bool:
    return any(part["type"] in kinds for part in _parts(case))


# --- Anthropic


def _door(case: Case) -> Any:
    base = case.input["profile"]["baseUrl"].rstrip("/").removesuffix("/v1")
    key = {"x-api-key": "KEY", "anthropic-version": "2023-06-01"}
    headers = {"Content-Type": "application/json", **key}
    body = {"model": _request(case)["model"], **without(case.expected["body"], "anthropic_version")}
    return {**case.expected, "url": f"{base}/v1/messages", "headers": headers, "body": body}


def _system_blocks(case: Case) -> Data:
    """System messages at the head as blocks, later ones as the user's words where they stand."""
    messages: list[Data] = []
    blocks: list[Data] = []
    for message in _request(case)["messages"]:
        texts = [message["content"]] if isinstance(message["content"], str) else [p["text"] for p in message["content"]]
        if message["role"] in ("system", "developer") and not messages:
            blocks += [{"type": "text", "text": text} for text in texts]
            continue
        role = "user" if message["role"] in ("system", "developer") else message["role"]
        parts = [{"type": "text", "text": text} for text in texts]
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += parts
        else:
            messages.append({"role": role, "content": parts})
    for message in messages:
        if len(message["content"]) == 1:
            message["content"] = message["content"][0]["text"]
    return {**case.expected["body"], "system": blocks, "messages": messages}


def _one_turn_of_results(case: Case) -> Data:
    *before, results, raw = case.expected["body"]["messages"]
    other = {
        "type": "tool_result",
        "tool_use_id": _request(case)["messages"][-1]["toolCallId"],
        "content": raw["content"],
    }
    return {**case.expected["body"], "messages": [*before, {**results, "content": [*results["content"], other]}]}


def _own_thinking(case: Case) -> Data:
    request, body = _request(case), case.expected["body"]
    if asked(case, "reasoningEffort"):
        return {**body, "thinking": {"type": "adaptive"}, "output_config": {"effort": request["reasoningEffort"]}}
    if not request["thinkingEnabled"]:
        return {**body, "thinking": {"type": "disabled"}}
    budget = request.get("thinkingBudget") or body["max_tokens"] // 2
    return {**without(body, "top_p"), "thinking": {"type": "enabled", "budget_tokens": budget}}


def _own_tools(case: Case) -> Data:
    body, request = case.expected["body"], _request(case)
    tools = [{**without(tool, "type"), "strict": True} for tool in body["tools"]]
    choice = (
        {"type": "none"}
        if request["toolChoice"] == "none"
        else without(body["tool_choice"], "disable_parallel_tool_use")
    )
    return {**body, "tools": tools, "tool_choice": choice}


def _without_uses(case: Case) -> Data:
    body = case.expected["body"]
    return {**body, "tools": [without(tool, "max_uses") for tool in body["tools"]]}


def _own_format(case: Case) -> Data:
    schema = _request(case)["responseFormat"]["json_schema"]["schema"]
    return {**case.expected["body"], "output_config": {"format": {"type": "json_schema", "schema": schema}}}


def _text_documents(case: Case) -> Data:
    """A document of words goes as words."""
    body = case.expected["body"]
    messages = [
        {**message, "content": [_as_words(part) for part in message["content"]]}
        if isinstance(message["content"], list)
        else message
        for message in body["messages"]
    ]
    return {**body, "messages": messages}


def _as_words(part: Data) -> Data:
    source = part.get("source") or {}
    if source.get("media_type") != "text/plain" or source.get("type") != "base64":
        return part
    words = base64.b64decode(source["data"]).decode()
    return {**part, "source": {"type": "text", "media_type": "text/plain", "data": words}}


OF_CLAUDE = (
    Rule(
        "one door to Anthropic",
        "Vertex and paths one by one are none of ours, and no beta is asked for that a body doesn't need.",
        FILES,
        lambda case: is_request(case) and CLAUDE(case),
        _door,
    ),
    rule(
        "systems 6.4: Anthropic's system messages",
        "Each system message at the head is a block of its own, a later one stays in its place.",
        lambda case: CLAUDE(case) and _has_system(case),
        _system_blocks,
    ),
    rule(
        "systems 6.4: results of Anthropic's calls",
        "A message of the tool is a result, and all results of a turn stand together.",
        lambda case: CLAUDE(case) and "tool" in _roles(case),
        _one_turn_of_results,
    ),
    rule(
        "systems 6.4: Anthropic's thinking",
        "Thinking that is switched off says so, an effort is sent, the budget is below the reply's limit, top_p goes.",
        lambda case: CLAUDE(case) and asked(case, "thinkingEnabled", "reasoningEffort"),
        _own_thinking,
    ),
    rule(
        "systems 6.4: Anthropic's tools",
        "The choice of none is sent, strict too; what is the vendor's default anyway isn't.",
        lambda case: CLAUDE(case) and asked(case, "toolChoice"),
        _own_tools,
    ),
    rule(
        "no options of our own",
        "A search has as many uses as the caller says.",
        lambda case: CLAUDE(case) and asked(case, "webSearchEnabled"),
        _without_uses,
    ),
    rule(
        "systems 6.4: Anthropic's reply by a schema",
        "Anthropic takes a schema of the reply (output_config).",
        lambda case: CLAUDE(case) and asked(case, "responseFormat"),
        _own_format,
    ),
    rule(
        "systems 6.4: documents of words",
        "Anthropic takes the bytes of PDFs alone; a text goes as its words.",
        lambda case: CLAUDE(case) and _has(case, "document"),
        _text_documents,
    ),
)

# --- Gemini


def _asked_alone(case: Case) -> Data:
    """Without settings that nobody asked for."""
    body, request = case.expected["body"], _request(case)
    config = dict(body["generationConfig"])
    if "maxTokens" not in request:
        del config["maxOutputTokens"]
    if "temperature" not in request:
        del config["temperature"]
    made = without(body, "safetySettings", "generationConfig")
    if config:
        made["generationConfig"] = config
    if "safetySettings" in request:
        made["safetySettings"] = request["safetySettings"]
    return made


def _gemini_systems(case: Case) -> Data:
    contents: list[Data] = []
    parts: list[Data] = []
    for message in _request(case)["messages"]:
        texts = [message["content"]] if isinstance(message["content"], str) else [p["text"] for p in message["content"]]
        own = [{"text": text} for text in texts]
        if message["role"] in ("system", "developer") and not contents:
            parts += own
            continue
        role = "model" if message["role"] == "assistant" else "user"
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += own
        else:
            contents.append({"role": role, "parts": own})
    return {**case.expected["body"], "systemInstruction": {"parts": parts}, "contents": contents}


def _responses(case: Case) -> Data:
    names = {part["id"]: part["name"] for part in _parts(case) if part["type"] == "tool_use"}
    body = case.expected["body"]
    contents: list[Data] = []
    for content in body["contents"]:
        own = [_with_name(part, names) for part in content["parts"]]
        contents.append({**content, "parts": own})
    last = _request(case)["messages"][-1]
    if last["role"] == "tool":
        contents.pop()
        contents[-1]["parts"].append(_response(last["toolCallId"], last["content"], names))
    return {**body, "contents": contents}


def _with_name(part: Data, names: dict[str, str]) -> Data:
    if "functionResponse" in part:
        response = part["functionResponse"]
        return _response(response["name"], response["response"]["result"], names)
    if "functionCall" in part:
        call = part["functionCall"]
        return {"functionCall": {**call, "id": next(id for id, name in names.items() if name == call["name"])}}
    return part


def _response(call_id: str, words: str, names: dict[str, str]) -> Data:
    name = names.get(call_id, "unknown")
    return {"functionResponse": {"name": name, "id": call_id, "response": {"output": words}}}


def _gemini_thinking(case: Case) -> Data:
    """As the parameters say: what a model takes of them is settled before a body is written."""
    request, body = _request(case), case.expected["body"]
    thinking: Data = {"includeThoughts": True} if request.get("includeThoughts") else {}
    if asked(case, "reasoningEffort"):
        thinking["thinkingLevel"] = request["reasoningEffort"]
    else:
        thinking["thinkingBudget"] = request.get("thinkingBudget") or -1
    return {**body, "generationConfig": {**body.get("generationConfig", {}), "thinkingConfig": thinking}}


def _without_code(case: Case) -> Data:
    body = case.expected["body"]
    return {**body, "tools": [tool for tool in body["tools"] if "codeExecution" not in tool]}


def _address(case: Case) -> Any:
    address, _, query = case.expected["url"].partition("?")
    words = [word for word in query.split("&") if word and not word.startswith("key=")]
    url = address.replace("/v1/models/", "/v1beta/models/") + (f"?{'&'.join(words)}" if words else "")
    return {**case.expected, "url": url, "headers": without(case.expected["headers"], "X-Request-ID")}


OF_GEMINI = (
    Rule(
        "no key in an address",
        "Keys are in a header alone, as addresses end up in logs; the version of the API is the provider's.",
        FILES,
        lambda case: is_request(case) and GEMINI(case),
        _address,
    ),
    rule(
        "systems 6.4: no safety, limit and temperature of our own",
        "What nobody asked for isn't sent: no filter is switched off, the vendor's own values hold.",
        GEMINI,
        _asked_alone,
    ),
    rule(
        "systems 6.4: Gemini's system messages",
        "Each system message at the head is a part of its own, a later one stays in its place.",
        lambda case: GEMINI(case) and _has_system(case),
        _gemini_systems,
    ),
    rule(
        "systems 6.4: names of Gemini's responses",
        "A response has the name of its function and the id of its call, and stands with the others of the turn.",
        lambda case: GEMINI(case) and _has(case, "tool_use", "tool_result"),
        _responses,
    ),
    rule(
        "systems 6.4: Gemini's thinking",
        "Thoughts are asked for by the caller alone; an effort becomes a budget when the parameters are settled.",
        lambda case: GEMINI(case) and asked(case, "thinkingEnabled", "reasoningEffort", "includeThoughts"),
        _gemini_thinking,
    ),
    rule(
        "tools of the vendor's are tools",
        "Running code is one of the tools that an agent has, not a parameter.",
        lambda case: GEMINI(case) and asked(case, "enableCodeExecution"),
        _without_code,
    ),
)

RULES: tuple[Rule, ...] = (*OF_CLAUDE, *OF_GEMINI)

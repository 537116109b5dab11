"""The body that a vendor gets for a prompt, what it would refuse, and what its form has no place for.

The four forms are written here once more, from the vendors' own pages, for messages of text, calls and results.
"""

from __future__ import annotations

import json
from typing import Any

from builders.common import Json, Topic, chat, one_of

topic = Topic("payloads")
MODELS = {
    "openai": "gpt-4o",
    "openai-responses": "gpt-4o",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-flash",
}
TITLES = {"openai": "OpenAI", "openai-responses": "OpenAI's Responses", "anthropic": "Anthropic", "gemini": "Gemini"}
LIMIT = {
    "openai": ("max_tokens",),
    "openai-responses": ("max_output_tokens",),
    "anthropic": ("max_tokens",),
    "gemini": ("generationConfig", "maxOutputTokens"),
}


def body_of(vendor: str, messages: list[Json], limit: int = 100) -> Json:
    """The body of messages of text, calls and results, with a limit of the reply."""
    body = {"openai": openai, "openai-responses": responses, "anthropic": anthropic, "gemini": gemini}[vendor](messages)
    put(body, LIMIT[vendor], limit)
    return body


def put(body: Json, path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        body = body.setdefault(name, {})
    body[path[-1]] = value


def openai(messages: list[Json]) -> Json:
    sent: list[Json] = []
    for each in messages:
        message: Json = {"role": each["role"], "content": each["content"]}
        if each.get("calls"):
            message["content"] = each["content"] or None
            message["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": call["arguments"]},
                }
                for call in each["calls"]
            ]
        if "answers" in each:
            message["tool_call_id"] = each["answers"]
        if "name" in each:
            message["name"] = each["name"]
        sent.append(message)
    return {"model": MODELS["openai"], "messages": sent}


def responses(messages: list[Json]) -> Json:
    items: list[Json] = []
    body: Json = {"model": MODELS["openai-responses"]}
    for each in messages:
        if each["role"] == "system" and not items:
            body["instructions"] = each["content"]
        elif "answers" in each:
            items.append({"type": "function_call_output", "call_id": each["answers"], "output": each["content"]})
        else:
            if each["content"]:
                items.append({"role": each["role"], "content": each["content"]})
            items += [
                {"type": "function_call", "call_id": call["id"], "name": call["name"], "arguments": call["arguments"]}
                for call in each.get("calls", ())
            ]
    if len(items) == 1 and items[0].get("role") == "user":  # one message of the user alone may be its words
        return {**body, "input": one_of(items, items[0]["content"])}
    return {**body, "input": items}


def anthropic(messages: list[Json]) -> Json:
    system: list[Json] = []
    turns: list[tuple[str, list[Json]]] = []
    for each in messages:
        if each["role"] == "system" and not turns:
            system.append({"type": "text", "text": each["content"]})
            continue
        role = "assistant" if each["role"] == "assistant" else "user"
        blocks: list[Json] = []
        if "answers" in each:
            blocks.append({"type": "tool_result", "tool_use_id": each["answers"], "content": each["content"]})
        elif each["content"]:
            blocks.append({"type": "text", "text": each["content"]})
        for call in each.get("calls", ()):
            blocks.append(
                {"type": "tool_use", "id": call["id"], "name": call["name"], "input": json.loads(call["arguments"])}
            )
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        else:
            turns.append((role, blocks))
    sent: list[Json] = []
    for role, blocks in turns:
        results = [block for block in blocks if block["type"] == "tool_result"]
        ordered = [*results, *(block for block in blocks if block["type"] != "tool_result")]
        alone = len(ordered) == 1 and ordered[0]["type"] == "text"
        sent.append({"role": role, "content": ordered[0]["text"] if alone else ordered})
    return {"model": MODELS["anthropic"], **({"system": system} if system else {}), "messages": sent}


def gemini(messages: list[Json]) -> Json:
    system: list[Json] = []
    turns: list[Json] = []
    names: dict[str, str] = {}
    for each in messages:
        if each["role"] == "system" and not turns:
            system.append({"text": each["content"]})
            continue
        parts: list[Json] = []
        if "answers" in each:
            response = {"name": names[each["answers"]], "id": each["answers"], "response": {"output": each["content"]}}
            parts.append({"functionResponse": response})
        elif each["content"]:
            parts.append({"text": each["content"]})
        for call in each.get("calls", ()):
            names[call["id"]] = call["name"]
            function = {"name": call["name"], "args": json.loads(call["arguments"]), "id": call["id"]}
            parts.append({"functionCall": function})
        role = "model" if each["role"] == "assistant" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["parts"] += parts
        else:
            turns.append({"role": role, "parts": parts})
    return {**({"systemInstruction": {"parts": system}} if system else {}), "contents": turns}


CALL = {"id": "c1", "name": "tide_table", "arguments": '{"port":"Oban"}'}
SECOND = {"id": "c2", "name": "wind", "arguments": "{}"}
ASK = {"id": "m2", "role": "assistant", "content": "", "calls": [CALL]}
RESULT = {"id": "m3", "role": "tool", "content": "High at six.", "answers": "c1"}
CONVERSATIONS: list[tuple[str, list[Json]]] = [
    ("one message of the user", chat("u: Hello.")),
    ("a system message and one of the user", chat("s: Be brief.", "u: Hello.")),
    ("three messages that alternate", chat("u: Hello.", "a: Good day.", "u: Any news?")),
    ("two messages of the user in a row", chat("u: Hello.", "u: Any news?")),
    ("two messages of the assistant in a row", chat("u: Hello.", "a: One.", "a: Two.", "u: Yes?")),
    ("Chinese words", chat("s: 用中文回答。", "u: 船到了吗？")),
    ("a call and its result", [*chat("u: When is high water?"), ASK, RESULT]),
    ("words before a call", [*chat("u: When is high water?"), {**ASK, "content": "Let me see."}, RESULT]),
    ("words behind a result", [*chat("u: When is high water?"), ASK, RESULT, {"id": "m4", "role": "user", "content": "And low?"}]),
    ("two calls of one message", [*chat("u: How is the sea?"), {**ASK, "calls": [CALL, SECOND]}, RESULT,
                                  {"id": "m4", "role": "tool", "content": "West 4.", "answers": "c2"}]),
    ("an answer behind a result", [*chat("u: When is high water?"), ASK, RESULT, {"id": "m4", "role": "assistant", "content": "At six."},
                                   {"id": "m5", "role": "user", "content": "Thanks."}]),
    ("line breaks and quotes in words", chat('u: He said "wait",')),
]  # fmt: skip


def bodies() -> None:
    for vendor, title in TITLES.items():
        for what, messages in CONVERSATIONS:
            topic.case(vendor, f"{title}'s body for {what}.",
                       {"vendor": vendor, "model": MODELS[vendor], "messages": messages, "parameters": {"maxTokens": 100}},
                       body=body_of(vendor, messages), taken=True, lost=[])  # fmt: skip


PLACES: dict[str, dict[str, tuple[str, ...] | None]] = {
    "openai": {"temperature": ("temperature",), "topP": ("top_p",), "seed": ("seed",), "stop": ("stop",), "topK": None,
               "frequencyPenalty": ("frequency_penalty",), "presencePenalty": ("presence_penalty",)},
    "openai-responses": {"temperature": ("temperature",), "topP": ("top_p",), "seed": None, "stop": None, "topK": None,
                         "frequencyPenalty": None, "presencePenalty": None},
    "anthropic": {"temperature": ("temperature",), "topP": ("top_p",), "seed": None, "stop": ("stop_sequences",),
                  "topK": ("top_k",), "frequencyPenalty": None, "presencePenalty": None},
    "gemini": {name: ("generationConfig", sent) for name, sent in (
        ("temperature", "temperature"), ("topP", "topP"), ("seed", "seed"), ("stop", "stopSequences"), ("topK", "topK"),
        ("frequencyPenalty", "frequencyPenalty"), ("presencePenalty", "presencePenalty"))},
}  # fmt: skip
VALUES = {
    "temperature": 0.5,
    "topP": 0.9,
    "seed": 7,
    "stop": ["END"],
    "topK": 20,
    "frequencyPenalty": 0.25,
    "presencePenalty": 0.25,
}
LOST_AS = {"topK": "top_k", "frequencyPenalty": "frequency_penalty", "presencePenalty": "presence_penalty"}


def parameters() -> None:
    messages = chat("u: Hello.")
    for vendor, places in PLACES.items():
        for name, path in places.items():
            body = body_of(vendor, messages)
            if path:
                put(body, path, VALUES[name])
            where = f"goes as {'.'.join(path)}" if path else "has no place and is a loss"
            topic.case(f"{vendor}-parameters", f"In {TITLES[vendor]}'s body {name} {where}.",
                       {"vendor": vendor, "model": MODELS[vendor], "messages": messages,
                        "parameters": {"maxTokens": 100, name: VALUES[name]}},
                       body=body, lost=[] if path else [["parameter", LOST_AS.get(name, name)]])  # fmt: skip


def build() -> Topic:
    from builders import payload_limits

    bodies()
    parameters()
    payload_limits.build(topic)
    return topic

"""Tools, streams, what a vendor would refuse, and what it has no place for."""

from __future__ import annotations

from typing import Any

from builders.common import Json, Topic, chat
from builders.payloads import ASK, CALL, MODELS, RESULT, TITLES, body_of

SCHEMA = {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]}
TOOL = {
    "type": "function",
    "function": {"name": "tide_table", "description": "Times of the tide.", "parameters": SCHEMA},
}
SENT_TOOL: dict[str, Any] = {
    "openai": TOOL,
    "anthropic": {"name": "tide_table", "description": "Times of the tide.", "input_schema": SCHEMA},
    "openai-responses": {"type": "function", **TOOL["function"]},
}


def build(topic: Topic) -> None:
    tools(topic)
    streams(topic)
    losses(topic)
    refusals(topic)
    checks(topic)


def given(vendor: str, messages: list[Json], **more: Any) -> Json:
    model = more.pop("model", MODELS[vendor])
    limits = {"maxTokens": 100, **more.pop("parameters", {})}
    return {"vendor": vendor, "model": model, "messages": messages, "parameters": limits, **more}


def tools(topic: Topic) -> None:
    messages = chat("u: When is high water?")
    for vendor in ("openai", "anthropic"):
        body = body_of(vendor, messages)
        body["tools"] = [SENT_TOOL[vendor]]
        topic.case(
            "tools", f"A tool in {TITLES[vendor]}'s form.", given(vendor, messages, tools=[TOOL]), body=body, taken=True
        )
    for vendor in TITLES:
        topic.case("tools", f"Without tools {TITLES[vendor]}'s body has no list of them.", given(vendor, messages),
                   body=body_of(vendor, messages))  # fmt: skip


def streams(topic: Topic) -> None:
    messages = chat("u: Hello.")
    for vendor in ("anthropic",):
        body = body_of(vendor, messages)
        body["stream"] = True
        topic.case("streams", f"A streamed reply is asked for in {TITLES[vendor]}'s body.",
                   given(vendor, messages, stream=True), body=body)  # fmt: skip
    topic.case("streams", "A streamed reply is asked for in Gemini's address, and not in its body.",
               given("gemini", messages, stream=True), body=body_of("gemini", messages))  # fmt: skip


def losses(topic: Topic) -> None:
    inside = chat("u: Hello.", "a: Good day.", "s: Be brief.", "u: News?")
    for vendor in ("anthropic", "gemini"):
        as_user = [{**each, "role": "user"} if each["role"] == "system" else each for each in inside]
        topic.case("losses", f"A system message inside the history goes as the user's to {TITLES[vendor]}, which is a loss.",
                   given(vendor, inside), body=body_of(vendor, as_user), lost=[["role", "m3"]])  # fmt: skip
    topic.case("losses", "A system message inside the history stays one for OpenAI.", given("openai", inside),
               body=body_of("openai", inside), lost=[])  # fmt: skip
    named = [{**chat("u: Hello.")[0], "name": "Ann"}]
    plain = chat("u: Hello.")
    topic.case(
        "losses",
        "A speaker's name goes along to OpenAI.",
        given("openai", named),
        body=body_of("openai", named),
        lost=[],
    )
    for vendor in ("openai-responses", "anthropic", "gemini"):
        topic.case("losses", f"A speaker's name has no place in {TITLES[vendor]}'s body.", given(vendor, named),
                   body=body_of(vendor, plain), lost=[["name", "m1"]])  # fmt: skip
    spaced = [{**plain[0], "name": "Ann Lee"}]
    topic.case(
        "losses", "A name with a blank doesn't go to OpenAI as it is.", given("openai", spaced), lost=[["name", "m1"]]
    )
    begun = chat("u: Hello.", "a: Good day. ")
    begun[1]["content"] = "Good day. "
    trimmed = [begun[0], {**begun[1], "content": "Good day."}]
    topic.case("losses", "Blanks at the end of a reply that is begun are cut off for Anthropic.", given("anthropic", begun),
               body=body_of("anthropic", trimmed), lost=[["part", "m2"]])  # fmt: skip
    words = {**ASK, "calls": [{**CALL, "arguments": "Oban"}]}
    sent = {**ASK, "calls": [{**CALL, "arguments": '{"arguments":"Oban"}'}]}
    for vendor in TITLES:
        topic.case("losses", f"Arguments that are no JSON object go to {TITLES[vendor]} as the text of one field.",
                   given(vendor, [*chat("u: When?"), words, RESULT]), body=body_of(vendor, [*chat("u: When?"), sent, RESULT]),
                   lost=[["field", "m2"]])  # fmt: skip
    empty = {**ASK, "calls": [{**CALL, "arguments": ""}]}
    none = {**ASK, "calls": [{**CALL, "arguments": "{}"}]}
    for vendor in TITLES:
        topic.case("losses", f"A call without arguments goes to {TITLES[vendor]} with an empty object, which is no loss.",
                   given(vendor, [*chat("u: When?"), empty, RESULT]), body=body_of(vendor, [*chat("u: When?"), none, RESULT]),
                   lost=[])  # fmt: skip
    only = chat("s: Be brief.")
    topic.case("losses", "A system message alone goes as the user's to Anthropic, which wants a message.",
               given("anthropic", only), body=body_of("anthropic", [{**only[0], "role": "user"}]), lost=[["role", "m1"]])  # fmt: skip
    topic.case("losses", "A system message alone goes as the user's to Gemini, which wants contents.",
               given("gemini", only), body=body_of("gemini", [{**only[0], "role": "user"}]), lost=[["role", "m1"]])  # fmt: skip
    both = {"temperature": 0.5, "topP": 0.9}
    body = body_of("anthropic", plain)
    body["temperature"] = 0.5
    topic.case("losses", "Of temperature and top_p claude-sonnet-4-5 takes one, and the temperature is sent.",
               given("anthropic", plain, parameters=both), body=body, lost=[["parameter", "top_p"]])  # fmt: skip


def refusals(topic: Topic) -> None:
    plain = chat("u: Hello.")
    for vendor in TITLES:
        topic.case("taken", f"{TITLES[vendor]} takes a plain prompt.", given(vendor, plain), taken=True)
    begun = chat("u: Hello.", "a: Good")
    topic.case("taken", "claude-sonnet-4-5 takes a reply that is begun.", given("anthropic", begun), taken=True)
    topic.case("taken", "claude-opus-4-6 refuses a reply that is begun.",
               given("anthropic", begun, model="claude-opus-4-6"), taken=False)  # fmt: skip
    stops = ["a", "b", "c", "d", "e"]
    body = body_of("openai", plain)
    body["stop"] = stops[:4]
    topic.case("losses", "Of five stop words OpenAI gets the four that it takes, and the rest is a loss.",
               given("openai", plain, parameters={"stop": stops}), body=body, lost=[["parameter", "stop"]])  # fmt: skip
    topic.case("losses", "Four stop words go to OpenAI as they are.", given("openai", plain, parameters={"stop": stops[:4]}),
               body=body, lost=[])  # fmt: skip
    topic.case("losses", "A stop word of blanks, which Anthropic refuses, isn't sent and is a loss.",
               given("anthropic", plain, parameters={"stop": [" "]}), body=body_of("anthropic", plain),
               lost=[["parameter", "stop"]])  # fmt: skip
    mute = [*chat("u: When?"), ASK, {"id": "m9", "role": "user", "content": "Well?"}]
    for vendor in TITLES:
        topic.case("taken", f"A call that nothing answers isn't in what {TITLES[vendor]} gets, so nothing is refused.",
                   given(vendor, mute), taken=True, body=body_of(vendor, [mute[0], mute[2]]))  # fmt: skip


USER = {"role": "user", "content": "Hello."}
OPENAI_CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]}
FOUND = {"role": "tool", "tool_call_id": "c1", "content": "x"}
TOOL_USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]}
TOOL_RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "x"}
WORDS = {"type": "text", "text": "Well?"}
PART = {"role": "user", "parts": [{"text": "Hello."}]}

CHECKS: dict[str, list[tuple[str, Json, bool]]] = {
    "openai": [
        ("a message of the user", {"messages": [USER]}, True),
        ("no messages", {"messages": []}, False),
        ("no field for messages", {}, False),
        ("a role that isn't known", {"messages": [{"role": "robot", "content": "x"}]}, False),
        ("a call with its result", {"messages": [USER, ASKED, FOUND]}, True),
        ("a call without its result", {"messages": [USER, ASKED, USER]}, False),
        ("a result without its call", {"messages": [USER, FOUND]}, False),
        ("a field that isn't known", {"messages": [USER], "top_k": 4}, False),
        ("a temperature above 2", {"messages": [USER], "temperature": 2.5}, False),
        ("a temperature of 2", {"messages": [USER], "temperature": 2}, True),
        ("five stop words", {"messages": [USER], "stop": list("abcde")}, False),
        ("four stop words", {"messages": [USER], "stop": list("abcd")}, True),
        ("a choice of tools without tools", {"messages": [USER], "tool_choice": "auto"}, False),
        ("an empty list of tools", {"messages": [USER], "tools": []}, False),
        ("options of a stream without a stream", {"messages": [USER], "stream_options": {"include_usage": True}}, False),
        ("a name with a blank", {"messages": [{**USER, "name": "Ann Lee"}]}, False),
    ],
    "openai-responses": [
        ("words alone", {"input": "Hello."}, True),
        ("a message of the user", {"input": [USER]}, True),
        ("no items", {"input": []}, False),
        ("no input", {}, False),
        ("a field that isn't known", {"input": "Hello.", "stop": ["x"]}, False),
        ("a reply of 15 tokens", {"input": "Hello.", "max_output_tokens": 15}, False),
        ("a reply of 16 tokens", {"input": "Hello.", "max_output_tokens": 16}, True),
        ("an output without its call", {"input": [{"type": "function_call_output", "call_id": "c1", "output": "x"}]}, False),
        ("a call with its output",
         {"input": [USER, {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "c1", "output": "x"}]}, True),
        ("a call without its output",
         {"input": [USER, {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}]}, False),
    ],
    "anthropic": [
        ("a message of the user", {"max_tokens": 9, "messages": [USER]}, True),
        ("no limit of the reply", {"messages": [USER]}, False),
        ("no messages", {"max_tokens": 9, "messages": []}, False),
        ("an empty text", {"max_tokens": 9, "messages": [{"role": "user", "content": ""}]}, False),
        ("a text of blanks", {"max_tokens": 9, "messages": [{"role": "user", "content": "  "}]}, False),
        ("a temperature above 1", {"max_tokens": 9, "messages": [USER], "temperature": 1.5}, False),
        ("a temperature of 1", {"max_tokens": 9, "messages": [USER], "temperature": 1}, True),
        ("a field that isn't known", {"max_tokens": 9, "messages": [USER], "seed": 7}, False),
        ("a call with its result",
         {"max_tokens": 9, "messages": [USER, TOOL_USE, {"role": "user", "content": [TOOL_RESULT]}]}, True),
        ("a call without its result", {"max_tokens": 9, "messages": [USER, TOOL_USE, USER]}, False),
        ("a result without its call", {"max_tokens": 9, "messages": [{"role": "user", "content": [TOOL_RESULT]}]}, False),
        ("words before a result",
         {"max_tokens": 9, "messages": [USER, TOOL_USE, {"role": "user", "content": [WORDS, TOOL_RESULT]}]}, False),
        ("words behind a result",
         {"max_tokens": 9, "messages": [USER, TOOL_USE, {"role": "user", "content": [TOOL_RESULT, WORDS]}]}, True),
        ("a stop word of blanks", {"max_tokens": 9, "messages": [USER], "stop_sequences": [" "]}, False),
        ("a reply begun that ends with a blank",
         {"max_tokens": 9, "messages": [USER, {"role": "assistant", "content": "Good "}]}, False),
        ("temperature and top_p together", {"max_tokens": 9, "messages": [USER], "temperature": 0.5, "top_p": 0.9}, False),
    ],
    "gemini": [
        ("a part of the user", {"contents": [PART]}, True),
        ("no contents", {"contents": []}, False),
        ("no field for contents", {}, False),
        ("a role that isn't known", {"contents": [{"role": "assistant", "parts": [{"text": "x"}]}]}, False),
        ("a content without parts", {"contents": [{"role": "user", "parts": []}]}, False),
        ("a field that isn't known", {"contents": [PART], "messages": []}, False),
        ("a temperature above 2", {"contents": [PART], "generationConfig": {"temperature": 2.5}}, False),
        ("a temperature of 2", {"contents": [PART], "generationConfig": {"temperature": 2}}, True),
        ("six stop words", {"contents": [PART], "generationConfig": {"stopSequences": list("abcdef")}}, False),
        ("five stop words", {"contents": [PART], "generationConfig": {"stopSequences": list("abcde")}}, True),
    ],
}  # fmt: skip


def checks(topic: Topic) -> None:
    """Bodies as they are: whether the vendor would take them."""
    for vendor, rows in CHECKS.items():
        for what, body, taken in rows:
            sent = body if vendor == "gemini" else {"model": MODELS[vendor], **body}
            topic.case("check", f"{TITLES[vendor]} {'takes' if taken else 'refuses'} a body with {what}.",
                       {"vendor": vendor, "model": MODELS[vendor], "body": sent}, taken=taken)  # fmt: skip

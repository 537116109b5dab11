"""Messages as llama.cpp's server hands them to a template."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ctxlab.context import Draft
from ctxlab.engines.chat_templates.jinja.llama_cpp.abilities import Abilities
from ctxlab.engines.chat_templates.jinja.messages import Leaves, messages_of
from ctxlab.engines.chat_templates.jinja.traced_string import TracedString
from ctxlab.errors import TemplateRefused

Message = dict[str, Any]
SYSTEM = "system"
TRIMS = "You have access to the following functions in JSONSchema format"
"""Words of Step 3.5's template, for which the server trims all messages."""
NEWER_GEMMA = "{#- OpenAI Chat Completions:"
"""Words of the Gemma 4 template that reads messages of tools itself."""


def messages_for(
    drafts: Sequence[Draft], leaves: Leaves, can: Abilities, source: str, *, typed_parts: bool
) -> list[Message]:
    """The messages in the form that a template of these abilities gets.

    Raises TemplateRefused for arguments of a call that are no JSON where the template reads objects, and for parts in
    front of which a system text would have to be put.
    """
    arguments = _parsed if can.reads_objects else str
    sent = messages_of(drafts, leaves, typed_parts=typed_parts, arguments=arguments)
    found = [_sent(each, source) for each in sent]
    found = [_with_content(each, leaves, can) for each in found]
    if not can.reads_system:
        found = _without_system(found, leaves)
    name = can.form.name if can.form is not None else ""
    if name == "gemma4" and NEWER_GEMMA not in source:
        found = _results_in_calls(found)
    change = _CHANGES.get(name)
    return [change(each) for each in found] if change is not None else found


def _parsed(text: str) -> Any:
    """Arguments as the server's JSON reads them: numbers over 64 bits become fractions, over 63 they wrap."""
    try:
        return json.loads(text, parse_int=_whole, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise TemplateRefused(
            f"llama.cpp's server reads arguments of calls as JSON, and these are none: {error}"
        ) from error


def _whole(digits: str) -> int | float:
    number = int(digits)
    if -(2**63) <= number < 2**63:
        return number
    return number - 2**64 if 0 <= number < 2**64 else float(number)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


ORDER = ("role", "content", "reasoning_content", "name", "tool_call_id", "tool_calls")


def _sent(message: Message, source: str) -> Message:
    """A message with its members in the server's order; where it trims, without blanks at the ends of its texts."""
    message = {name: message[name] for name in ORDER if name in message}
    if "tool_calls" in message:
        message["tool_calls"] = [
            {name: call[name] for name in ("type", "function", "id")} for call in message["tool_calls"]
        ]
    if TRIMS not in source:
        return message
    if "reasoning_content" in message:
        message["reasoning_content"] = message["reasoning_content"].strip()
    content = message["content"]
    if isinstance(content, str):
        message["content"] = content.strip()
    else:
        message["content"] = [
            {**part, "text": part["text"].strip()} if "text" in part else part
            for part in cast("list[dict[str, Any]]", content)
        ]
    return message


def _with_content(message: Message, leaves: Leaves, can: Abilities) -> Message:
    """A message whose content is a text, or a list of parts, as the template reads it."""
    content = message["content"]
    if isinstance(content, list) and can.reads_text and not can.reads_parts:
        texts = [part["text"] for part in cast("list[dict[str, Any]]", content) if "text" in part]
        return {**message, "content": leaves.together(texts, "\n")}
    if not isinstance(content, list) and can.reads_parts and not can.reads_text:
        return {**message, "content": [{"type": "text", "text": content}]}
    return message


def _without_system(messages: list[Message], leaves: Leaves) -> list[Message]:
    """The first system text in front of the next message, for a template that doesn't read it."""
    if not messages or messages[0]["role"] != SYSTEM or len(messages) == 1:
        return [] if messages and messages[0]["role"] == SYSTEM else messages
    first, second, *others = messages
    texts = (first["content"], second["content"])
    if not all(isinstance(each, str) for each in texts):
        raise TemplateRefused("the template reads no system text, and the server can't put one in front of typed parts")
    return [{**second, "content": leaves.together(texts, "\n")}, *others]


def _results_in_calls(messages: list[Message]) -> list[Message]:
    """Results of tools, and the answer behind them, as members of the message with the calls."""
    found: list[Message] = []
    waiting = [*messages]
    while waiting:
        message = waiting.pop(0)
        if message["role"] != "assistant" or not message.get("tool_calls"):
            found.append(message)
            continue
        calls = message["tool_calls"]
        results: list[Message] = []
        while waiting and waiting[0]["role"] == "tool":
            result, number = waiting.pop(0), len(results)
            name = calls[number]["function"]["name"] if number < len(calls) else result.get("tool_call_id", "")
            results.append({"name": name, "response": _as_json(result["content"])})
        kept = {name: message[name] for name in ("role", "tool_calls", "reasoning_content") if name in message}
        if results:
            kept["tool_responses"] = results
        if waiting and waiting[0]["role"] == "assistant" and not waiting[0].get("tool_calls") and waiting[0]["content"]:
            kept["content"] = waiting.pop(0)["content"]
        found.append(kept)
    return found


def _as_json(content: Any) -> Any:
    """A result of a tool as the value that its text is in JSON, else as it is."""
    if not isinstance(content, TracedString):
        return content
    try:
        return json.loads(str.__str__(content))
    except (ValueError, RecursionError):
        return content


def _in_blocks(message: Message) -> Message:
    """A system text or an answer as blocks, its thoughts the first."""
    if message["role"] not in (SYSTEM, "assistant"):
        return message
    kept = {name: value for name, value in message.items() if name != "reasoning_content"}
    thought = message.get("reasoning_content")
    blocks = [{"type": "thinking", "thinking": thought}] if thought is not None else []
    content = message["content"]
    return {
        **kept,
        "content": [*blocks, *(content if isinstance(content, list) else [{"type": "text", "text": content}])],
    }


def _with_thinking(message: Message) -> Message:
    """A message whose thoughts have the older name too."""
    return {**message, "thinking": message["reasoning_content"]} if "reasoning_content" in message else message


def _in_harmony(message: Message) -> Message:
    """A message of gpt-oss: with thoughts and calls it has no words."""
    message = _with_thinking(message)
    if "thinking" in message and message.get("tool_calls"):
        return {name: value for name, value in message.items() if name != "content"}
    return message


_CHANGES: Mapping[str, Callable[[Message], Message]] = {
    "ministral": _in_blocks,
    "gpt-oss": _in_harmony,
    "lfm2": _with_thinking,
}


def definition_of(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool as the server builds it anew: a description and parameters are always there, all else is left out."""
    function = tool.get("function")
    own: Mapping[str, Any] = cast("Mapping[str, Any]", function) if isinstance(function, Mapping) else {}
    described = {"name": own.get("name", ""), "description": own.get("description") or ""}
    return {"type": "function", "function": {**described, "parameters": own.get("parameters") or {}}}

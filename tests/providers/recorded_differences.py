"""Differences between a recorded body and the one that is built again, each with its name and reason.

A difference takes away, on both sides, what it is about; what is left has to be equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """`alike` gives a body without the difference, which it may change; `reason` says why it is none to the model."""

    name: str
    reason: str
    alike: Callable[[Body], Body]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """All objects inside a value, the outer ones first."""
    if isinstance(value, dict):
        yield value
        for inner in [*value.values()]:
            yield from objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner)


def messages(body: Body) -> list[dict[str, Any]]:
    held = body.get("messages", body.get("input"))
    return [each for each in held if isinstance(each, dict)] if isinstance(held, list) else []


def without(*names: str, holding: Callable[[Any], bool] = lambda value: True) -> Callable[[Body], Body]:
    def alike(body: Body) -> Body:
        for each in objects(body):
            for name in names:
                if name in each and holding(each[name]):
                    del each[name]
        return body

    return alike


def one_text(body: Body) -> Body:
    for message in [*messages(body), body]:
        key = "system" if message is body else "content"
        held = message.get(key)
        if isinstance(held, list) and len(held) == 1 and isinstance(held[0], dict) and "text" in held[0]:
            rest = {name for name in held[0] if name not in ("type", "text")}
            message[key] = held[0]["text"] if not rest else held
    return body


def joined_texts(body: Body) -> Body:
    for message in messages(body):
        held = message.get("content")
        if not isinstance(held, list):
            continue
        parts: list[Any] = []
        between = "" if message.get("role") == "assistant" else "\n"
        for part in held:
            if parts and set(part) == set(parts[-1]) == {"type", "text"}:
                parts[-1] = {**part, "text": f"{parts[-1]['text']}{between}{part['text']}"}
            else:
                parts.append(part)
        message["content"] = parts
    return body


def without_blank_texts(body: Body) -> Body:
    for message in messages(body):
        if isinstance(message.get("content"), list):
            message["content"] = [p for p in message["content"] if str(p.get("text", "words")).strip()]
    return body


def question_alone(body: Body) -> Body:
    if isinstance(body.get("input"), str):
        body["input"] = [{"role": "user", "content": body["input"]}]
    return body


def prompts_first(body: Body) -> Body:
    held = body.get("input")
    prompts = [body.pop("instructions")] if body.get("instructions") else []
    while isinstance(held, list) and held and held[0].get("role") == "system":
        prompts.append(held.pop(0)["content"])
    if held == []:
        del body["input"]
    return {**body, "instructions": prompts} if prompts else body


def one_spelling(body: Body) -> Body:
    for each in objects(body) if "contents" in body else ():
        for old in [key for key in each if re.search("_[a-z]", key) and key != "return_value"]:
            each[re.sub("_([a-z])", lambda hit: hit[1].upper(), old)] = each.pop(old)
    return body


def listed_tools(body: Body) -> Body:
    tools = body.get("tools")
    return {**body, "tools": [tools]} if isinstance(tools, dict) else body


def words_of_results(body: Body) -> Body:
    for each in objects(body):
        answer = each.get("functionResponse")
        if isinstance(answer, dict) and isinstance(answer.get("response"), dict):
            response = answer["response"]
            for key in ("output", "error"):
                if [*response] == [key]:
                    response = response[key]
            answer["response"] = (
                response
                if isinstance(response, str)
                else json.dumps(response, ensure_ascii=False, separators=(",", ":"))
            )
    return body


def without_our_ids(body: Body) -> Body:
    for each in objects(body):
        if re.fullmatch(r"m\d+-call-\d+", str(each.get("id"))):
            del each["id"]
    return body


def without_sampler(body: Body) -> Body:
    return {key: value for key, value in body.items() if (key, value) != ("temperature", 1)}


def without_lone_thoughts(body: Body) -> Body:
    kept: list[Any] = []
    for item in body["input"] if isinstance(body.get("input"), list) else []:
        if item.get("role") == "user":
            while kept and kept[-1].get("type") == "reasoning":
                kept.pop()
        kept.append(item)
    return {**body, "input": kept} if kept else body


def history_here(body: Body) -> Body:
    held = messages(body)
    called = {item["call_id"] for item in held if item.get("type") == "function_call"}
    kept = [item for item in held if item.get("type") != "function_call_output" or item["call_id"] in called]
    return {**body, "input": kept} if len(kept) < len(held) else body


def results_next(body: Body) -> Body:
    """Texts of a poisoned message behind its results."""
    held = body.get("messages", [])
    for at, message in enumerate(held):
        content = message.get("content")
        kinds = [part.get("type") for part in content] if isinstance(content, list) else []
        if kinds == ["tool_use", "text"]:
            text = content.pop()
            held.insert(at + 2, {"role": "assistant", "content": text["text"]})
            break
    return body


def spoken(body: Body) -> Body:
    for each in objects(body):
        for key in [key for key, value in each.items() if value in ({}, [], "", None)]:
            del each[key]
    return body


def without_system_role(body: Body) -> Body:
    for each in objects(body.get("systemInstruction")):
        each.pop("role", None)
    return body


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        "a mark of the cache",
        "marks are placed anew, where this request and the one before are the same",
        without("cache_control", "prompt_cache_breakpoint"),
    ),
    Difference("both spellings of Gemini", "it takes snake case and camel case; camel case is sent", one_spelling),
    Difference("one tool, not in a list", "the form wants a list", listed_tools),
    Difference(
        "text is what is given",
        "without a modality Gemini gives text",
        without("responseModalities", holding=lambda value: value == ["TEXT"]),
    ),
    Difference("a field that says nothing", "an empty list, object or text and null are as good as none", spoken),
    Difference("the role of a system instruction", "Gemini doesn't look at it", without_system_role),
    Difference(
        "a result that didn't fail",
        "is_error is false where it isn't there",
        without("is_error", holding=lambda value: value is False),
    ),
    Difference("an id of ours for a call", "calls without an id get one, and so do their results", without_our_ids),
    Difference(
        "a result that is an object", "what tools give is text here, sent under output or error", words_of_results
    ),
    Difference("a temperature that changes nothing", "models that think refuse all but their own", without_sampler),
    Difference("a blank text", "the vendor refuses it, or means nothing by it", without_blank_texts),
    Difference("texts next to one another", "they are one text in a session", joined_texts),
    Difference("one text in a list", "a text alone is the shorter form of the same", one_text),
    Difference(
        "thoughts that nothing follows", "request-gate leaves them out: they belong to a reply", without_lone_thoughts
    ),
    Difference("a history at the vendor's", "a result without its call is left out by request-gate", history_here),
    Difference("a question alone", "a list of one question is the longer form of the text", question_alone),
    Difference("prompts in front", "system messages before all others are instructions", prompts_first),
    Difference("a poisoned order", "words between a call and its result go behind it", results_next),
)
"""In the order in which they are applied."""

"""Replies: where ours differ from the reference's on purpose."""

from __future__ import annotations

from typing import Any

from tests.golden.cases import Case
from tests.golden.replies import is_reply, vendor_of
from tests.golden.rules.rule import Rule

FILES = ("llm_requests",)


def _cached_too(case: Case) -> Any:
    usage, cached = case.expected["usage"], case.input["value"]["usage"]["cache_read_input_tokens"]
    (call,) = case.expected["toolCalls"]
    (block,) = [block for block in case.input["value"]["content"] if block["type"] == "tool_use"]
    return {
        **case.expected,
        "usage": {
            **usage,
            "promptTokens": usage["promptTokens"] + cached,
            "totalTokens": usage["totalTokens"] + cached,
        },
        "toolCalls": [{**call, "function": {**call["function"], "arguments": block["input"]}}],
    }


RULES: tuple[Rule, ...] = (
    Rule(
        "no such vendor",
        "Cohere's replies are none of ours.",
        FILES,
        lambda case: is_reply(case) and vendor_of(case) == "cohere",
        lambda case: {"threw": f"there is no vendor {vendor_of(case)!r}"},
    ),
    Rule(
        "words beside a refusal",
        "What the model said beside its refusal stays: nothing is dropped in silence.",
        FILES,
        lambda case: is_reply(case) and "refusal" in case.name,
        lambda case: {**case.expected, "content": case.input["value"]["choices"][0]["message"]["content"]},
    ),
    Rule(
        "a reply without an answer",
        "It is refused in words of our own.",
        FILES,
        lambda case: is_reply(case) and "no choice" in case.name,
        lambda case: {"threw": "the reply has no choice with a message"},
    ),
    Rule(
        "tokens from the cache",
        "Anthropic counts tokens from the cache apart from its input: the prompt is both. Arguments are an object.",
        FILES,
        lambda case: is_reply(case) and vendor_of(case) == "anthropic",
        _cached_too,
    ),
)

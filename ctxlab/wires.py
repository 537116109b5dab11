"""The forms of requests that there are, a row each, and the providers that come with ctxlab.

A row holds what differs between forms and needs no code. What a form needs code for is in its folder of `providers/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

WireName = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A form of requests. Fields of bodies have the vendor's own names.

    `vendor` is the one whose form it is, `provider` the one whose rules a body of unknown origin is held to, `module`
    that of the vendor's client, which comes with `package`. `address` is the end of the addresses that take it.
    `messages` is the field of the messages; with `leads` the system messages before all others belong to the head, with
    `in_items` several values are one message. `heads` are the fields in front of the messages, in the order in which a
    prompt is read; `blocks` is the field with the parts of a message where a vendor caches up to any of them. A change
    of `rereads` has the messages read anew there. `first` are parameters that decide on the cache or stand in front of
    the system text, `last` others whose change has the messages read anew. `store` are the stored parameters that say
    whether a reply is kept, the first that is there counts. With `schemas` all models keep to a JSON schema. `reply` is
    the field of a reply with the answer, `usage` that of its counts, `counts` the words for input and output in it.
    """

    name: WireName
    vendor: str
    provider: str
    module: str
    package: str
    address: re.Pattern[str]
    messages: str
    heads: tuple[str, ...]
    reply: str
    blocks: str | None = None
    rereads: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    leads: bool = False
    in_items: bool = False
    store: tuple[str, str] = ("store", "responses_store")
    schemas: bool = False
    usage: str = "usage"
    counts: tuple[str, str] = ("prompt", "completion")


# fmt: off
CHAT: Final = Wire(
    name="openai-chat", vendor="openai", provider="openai-compatible", module="openai", package="openai",
    address=lazy_pattern(r"/chat/completions$"), messages="messages", heads=("model", "tools"), reply="choices",
    first=("prompt_cache_key", "response_format"), last=("reasoning_effort",), leads=True,
)
RESPONSES: Final = Wire(
    name="openai-responses", vendor="openai", provider="openai-responses", module="openai", package="openai",
    address=lazy_pattern(r"/responses(?:/compact)?$"), messages="input", heads=("model", "tools", "instructions"),
    reply="output", first=("prompt_cache_key", "text"), last=("reasoning",), leads=True, in_items=True,
    store=("responses_store", "store"), schemas=True, counts=("input", "output"),
)
ANTHROPIC: Final = Wire(
    name="anthropic", vendor="anthropic", provider="anthropic", module="anthropic", package="anthropic",
    address=lazy_pattern(r"/messages$|:(?:streamR|r)awPredict$|/invoke(?:-with-response-stream)?$"),
    messages="messages", heads=("model", "tools", "system"), reply="content", blocks="content",
    rereads=("tool_choice", "thinking"), last=("tool_choice", "thinking"), counts=("input", "output"),
)
GEMINI: Final = Wire(
    name="gemini", vendor="gemini", provider="gemini", module="google.genai", package="google-genai",
    address=lazy_pattern(r":(?:streamG|g)enerateContent$"), messages="contents", heads=("tools", "systemInstruction"),
    reply="candidates", blocks="parts", schemas=True, usage="usageMetadata",
)
# fmt: on
WIRES: Final[Mapping[str, Wire]] = MappingProxyType({wire.name: wire for wire in (CHAT, RESPONSES, ANTHROPIC, GEMINI)})

_SERVED = {"openai": "openai", RESPONSES.name: "openai", "anthropic": "anthropic", "gemini": "google"}
PROVIDERS: Final[Mapping[str, str | None]] = MappingProxyType(
    {**_SERVED, "deepseek": "deepseek", "openai-compatible": None}
)
"""The providers that come with ctxlab, in the order in which they are offered.

Each with the vendor whose models it serves, by its name in the table of prices; None: it serves any.
"""
OF_WIRE: Final[Mapping[str, str]] = MappingProxyType({"anthropic": "anthropic", "google": "gemini"})
"""Providers by the wire format of a model's profile or name, where it isn't OpenAI's."""
LOCAL_SERVERS: Final = ("ollama", "llama.cpp", "koboldcpp", "vllm")
"""Programs that serve a model of one's own and speak OpenAI's chat wire, `openai-compatible`."""

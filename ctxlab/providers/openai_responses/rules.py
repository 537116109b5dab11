"""Rules of OpenAI's Responses: a dated table with where each is written."""

from __future__ import annotations

from ctxlab.providers.openai_chat.rules import BY_RULE as OF_CHAT
from ctxlab.providers.vendor_rule import VendorRule

_REFERENCE = "developers.openai.com, API reference: Create a model response; types of openai 3.54"
_CALLING = "developers.openai.com, Function calling"
_REASONING = "developers.openai.com, Reasoning models: keeping reasoning items in context"
_SHARED = (
    *(
        "field-unknown",
        "request-size",
        "picture-count",
        "text-encoding",
        "part-of-model",
        "url",
        "base64",
        "tool-name",
        "arguments",
    ),
    *("tool-name-twice", "tools", "tool-count", "tool-choice", "schema", "strict-schema", "answer-form", "json-word"),
    *("stream-options", "effort", "parameter-of-model"),
)


def _row(rule: str, says: str, source: str = _REFERENCE, *, as_of: str = "2026-11") -> VendorRule:
    return VendorRule(rule, "openai-responses", says, as_of, source)


RULES: tuple[VendorRule, ...] = (
    *(
        VendorRule(name, "openai-responses", OF_CHAT[name].says, OF_CHAT[name].as_of, OF_CHAT[name].source)
        for name in _SHARED
    ),
    _row("field-missing", "model and input, and the fields that an item, a part or a tool needs, are there"),
    _row("field-value", "each field has a value of its type and in its range; a reply has at least 16 tokens"),
    _row("messages", "the input is a text or an array of at least one item"),
    _row("item-type", "an item is a message, a call, an output, reasoning, or one of the vendor's own tools"),
    _row("item-id", "an id begins with msg_, fc_ or rs_ by the type of its item, and has up to 64 characters"),
    _row("item-id-twice", "items have different ids (error: Duplicate item found)"),
    _row("role", "a message is the user's, system's, developer's or assistant's"),
    _row("content", "a content or an output is a text or at least one part"),
    _row("part-type", "a part is input_text, input_image, input_file, output_text or refusal"),
    _row("part-of-role", "the assistant's parts are output_text and refusal, all others' begin with input"),
    _row("file", "a file has one of its data with a name, an address, and an id"),
    _row("media-type", "pictures are PNG, JPEG, GIF or WebP", "developers.openai.com, Images and vision"),
    _row("call-id", "a call has an id of 1 to 64 characters (error string_above_max_length)", _CALLING),
    _row("call-id-twice", "calls have different ids", _CALLING),
    _row("call-without-result", "each call has its output behind it", _CALLING),
    _row("result-id", "an output names its call", _CALLING),
    _row("result-without-call", "an output has its call before it, or the conversation goes on from one", _CALLING),
    _row("reasoning", "a reasoning item has encrypted content in base64, or the id of a stored one", _REASONING),
    _row("reasoning-alone", "behind a reasoning item with an id stands the item that it led to", _REASONING),
    _row("tool-type", "a tool is a function, a custom tool, or one of the vendor's own", _CALLING),
    _row("choice-without-tools", "a tool that is required has to be there", _CALLING),
    _row("goes-on", "previous_response_id and conversation exclude each other"),
    _row("context-window", "a prompt isn't longer than the model's window", "developers.openai.com, Models"),
    _row("reply-limit", "each model replies up to its own limit", "developers.openai.com, Models"),
)

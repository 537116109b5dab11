"""Rules of OpenAI's chat form: a dated table with where each is written."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlab.providers.vendor_rule import VendorRule

_REFERENCE = "developers.openai.com, API reference: Create chat completion; types of openai 3.54"
_DEEPSEEK = "api-docs.deepseek.com, Create chat completion"
_CALLING = "developers.openai.com, Function calling"
_STRICT = "developers.openai.com, Structured outputs: supported schemas"
_IMAGES = "developers.openai.com, Images and vision"
_FILES = "developers.openai.com, File inputs"
_THINKING = "developers.openai.com, Reasoning models"


def _row(
    rule: str, says: str, source: str = _REFERENCE, *, as_of: str = "2026-11", vendor: str = "openai"
) -> VendorRule:
    return VendorRule(rule, vendor, says, as_of, source)


RULES: tuple[VendorRule, ...] = (
    _row("field-unknown", "a field that the form doesn't have is refused"),
    _row("field-missing", "model and messages, and the fields that a part or a tool needs, are there"),
    _row("field-value", "each field has a value of its type and in its range"),
    _row("request-size", "a request has up to 512 MB", _IMAGES, as_of="2026-04"),
    _row("request-size", "a request has up to 48 MiB", _DEEPSEEK, as_of="2026-09", vendor="deepseek"),
    _row("picture-count", "a request has up to 1,500 pictures", _IMAGES, as_of="2026-04"),
    _row("messages", "messages are an array of at least one"),
    _row("message-count", "an array of messages has up to 2,048 (error array_above_max_length)"),
    _row("role", "a message is the system's, developer's, user's, assistant's, a tool's or a function's"),
    _row("content", "a content is a text or at least one part; only an assistant with calls has none"),
    _row("role", "a message is the system's, user's, assistant's or a tool's", _DEEPSEEK, vendor="deepseek"),
    _row("part-type", "a part is text, refusal, image_url, input_audio or file"),
    _row("part-of-role", "pictures, sound and files stand in messages of the user, refusals in the assistant's"),
    _row("part-of-model", "a model takes the kinds of files that it reads", "developers.openai.com, Models"),
    _row("file", "a file has its data with a name, or an id", _FILES),
    _row("url", "an address is http, https or a data URL in base64", _IMAGES),
    _row("media-type", "pictures are PNG, JPEG, GIF or WebP, files PDF", f"{_IMAGES}; {_FILES}"),
    _row("base64", "bytes are base64 of the standard alphabet", _IMAGES),
    _row("name", "a name matches ^[^\\s<|\\\\/>]+$ and has up to 64 characters (error string_does_not_match_pattern)"),
    _row("calls", "a message has 1 to 128 calls (error array_above_max_length)", _CALLING),
    _row("call-type", "a call is of type function or custom", _CALLING),
    _row("call-shape", "a call has an object with name and arguments", _CALLING),
    _row("call-id", "a call has an id of up to 40 characters (error string_above_max_length)", _CALLING),
    _row("call-id-twice", "calls of one message have different ids", _CALLING),
    _row("call-without-result", "each call is answered right behind its message", _CALLING),
    _row("result-id", "a result names its call", _CALLING),
    _row("result-without-call", "a result stands behind the message with its call", _CALLING),
    _row("tool-name", "a tool's name is 1 to 64 letters, digits, _ and -", _CALLING),
    _row("tool-name-twice", "tools have different names, or the model can't tell them apart", _CALLING),
    _row(
        "tool-name-twice",
        "tools have different names (error: Tool names must be unique)",
        "the vendor's replies, as users report them",
        as_of="2026-08",
        vendor="deepseek",
    ),
    _row("arguments", "arguments are the text of a JSON object", _CALLING),
    _row("tools", "tools are an array of at least one", _CALLING),
    _row("tool-count", "a request has up to 128 tools (error array_above_max_length)", _CALLING),
    _row("tool-type", "a tool is of type function or custom", _CALLING),
    _row("tool-choice", "the choice is none, auto, required, or a tool that is there", _CALLING),
    _row("choice-without-tools", "tool_choice and parallel_tool_calls need tools", _CALLING),
    _row("schema", "the parameters of a function are a schema of type object", _CALLING),
    _row("strict-schema", "a strict schema requires all properties and takes no others", _STRICT),
    _row("answer-form", "an answer is text, json_object or json_schema", _STRICT),
    _row("json-word", "JSON is asked for in a message too, in its letters", "developers.openai.com, JSON mode"),
    _row("prefix", "the beginning of a reply is the last message, and the assistant's", _DEEPSEEK, vendor="deepseek"),
    _row("stop", "up to 4 stops"),
    _row("stop", "up to 16 stops", _DEEPSEEK, vendor="deepseek"),
    _row("stream-options", "stream_options need stream"),
    _row("top-logprobs", "top_logprobs need logprobs"),
    _row("audio", "sound in an answer needs a voice and a format", "developers.openai.com, Audio and speech"),
    _row("reply-limit", "models that think take max_completion_tokens, and each up to its own limit", _THINKING),
    _row("effort", "a model knows some efforts and refuses others; one that doesn't think takes none", _THINKING),
    _row("parameter-of-model", "models that think refuse parameters of sampling", _THINKING),
    _row(
        "thoughts-of-calls",
        "while it thinks, messages with calls carry reasoning_content; without it status 400",
        "api-docs.deepseek.com, Thinking mode: tool calls",
        vendor="deepseek",
    ),
    _row("context-window", "a prompt isn't longer than the model's window", "developers.openai.com, Models"),
    _row("text-encoding", "a body is JSON in UTF-8, which half a surrogate pair can't be written in", "RFC 8259, 8.1"),
)
BY_RULE: Mapping[str, VendorRule] = {rule.rule: rule for rule in reversed(RULES)}

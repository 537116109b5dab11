"""Anthropic's rules: what each problem's rule says, since when that is known, and where it is written."""

from __future__ import annotations

from ctxlab.providers.vendor_rule import VendorRule

_REFERENCE = "platform.claude.com, API reference: Create a Message"
_ERRORS = "platform.claude.com, API: Errors"
_TOOLS = "platform.claude.com, Handle tool calls"
_DEFINE = "platform.claude.com, Define tools"
_THINKING = "platform.claude.com, Extended thinking; Adaptive thinking"
_SYSTEM = "platform.claude.com, Mid-conversation system messages: limitations"
_VISION = "platform.claude.com, Vision"
_CACHE = "platform.claude.com, Prompt caching"
_OUTPUT = "platform.claude.com, Structured outputs"
_MODELS = "platform.claude.com, Models overview; Migration guide"


def _rule(rule: str, says: str, source: str, as_of: str = "2026-11") -> VendorRule:
    return VendorRule(rule, "anthropic", says, as_of, source)


RULES: tuple[VendorRule, ...] = (
    _rule("context-window", "the prompt and the reply's limit together fit into the model's window", _MODELS),
    _rule("type", "a field holds a value of its type", _REFERENCE),
    _rule("unknown-field", "a field that the API doesn't know is refused", _REFERENCE),
    _rule("missing-field", "model, max_tokens, messages and each block's own fields are there", _REFERENCE),
    _rule("choice", "a word is one of those that are listed", _REFERENCE),
    _rule("range", "a number is in its range: temperature 0 to 1, a budget of thinking from 1,024", _REFERENCE),
    _rule("empty-value", "a text or a list that has to hold something isn't empty", _REFERENCE),
    _rule("too-long", "a text has at most so many characters: a user_id 256, a tool's name 128", _REFERENCE),
    _rule("too-many", "a list has at most so many values: 100,000 messages", _REFERENCE),
    _rule("unwritable", "the body is JSON", _REFERENCE),
    _rule("request-size", "a request has at most 32 MB", _ERRORS),
    _rule("stream", "a reply comes as a stream when the body says so", _REFERENCE),
    _rule("blank-text", "a text has a character that is no white space", "error of the API, seen 2026-07", "2026-07"),
    _rule("empty-message", "each message but a beginning of the reply at the end has content", _REFERENCE),
    _rule("block-role", "results and files are the user's, thoughts and calls the model's", _REFERENCE),
    _rule("system-inside", "system messages inside the history are for some models alone", _SYSTEM, "2026-07"),
    _rule("system-first", "a system message isn't the first message", _SYSTEM, "2026-07"),
    _rule("system-place", "a system message follows the user, and then the model speaks or nobody", _SYSTEM, "2026-07"),
    _rule("tool-pair", "each call has its result in the next message, each result its call before", _TOOLS),
    _rule("results-first", "results stand before everything else in their message", _TOOLS),
    _rule(
        "text-after-call", "no words stand between a call and its result", "refusal recorded from the API", "2026-05"
    ),
    _rule("repeated-id", "ids of calls are unique", _TOOLS),
    _rule("call-id", "an id of a call has letters of ASCII, digits, _ and - alone", _REFERENCE),
    _rule("server-pair", "a result of the vendor's tool follows its call", _TOOLS),
    _rule("signature", "thoughts go back with their signature", _THINKING),
    _rule("thoughts-last", "a message of the model doesn't end with thoughts", _THINKING),
    _rule("thinking-first", "with a budget, the turn that results continue begins with its thoughts", _THINKING),
    _rule("prefill-model", "from the generation of 4.6 on no model takes a beginning of its reply", _ERRORS),
    _rule("prefill-thinking", "a model that thinks takes no beginning of its reply", _THINKING),
    _rule("prefill-format", "a reply by a schema has no beginning", _OUTPUT),
    _rule("trailing-space", "a beginning of the reply doesn't end with white space", "error of the API", "2026-06"),
    _rule("picture-count", "a request has at most 100 pictures, 600 where the window is a million tokens", _VISION),
    _rule("picture-size", "a picture has at most 5 MB of base64", _VISION),
    _rule("media-type", "a picture is sent as what its bytes are", _VISION),
    _rule("base64", "bytes are in the standard alphabet and filled up", _VISION),
    _rule("url-scheme", "links are fetched by https", _VISION),
    _rule("unread-file", "a model gets only files that it reads", _VISION),
    _rule("reply-limit", "max_tokens is at most the model's limit, and not 0 in a stream", _MODELS),
    _rule("thinking-kind", "a model takes its own forms of thinking", _MODELS),
    _rule("thinking-budget", "the budget of thinking is below max_tokens", _THINKING),
    _rule("while-thinking", "temperature 1, top_p from 0.95, no top_k, no forced call while it thinks", _THINKING),
    _rule("model-parameter", "a parameter is one that the model takes", _MODELS),
    _rule("not-both", "some models take temperature or top_p, not both", _MODELS),
    _rule("api-version", "version 2026-10-21 has no temperature, top_p, top_k", "platform.claude.com, API: Versions"),
    _rule("blank-stop", "a stop sequence has a character that is no white space", "error of the API", "2026-06"),
    _rule("tool-type", "a tool of the vendor's is one of its dated types", _DEFINE),
    _rule("tool-name", "names of tools are unique, of letters of ASCII, digits, _ and -", _DEFINE),
    _rule("tool-schema", "a tool's schema is an object without oneOf, anyOf and allOf at its top", _DEFINE),
    _rule("tool-choice", "a choice of tools names one that is there", _DEFINE),
    _rule("output-schema", "objects of a reply's schema allow no additional properties", _OUTPUT),
    _rule("cache-marks", "a request has at most four cache marks", _CACHE),
    _rule("cache-order", "marks of an hour stand before those of five minutes", _CACHE),
)

"""Gemini's rules: what each problem's rule says, since when that is known, and where it is written."""

from __future__ import annotations

from ctxlab.providers.vendor_rule import VendorRule

_REFERENCE = "ai.google.dev, API reference: Generating content"
_TYPES = "ai.google.dev, API reference: Caching, types of Content, Part, Tool and Schema"
_CALLING = "ai.google.dev, Function calling"
_SIGNATURES = "ai.google.dev, Thought signatures"
_THINKING = "ai.google.dev, Thinking"
_FILES = "ai.google.dev, File input methods"
_OUTPUT = "ai.google.dev, Structured output"


def _rule(rule: str, says: str, source: str, as_of: str = "2026-11") -> VendorRule:
    return VendorRule(rule, "gemini", says, as_of, source)


RULES: tuple[VendorRule, ...] = (
    _rule("context-window", "a prompt isn't longer than the model's window", "ai.google.dev, Models"),
    _rule("type", "a field holds a value of its type", _REFERENCE),
    _rule("unknown-field", "a field that the API doesn't know is refused", _REFERENCE),
    _rule("missing-field", "contents and each part's own fields are there", _TYPES),
    _rule("choice", "a word is one of those that are listed", _REFERENCE),
    _rule("range", "a number is in its range: temperature 0 to 2, a budget of thinking in the model's", _REFERENCE),
    _rule("empty-value", "contents, parts and names aren't empty", "error of the API, seen 2026-01", "2026-01"),
    _rule("too-long", "a text has at most so many characters", _REFERENCE),
    _rule("too-many", "a request has at most 5 stop sequences and 512 functions", _REFERENCE),
    _rule("unwritable", "the body is JSON", _REFERENCE),
    _rule("model-name", "a model is named by letters, digits, dots and dashes", _REFERENCE),
    _rule("request-size", "a request has at most 100 MB", _FILES, "2026-06"),
    _rule("empty-part", "a part holds something", "error of the API, seen 2026-01", "2026-01"),
    _rule("part-data", "a part holds one thing", _TYPES),
    _rule("part-role", "calls are the model's, responses the user's, the system instruction is text", _TYPES),
    _rule("call-place", "a call follows the user or a response", "error of the API, seen 2026-05", "2026-05"),
    _rule("single-content", "a request of one content is the user's", "error of the API, seen 2025-11", "2025-11"),
    _rule("response-place", "a response follows its call", "error of the API, seen 2026-04", "2026-04"),
    _rule("response-count", "there are as many responses as calls in the content before", _CALLING),
    _rule("response-name", "a response has the name of the function that was called", _CALLING),
    _rule("missing-signature", "Gemini 3 wants back the signatures of the turn that is going on", _SIGNATURES),
    _rule("signature", "a signature goes back as it came", _SIGNATURES),
    _rule("function-name", "names of functions are unique and of certain characters", _TYPES),
    _rule("schema", "a schema says only what Schema has fields for", _TYPES),
    _rule("response-schema", "a reply by a schema is JSON, and has one schema", _OUTPUT),
    _rule("base64", "bytes are in the standard alphabet and filled up", _FILES),
    _rule("media-type", "a picture is sent as what its bytes are", _FILES),
    _rule("url-scheme", "a file's URI is a whole one", _FILES),
    _rule("unread-file", "a model gets only files that it reads", _FILES),
    _rule("reply-limit", "maxOutputTokens is at most the model's limit", "ai.google.dev, Models"),
    _rule("model-parameter", "a parameter is one that the model takes", "ai.google.dev, Models"),
    _rule("logprobs", "a number of logprobs goes with responseLogprobs", _REFERENCE),
    _rule("thinking-kind", "a model takes its own form of thinking, a level or a budget", _THINKING),
    _rule("tools-together", "before Gemini 3 functions go with no other tool and no JSON reply", _CALLING),
    _rule("tool-choice", "names of allowed functions are declared, in the modes ANY and VALIDATED", _CALLING),
    _rule("safety-twice", "a category has one setting", _REFERENCE),
)

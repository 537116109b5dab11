"""Rules of Google's Gemini API, beyond the shapes of its fields."""

from __future__ import annotations

from ctxlab.testing.fake_server.refusal import Rule, rules, shape_rules

API = "https://ai.google.dev/api/generate-content"
CONTENT = "https://ai.google.dev/api/caching#Content"
CALLING = "https://ai.google.dev/gemini-api/docs/function-calling"
SIGNATURES = "https://ai.google.dev/gemini-api/docs/thought-signatures"
THINKING = "https://ai.google.dev/gemini-api/docs/thinking"
ERRORS = "https://ai.google.dev/gemini-api/docs/troubleshooting"
FILES = "https://ai.google.dev/gemini-api/docs/file-input-methods"
SAFETY = "https://ai.google.dev/gemini-api/docs/safety-settings"
STRUCTURED = "https://ai.google.dev/gemini-api/docs/structured-output"
CACHING = "https://ai.google.dev/gemini-api/docs/caching"
CALL_TURNS = "https://github.com/google-gemini/gemini-cli/issues/26956"

RULES = rules(
    shape_rules(API, "2026-11-23"),
    Rule("key", "A request has a key, in x-goog-api-key or as ?key=.", ERRORS, "2026-11-23"),
    Rule("size", "A request has at most 100 MB.", FILES, "2026-11-23"),
    Rule("role", "A role is user or model.", CONTENT, "2026-07-21", "report"),
    Rule(
        "part-data",
        "A part has exactly one of text, a file, a call, a response and the like; text is not empty.",
        CONTENT,
        "2026-11-23",
    ),
    Rule("part-role", "Calls and thoughts are the model's, responses the user's.", CONTENT, "2026-11-23"),
    Rule("single-turn", "A request of one turn is the user's.", API, "2025-10-23", "report"),
    Rule(
        "call-turn", "A turn with calls follows a user turn or a turn of responses.", CALL_TURNS, "2026-05-17", "report"
    ),
    Rule("call-unanswered", "A turn of calls is followed by a turn with as many responses.", CALLING, "2026-11-23"),
    Rule("response-orphan", "A turn of responses follows the turn with its calls.", CALLING, "2026-11-23"),
    Rule("response-name", "A response has the name of its call, and its id where it has one.", CALLING, "2026-11-23"),
    Rule("signature", "A thoughtSignature is the base64 that was given, unchanged.", SIGNATURES, "2026-11-23"),
    Rule(
        "signature-missing",
        "From Gemini 3 on, the first call of each step of the present turn has its signature.",
        SIGNATURES,
        "2026-11-23",
    ),
    Rule("system-text", "System instructions are text.", f"{API}#request-body", "2026-11-23"),
    Rule(
        "tool-name",
        "A function's name begins with a letter or _, and has at most 128 letters, digits, _ . : or -.",
        CALLING,
        "2026-11-23",
    ),
    Rule("tool-name-repeated", "Names of functions are unique.", CALLING, "2026-11-23"),
    Rule(
        "tool-schema",
        "parameters are an OpenAPI schema of an object; JSON Schema goes to parametersJsonSchema.",
        CALLING,
        "2026-11-23",
    ),
    Rule(
        "tool-choice",
        "allowedFunctionNames go with mode ANY or VALIDATED, and name declared functions.",
        CALLING,
        "2026-11-23",
    ),
    Rule("tool-mix", "Before Gemini 3, functions and the vendor's own tools don't go together.", CALLING, "2026-11-23"),
    Rule("json-with-tools", "Before Gemini 3, JSON replies don't go with functions.", STRUCTURED, "2026-11-23"),
    Rule("json-schema", "A response schema needs a JSON type; one schema, not both.", STRUCTURED, "2026-11-23"),
    Rule("reply-limit", "maxOutputTokens is within the model's limit.", API, "2026-11-23"),
    Rule("stop-count", "At most 5 stop sequences.", API, "2026-11-23"),
    Rule("logprobs", "logprobs need responseLogprobs.", API, "2026-11-23"),
    Rule(
        "thinking-model",
        "Thinking settings go to models that think; levels to those from Gemini 3 on.",
        THINKING,
        "2026-11-23",
    ),
    Rule("thinking-both", "thinkingBudget or thinkingLevel, not both.", THINKING, "2026-11-23"),
    Rule("thinking-budget", "A budget is within the model's limits.", THINKING, "2026-11-23"),
    Rule("safety-repeated", "A category of safety is there once.", SAFETY, "2026-11-23"),
    Rule("base64", "The data of files is base64.", FILES, "2026-11-23"),
    Rule("mime-type", "A file is of a type that Gemini reads.", FILES, "2026-11-23"),
    Rule("url", "A file by address is at https (or gs).", FILES, "2026-11-23"),
    Rule("cached-content", "cachedContent brings its own system instruction and tools.", CACHING, "2026-11-23"),
)

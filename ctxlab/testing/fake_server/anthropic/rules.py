"""Rules of Anthropic's Messages API, beyond the shapes of its fields."""

from __future__ import annotations

from ctxlab.testing.fake_server.refusal import Rule, rules, shape_rules

API = "https://platform.claude.com/docs/en/api/messages"
THINKING = "https://platform.claude.com/docs/en/build-with-claude/extended-thinking"
TOOLS = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls"
CACHING = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching"
VISION = "https://platform.claude.com/docs/en/build-with-claude/vision"
SYSTEM = "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages"
MIGRATION = "https://platform.claude.com/docs/en/about-claude/models/migration-guide"
VERSIONS = "https://platform.claude.com/docs/en/api/versioning"
ERRORS = "https://platform.claude.com/docs/en/api/errors"
ORDER_RECORDED = "a recorded 400: opencode, rejects-malformed-assistant-tool-order-without-patch"

RULES = rules(
    shape_rules(API, "2026-11-23"),
    Rule("size", "A request has at most 32 MB.", ERRORS, "2026-11-23"),
    Rule("key", "A request has a key, in x-api-key or as a bearer token.", ERRORS, "2026-11-23"),
    Rule("version", "The header anthropic-version says 2023-06-01 or 2026-10-21.", VERSIONS, "2026-11-23"),
    Rule("sampling-version", "Version 2026-10-21 has no temperature, top_p and top_k.", VERSIONS, "2026-10-21"),
    Rule("citations-user", "Version 2026-10-21 has no citations in texts of the user.", VERSIONS, "2026-10-21"),
    Rule("reply-limit", "max_tokens is within the model's limit.", API, "2026-11-23"),
    Rule("content-empty", "Only the last message, if the assistant's, may be empty.", API, "2026-11-23", "report"),
    Rule("text-empty", "A text block has text; a message has more than white space.", API, "2026-11-23", "report"),
    Rule(
        "block-role",
        "Pictures, files and results are the user's, thinking and calls the assistant's.",
        API,
        "2026-11-23",
    ),
    Rule("system-model", "role: system is taken from Opus 4.8 on, not by Sonnet 5.", SYSTEM, "2026-09-04", "report"),
    Rule(
        "system-place",
        "A system message follows a user turn or a server tool's, and ends the array or precedes the assistant.",
        SYSTEM,
        "2026-05-28",
    ),
    Rule("tool-unanswered", "Each tool_use has its tool_result in the next user turn.", TOOLS, "2026-11-23"),
    Rule("tool-orphan", "Each tool_result answers a tool_use of the turn before it.", TOOLS, "2026-11-23"),
    Rule("tool-result-first", "Results come first in their turn, before any text.", TOOLS, "2026-11-23"),
    Rule("tool-use-last", "No text follows a tool_use in the same turn.", ORDER_RECORDED, "2026-11-23", "recording"),
    Rule("tool-id-repeated", "Ids of calls are unique, and each is answered once.", TOOLS, "2026-11-23", "report"),
    Rule("tool-name", "A tool's name has 1 to 128 letters, digits, _ or -.", API, "2026-11-23"),
    Rule("tool-name-repeated", "Names of tools are unique.", API, "2026-11-23"),
    Rule("tool-schema", "input_schema is a JSON schema of an object.", API, "2026-11-23"),
    Rule("tool-choice", "tool_choice needs tools, and names one of them.", API, "2026-11-23"),
    Rule("tool-choice-thinking", "With thinking, tool_choice is auto or none.", THINKING, "2026-11-23"),
    Rule(
        "prefill-model",
        "From generation 4.6 on, a request does not end with the assistant.",
        f"{ERRORS}#prefill-not-supported",
        "2026-02-05",
    ),
    Rule("prefill-space", "The last text of a prefill does not end with white space.", API, "2026-11-23", "report"),
    Rule("prefill-thinking", "A prefill does not go with thinking.", THINKING, "2026-11-23"),
    Rule(
        "thinking-model",
        "A model takes some of enabled, adaptive, disabled and between_tools.",
        MIGRATION,
        "2026-10-06",
    ),
    Rule("thinking-budget", "budget_tokens is at least 1,024 and below max_tokens.", THINKING, "2026-11-23"),
    Rule(
        "thinking-first",
        "With a budget, the turn that results continue begins with its thinking.",
        THINKING,
        "2026-11-23",
    ),
    Rule("thinking-last", "A turn does not end with thinking.", THINKING, "2026-04-20", "report"),
    Rule("signature", "A thinking block has the signature that came with it, unchanged.", THINKING, "2026-11-23"),
    Rule("effort-model", "An effort is one that the model has.", MIGRATION, "2026-11-23"),
    Rule("sampling-thinking", "With thinking: temperature 1, top_p from 0.95 on, no top_k.", THINKING, "2026-11-23"),
    Rule(
        "sampling-model",
        "From generation 4.7 on, no other temperature or top_p than 1, no top_k.",
        MIGRATION,
        "2026-10-06",
    ),
    Rule(
        "sampling-both", "Opus 4.1, and all from 4.5 to 4.6: temperature or top_p, not both.", MIGRATION, "2026-11-23"
    ),
    Rule("stop-blank", "A stop sequence has more than white space.", API, "2026-11-23", "report"),
    Rule("cache-marks", "At most 4 cache marks.", CACHING, "2026-11-23"),
    Rule("cache-order", "Marks of 1 h stand before those of 5 min.", CACHING, "2026-11-23"),
    Rule("base64", "The data of files is base64.", VISION, "2026-11-23"),
    Rule("url", "Files by address are at https.", VISION, "2026-11-23"),
    Rule("picture-type", "A picture is of the type that is said.", VISION, "2026-11-23", "report"),
    Rule("picture-size", "A picture has at most 5 MB.", VISION, "2026-11-23"),
    Rule("picture-count", "At most 100 pictures, 600 from generation 4.6 on.", VISION, "2026-11-23"),
)

"""Rules of Chat Completions, beyond the shapes of their fields; DeepSeek's own too."""

from __future__ import annotations

from ctxlab.testing.fake_server.refusal import Rule, rules, shape_rules

API = "https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create"
TOOLS = "https://developers.openai.com/api/docs/guides/function-calling"
REASONING = "https://developers.openai.com/api/docs/guides/reasoning"
LATEST = "https://developers.openai.com/api/docs/guides/latest-model"
VISION = "https://developers.openai.com/api/docs/guides/images-vision"
FILES = "https://developers.openai.com/api/docs/guides/pdf-files"
AUDIO = "https://developers.openai.com/api/docs/guides/audio"
JSON_MODE = "https://developers.openai.com/api/docs/guides/structured-outputs"
ERRORS = "https://developers.openai.com/api/docs/guides/error-codes"
DEEPSEEK = "https://api-docs.deepseek.com/api/create-chat-completion"
DEEPSEEK_THINKING = "https://api-docs.deepseek.com/guides/thinking_mode"
DEEPSEEK_PREFIX = "https://api-docs.deepseek.com/guides/chat_prefix_completion"

COMMON = (
    Rule("key", "A request has a key, as a bearer token.", ERRORS, "2026-11-23"),
    Rule("size", "A request has at most 512 MB (DeepSeek: 48 MiB).", VISION, "2026-11-23"),
    Rule("tool-orphan", "A tool message answers a call of the assistant message before it.", TOOLS, "2026-11-23"),
    Rule("tool-unanswered", "All calls are answered right after their message.", TOOLS, "2026-11-23"),
    Rule("tool-id-repeated", "Ids of calls in a message are unique, and each is answered once.", TOOLS, "2026-11-23"),
    Rule("tool-arguments", "The arguments of a call are the JSON text of an object.", TOOLS, "2026-11-23"),
    Rule("tool-name", "A function's name has 1 to 64 letters, digits, _ or -.", API, "2026-11-23"),
    Rule("tool-schema", "Parameters are a JSON schema of an object.", TOOLS, "2026-11-23"),
    Rule(
        "tool-choice", "tool_choice and parallel_tool_calls need tools; a named one is among them.", API, "2026-11-23"
    ),
    Rule("part-role", "Pictures, sound and files are the user's; other roles have text.", API, "2026-11-23"),
    Rule("assistant-empty", "An assistant message has content or calls.", API, "2026-11-23"),
    Rule("stop-count", "At most 4 stop sequences (DeepSeek: 16).", API, "2026-11-23"),
    Rule("stream-options", "stream_options need stream.", API, "2026-11-23"),
    Rule("logprobs", "top_logprobs need logprobs.", API, "2026-11-23"),
)
STRICTER = (
    Rule("json-word", "JSON mode needs the word JSON in a message.", JSON_MODE, "2026-11-23"),
    Rule("strict-schema", "A strict schema lists all its fields and requires each.", JSON_MODE, "2026-11-23"),
)
"""Rules of the vendors that many compatible servers don't have."""
FILE_RULES = (
    Rule("base64", "The data of files is base64.", VISION, "2026-11-23"),
    Rule("url", "A picture is at http or https, or in a data URL.", VISION, "2026-11-23"),
)
RULES = rules(
    shape_rules(API, "2026-11-23"),
    COMMON,
    STRICTER,
    FILE_RULES,
    Rule("audio", "Sound in an answer needs a voice and a format.", AUDIO, "2026-11-23"),
    Rule("token", "Biases stand under the ids of tokens.", API, "2026-11-23"),
    Rule("max-tokens-model", "Reasoning models take max_completion_tokens, not max_tokens.", REASONING, "2026-11-23"),
    Rule("max-tokens-both", "max_tokens or max_completion_tokens, not both.", API, "2026-11-23", "report"),
    Rule("reply-limit", "A reply limit is within the model's.", f"{API}#models", "2026-11-23"),
    Rule(
        "sampling-model",
        "While reasoning no other temperature, top_p or penalties than the default.",
        LATEST,
        "2026-11-23",
    ),
    Rule("stop-model", "Reasoning models from o3 on take no stop sequences.", API, "2026-11-23"),
    Rule("effort-model", "An effort is one that the model has; others take none.", REASONING, "2026-11-23"),
    Rule("pictures-model", "Pictures and files go to models that see.", VISION, "2026-11-23"),
    Rule("sound-model", "Sound goes to models that hear.", AUDIO, "2026-11-23"),
    Rule("picture-count", "At most 1,500 pictures.", VISION, "2026-11-23"),
    Rule("file", "A file has file_data with a name, or a file_id.", FILES, "2026-11-23"),
)
COMPATIBLE_RULES = rules(shape_rules(API, "2026-11-23"), COMMON, FILE_RULES)
DEEPSEEK_RULES = rules(
    shape_rules(DEEPSEEK, "2026-11-23"),
    COMMON,
    STRICTER,
    Rule("tool-name-repeated", "Names of tools are unique.", DEEPSEEK, "2026-08-15", "report"),
    Rule(
        "prefix-last",
        "Only the last message may have prefix, and it is the assistant's.",
        DEEPSEEK_PREFIX,
        "2026-11-23",
    ),
    Rule("prefix-beta", "A prefix needs the address that ends in /beta.", DEEPSEEK_PREFIX, "2026-11-23"),
    Rule("prefill-unmarked", "A last message of the assistant has prefix: true.", DEEPSEEK_PREFIX, "2026-11-23"),
    Rule(
        "reasoning-missing",
        "While thinking, a turn with calls has its reasoning_content.",
        DEEPSEEK_THINKING,
        "2026-11-23",
    ),
)

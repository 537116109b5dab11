"""Rules of OpenAI's Responses, beyond the shapes of their fields."""

from __future__ import annotations

from ctxlab.testing.fake_server.openai_chat.rules import ERRORS, FILES, JSON_MODE, LATEST, REASONING, TOOLS, VISION
from ctxlab.testing.fake_server.refusal import Rule, rules, shape_rules

API = "https://developers.openai.com/api/reference/resources/responses/methods/create"
STATE = "https://developers.openai.com/api/docs/guides/conversation-state"

RULES = rules(
    shape_rules(API, "2026-11-23"),
    Rule("key", "A request has a key, as a bearer token.", ERRORS, "2026-11-23"),
    Rule("size", "A request has at most 512 MB.", VISION, "2026-11-23"),
    Rule("input", "A request has an input, a prompt, or a conversation to go on with.", API, "2026-11-23"),
    Rule("state-both", "previous_response_id or conversation, not both.", STATE, "2026-11-23"),
    Rule("part-role", "The assistant has output_text and refusal, the others input_text and files.", API, "2026-11-23"),
    Rule("tool-orphan", "An output answers a call before it, here or in the stored conversation.", TOOLS, "2026-11-23"),
    Rule("tool-unanswered", "Each function_call has its function_call_output after it.", TOOLS, "2026-11-23"),
    Rule(
        "tool-id-repeated", "Ids of calls and of items are unique, and each call is answered once.", TOOLS, "2026-11-23"
    ),
    Rule("tool-arguments", "The arguments of a call are the JSON text of an object.", TOOLS, "2026-11-23"),
    Rule("tool-name", "A function's name has 1 to 64 letters, digits, _ or -.", API, "2026-11-23"),
    Rule("strict-schema", "A strict schema lists all its fields and requires each.", JSON_MODE, "2026-11-23"),
    Rule("tool-schema", "Parameters are a JSON schema of an object.", TOOLS, "2026-11-23"),
    Rule("tool-choice", "tool_choice needs tools; a named one is among them.", API, "2026-11-23"),
    Rule("item-id", "Ids of items begin with msg_, rs_ or fc_, by their type.", API, "2026-11-23", "report"),
    Rule(
        "reasoning-alone",
        "A stored reasoning item is followed by the item that it led to.",
        REASONING,
        "2026-11-23",
        "report",
    ),
    Rule(
        "reasoning-empty",
        "A reasoning item has encrypted_content, or an id of a stored one.",
        REASONING,
        "2026-11-23",
        "report",
    ),
    Rule("signature", "encrypted_content is what was given, unchanged.", REASONING, "2026-06-08", "report"),
    Rule("base64", "The data of files is base64.", VISION, "2026-11-23"),
    Rule("url", "A file is at http or https, or in a data URL.", VISION, "2026-11-23"),
    Rule("file", "A file has data with a name, an address, or an id.", FILES, "2026-11-23"),
    Rule("pictures-model", "Pictures and files go to models that see.", VISION, "2026-11-23"),
    Rule("picture-count", "At most 1,500 pictures.", VISION, "2026-11-23"),
    Rule("reply-limit", "A reply limit is within the model's.", API, "2026-11-23"),
    Rule("sampling-model", "While reasoning no other temperature or top_p than 1.", LATEST, "2026-11-23"),
    Rule("effort-model", "An effort is one that the model has; others take no reasoning.", REASONING, "2026-11-23"),
    Rule("stream-options", "stream_options need stream.", API, "2026-11-23"),
    Rule("json-word", "JSON mode needs the word JSON in the input.", API, "2026-11-23"),
)

"""Ways of breaking a body of the Gemini API, one at least for every rule."""

from __future__ import annotations

from tests.testing.breaks.shape import of_shape
from tests.testing.vendor_bodies import PNG, SCHEMA, Break, add, both, drop, put

CALL = {"functionCall": {"name": "weather", "args": {}}}
OF_GEMINI = [
    *of_shape("gemini", "contents", dots=False),
    Break("gemini", "shape.missing", "contents[0].parts", drop("contents", 0, "parts")),
    Break(
        "gemini", "shape.choice", "safetySettings[0].category", put("safetySettings", 0, "category", value="RUDENESS")
    ),
    Break("gemini", "shape.range", "generationConfig.temperature", put("generationConfig", "temperature", value=2.5)),
    Break("gemini", "role", "contents[2].role", put("contents", 2, "role", value="tool")),
    Break("gemini", "part-data", "contents[0].parts[0].text", put("contents", 0, "parts", 0, "text", value="")),
    Break("gemini", "part-data", "contents[0].parts[0]", put("contents", 0, "parts", 0, value={})),
    Break("gemini", "part-role", "contents[0].parts[0].functionCall", put("contents", 0, "parts", 0, value=CALL)),
    Break(
        "gemini",
        "single-turn",
        "contents[0].role",
        put("contents", value=[{"role": "model", "parts": [{"text": "x"}]}]),
    ),
    Break(
        "gemini",
        "call-turn",
        "contents[1]",
        both(drop("contents", 0), add("contents", at=0, value={"role": "model", "parts": [{"text": "x"}]})),
    ),
    Break("gemini", "call-unanswered", "contents[2]", drop("contents", 2, "parts", 0)),
    Break("gemini", "call-unanswered", "contents[2]", drop("contents", 2)),
    Break("gemini", "response-orphan", "contents[1].parts[0].functionResponse", drop("contents", 1)),
    Break(
        "gemini",
        "response-name",
        "contents[2].parts[0].functionResponse.name",
        put("contents", 2, "parts", 0, "functionResponse", "name", value="clock"),
    ),
    Break(
        "gemini",
        "response-name",
        "contents[2].parts[1].functionResponse.id",
        put("contents", 2, "parts", 1, "functionResponse", "id", value="1"),
    ),
    Break(
        "gemini",
        "signature",
        "contents[1].parts[1].thoughtSignature",
        put("contents", 1, "parts", 1, "thoughtSignature", value="?"),
    ),
    Break(
        "gemini",
        "signature-missing",
        "contents[1].parts[1].thoughtSignature",
        both(drop("contents", 4), drop("contents", 3), drop("contents", 1, "parts", 1, "thoughtSignature")),
        "gemini-3-pro-preview",
    ),
    Break(
        "gemini",
        "system-text",
        "systemInstruction.parts[0]",
        put("systemInstruction", "parts", value=[{"inlineData": {"mimeType": "image/png", "data": PNG}}]),
    ),
    Break(
        "gemini",
        "tool-name",
        "tools[0].functionDeclarations[0].name",
        put("tools", 0, "functionDeclarations", 0, "name", value="1st"),
    ),
    Break(
        "gemini",
        "tool-name-repeated",
        "tools[0].functionDeclarations[1].name",
        add("tools", 0, "functionDeclarations", value={"name": "weather"}),
    ),
    Break(
        "gemini",
        "tool-schema",
        "tools[0].functionDeclarations[0].parameters.additionalProperties",
        put("tools", 0, "functionDeclarations", 0, "parameters", "additionalProperties", value=False),
    ),
    Break(
        "gemini",
        "tool-choice",
        "toolConfig.functionCallingConfig.allowedFunctionNames",
        put("toolConfig", "functionCallingConfig", "mode", value="AUTO"),
    ),
    Break(
        "gemini",
        "tool-choice",
        "toolConfig.functionCallingConfig.allowedFunctionNames[0]",
        put("toolConfig", "functionCallingConfig", "allowedFunctionNames", value=["clock"]),
    ),
    Break("gemini", "tool-mix", "tools", add("tools", value={"googleSearch": {}})),
    Break(
        "gemini",
        "json-with-tools",
        "generationConfig.responseMimeType",
        put("generationConfig", "responseMimeType", value="application/json"),
    ),
    Break(
        "gemini",
        "json-schema",
        "generationConfig.responseSchema",
        put("generationConfig", "responseSchema", value=SCHEMA),
    ),
    Break(
        "gemini",
        "reply-limit",
        "generationConfig.maxOutputTokens",
        put("generationConfig", "maxOutputTokens", value=65_537),
    ),
    Break(
        "gemini",
        "stop-count",
        "generationConfig.stopSequences",
        put("generationConfig", "stopSequences", value=["x"] * 6),
    ),
    Break("gemini", "logprobs", "generationConfig.logprobs", put("generationConfig", "logprobs", value=3)),
    Break("gemini", "thinking-model", "generationConfig.thinkingConfig", both(), "gemini-2.0-flash"),
    Break(
        "gemini",
        "thinking-model",
        "generationConfig.thinkingConfig.thinkingLevel",
        put("generationConfig", "thinkingConfig", value={"thinkingLevel": "LOW"}),
    ),
    Break(
        "gemini",
        "thinking-both",
        "generationConfig.thinkingConfig.thinkingLevel",
        put("generationConfig", "thinkingConfig", "thinkingLevel", value="LOW"),
        "gemini-3-pro-preview",
    ),
    Break(
        "gemini",
        "thinking-budget",
        "generationConfig.thinkingConfig.thinkingBudget",
        put("generationConfig", "thinkingConfig", "thinkingBudget", value=0),
        "gemini-2.5-pro",
    ),
    Break(
        "gemini",
        "safety-repeated",
        "safetySettings[1].category",
        lambda body: body["safetySettings"].append(body["safetySettings"][0]),
    ),
    Break(
        "gemini",
        "base64",
        "contents[0].parts[1].inlineData.data",
        put("contents", 0, "parts", 1, "inlineData", "data", value="?"),
    ),
    Break(
        "gemini",
        "mime-type",
        "contents[0].parts[1].inlineData.mimeType",
        put("contents", 0, "parts", 1, "inlineData", "mimeType", value="application/zip"),
    ),
    Break(
        "gemini",
        "url",
        "contents[0].parts[2].fileData.fileUri",
        put("contents", 0, "parts", 2, "fileData", "fileUri", value="file:///etc/passwd"),
    ),
    Break("gemini", "cached-content", "tools", put("cachedContent", value="cachedContents/1")),
]

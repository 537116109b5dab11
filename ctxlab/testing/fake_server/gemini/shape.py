"""Shape of a generateContent request, field by field, as the request types of Google's SDK (3.4) say.

Fields may be in camelCase or snake_case, a null counts as absent, and a single value may stand for a list of one: so
protobuf's JSON is read.
"""

from __future__ import annotations

from typing import Any

from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.testing.fake_server.refusal import Path, Report
from ctxlab.testing.fake_server.shapes import Check, anything, flag, items, mapping, number, one_of, record, shown, text

FREE = {"args", "response", "properties", "parametersJsonSchema", "responseJsonSchema", "responseSchema", "labels"}
"""Fields whose own keys are the caller's, not the vendor's."""
UNDERSCORE = lazy_pattern(r"_([a-z])")


def camel(name: str) -> str:
    """The name of a field in camelCase.

    >>> camel("function_declarations")
    'functionDeclarations'
    """
    return UNDERSCORE.sub(lambda found: found[1].upper(), name)


def in_camel_case(value: Any) -> Any:
    """The body with its fields in camelCase; what is the caller's own stays as it is."""
    if isinstance(value, list):
        return [in_camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    names = {key: camel(key) for key in value}
    return {names[key]: item if names[key] in FREE else in_camel_case(item) for key, item in value.items()}


def message(fields: dict[str, Check], required: dict[str, Check] | None = None) -> Check:
    return record(required or {}, fields, takes_null=True)


def repeated(each: Check, *, least: int = 0, most: int | None = None, rule: str = "") -> Check:
    """A list, or a single value for a list of one."""
    many = items(each, least=least, most=most, rule=rule)

    def check(value: Any, path: Path, report: Report) -> None:
        many(value, path, report) if isinstance(value, list) else each(value, path, report)

    return check


def choice(*names: str) -> Check:
    """A name of an enumeration, in capitals or not."""

    def check(value: Any, path: Path, report: Report) -> None:
        if not isinstance(value, str) or value.upper() not in names:
            report.refuse("shape.choice", path, f"{shown(value)} is none of {', '.join(names)}")

    return check


TYPES = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
SCHEMA_FIELDS = {
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
}


def schema(value: Any, path: Path, report: Report) -> None:
    """A schema of OpenAPI 3.0, with the fields that Gemini lists."""
    if not isinstance(value, dict):
        report.refuse("shape.type", path, f"expected an object, got {shown(value)}")
        return
    for key, inner in value.items():
        name = camel(key)
        if name not in SCHEMA_FIELDS:
            report.refuse("tool-schema", (*path, key), f"a schema has no field {shown(key)}")
        elif name == "type":
            choice(*TYPES)(inner, (*path, key), report)
        elif name == "items":
            schema(inner, (*path, key), report)
        elif name == "properties":
            mapping(schema)(inner, (*path, key), report)
        elif name == "anyOf":
            items(schema)(inner, (*path, key), report)
        elif name == "enum":
            items(text())(inner, (*path, key), report)


BLOB = message({"displayName": text()}, {"mimeType": text(least=1), "data": text(least=1)})
CALL = message({"id": text(), "args": mapping()}, {"name": text(least=1)})
RESPONSE = message(
    {
        "id": text(),
        "parts": items(mapping()),
        "willContinue": flag,
        "scheduling": choice("SILENT", "WHEN_IDLE", "INTERRUPT"),
    },
    {"name": text(least=1), "response": mapping()},
)
DATA: dict[str, Check] = {
    "text": text(),
    "inlineData": BLOB,
    "fileData": message({"mimeType": text(), "displayName": text()}, {"fileUri": text(least=1)}),
    "functionCall": CALL,
    "functionResponse": RESPONSE,
    "executableCode": mapping(),
    "codeExecutionResult": mapping(),
    "toolCall": mapping(),
    "toolResponse": mapping(),
}
PART = message(
    {
        **DATA,
        "thought": flag,
        "thoughtSignature": text(least=1, rule="signature"),
        "videoMetadata": message({"startOffset": text(), "endOffset": text(), "fps": number(0, 24)}),
        "mediaResolution": anything,
        "partMetadata": mapping(),
    }
)
CONTENT = message({"role": one_of("user", "model", rule="role")}, {"parts": repeated(PART, least=1)})
SYSTEM = message({"role": text()}, {"parts": repeated(PART, least=1)})

FUNCTION_NAME = text(pattern=r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}", rule="tool-name")
DECLARATION = message(
    {
        "description": text(),
        "parameters": schema,
        "parametersJsonSchema": mapping(),
        "response": anything,
        "responseJsonSchema": anything,
        "behavior": choice("BLOCKING", "NON_BLOCKING"),
    },
    {"name": FUNCTION_NAME},
)
OWN_TOOLS = (
    "googleSearch",
    "googleSearchRetrieval",
    "codeExecution",
    "urlContext",
    "fileSearch",
    "googleMaps",
    "computerUse",
)
TOOL = message(
    {
        "functionDeclarations": repeated(DECLARATION),
        "mcpServers": repeated(mapping()),
        **dict.fromkeys(OWN_TOOLS, mapping()),
    }
)
FUNCTION_CALLING = message(
    {"mode": choice("AUTO", "ANY", "NONE", "VALIDATED"), "allowedFunctionNames": repeated(text(least=1))}
)
CATEGORIES = (
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
    "HARM_CATEGORY_CIVIC_INTEGRITY",
)
THRESHOLDS = ("BLOCK_LOW_AND_ABOVE", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_ONLY_HIGH", "BLOCK_NONE", "OFF")
THINKING = message(
    {
        "includeThoughts": flag,
        "thinkingBudget": number(-1, whole=True, rule="thinking-budget"),
        "thinkingLevel": choice("MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"),
    }
)
GENERATION: dict[str, Check] = {
    "temperature": number(0, 2),
    "topP": number(0, 1),
    "topK": number(1),
    "candidateCount": number(1, 8, whole=True),
    "maxOutputTokens": number(1, whole=True),
    "stopSequences": repeated(text(least=1), most=5, rule="stop-count"),
    "presencePenalty": number(-2, 2),
    "frequencyPenalty": number(-2, 2),
    "seed": number(-(2**31), 2**31 - 1, whole=True),
    "responseMimeType": one_of("text/plain", "application/json", "text/x.enum"),
    "responseSchema": anything,
    "responseJsonSchema": anything,
    "responseModalities": repeated(choice("TEXT", "IMAGE", "AUDIO")),
    "responseLogprobs": flag,
    "logprobs": number(0, 20, whole=True),
    "thinkingConfig": THINKING,
    "mediaResolution": choice("MEDIA_RESOLUTION_LOW", "MEDIA_RESOLUTION_MEDIUM", "MEDIA_RESOLUTION_HIGH"),
    "speechConfig": mapping(),
    "imageConfig": mapping(),
    "enableEnhancedCivicAnswers": flag,
    "responseFormat": anything,
}
REQUEST = message(
    {
        "systemInstruction": SYSTEM,
        "tools": repeated(TOOL),
        "toolConfig": message(
            {
                "functionCallingConfig": FUNCTION_CALLING,
                "retrievalConfig": mapping(),
                "includeServerSideToolInvocations": flag,
            }
        ),
        "safetySettings": repeated(message({}, {"category": choice(*CATEGORIES), "threshold": choice(*THRESHOLDS)})),
        "generationConfig": message(GENERATION),
        "cachedContent": text(least=1),
        "labels": mapping(text()),
        "serviceTier": text(),
        "store": flag,
        "model": text(least=1),
    },
    {"contents": repeated(CONTENT, least=1)},
)
COUNT_REQUEST = message({"contents": repeated(CONTENT, least=1), "generateContentRequest": REQUEST})

"""Shapes of Gemini's generateContent: every field of a request, as its reference and official client have it (2026-11).

Each field is taken in camel case and in snake case, as the API does.
"""

from __future__ import annotations

from typing import Any

from ctxlab.providers.body_shapes import Anything, Choice, Fields, Found, ListOf, Number, Shape, Truth, Words
from ctxlab.providers.gemini.schema import schema_faults
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Problem

ANY = Anything()
OBJECT = Anything(dict)
WORDS = Words()
NAMED = Words(1)
TRUTH = Truth()


def snake(name: str) -> str:
    """A field's name in snake case.

    >>> snake("generationConfig")
    'generation_config'
    """
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _object(required: dict[str, Shape], optional: dict[str, Shape] | None = None) -> Fields:
    alias = {snake(name): name for name in (*required, *(optional or {})) if snake(name) != name}
    return Fields(required, optional or {}, alias=alias)


class GeminiSchema:
    """A schema that says only what Gemini's Schema has fields for."""

    def look(self, value: Any, at: JsonPath, found: Found) -> bool:
        for place, reason in schema_faults(value, at):
            whole = "parametersJsonSchema" if "parameters" in at else "responseJsonSchema"
            mend = f"take it out, or write the whole schema as {whole!r}"
            found.append(Problem(place, "schema", reason, mend))
        return True


SCHEMA = GeminiSchema()
MODES = ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED")
LEVELS = ("MINIMAL", "LOW", "MEDIUM", "HIGH")
MODALITIES = ("TEXT", "IMAGE", "AUDIO", "VIDEO", "MODALITY_UNSPECIFIED")
CATEGORIES = tuple(
    f"HARM_CATEGORY_{name}"
    for name in (
        *("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT", "CIVIC_INTEGRITY", "JAILBREAK"),
        *("IMAGE_HATE", "IMAGE_DANGEROUS_CONTENT", "IMAGE_HARASSMENT", "IMAGE_SEXUALLY_EXPLICIT", "UNSPECIFIED"),
    )
)
THRESHOLDS = (
    "BLOCK_LOW_AND_ABOVE",
    "BLOCK_MEDIUM_AND_ABOVE",
    "BLOCK_ONLY_HIGH",
    "BLOCK_NONE",
    "OFF",
    "HARM_BLOCK_THRESHOLD_UNSPECIFIED",
)

BLOB = _object({"mimeType": NAMED, "data": NAMED}, {"displayName": WORDS})
FILE = _object({"fileUri": NAMED}, {"mimeType": WORDS, "displayName": WORDS})
FUNCTION_CALL = _object({"name": NAMED}, {"args": OBJECT, "id": WORDS})
_RESPONSE_PART = _object({}, {"inlineData": BLOB, "fileData": FILE})
FUNCTION_RESPONSE = _object(
    {"name": NAMED, "response": OBJECT},
    {"id": WORDS, "parts": ListOf(_RESPONSE_PART), "willContinue": TRUTH, "scheduling": WORDS},
)
DATA: dict[str, Shape] = {
    "text": WORDS,
    "inlineData": BLOB,
    "fileData": FILE,
    "functionCall": FUNCTION_CALL,
    "functionResponse": FUNCTION_RESPONSE,
    "executableCode": _object({"code": WORDS}, {"language": WORDS, "id": WORDS}),
    "codeExecutionResult": _object({}, {"outcome": WORDS, "output": WORDS, "id": WORDS}),
    "toolCall": OBJECT,
    "toolResponse": OBJECT,
}
"""Fields of a part, of which it has one."""
PART = _object(
    {},
    {
        **DATA,
        "thought": TRUTH,
        "thoughtSignature": WORDS,
        "videoMetadata": _object({}, {"startOffset": WORDS, "endOffset": WORDS, "fps": Number(0, 24)}),
        "partMetadata": OBJECT,
        "mediaResolution": OBJECT,
    },
)
CONTENT = _object({"parts": ListOf(PART, 1, lone=True)}, {"role": Choice(("user", "model", "function"))})
INSTRUCTION = _object({"parts": ListOf(PART, 1, lone=True)}, {"role": WORDS})

FUNCTION = _object(
    {"name": NAMED},
    {
        "description": WORDS,
        "parameters": SCHEMA,
        "parametersJsonSchema": ANY,
        "response": SCHEMA,
        "responseJsonSchema": ANY,
        "behavior": WORDS,
    },
)
TOOL = _object(
    {},
    {
        "functionDeclarations": ListOf(FUNCTION, lone=True),
        "googleSearch": OBJECT,
        "googleSearchRetrieval": OBJECT,
        "codeExecution": OBJECT,
        "urlContext": OBJECT,
        "googleMaps": OBJECT,
        "fileSearch": OBJECT,
        "computerUse": OBJECT,
        "mcpServers": ListOf(OBJECT),
    },
)
_CALLING = _object({}, {"mode": Choice(MODES, exact=False), "allowedFunctionNames": ListOf(NAMED)})
TOOL_CONFIG = _object(
    {}, {"functionCallingConfig": _CALLING, "retrievalConfig": OBJECT, "includeServerSideToolInvocations": TRUTH}
)
THINKING = _object(
    {},
    {"includeThoughts": TRUTH, "thinkingBudget": Number(-1, whole=True), "thinkingLevel": Choice(LEVELS, exact=False)},
)
GENERATION = _object(
    {},
    {
        "stopSequences": ListOf(NAMED, most=5),
        "responseMimeType": Choice(("text/plain", "application/json", "text/x.enum", "application/xml", "text/yaml")),
        "responseSchema": SCHEMA,
        "responseJsonSchema": ANY,
        "responseModalities": ListOf(Choice(MODALITIES, exact=False)),
        "candidateCount": Number(1, 8, whole=True),
        "maxOutputTokens": Number(1, whole=True),
        "temperature": Number(0, 2),
        "topP": Number(0, 1),
        "topK": Number(1, whole=True),
        "seed": Number(-(2**31), 2**31 - 1, whole=True),
        "presencePenalty": Number(-2, 2),
        "frequencyPenalty": Number(-2, 2),
        "responseLogprobs": TRUTH,
        "logprobs": Number(0, 20, whole=True),
        "enableEnhancedCivicAnswers": TRUTH,
        "speechConfig": OBJECT,
        "thinkingConfig": THINKING,
        "imageConfig": OBJECT,
        "mediaResolution": WORDS,
        "responseFormat": ANY,
    },
)
SAFETY = _object({"category": Choice(CATEGORIES), "threshold": Choice(THRESHOLDS)})
BODY = _object(
    {"contents": ListOf(CONTENT, 1, lone=True)},
    {
        "systemInstruction": INSTRUCTION,
        "tools": ListOf(TOOL, lone=True),
        "toolConfig": TOOL_CONFIG,
        "safetySettings": ListOf(SAFETY),
        "generationConfig": GENERATION,
        "cachedContent": NAMED,
        "serviceTier": Choice(("FLEX", "STANDARD", "PRIORITY", "UNSPECIFIED"), exact=False),
        "store": TRUTH,
        "model": NAMED,
    },
)

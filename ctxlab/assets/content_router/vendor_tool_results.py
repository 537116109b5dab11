"""Files that vendors take in the result of a tool call: a dated table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from ctxlab.context import FileKind
from ctxlab.lazy_dataclass import dataclass
from ctxlab.wires import RESPONSES, WireName

if TYPE_CHECKING:
    from ctxlab.engines.tokens.model_encodings import ModelName

Vendor: TypeAlias = WireName | Literal["gemini-2", "compatible"]
"""Forms of requests. `compatible` are the many that take OpenAI's chat form, DeepSeek among them; `gemini` is Gemini 3
and later, `gemini-2` what was before."""


@dataclass(frozen=True, slots=True)
class ToolResultRules:
    """MIME types of files that a vendor takes inside the result of a tool call; others follow in a user message.

    `sounds` are the types of sound that its form carries, `documents` beginnings of types of other files; None means
    any.
    """

    inside: frozenset[str]
    source: str
    as_of: str
    sounds: frozenset[str] | None = None
    documents: tuple[str, ...] | None = None

    def takes(self, mime_type: str) -> bool:
        return mime_type in self.inside

    def sends(self, kind: FileKind, mime_type: str) -> bool:
        """Whether the vendor's form has a place for such a file at all, in a result or after it."""
        if kind == "image":
            return True
        if kind == "audio" and self.sounds is not None:
            return mime_type in self.sounds
        return self.documents is None or mime_type.startswith(self.documents)


_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_PDF = frozenset({"application/pdf"})
_SOUNDS = frozenset({"audio/mpeg", "audio/wav"})
_NOTHING: frozenset[str] = frozenset()

RULES: Mapping[Vendor, ToolResultRules] = {
    "openai-chat": ToolResultRules(
        _NOTHING,
        "developers.openai.com, Chat Completions: a tool message has a text, or parts of text",
        "2026-09",
        sounds=_SOUNDS,
    ),
    RESPONSES.name: ToolResultRules(
        _PICTURES | _PDF,
        "developers.openai.com, Function calling: output is a text, or input_text, input_image and input_file",
        "2026-09",
        sounds=_NOTHING,
    ),
    "anthropic": ToolResultRules(
        _PICTURES | _PDF,
        "platform.claude.com, Handle tool calls: content of a tool_result is text, image and document blocks",
        "2026-07",
        sounds=_NOTHING,
        documents=("application/pdf", "text/"),
    ),
    "gemini": ToolResultRules(
        (_PICTURES - {"image/gif"}) | _PDF,
        "ai.google.dev, Function calling: multimodal function responses, for Gemini 3",
        "2026-06",
    ),
    "gemini-2": ToolResultRules(
        _NOTHING, "ai.google.dev, Function calling: multimodal function responses, for Gemini 3", "2026-06"
    ),
    "compatible": ToolResultRules(
        _NOTHING,
        "api-docs.deepseek.com, Create chat completion: a tool message has a text",
        "2026-09",
        sounds=_SOUNDS,
    ),
}


def vendor_of(wire: str, model: str | ModelName = "") -> Vendor:
    """The form of requests by a model's wire format (`openai`, `anthropic`, `google`) and its name.

    >>> vendor_of("google", "gemini-2.5-pro"), vendor_of("openai", "deepseek-chat"), vendor_of("openai", "gpt-5")
    ('gemini-2', 'compatible', 'openai-chat')
    """
    from ctxlab.engines.tokens.model_encodings import read_model_name

    if wire == "anthropic":
        return "anthropic"
    name = read_model_name(model) if isinstance(model, str) else model
    if wire == "google":
        return "gemini-2" if name.bare.startswith(("gemini-1", "gemini-2", "gemma", "learnlm")) else "gemini"
    return "openai-chat" if name.encoding is not None or not model else "compatible"

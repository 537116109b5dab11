"""Capabilities of models by patterns of their names: a dated table of what their vendors publish.

It stands here and not with the providers, since a step decides by it how a file is read, long before a request is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ctxlab.assets.capabilities import Capabilities
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

MB = 1_000_000
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Vendor:
    """Types that a vendor takes for all of its models, and limits of a file's own bytes."""

    source: str
    as_of: str
    mime_types: frozenset[str] = frozenset()
    max_file_bytes: int | None = None
    max_image_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """Models whose bare names begin with `pattern`; `inputs` are those besides text.

    A picture is sent with at most `max_image_side` pixels a side: a larger one is scaled down by the vendor anyway.
    """

    pattern: str
    inputs: tuple[str, ...]
    vendor: Vendor
    max_image_side: int | None = None


def capabilities_of_name(name: str) -> Capabilities | None:
    """The table's capabilities of a model's name, gateways' prefixes and suffixes aside; None for an unknown one."""
    row = next((row for bare in _bare_names(name) for row in TABLE if re.match(row.pattern, bare)), None)
    return _capabilities(row) if row else None


@cache
def _capabilities(row: Row) -> Capabilities:
    vendor = row.vendor
    return Capabilities(
        frozenset(("text", *row.inputs)),
        source=f"{vendor.source}, {vendor.as_of}",
        max_image_side=row.max_image_side,
        max_file_bytes=vendor.max_file_bytes,
        max_image_bytes=vendor.max_image_bytes,
        mime_types=vendor.mime_types,
    )


_MAKER = lazy_pattern(r"(?:[a-z][a-z-]*\.)+(?=[a-z])|meta-(?=llama)")


def _bare_names(name: str) -> Iterator[str]:
    """The names that a name may mean: `openrouter:qwen/qwen3-vl:free`, `us.meta.llama4-scout`, `ollama:gemma3:4b`."""
    parts = name[:200].strip().lower().rpartition("/")[2].split(":")
    for start in range(len(parts)):
        bare = ":".join(parts[start:])
        yield bare
        yield _MAKER.sub("", bare, count=1)


_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_PDF = frozenset({"application/pdf"})

# Documents: a request has at most 32 MB, that is 24 MB before base64. Pictures: 5 MB of base64, 8,000 pixels a side.
_ANTHROPIC = Vendor(
    "platform.claude.com, Vision; PDF support",
    "2026-07",
    _PICTURES | _PDF,
    max_file_bytes=24 * MB,
    max_image_bytes=5 * MIB * 3 // 4,
)
_OPENAI = Vendor(
    "developers.openai.com, Images and vision; File inputs; models.dev",
    "2026-09",
    _PICTURES | _PDF | {"audio/mpeg", "audio/mp3", "audio/wav", "audio/x-wav", "audio/wave"},
    max_file_bytes=50 * MB,
    max_image_bytes=50 * MB,
)
# What is sent inline: a request of 100 MB, that is 75 MB before base64; PDFs up to 50 MB.
_GOOGLE = Vendor(
    "ai.google.dev, File input methods; Image, Document, Audio and Video understanding",
    "2026-06",
    _PDF
    | {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "text/plain", "text/html", "text/csv"}
    | {f"audio/{form}" for form in ("wav", "x-wav", "mp3", "mpeg", "aiff", "x-aiff", "aac", "ogg", "flac", "x-flac")}
    | {f"video/{form}" for form in ("mp4", "mpeg", "quicktime", "mov", "avi", "x-msvideo", "x-flv", "webm", "wmv")}
    | {"video/x-ms-wmv", "video/3gpp"},
    max_file_bytes=50 * MB,
    max_image_bytes=75 * MB,
)
_CATALOGUE = "models.dev, modalities of the vendor's models"
_DEEPSEEK = Vendor(f"api-docs.deepseek.com, Models and pricing; {_CATALOGUE}", "2026-09", _PICTURES)
_QWEN = Vendor(f"alibabacloud.com, Model Studio: vision; {_CATALOGUE}", "2026-09")
_MISTRAL = Vendor(f"docs.mistral.ai, Vision; {_CATALOGUE}", "2026-10", _PICTURES | {"audio/mpeg", "audio/wav"})
_META = Vendor(_CATALOGUE, "2026-09", _PICTURES)
_ZAI = Vendor(_CATALOGUE, "2026-09")
_MOONSHOT = Vendor(_CATALOGUE, "2026-09")
_XAI = Vendor(f"docs.x.ai, Image understanding; {_CATALOGUE}", "2026-09", frozenset({"image/png", "image/jpeg"}))
_GEMMA = Vendor(_CATALOGUE, "2026-09", _PICTURES)

# Patterns of bare names, the first that fits; dated, as vendors change them. Where sources disagree, or say nothing,
# a model is down as reading less: text that stands for a file is safer than a request that is refused.
TABLE: tuple[Row, ...] = (
    # OpenAI scales to 2,048 pixels a side before it counts.
    Row(r"gpt-oss", (), _OPENAI),
    Row(r"gpt-(?:audio|realtime|4o-(?:mini-)?(?:audio|realtime))", ("audio",), _OPENAI),
    Row(r"gpt-4o-(?:mini-)?(?:search|transcribe|tts)|gpt-image", (), _OPENAI),
    Row(r"(?:gpt-(?:4o|4\.[15]|[5-9])|chatgpt-4o)(?![a-z0-9])", ("vision", "file"), _OPENAI, max_image_side=2048),
    Row(r"o1-(?:mini|preview)|o3-mini", (), _OPENAI),
    Row(r"(?:o1|o3|o4-mini)(?![a-z0-9])", ("vision", "file"), _OPENAI, max_image_side=2048),
    Row(r"gpt-4-(?:turbo(?!-preview)|[\w-]*vision)", ("vision",), _OPENAI, max_image_side=2048),
    Row(r"gpt-(?:4|3\.5|35)(?![a-z0-9.])", (), _OPENAI),
    # Anthropic scales to 1,568 pixels, and to 2,576 for models of high resolution.
    Row(r"claude-(?:instant|[12])(?![0-9])", (), _ANTHROPIC),
    Row(r"claude-3-(?:opus|sonnet|haiku)", ("vision",), _ANTHROPIC, max_image_side=1568),
    Row(
        r"claude-(?:opus-4[.-][78]|(?:opus|sonnet|fable|mythos)-[5-9])",
        ("vision", "file"),
        _ANTHROPIC,
        max_image_side=2576,
    ),
    Row(r"claude", ("vision", "file"), _ANTHROPIC, max_image_side=1568),
    Row(r"gemini-[\w.-]*(?:tts|embedding)", (), _GOOGLE),
    Row(r"gemini-[\w.-]*image", ("vision",), _GOOGLE),
    Row(r"gemini", ("vision", "file", "audio", "video"), _GOOGLE),
    Row(r"gemma-?3(?!n)(?![\w.:-]*(?:\b1b|270m))|gemma-?4", ("vision",), _GEMMA),
    Row(r"gemma", (), _GEMMA),
    Row(r"deepseek-(?:v4\.[1-9]|flash|v4-flash-vision|vl|ocr)", ("vision",), _DEEPSEEK),
    Row(r"deepseek", (), _DEEPSEEK),
    Row(r"qwen[\w.-]*omni", ("vision", "audio", "video"), _QWEN),
    Row(r"qwen[\w.-]*vl-?ocr", ("vision",), _QWEN),
    Row(r"qwen[\w.-]*vl|qvq", ("vision", "video"), _QWEN),
    Row(r"qwen2?-audio", ("audio",), _QWEN),
    Row(r"qwen3\.[5-9]-(?:plus|\d)", ("vision", "video"), _QWEN),
    Row(r"qwen|qwq", (), _QWEN),
    Row(r"voxtral-(?:mini|small)-(?:latest|25\d\d)", ("audio",), _MISTRAL),
    Row(r"pixtral|mistral-(?:medium|small)-(?:latest|25\d\d|26\d\d|3|4)", ("vision",), _MISTRAL),
    Row(r"mistral-large-(?:latest|2512|26\d\d|3|4)|mistral-medium$", ("vision",), _MISTRAL),
    Row(r"(?:mistral|mixtral|codestral|devstral|magistral|ministral|voxtral|open-mi[sx]tral)", (), _MISTRAL),
    Row(r"llama-?4|llama-?3[.-]2[\w.-]*(?:vision|11b|90b)|llava|bakllava", ("vision",), _META),
    Row(r"(?:code)?llama", (), _META),
    Row(r"glm-5v", ("vision", "video", "file"), _ZAI),
    Row(r"glm-4\.[1-9]v", ("vision", "video"), _ZAI),
    Row(r"glm-4v", ("vision",), _ZAI),
    Row(r"(?:chat)?glm", (), _ZAI),
    Row(r"kimi-k(?:2\.[5-9]|[3-9])", ("vision", "video"), _MOONSHOT),
    Row(r"kimi-(?:vl|latest)|moonshot-v1-[\w-]*vision", ("vision",), _MOONSHOT),
    Row(r"kimi|moonshot", (), _MOONSHOT),
    Row(r"grok-(?:4|[\w.]*-?vision)", ("vision",), _XAI),
    Row(r"grok", (), _XAI),
)

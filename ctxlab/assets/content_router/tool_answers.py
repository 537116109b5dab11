"""The answer of a tool as a program keeps it: a text of JSON, and the picture or file that comes with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ctxlab.assets.content_router.artifact import decoded
from ctxlab.assets.content_router.route_result import ArtifactNotFound, ContentRouteResult
from ctxlab.assets.descriptions import Language
from ctxlab.context import FileKind
from ctxlab.documents import ToolCall
from ctxlab.lazy_dataclass import dataclass

ToolResult = ContentRouteResult | ArtifactNotFound | Mapping[str, Any] | str
"""The result of a tool: a route, or anything else as JSON or as a text."""


@dataclass(frozen=True, slots=True)
class MediaPart:
    """A file that goes with an answer."""

    kind: FileKind
    mime_type: str
    filename: str
    base64: str = field(repr=False)

    @property
    def url(self) -> str:
        return f"data:{self.mime_type};base64,{self.base64}"

    @property
    def data(self) -> bytes:
        return decoded(self.base64)


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """A tool's answer: `content` is its text, and `lead` what stands before the file in `media`, if there is one."""

    content: str
    lead: str = ""
    media: MediaPart | None = None
    is_error: bool = False

    @property
    def multimodal_content(self) -> list[dict[str, Any]]:
        """The lead and the file as the content parts of one message; empty without a file."""
        if self.media is None:
            return []
        lead = {"type": "text", "text": self.lead}
        if self.media.kind == "image":
            return [lead, {"type": "image_url", "image_url": {"url": self.media.url}}]
        file = {"filename": self.media.filename, "mimeType": self.media.mime_type, "data": self.media.base64}
        return [lead, {"type": "file", "file": file}]


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A call and what the tool answered."""

    call: ToolCall
    result: ToolResult


def tool_response(result: ToolResult, *, language: Language = "zh") -> ToolResponse:
    """The answer of a tool; a result that isn't a route stays as it is, as JSON or as its text."""
    if isinstance(result, str):
        return ToolResponse(result)
    if isinstance(result, ArtifactNotFound):
        return ToolResponse(_json(result.as_data()), is_error=True)
    if not isinstance(result, ContentRouteResult):
        return ToolResponse(_json(result))
    data = result.as_data()
    told = {name: data[name] for name in ("contentType", "routing", "content", "metadata") if name in data}
    return ToolResponse(
        _json({"status": "success", **told}),
        lead=_lead(result, language) if result.routing != "text" else "",
        media=_media(result),
    )


def _lead(result: ContentRouteResult, language: Language) -> str:
    name = result.metadata.filename or result.metadata.id
    return f"Contents of the artifact ({name}):" if language == "en" else f"工件内容 ({name}):"


def _media(result: ContentRouteResult) -> MediaPart | None:
    metadata = result.metadata
    kind = metadata.binary_type or "other"
    if result.image_url is not None:
        return MediaPart("image", metadata.mime_type, metadata.filename, result.image_url.partition(",")[2])
    if result.file is not None:
        return MediaPart(kind, result.file.mime_type, result.file.filename, result.file.data)
    return None


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

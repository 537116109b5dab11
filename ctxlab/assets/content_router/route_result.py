"""Results of the content router: a file as picture, as file, or as text, with its metadata."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from ctxlab.assets.descriptions import Language, one_line
from ctxlab.lazy_dataclass import dataclass

ContentType = Literal["text", "image", "binary"]
Routing = Literal["text", "image_url", "file"]
BinaryType = Literal["image", "audio", "video", "document", "other"]


@dataclass(frozen=True, slots=True)
class RouteMetadata:
    """Metadata of the file; empty or None where they aren't known."""

    id: str
    type: str = ""
    filename: str = ""
    mime_type: str = ""
    size: int | None = None
    created_at: str = ""
    binary_type: BinaryType | None = None

    def as_data(self) -> dict[str, Any]:
        values = {
            "id": self.id,
            "type": self.type,
            "filename": self.filename,
            "mimeType": self.mime_type,
            "size": self.size,
            "createdAt": self.created_at,
            "binaryType": self.binary_type,
        }
        return {name: value for name, value in values.items() if name == "id" or value not in ("", None)}


@dataclass(frozen=True, slots=True)
class RoutedFile:
    """A file that goes as a file; `data` is its base64."""

    filename: str
    mime_type: str
    data: str = field(repr=False)

    def as_data(self) -> dict[str, Any]:
        return {"type": "file", "file": {"filename": self.filename, "mimeType": self.mime_type, "data": self.data}}


@dataclass(frozen=True, slots=True)
class ContentRouteResult:
    """The form in which a model gets an artifact.

    `content` is there with routing text, `image_url` (a data URL) with image_url, `file` with file, and no other of the
    three.

    `reason` says in a sentence why it goes so; it isn't part of the JSON.
    """

    content_type: ContentType
    routing: Routing
    metadata: RouteMetadata
    content: str | None = None
    image_url: str | None = field(default=None, repr=False)
    file: RoutedFile | None = None
    reason: str = field(default="", compare=False)

    def as_data(self) -> dict[str, Any]:
        """The result as JSON, with its bytes as base64."""
        data: dict[str, Any] = {"contentType": self.content_type, "routing": self.routing}
        if self.content is not None:
            data["content"] = self.content
        if self.image_url is not None:
            data["imageUrl"] = {"type": "image_url", "image_url": {"url": self.image_url}}
        if self.file is not None:
            data["file"] = self.file.as_data()
        return {**data, "metadata": self.metadata.as_data()}


@dataclass(frozen=True, slots=True)
class ArtifactNotFound:
    """No artifact is kept under a reference."""

    ref: str
    language: Language = "zh"

    def as_data(self) -> dict[str, Any]:
        there_is_none = {"zh": "工件不存在或已被删除", "en": "The artifact does not exist or was deleted"}
        return {"error": "artifact_not_found", "ref": one_line(self.ref), "message": there_is_none[self.language]}

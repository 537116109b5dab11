"""Places where the bytes of a file can be. Each has its own frozen value; `AssetSource` is one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class InlineFile:
    """The bytes are in the message itself, as base64."""

    base64: str
    mime_type: str = ""

    def as_data(self) -> dict[str, Any]:
        return {"kind": "inline", **({"mimeType": self.mime_type} if self.mime_type else {})}

    def __repr__(self) -> str:
        return f"InlineFile({len(self.base64):,} characters of base64, {self.mime_type!r})"


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """The bytes are at a URL; a `data:` URL holds them."""

    url: str

    def as_data(self) -> dict[str, Any]:
        return {"kind": "url", "url": self.without_bytes}

    @property
    def without_bytes(self) -> str:
        """The URL; of a `data:` URL its head."""
        return f"{self.url.partition(',')[0]}," if self.url.startswith("data:") else self.url

    def __repr__(self) -> str:
        return f"LinkedFile({self.without_bytes!r})"


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """The bytes are with the vendor, who gave them an id."""

    file_id: str

    def as_data(self) -> dict[str, Any]:
        return {"kind": "file-id", "file_id": self.file_id}


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """The bytes are in the library that all conversations share; `path` None where the file names no place at all."""

    path: str | None = None

    def as_data(self) -> dict[str, Any]:
        return {"kind": "asset-library", "path": self.path}


@dataclass(frozen=True, slots=True)
class AgentFile:
    """The bytes are in the folder of an agent, under a path relative to it."""

    agent_id: str
    path: str

    def as_data(self) -> dict[str, Any]:
        return {"kind": "agent-private", "agentId": self.agent_id, "relativePath": self.path}


AssetSource = InlineFile | LinkedFile | UploadedFile | LibraryFile | AgentFile
"""`as_data()` of each gives everything but the bytes."""

UNKNOWN_PLACE = LibraryFile()

"""Places where the bytes of a file can be. Each has its own frozen value; `AssetSource` is one of them."""

from __future__ import annotations

from typing import Any

from ctxlab.documents.session.inline_bytes import shown
from ctxlab.lazy_dataclass import dataclass

MOST_OF_A_URL = 500
"""Characters of a link that are shown."""


@dataclass(frozen=True, slots=True)
class InlineFile:
    """The bytes are in the message itself, as base64."""

    base64: str
    mime_type: str = ""

    def as_data(self) -> dict[str, Any]:
        return {"kind": "inline", **({"mimeType": shown(self.mime_type)} if self.mime_type else {})}

    def __repr__(self) -> str:
        return f"InlineFile({len(self.base64):,} characters of base64, {shown(self.mime_type)!r})"


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """The bytes are at a URL; a `data:` URL holds them."""

    url: str

    def as_data(self) -> dict[str, Any]:
        return {"kind": "url", "url": self.without_bytes}

    @property
    def without_bytes(self) -> str:
        """The URL; of a `data:` URL its head, of a long one its beginning."""
        return shown(self.url, MOST_OF_A_URL)

    def __repr__(self) -> str:
        return f"LinkedFile({self.without_bytes!r})"


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """The bytes are with the vendor, who gave them an id."""

    file_id: str

    def as_data(self) -> dict[str, Any]:
        return {"kind": "file-id", "file_id": shown(self.file_id)}

    def __repr__(self) -> str:
        return f"UploadedFile({shown(self.file_id)!r})"


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """The bytes are in the library that all conversations share; `path` None where the file names no place at all."""

    path: str | None = None

    def as_data(self) -> dict[str, Any]:
        return {"kind": "asset-library", "path": _shown_path(self.path)}

    def __repr__(self) -> str:
        return f"LibraryFile({_shown_path(self.path)!r})"


@dataclass(frozen=True, slots=True)
class AgentFile:
    """The bytes are in the folder of an agent, under a path relative to it."""

    agent_id: str
    path: str

    def as_data(self) -> dict[str, Any]:
        return {"kind": "agent-private", "agentId": shown(self.agent_id), "relativePath": shown(self.path)}

    def __repr__(self) -> str:
        return f"AgentFile({shown(self.agent_id)!r}, {shown(self.path)!r})"


AssetSource = InlineFile | LinkedFile | UploadedFile | LibraryFile | AgentFile
"""`as_data()` of each gives everything but the bytes."""

UNKNOWN_PLACE = LibraryFile()


def _shown_path(path: str | None) -> str | None:
    return path if path is None else shown(path)

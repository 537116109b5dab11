"""A file of a message as a content part in OpenAI's form, ready to be sent."""

from __future__ import annotations

import re
from typing import Any

from ctxlab.context.draft_message import AssetRef
from ctxlab.documents.session.asset_source import InlineFile, LinkedFile, UploadedFile
from ctxlab.documents.session.inline_bytes import is_data_url
from ctxlab.lazy_pattern import lazy_pattern

_REACHABLE = lazy_pattern(r"(?!file:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
SOUNDS = {"mp3": "audio/mpeg", "wav": "audio/wav"}


def content_part(asset: AssetRef) -> dict[str, Any]:
    """The part that carries a file: `image_url`, `input_audio` or `file`, with its bytes, its URL or its id.

    A file whose bytes are elsewhere, in a library or with an agent, is a part of type `asset`: a reference with
    its name and place. No vendor takes that; it has to be resolved before it is sent.
    """
    return sendable_part(asset) or {"type": "asset", **asset.as_data()}


def sendable_part(asset: AssetRef) -> dict[str, Any] | None:
    """The part that carries a file; None when its bytes are elsewhere, or its URL is a place on one machine."""
    name = {"filename": asset.name} if asset.name else {}
    match asset.source:
        case InlineFile(base64, mime_type):
            mime_type = mime_type or asset.mime_type or "application/octet-stream"
            if asset.kind == "audio":
                return _sound(base64, mime_type)
            url = f"data:{mime_type};base64,{base64}"
        case LinkedFile(link) if _REACHABLE.match(link.lstrip()):
            url = _lower_scheme(link.lstrip())
        case UploadedFile(file_id) if asset.kind != "image":
            return {"type": "file", "file": {**name, "file_id": file_id}}
        case _:
            return None
    if asset.kind == "image":
        return _picture(url, asset.metadata.get("detail"))
    return {"type": "file", "file": {**name, "file_data": url}} if url.startswith("data:") else None


def _lower_scheme(url: str) -> str:
    return f"data:{url[5:]}" if is_data_url(url) else url


def _sound(base64: str, mime_type: str) -> dict[str, Any]:
    form = next((form for form, mime in SOUNDS.items() if mime == mime_type), mime_type.removeprefix("audio/"))
    return {"type": "input_audio", "input_audio": {"data": base64, "format": form}}


def _picture(url: str, detail: object) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url, **({"detail": detail} if isinstance(detail, str) else {})}}

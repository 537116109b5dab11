"""A file of a message as a content part in OpenAI's form, ready to be sent."""

from __future__ import annotations

import re
from typing import Any

from ctxlab.context.draft import AssetRef

_REACHABLE = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
SOUNDS = {"mp3": "audio/mpeg", "wav": "audio/wav"}


def content_part(asset: AssetRef) -> dict[str, Any]:
    """The part that carries a file: `image_url`, `input_audio` or `file`, with its bytes, its URL or its id.

    A file whose bytes are elsewhere, in a library or with an agent, is a part of type `asset`: a reference that says
    what and where it is. No vendor takes that; it has to be resolved before it is sent.
    """
    return sendable_part(asset) or {"type": "asset", **asset.as_data()}


def sendable_part(asset: AssetRef) -> dict[str, Any] | None:
    """The part that carries a file; None when its bytes are elsewhere, or its URL is a place on one machine."""
    source = asset.source
    base64, url = source.get("base64"), source.get("url")
    url = url if isinstance(url, str) and _REACHABLE.match(url) else None
    mime_type = str(source.get("mimeType") or asset.mime_type or "application/octet-stream")
    inline = f"data:{mime_type};base64,{base64}" if isinstance(base64, str) and base64 else None
    if asset.kind == "image":
        return _picture(inline or url, asset.metadata.get("detail"))
    if asset.kind == "audio" and inline:
        sound = next((form for form, mime in SOUNDS.items() if mime == mime_type), mime_type.removeprefix("audio/"))
        return {"type": "input_audio", "input_audio": {"data": base64, "format": sound}}
    name = {"filename": asset.name} if asset.name else {}
    if isinstance(file_id := source.get("file_id"), str):
        return {"type": "file", "file": {**name, "file_id": file_id}}
    data = inline or (url if url and url.startswith("data:") else None)
    return {"type": "file", "file": {**name, "file_data": data}} if data else None


def _picture(url: str | None, detail: object) -> dict[str, Any] | None:
    if url is None:
        return None
    return {"type": "image_url", "image_url": {"url": url, **({"detail": detail} if isinstance(detail, str) else {})}}

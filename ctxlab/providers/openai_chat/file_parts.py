"""The part that carries a file in OpenAI's chat form, or why there is none."""

from __future__ import annotations

from typing import Any

from ctxlab.context import AssetRef
from ctxlab.context.asset_as_content_part import SOUNDS
from ctxlab.providers.file_source import FileBytes, FileLink, FileSource, FileUpload, NoFile, file_source
from ctxlab.providers.openai_chat.profiles import ChatProfile

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Types of pictures that OpenAI reads (developers.openai.com, Images and vision, 2026-09)."""
DETAILS = ("auto", "low", "high", "original")
_SOUND_FORMATS = {mime_type: form for form, mime_type in SOUNDS.items()} | {
    "audio/mp3": "mp3",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/vnd.wave": "wav",
}


def file_part(asset: AssetRef, profile: ChatProfile) -> dict[str, Any] | NoFile:
    """The part of a user's message that carries a file, or the reason why this vendor has none for it."""
    source = file_source(asset)
    if isinstance(source, NoFile):
        return source
    if asset.kind == "image":
        return _picture(asset, source, profile)
    if asset.kind == "audio" and isinstance(source, FileBytes):
        return _sound(source, profile)
    if asset.kind == "video":
        return NoFile("this vendor's chat has no place for films")
    return _document(asset, source, profile)


def _picture(asset: AssetRef, source: FileSource, profile: ChatProfile) -> dict[str, Any] | NoFile:
    if "image_url" not in profile.parts:
        return NoFile("this vendor's chat takes no pictures")
    if isinstance(source, FileBytes):
        if source.mime_type.lower() not in PICTURES and not profile.lenient:
            return NoFile("OpenAI reads pictures as PNG, JPEG, GIF and WebP alone")
        url = source.url
    elif isinstance(source, FileLink):
        url = source.url
    else:
        return NoFile("a picture under a vendor's id has no place in a chat")
    detail = asset.metadata.get("detail")
    return {"type": "image_url", "image_url": {"url": url, **({"detail": detail} if detail in DETAILS else {})}}


def _sound(source: FileBytes, profile: ChatProfile) -> dict[str, Any] | NoFile:
    if "input_audio" not in profile.parts:
        return NoFile("this vendor's chat takes no recordings")
    form = _SOUND_FORMATS.get(source.mime_type.lower())
    if form is None:
        return NoFile("a chat takes recordings as MP3 and WAV alone")
    return {"type": "input_audio", "input_audio": {"data": source.base64, "format": form}}


def _document(asset: AssetRef, source: FileSource, profile: ChatProfile) -> dict[str, Any] | NoFile:
    if "file" not in profile.parts:
        return NoFile("this vendor's chat takes no files")
    name = {"filename": asset.name} if asset.name else {}
    match source:
        case FileUpload(file_id):
            return {"type": "file", "file": {"file_id": file_id}}
        case FileBytes(_, mime_type) if profile.any_document or mime_type.lower() == "application/pdf":
            name = name or {"filename": "document.pdf" if mime_type.lower() == "application/pdf" else "file"}
            return {"type": "file", "file": {**name, "file_data": source.url}}
        case FileBytes():
            return NoFile("OpenAI's chat takes PDFs as files, and none of another type")
        case _:
            return NoFile("a chat takes no links to files, only to pictures")

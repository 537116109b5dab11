"""The part that carries a file in OpenAI's Responses, or why there is none."""

from __future__ import annotations

from typing import Any

from ctxlab.context import AssetRef
from ctxlab.providers.file_source import FileBytes, FileLink, FileSource, FileUpload, NoFile, file_source
from ctxlab.providers.openai_chat.file_parts import DETAILS, PICTURES


def file_part(asset: AssetRef) -> dict[str, Any] | NoFile:
    """The part that carries a file, or the reason why there is none for it."""
    source = file_source(asset)
    if isinstance(source, NoFile):
        return source
    if asset.kind == "image":
        return _picture(asset, source)
    if asset.kind == "audio":
        return NoFile("OpenAI's Responses take no recordings")
    if asset.kind == "video":
        return NoFile("OpenAI's Responses take no films")
    return _document(asset, source)


def _picture(asset: AssetRef, source: FileSource) -> dict[str, Any] | NoFile:
    detail = asset.metadata.get("detail")
    part = {"type": "input_image", "detail": detail if detail in DETAILS else "auto"}
    match source:
        case FileBytes(_, mime_type):
            if mime_type.lower() not in PICTURES:
                return NoFile("OpenAI reads pictures as PNG, JPEG, GIF and WebP alone")
            return {**part, "image_url": source.url}
        case FileLink(url):
            return {**part, "image_url": url}
        case FileUpload(file_id):
            return {**part, "file_id": file_id}
        case _:
            return source


def _document(asset: AssetRef, source: FileSource) -> dict[str, Any] | NoFile:
    match source:
        case FileBytes(_, mime_type):
            plain = "document.pdf" if mime_type.lower() == "application/pdf" else "file"
            return {"type": "input_file", "filename": asset.name or plain, "file_data": source.url}
        case FileLink(url):
            return {"type": "input_file", "file_url": url}
        case FileUpload(file_id):
            return {"type": "input_file", "file_id": file_id}
        case _:
            return source

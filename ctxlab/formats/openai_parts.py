"""Parts of a message in OpenAI's form, to attachments and back."""

from __future__ import annotations

import re
from typing import Any, cast

from ctxlab.context import AssetRef, sendable_part
from ctxlab.context.content_parts import SOUNDS
from ctxlab.documents import Asset

Data = dict[str, Any]

TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,")


def is_text(part: Any) -> bool:
    if isinstance(part, str):
        return True
    if not isinstance(part, dict):
        return False
    kind = cast("Data", part).get("type")
    return isinstance(kind, str) and kind in TEXT_PARTS and isinstance(cast("Data", part).get("text"), str)


def text_of(part: Any) -> str:
    return part if isinstance(part, str) else part["text"]


def attachment(part: Any, asset_id: str) -> Data | None:
    """The asset that a part is, as stored JSON; None when it is no picture, sound or file with content."""
    if not isinstance(part, dict):
        return None
    fields = cast("Data", part)
    kind = fields.get("type")
    inner = fields.get(kind) if isinstance(kind, str) else None
    if kind == "image_url" and isinstance(inner, str):  # a common slip that vendors accept
        inner = {"url": inner}
    if not isinstance(inner, dict):
        return None
    body = cast("Data", inner)
    match kind:
        case "image_url":
            return _picture(body, asset_id)
        case "input_audio":
            return _sound(body, asset_id)
        case "file":
            return _file(body, asset_id)
        case _:
            return None


def _picture(body: Data, asset_id: str) -> Data | None:
    if not isinstance(body.get("url"), str):
        return None
    rest = {key: value for key, value in body.items() if key != "url"}
    return {"id": asset_id, "type": "image", **_from_url(body["url"]), **({"openai": rest} if rest else {})}


def _sound(body: Data, asset_id: str) -> Data | None:
    data, form = body.get("data"), body.get("format")
    if not isinstance(data, str) or not isinstance(form, str):
        return None
    return {"id": asset_id, "type": "audio", **inline_file(data, SOUNDS.get(form, f"audio/{form}"))}


def _file(body: Data, asset_id: str) -> Data | None:
    found: Data = {"id": asset_id, "type": "document"}
    if isinstance(body.get("filename"), str):
        found["name"] = body["filename"]
    if isinstance(body.get("file_data"), str):
        return {**found, **_from_url(body["file_data"])}
    if isinstance(body.get("file_id"), str):
        return {**found, "fileId": body["file_id"]}
    return None


def _from_url(url: str) -> Data:
    head = DATA_URL.match(url)
    if head is None:
        return {"url": url}
    return inline_file(url[head.end() :], head[1] or "application/octet-stream")


def inline_file(base64: str, mime_type: str) -> Data:
    """The fields of an asset whose bytes are in the file itself."""
    size_bytes = len(base64) * 3 // 4 - base64[-2:].count("=")
    return {"mimeType": mime_type, "size": size_bytes, "inlineData": {"base64": base64, "mimeType": mime_type}}


def part_of(asset: Asset) -> Data | None:
    """The part that carries an asset, with what its form doesn't know of; None when its bytes are elsewhere."""
    part = sendable_part(AssetRef.of(asset))
    more = (asset.model_extra or {}).get("openai")
    if part is None or part["type"] != "image_url" or not isinstance(more, dict):
        return part
    return {**part, "image_url": {**cast("Data", more), **part["image_url"]}}

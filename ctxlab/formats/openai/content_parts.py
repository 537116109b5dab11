"""Parts of a message in OpenAI's form, to attachments and back."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any, cast

from ctxlab.context import AssetRef, sendable_part
from ctxlab.context.asset_as_content_part import SOUNDS
from ctxlab.documents import Asset
from ctxlab.lazy_pattern import lazy_pattern

Data = dict[str, Any]

TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
DATA_URL = lazy_pattern(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,")


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
    if isinstance(kind, str) and kind in OTHER_SHAPES:
        return _of_other_shape(fields, asset_id)
    inner = fields.get(kind) if isinstance(kind, str) else None
    if kind == "image_url" and isinstance(inner, str):  # a common slip that vendors accept
        inner = {"url": inner}
    if not isinstance(inner, dict):
        return None
    body = cast("Data", inner)
    around = {key: value for key, value in fields.items() if key not in ("type", kind)}
    found = FILES[kind](body) if kind in FILES else None
    if found is None:
        return None
    file, used = found
    rest = {key: value for key, value in body.items() if key not in used}
    kept = {"openai": rest, "openaiPart": around}
    return {"id": asset_id, **file, **{key: value for key, value in kept.items() if value}}


def _picture(body: Data) -> tuple[Data, tuple[str, ...]] | None:
    """The fields of the asset, and those of the part that they say; the same of sounds and files."""
    if not isinstance(body.get("url"), str):
        return None
    return {"type": "image", **_from_url(body["url"])}, ("url",)


def _sound(body: Data) -> tuple[Data, tuple[str, ...]] | None:
    data, form = body.get("data"), body.get("format")
    if not isinstance(data, str) or not isinstance(form, str):
        return None
    return {"type": "audio", **inline_file(data, SOUNDS.get(form, f"audio/{form}"))}, ("data", "format")


def _file(body: Data) -> tuple[Data, tuple[str, ...]] | None:
    found: Data = {"type": "document"}
    used: tuple[str, ...] = ()
    if isinstance(body.get("filename"), str):
        found["name"] = body["filename"]
        used = ("filename",)
    if isinstance(body.get("file_data"), str):
        return {**found, **_from_url(body["file_data"])}, (*used, "file_data")
    if isinstance(body.get("file_id"), str):
        return {**found, "fileId": body["file_id"]}, (*used, "file_id")
    return None


FILES: dict[Any, Callable[[Data], tuple[Data, tuple[str, ...]] | None]] = {
    "image_url": _picture,
    "input_audio": _sound,
    "file": _file,
}


# --- parts of Anthropic's messages and of OpenAI's responses

OTHER_SHAPES: dict[Any, str] = {
    "image": "image",
    "document": "document",
    "input_image": "image",
    "input_file": "document",
}
"""Types of parts that say the same in another shape, with the kind of file; they are written as chat parts."""

NAMES = ("filename", "title")
SAID_BY_THE_ASSET = frozenset(
    ["type", "source", "filename", "title", "detail", "image_url", "file_data", "file_url", "file_id"]
)


def _of_other_shape(fields: Data, asset_id: str) -> Data | None:
    source = fields.get("source")
    place = _of_source(cast("Data", source)) if isinstance(source, dict) else _of_input(fields)
    if place is None:
        return None
    name = next((fields[key] for key in NAMES if isinstance(fields.get(key), str)), None)
    found: Data = {"id": asset_id, "type": OTHER_SHAPES[fields["type"]], **({"name": name} if name else {}), **place}
    if isinstance(fields.get("detail"), str):
        found["openai"] = {"detail": fields["detail"]}
    rest = {k: v for k, v in fields.items() if k not in SAID_BY_THE_ASSET or (k in NAMES and not isinstance(v, str))}
    return {**found, "openaiPart": rest} if rest else found


def _of_source(source: Data) -> Data | None:
    """The place of the bytes, as Anthropic's blocks say it."""
    mime_type = source.get("media_type")
    match source.get("type"):
        case "base64" if isinstance(source.get("data"), str):
            return inline_file(source["data"], mime_type if isinstance(mime_type, str) else "application/octet-stream")
        case "text" if isinstance(source.get("data"), str):
            return inline_file(b64encode(source["data"].encode(errors="replace")).decode(), "text/plain")
        case "url" if isinstance(source.get("url"), str):
            return {"url": source["url"]}
        case "file" if isinstance(source.get("file_id"), str):
            return {"fileId": source["file_id"]}
        case _:
            return None


def _of_input(fields: Data) -> Data | None:
    """The place of the bytes, as parts of OpenAI's responses say it."""
    for key in ("image_url", "file_data", "file_url"):
        if isinstance(fields.get(key), str):
            return _from_url(fields[key])
    return {"fileId": fields["file_id"]} if isinstance(fields.get("file_id"), str) else None


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
    """The part with an asset, and with its fields that the form doesn't know; None when its bytes aren't in it."""
    part = sendable_part(AssetRef.of(asset))
    if part is None:
        return None
    extra, kind = asset.model_extra or {}, part["type"]
    inner, around = extra.get("openai"), extra.get("openaiPart")
    if isinstance(inner, dict):
        part = {**part, kind: {**cast("Data", inner), **part[kind]}}
    return {**(cast("Data", around) if isinstance(around, dict) else {}), **part}

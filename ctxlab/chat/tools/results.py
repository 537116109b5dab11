"""The node of a tool's result: text, files, or what went wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, cast

from ctxlab.assets.content_router import ArtifactNotFound, ContentRouteResult
from ctxlab.documents import Asset, ToolCall
from ctxlab.documents.stored import Stored
from ctxlab.errors import ReadError
from ctxlab.lazy_dataclass import dataclass

Status = Literal["done", "failed", "refused", "timed out", "cancelled"]

MOST_CHARACTERS = 100_000
"""Characters of a result that are kept."""
MOST_FILES = 20
"""Files of a result that are kept."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A result: its text and its files, and whether the call did what it was for."""

    text: str
    files: tuple[Asset, ...] = ()
    status: Status = "done"


def result_of(value: object, *, most_characters: int = MOST_CHARACTERS) -> ToolResult:
    """The result of what a function returned.

    Text stays text; bytes, paths and pictures of Pillow become files; a routed artifact is what the router made of it;
    a list may mix them; everything else is written as JSON. What is too long is cut, and the text says so.
    """
    if isinstance(value, ToolResult):
        return value
    if isinstance(value, ArtifactNotFound):
        return ToolResult(_json(value.as_data()), status="failed")
    parts = cast("Sequence[object]", value) if isinstance(value, list | tuple) and _has_files(value) else [value]
    texts: list[str] = []
    files: list[Asset] = []
    for part in parts:
        text, file = _part(part)
        if file is not None and len(files) < MOST_FILES:
            files.append(file)
        elif file is not None:
            text = f"[{file.name or 'a file'} is left out: a result has {MOST_FILES} files at most]"
        if text:
            texts.append(text)
    words = cut("\n".join(texts), most_characters)
    return ToolResult(words or _names(files), tuple(files))


def cut(text: str, most: int) -> str:
    """The text, or its beginning and how much of it that is."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n[cut here: {most:,} of {len(text):,} characters are shown]"


def node_of_result(result: ToolResult, call: ToolCall, *, seconds: float | None, in_text: bool) -> dict[str, Any]:
    """The fields of the node that holds a result; in the text protocol its words name the tool."""
    said: dict[str, Any] = {
        "requestId": call.id,
        "toolName": call.name,
        "status": "success" if result.status == "done" else "error",
        "rawArgs": call.arguments,
    }
    if result.status != "done":
        said["outcome"] = result.status
    if seconds is not None:
        said["durationMs"] = round(seconds * 1000)
    text = f"Result of the tool {call.name!r} ({said['status']}):\n{result.text}" if in_text else result.text
    node: dict[str, Any] = {"role": "tool", "content": text, "metadata": {"toolCall": said}}
    if result.files:
        node["attachments"] = [asset.model_dump(by_alias=True, exclude_none=True) for asset in result.files]
    return node


def _part(value: object) -> tuple[str, Asset | None]:
    """The text or the file of a value; a file that can't be carried is a text that says so."""
    if isinstance(value, str):
        return value, None
    if value is None:
        return "", None
    if isinstance(value, Asset):
        return "", value
    if isinstance(value, ContentRouteResult):
        return _routed(value)
    if _is_file(value):
        return _attached(value)
    return _json(value), None


def _routed(value: ContentRouteResult) -> tuple[str, Asset | None]:
    from base64 import b64decode

    from ctxlab.assets.attachment import attachment

    if value.content is not None:
        return value.content, None
    base64 = value.file.data if value.file is not None else (value.image_url or "").partition(",")[2]
    about = value.metadata
    told = {"contentType": value.content_type, "routing": value.routing, "metadata": about.as_data()}
    return _json(told), attachment(b64decode(base64), name=about.filename, mime_type=about.mime_type)


def _attached(value: object) -> tuple[str, Asset | None]:
    from ctxlab.assets.attachment import attachment

    try:
        if isinstance(value, bytes | bytearray | memoryview):
            return "", attachment(bytes(value))
        if isinstance(value, PathLike):
            return "", attachment(Path(cast("PathLike[str]", value)))
        return "", attachment(_png(value), name="picture.png", mime_type="image/png")
    except ReadError as error:
        from ctxlab.chat.tools.failure_text import failure_text

        return f"[a file is left out: {failure_text(error).partition(': ')[2]}]", None


def _png(picture: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, format="PNG")
    return out.getvalue()


def _is_file(value: object) -> bool:
    return isinstance(value, bytes | bytearray | memoryview | PathLike | Asset | ContentRouteResult) or _is_picture(
        value
    )


def _is_picture(value: object) -> bool:
    """Whether this is a picture of Pillow, which is not imported to find out."""
    return any(kind.__module__ == "PIL.Image" and kind.__name__ == "Image" for kind in type(value).__mro__)


def _has_files(values: object) -> bool:
    return any(_is_file(each) for each in cast("Sequence[object]", values))


def _names(files: Sequence[Asset]) -> str:
    """The words of a result that is files alone; vendors refuse results without words."""
    return "\n".join(f"[{file.name or file.mime_type or 'file'}]" for file in files) or "(no result)"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Stored):
        return value.to_data()
    if hasattr(value, "model_dump"):
        return cast("Any", value).model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {str(name): each for name, each in cast("Mapping[object, object]", value).items()}
    if isinstance(value, set | frozenset):
        return sorted(cast("set[object]", value), key=repr)
    return str(value)

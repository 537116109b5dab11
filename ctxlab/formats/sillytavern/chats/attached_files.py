"""Files that `extra` of a SillyTavern message names, as attachments; with bytes inside, or in SillyTavern's folders."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from ctxlab.display.short_texts import counted
from ctxlab.formats.files.links import last_name, place_of
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce

Data = dict[str, Any]

KINDS: Final = {"image": "image", "video": "video", "audio": "audio", "file": "document"}
"""Keys of `extra` that name one file, and kinds of its `media`, with ours."""
LISTS: Final = {"media": "image", "files": "document"}
GALLERY: Final = "gallery"
"""The ways to show media of which one is chosen; the others are like swipes."""


def attachments(extra: Mapping[str, Any], node_id: str) -> list[Data]:
    """The files of a message as stored attachments. Of a gallery it is the chosen one."""
    found: list[Data] = []
    for entry, kind in _entries(extra):
        asset = _asset(entry, kind, f"{node_id}-file-{len(found)}", extra)
        if asset is not None:
            found.append(asset)
    return found


def unread(extra: Mapping[str, Any]) -> Iterator[Loss]:
    """A loss for each entry that names no file, and for the pictures of a gallery that aren't chosen."""
    for name in (*KINDS, *LISTS):
        held = extra.get(name)
        for entry in cast("list[Any]", held) if isinstance(held, list) else [held] if held else []:
            if _asset(entry, "other", "", extra) is None:
                yield Loss(f"extra.{name}", f"{coerce.shown(entry):.80} names no file; left out")
    others = _not_chosen(extra)
    if others:
        them = counted(others, "of its gallery is", "of its gallery are")
        yield Loss("extra.media", f"{them} not the chosen one; kept, but not attached")


def _entries(extra: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    """Each entry that names a file, with the kind of it; newer fields stand for the older ones of the same file."""
    media = extra.get("media")
    if isinstance(media, list) and media:
        listed = cast("list[Any]", media)
        chosen = _chosen(extra, listed)
        yield from ((entry, _kind_of(entry)) for entry in (listed if chosen is None else [listed[chosen]]))
    else:
        yield from ((extra[name], KINDS[name]) for name in ("image", "video", "audio") if extra.get(name))
    files = extra.get("files")
    if isinstance(files, list) and files:
        yield from ((entry, "document") for entry in cast("list[Any]", files))
    elif extra.get("file"):
        yield extra["file"], "document"


def _chosen(extra: Mapping[str, Any], listed: list[Any]) -> int | None:
    """The index of the one that is shown of a gallery; None where all are."""
    index = extra.get("media_index")
    if extra.get("media_display", GALLERY) != GALLERY or len(listed) < 2:
        return None
    return index if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(listed) else 0


def _not_chosen(extra: Mapping[str, Any]) -> int:
    media = extra.get("media")
    listed = cast("list[Any]", media) if isinstance(media, list) else []
    return len(listed) - 1 if listed and _chosen(extra, listed) is not None else 0


def _kind_of(entry: Any) -> str:
    kind = cast("Data", entry).get("type") if isinstance(entry, dict) else None
    return KINDS.get(kind, "image") if isinstance(kind, str) else "image"


def _asset(entry: Any, kind: str, asset_id: str, extra: Mapping[str, Any]) -> Data | None:
    fields = cast("Data", entry) if isinstance(entry, dict) else {}
    link = entry if isinstance(entry, str) else fields.get("url")
    place = place_of(link) if isinstance(link, str) and link.strip() else None
    if place is None:
        return None
    name = fields.get("name") or last_name(cast("str", link)) or fields.get("title") or extra.get("title")
    found: Data = {"id": asset_id, "type": kind, "name": name if isinstance(name, str) else "", **place}
    if "mimeType" not in found and (mime_type := mimetypes.guess_type(last_name(cast("str", link)))[0]):
        found["mimeType"] = mime_type
    if "size" not in found and isinstance(fields.get("size"), int):
        found["size"] = fields["size"]
    return found

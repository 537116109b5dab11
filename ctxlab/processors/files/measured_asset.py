"""A file of a message with the measures that its bytes show, or else those that the message claims."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from typing import Any

from ctxlab.assets.claimed_type import claimed_facts
from ctxlab.assets.file_types import facts_of
from ctxlab.context import AssetRef, FileFacts, FileRoute
from ctxlab.context.file_words import PAGE
from ctxlab.documents import InlineFile
from ctxlab.documents.frozen_json import FrozenDict


def claimed_facts_of(asset: AssetRef) -> FileFacts:
    """The facts that a message claims of a file whose bytes are not at hand."""
    claimed = claimed_facts(name=asset.name, mime_type=asset.mime_type, kind=asset.kind)
    size = asset.metadata
    return replace(
        claimed,
        size_bytes=asset.size_bytes,
        width=_whole(size.get("width")),
        height=_whole(size.get("height")),
        pages=_whole(size.get("pages")),
    )


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def measured_asset(asset: AssetRef, facts: FileFacts) -> AssetRef:
    """The file with what its bytes show; the same object where they show nothing new."""
    found: dict[str, Any] = {
        "width": facts.width,
        "height": facts.height,
        "duration": facts.seconds,
        "pages": facts.pages,
        "encoding": facts.encoding,
    }
    new = {name: value for name, value in found.items() if value is not None and asset.metadata.get(name) != value}
    fields: dict[str, Any] = {"kind": facts.kind, "mime_type": facts.mime_type or asset.mime_type}
    if facts.size_bytes is not None:
        fields["size_bytes"] = facts.size_bytes
    if not new and all(getattr(asset, name) == value for name, value in fields.items()):
        return asset
    return replace(asset, metadata=FrozenDict({**asset.metadata, **new}), **fields)


def page_picture(asset: AssetRef, number: int, data: bytes, reason: str) -> AssetRef:
    """The picture of a page of a document as a file of its own, ready to be sent."""
    facts = facts_of(data)
    return AssetRef(
        f"{asset.id}{PAGE}{number}",
        "image",
        f"{asset.name or asset.id}, page {number}",
        facts.mime_type,
        len(data),
        FrozenDict({"width": facts.width, "height": facts.height}),
        InlineFile(b64encode(data).decode(), facts.mime_type),
        FileRoute("picture", reason, facts.width, facts.height),
    )

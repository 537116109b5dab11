"""Attached files inside the messages themselves, for forms that have no other place for them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping

from ctxlab.documents import Session
from ctxlab.documents.session.asset_source import LibraryFile
from ctxlab.documents.session.message import Asset, MessageNode

MOST_TEXT = 200_000
"""Characters of a file's text that a form to read has."""


def with_bytes_inside(session: Session, files: Mapping[str, bytes]) -> Session:
    """The session with the bytes of its active path's files in the messages, so far as `files` has them."""
    changed = {
        node.id: node.with_(attachments=tuple(_inside(asset, files) for asset in node.attachments))
        for node in session.path()
        if node.attachments and any(_bytes_of(asset, files) for asset in node.attachments)
    }
    return session.model_copy(update={"nodes": {**session.nodes, **changed}}) if changed else session


def _inside(asset: Asset, files: Mapping[str, bytes]) -> Asset:
    data = _bytes_of(asset, files)
    if not data:
        return asset
    from ctxlab.assets.file_types import facts_of

    mime_type = asset.mime_type or facts_of(data, name=asset.name).mime_type
    inline = {"base64": b64encode(data).decode(), "mimeType": mime_type}
    return Asset.model_validate({**asset.to_data(), "inlineData": inline})


def texts_of_files(nodes: Mapping[str, MessageNode], files: Mapping[str, bytes]) -> dict[str, str]:
    """The text of each attached text file by its id, so far as `files` has it."""
    found: dict[str, str] = {}
    for asset in _each(nodes):
        data = _bytes_of(asset, files)
        if data and asset.id and (text := _text(asset, data)):
            found.setdefault(asset.id, text)
    return found


def _text(asset: Asset, data: bytes) -> str:
    from ctxlab.assets.file_types import facts_of
    from ctxlab.assets.text_encoding import decode_text

    if facts_of(data, name=asset.name, mime_type=asset.mime_type).kind != "text":
        return ""
    return decode_text(data)[0][:MOST_TEXT]


def _each(nodes: Mapping[str, MessageNode]) -> Iterator[Asset]:
    return (asset for node in nodes.values() for asset in node.attachments or ())


def _bytes_of(asset: Asset, files: Mapping[str, bytes]) -> bytes | None:
    source = asset.source
    return files.get(source.path) if isinstance(source, LibraryFile) and source.path else None

"""Files of a chat as the page gets them: those of messages, and those that wait to be sent with the draft."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.assets.attachment import MOST_BYTES, attachment
from ctxlab.assets.references import parse_reference
from ctxlab.context.file_words import measure_words
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import cut_off
from ctxlab.documents import Asset, AssetSource, Session
from ctxlab.documents.session.asset_source import InlineFile, LibraryFile
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.pipeline.services import AssetStore
from ctxlab.studies.sent_files import SentFile, sent_files
from ctxlab_widgets._shared.thumbnails import Picture, thumbnail_url

KINDS = {"image": "picture", "audio": "sound", "video": "film", "document": "document", "text": "document"}
MOST_FILES = 40
"""Files of one message."""
MOST_TOGETHER = 100_000_000
"""Bytes of all files that wait."""
MOST_WORDS = 300


def chip_of(asset: Asset, store: AssetStore | None, *, state: str = "ready", facts: str = "") -> dict[str, Any]:
    """One file for the page; a small picture of pictures alone, made here."""
    kind = KINDS.get(asset.type, "other")
    url = thumbnail_url(Picture(asset.source, store)) if kind == "picture" else ""
    chip = {
        "id": asset.id,
        "name": plain(asset.name, 80) or asset.mime_type or asset.type,
        "facts": facts or about(asset),
        "kind": kind,
        "state": state,
    }
    return {**chip, "thumbnail": url} if url else chip


def about(asset: Asset) -> str:
    """Measures that a message keeps of a file, such as `1,024 × 768, 186 kB`."""
    known = asset.metadata or {}
    width, height = known.get("width"), known.get("height")
    if not (isinstance(width, int) and isinstance(height, int)):
        width = height = None
    return ", ".join(measure_words(width=width, height=height, size_bytes=asset.size)) or asset.mime_type


class WaitingFiles:
    """The files that go with the next message; each content is there once."""

    def __init__(self) -> None:
        self.assets: tuple[Asset, ...] = ()

    def add(self, files: Sequence[Mapping[str, Any]], buffers: Sequence[Any]) -> list[str]:
        """Take files with their bytes. Returns a sentence for each that is not taken."""
        refused: list[str] = []
        for file, buffer in zip(files, buffers, strict=True):
            name = plain(str(file["name"]), 80)
            try:
                self._add(bytes(buffer), name, str(file["type"]))
            except CtxlabError as problem:
                refused.append(str(problem))
        return refused

    def _add(self, data: bytes, name: str, mime_type: str) -> None:
        if not data:
            raise CtxlabError(f"{name or 'the file'} is empty")
        if len(data) > MOST_BYTES:
            raise CtxlabError(f"{name or 'the file'} is larger than the {MOST_BYTES // 1_000_000} MB of an attachment")
        made = attachment(data, name=name, mime_type=mime_type)
        if any(each.id == made.id for each in self.assets):
            raise CtxlabError(f"{name or 'the file'} is attached already")
        if len(self.assets) >= MOST_FILES:
            raise CtxlabError(f"{name or 'the file'} is one too many: a message takes {MOST_FILES} files")
        if sum(each.size or 0 for each in self.assets) + len(data) > MOST_TOGETHER:
            raise CtxlabError(
                f"{name or 'the file'} is too much: files of a message have {MOST_TOGETHER // 1_000_000} MB"
            )
        self.assets = (*self.assets, made)

    def remove(self, id: str) -> None:
        """Take a file out; raises CtxlabError for one that isn't there."""
        if all(each.id != id for each in self.assets):
            raise CtxlabError(f"no file {id[:80]!r} is attached to the draft")
        self.assets = tuple(each for each in self.assets if each.id != id)

    def taken(self) -> tuple[Asset, ...]:
        """All of them; none is left."""
        found, self.assets = self.assets, ()
        return found

    def chips(self, trace: Trace | None) -> list[dict[str, Any]]:
        """The files for the page, with how they would go by the run of the draft, where there is one."""
        routes = {file.id: file for file in sent_files(trace) if file.key == "pending"} if trace is not None else {}
        return [self._chip(asset, routes.get(asset.id), is_known=trace is not None) for asset in self.assets]

    def _chip(self, asset: Asset, route: SentFile | None, *, is_known: bool) -> dict[str, Any]:
        if route is None:
            return chip_of(asset, None, state="ready" if is_known else "waiting")
        words = [about(asset), route.sent]
        words += [f"{'about ' if route.estimated else ''}{route.tokens:,} tokens"] if route.tokens else []
        words += [cut_off(route.problem, MOST_WORDS)] if route.problem else []
        state = "refused" if route.problem and route.sent_as == "unknown" else "ready"
        return chip_of(asset, None, state=state, facts=", ".join(word for word in words if word))


def bytes_of(session: Session, waiting: Sequence[Asset], id: str, store: AssetStore | None) -> tuple[bytes, str]:
    """Bytes and type of a file of the path, of the draft or, by its address, of the agent; else none of either."""
    known = [*waiting, *(each for node in session.path() for each in node.attachments or ())]
    found = next((each for each in known if each.id == id), None)
    source = found.source if found is not None else _of_agent(id)
    data = _data_of(source, store) if source is not None else b""
    if not data or len(data) > MOST_BYTES:
        return b"", ""
    from ctxlab.assets.file_types import facts_of

    name, mime_type = (found.name, found.mime_type) if found is not None else ("", "")
    return data, facts_of(data, name=name, mime_type=mime_type).mime_type


def _of_agent(address: str) -> AssetSource | None:
    """The file that a text names as `agent-asset://group/id.png`; None for any other address."""
    return LibraryFile(address) if parse_reference(address).kind == "agent-asset" else None


def _data_of(source: AssetSource, store: AssetStore | None) -> bytes:
    if isinstance(source, InlineFile):
        try:
            return base64.b64decode(source.base64, validate=True)
        except (binascii.Error, ValueError):
            return b""
    file = store.open(source) if store is not None else None
    if file is None:
        return b""
    with cast("Any", file):
        return file.read(MOST_BYTES + 1)

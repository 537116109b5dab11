"""The files of a run as the page gets them, with small pictures of those that are pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.context import AssetRef
from ctxlab.context.file_words import measure_words
from ctxlab.display.short_texts import cut_off
from ctxlab.documents import AssetSource
from ctxlab.pipeline import Trace
from ctxlab.pipeline.services import AssetStore
from ctxlab.studies.sent_files import SentFile, sent_files
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.thumbnails import Picture, thumbnail_url

MOST_PICTURES = 200
"""Small pictures of one view; further files show the sign of their kind."""
MOST_WORDS = 400


class FilesPayload:
    """The files of a run for one view; small pictures are looked up once while runs share their files."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[AssetSource, str]] = {}

    def json(self, trace: Trace) -> str:
        """As JSON `{"files": [...], "thumbs": [...]}`, each small picture once; empty for a run without files."""
        files = sent_files(trace)
        known, self._known = self._known, {}
        if not files:
            return ""
        places: dict[str, int] = {}
        rows: list[dict[str, Any]] = []
        for file in files:
            url = self._url(file, trace.services.assets, known) if len(self._known) < MOST_PICTURES else ""
            thumb = {"thumb": places.setdefault(url, len(places))} if url else {}
            rows.append({**file_row(file), **thumb})
        return as_json({"files": rows, "thumbs": list(places)})

    def _url(self, file: SentFile, store: AssetStore | None, known: Mapping[int, tuple[AssetSource, str]]) -> str:
        """The small picture of a picture, of the bytes as they are stored where a store has them."""
        if file.kind != "image":
            return ""
        for source in (file.stored.source if file.stored is not None else None, file.source):
            if source is None:
                continue
            held = known.get(id(source)) or (source, thumbnail_url(Picture(source, store)))
            self._known[id(source)] = held
            if held[1]:
                return held[1]
        return ""


def file_row(file: SentFile) -> dict[str, Any]:
    """One file for the page, without its picture; what is not known is left out."""
    row = {
        "key": file.key,
        "id": file.id,
        "name": file.shown_name,
        "kind": file.kind,
        "about": file.about,
        "stored": _stored_words(file.stored),
        "as": file.sent_as,
        "way": file.way,
        "reason": cut_off(file.reason, MOST_WORDS),
        "tokens": file.tokens,
        "estimated": file.estimated,
        "problem": cut_off(file.problem, MOST_WORDS),
        "cut": cut_off(file.cut, MOST_WORDS),
        "places": list(file.places[:MOST_WORDS]),
    }
    return {name: value for name, value in row.items() if value not in ("", [], False)}


def _stored_words(stored: AssetRef | None) -> str:
    """Type and measures that the message gives of the file, before its bytes are read."""
    if stored is None:
        return ""
    known = stored.metadata
    measures = measure_words(width=known.get("width"), height=known.get("height"), size_bytes=stored.size_bytes)
    return ", ".join([stored.mime_type or stored.kind, *measures])

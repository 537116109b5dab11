"""The files of a run as the page gets them, with small pictures of those that are pictures."""

from __future__ import annotations

from typing import Any

from ctxlab.context.draft_message import AssetRef
from ctxlab.context.file_words import measure_words
from ctxlab.display.short_texts import cut_off
from ctxlab.pipeline import Trace
from ctxlab.studies.sent_files import SentFile, sent_files
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.thumbnails import Picture, thumbnail_url

MOST_PICTURES = 200
"""Small pictures of one view; further files show the sign of their kind."""
MOST_WORDS = 400


def files_json(trace: Trace) -> str:
    """As JSON `{"files": [...], "thumbs": [...]}`, each small picture once; empty for a run without files."""
    files = sent_files(trace)
    if not files:
        return ""
    thumbs = Thumbs(trace)
    rows = [file_row(file, thumbs) for file in files]
    return as_json({"files": rows, "thumbs": thumbs.urls})


class Thumbs:
    """The small pictures of one view, bounded in number; a row names one by its place."""

    def __init__(self, trace: Trace) -> None:
        self._store = trace.services.assets
        self._places: dict[str, int] = {}

    @property
    def urls(self) -> list[str]:
        return list(self._places)

    def place_of(self, file: SentFile) -> int:
        """The place of a picture's small form among `urls`; -1 where it has none."""
        if file.kind != "image" or file.source is None or len(self._places) >= MOST_PICTURES:
            return -1
        sources = [file.source, *([file.stored.source] if file.stored is not None else [])]
        url = next((url for each in sources if (url := thumbnail_url(Picture(each, self._store)))), "")
        return self._places.setdefault(url, len(self._places)) if url else -1


def file_row(file: SentFile, thumbs: Thumbs) -> dict[str, Any]:
    """One file for the page; what is not known is left out."""
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
    thumb = thumbs.place_of(file)
    kept = {name: value for name, value in row.items() if value not in ("", [], False)}
    return {**kept, **({"thumb": thumb} if thumb >= 0 else {})}


def _stored_words(stored: AssetRef | None) -> str:
    """What the file said of itself before anybody read it, where that is anything."""
    if stored is None:
        return ""
    known = stored.metadata
    measures = measure_words(width=known.get("width"), height=known.get("height"), size_bytes=stored.size_bytes)
    return ", ".join([stored.mime_type or stored.kind, *measures])

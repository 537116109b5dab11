"""Fields of the caller's own that go into a body as they are, over all others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from ctxlab.display.short_texts import short
from ctxlab.documents import Note
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.plain_json import plain_json


def put_custom(custom: Mapping[str, Any], out: BodyWriter, *, joined: Collection[str] = ()) -> None:
    """Put fields into a body that has all others; one that replaces another is a note, and has no places.

    Of the objects `joined` the fields that a custom one doesn't name stay as they are.
    """
    for name, value in custom.items():
        mine, before = plain_json(value), out.body.get(name)
        if name in joined and isinstance(before, dict) and isinstance(mine, dict):
            inner = BodyWriter(cast("dict[str, Any]", before), notes=out.notes)
            put_custom(cast("dict[str, Any]", mine), inner)
            continue
        if name in out.body and before != mine:
            out.notes.append(Note("info", f"the custom parameter {short(name)!r} replaces the one that was worked out"))
            out.places[:] = [place for place in out.places if place.path[0] != name]
        out.body[name] = mine

"""Small pictures of files as data URLs, made while a view is shown; a hostile picture has none."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections import OrderedDict
from typing import BinaryIO, NamedTuple

from ctxlab.documents import AssetSource
from ctxlab.documents.session.asset_source import InlineFile
from ctxlab.errors import CtxlabError
from ctxlab.pipeline.services import AssetStore

SIDES = (64, 40, 24)
"""Pixels of the longer side: the next smaller one where a picture takes too many bytes."""
MOST_BYTES = 3_000
MOST_READ = 20_000_000
"""Larger files have no small picture."""
MOST_KNOWN = 1_000
FORMS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))

_known: OrderedDict[bytes, str] = OrderedDict()
"""By hash of the file's bytes: equal files are drawn once, whichever view shows them."""


class Picture(NamedTuple):
    """A place of bytes; the store that reads them, where they aren't in the message itself."""

    source: AssetSource
    store: AssetStore | None


def thumbnail_url(picture: Picture) -> str:
    """A PNG, JPEG or WebP of at most 64 pixels as a `data:` URL; empty where there is none."""
    data = _bytes_of(picture)
    if not data:
        return ""
    name = hashlib.sha256(data).digest()
    if name not in _known:
        _known[name] = _made(data)
        if len(_known) > MOST_KNOWN:
            _known.popitem(last=False)
    _known.move_to_end(name)
    return _known[name]


def _bytes_of(picture: Picture) -> bytes:
    source, store = picture
    if isinstance(source, InlineFile):
        if len(source.base64) > MOST_READ * 4 // 3 + 4:
            return b""
        try:
            return base64.b64decode(source.base64, validate=True)
        except (binascii.Error, ValueError):
            return b""
    file = store.open(source) if store is not None else None
    return _read(file) if file is not None else b""


def _read(file: BinaryIO) -> bytes:
    with file:
        data = file.read(MOST_READ + 1)
    return data if len(data) <= MOST_READ else b""


def _made(data: bytes) -> str:
    from ctxlab.assets.pictures import thumbnail

    for side in SIDES:
        try:
            small = thumbnail(data, side)
        except CtxlabError:
            return ""
        if small is None:
            return ""
        form = _form_of(small)
        if form and len(small) <= MOST_BYTES:
            return f"data:{form};base64,{base64.b64encode(small).decode()}"
    return ""


def _form_of(data: bytes) -> str:
    """The type of a picture that a page may show; never SVG, whose content can act."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for first, mime in FORMS if data.startswith(first)), "")

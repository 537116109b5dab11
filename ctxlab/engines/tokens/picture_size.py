"""Width and height of a picture, read from the first of its bytes."""

from __future__ import annotations

import binascii
from io import BytesIO

from ctxlab.context import AssetRef
from ctxlab.documents.session.asset_source import AssetSource, InlineFile, LinkedFile
from ctxlab.documents.session.inline_bytes import is_data_url, standard_base64

FIRST_CHARACTERS = 4_096  # of base64; enough for all but a JPEG with a long preamble
_BEGINNINGS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"GIF8", b"RIFF")
MOST_CHARACTERS = 1_048_576

Size = tuple[float, float]


def sent_size(asset: AssetRef) -> Size | None:
    """Pixels of a picture that is scaled before it is sent; None where it goes as it is."""
    route = asset.route
    return (route.width, route.height) if route is not None and route.width and route.height else None


def inline_size(source: AssetSource) -> Size | None:
    """Pixels of a picture whose bytes are in its source, as base64 or a `data:` URL; None when they can't be read."""
    match source:
        case InlineFile(base64):
            return size_in_header(base64)
        case LinkedFile(url) if is_data_url(url):
            head, comma, body = url.partition(",")
            return size_in_header(body) if comma and head.lower().endswith(";base64") else None
        case _:
            return None


def size_in_header(base64: str) -> Size | None:
    """Pixels of a PNG, JPEG, GIF or WebP, the forms that vendors take; None for everything else."""
    from imagesize import get

    length = FIRST_CHARACTERS
    while True:
        try:
            first = binascii.a2b_base64(standard_base64(base64[:length]))
        except ValueError:
            return None
        if not first.startswith(_BEGINNINGS):
            return None
        try:
            width, height = get(BytesIO(first))
        except Exception:  # the bytes are a stranger's, and the library names no error for broken ones
            return None
        if width > 0 and height > 0:
            return width, height
        if length >= min(len(base64), MOST_CHARACTERS):
            return None
        length *= 16

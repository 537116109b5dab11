"""Checks of files in a body: base64, data URLs, addresses, and pictures that are of another type than is said."""

from __future__ import annotations

import base64
import binascii
import re
from typing import NamedTuple

from ctxlab.lazy_pattern import lazy_pattern

DATA_URL = lazy_pattern(r"data:([\w.+-]+/[\w.+-]+)((?:;[\w-]+=[^;,]*)*);base64,", re.ASCII)
FIRST_BYTES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
HEAD = 24
"""Characters of base64 that hold the bytes by which a picture is known."""


class DataUrl(NamedTuple):
    mime_type: str
    data: str


def data_url(url: str) -> DataUrl | None:
    """The type and the base64 of a data URL; nothing if it isn't one."""
    found = DATA_URL.match(url)
    return None if found is None else DataUrl(found[1], url[found.end() :])


def is_base64(data: str, *, url_safe: bool = False) -> bool:
    """Whether the text is padded base64; where asked, also that of the alphabet for URLs, padded or not."""
    standard = data.replace("-", "+").replace("_", "/") + "=" * (-len(data) % 4) if url_safe else data
    try:
        base64.b64decode(standard, validate=True)
    except (binascii.Error, ValueError):
        return False
    return bool(data)


def size_of_base64(data: str) -> int:
    """Bytes that the base64 stands for."""
    return len(data) * 3 // 4 - data[-2:].count("=")


def picture_type(data: str) -> str | None:
    """The type that the first bytes of a picture show; nothing if they show none."""
    try:
        head = base64.b64decode(data[:HEAD] + "=" * (-len(data[:HEAD]) % 4))
    except (binascii.Error, ValueError):
        return None
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for first, kind in FIRST_BYTES if head.startswith(first)), None)


def has_scheme(url: str, *schemes: str) -> bool:
    return url.startswith(tuple(f"{scheme}://" for scheme in schemes)) and len(url.split("://", 1)[1]) > 0

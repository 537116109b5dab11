"""The place of a file, as a link in another program's JSON says it: its bytes in a data URL, a URL, or a path."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from ctxlab.assets.references import bytes_of_base64
from ctxlab.errors import CtxlabError
from ctxlab.formats.files.paths import is_inside
from ctxlab.formats.openai.content_parts import inline_file
from ctxlab.lazy_pattern import lazy_pattern

SCHEME = lazy_pattern(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
DATA_URL = lazy_pattern(
    r"data:(?P<mime>[\w.+-]+/[\w.+-]+)?(?P<rest>(?:;[\w-]+=[^;,]*)*)(?P<packed>;base64)?,", re.IGNORECASE
)
MOST_CHARACTERS = 90_000_000
"""Of a data URL that is taken for a file: 64 MB."""


def place_of(link: str) -> dict[str, Any] | None:
    """The fields of an asset that say where its bytes are; None for what names no file, or one outside the folder."""
    if link[:5].lower() == "data:":
        return _inline(link)
    if SCHEME.match(link):
        return {"url": link}
    path = link.partition("?")[0].partition("#")[0].lstrip("/")
    return {"path": path} if is_inside(path) else None


def data_of(link: str) -> tuple[bytes, str] | None:
    """The bytes and the MIME type in a data URL; None where it is none, or broken."""
    head = DATA_URL.match(link[:300])
    if head is None or len(link) > MOST_CHARACTERS:
        return None
    body, mime_type = link[head.end() :], head["mime"] or "text/plain"
    if not head["packed"]:
        return unquote_to_bytes(body), mime_type
    try:
        return bytes_of_base64(unquote(body) if "%" in body else body), mime_type
    except CtxlabError:
        return None


def last_name(link: str) -> str:
    """The name of a file at the end of a path or a URL; empty for a data URL."""
    if link[:5].lower() == "data:":
        return ""
    return unquote(link.partition("?")[0].partition("#")[0]).rstrip("/").rpartition("/")[2]


def _inline(link: str) -> dict[str, Any] | None:
    found = data_of(link)
    return None if found is None else inline_file(b64encode(found[0]).decode(), found[1])

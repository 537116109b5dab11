"""Files of messages as a vendor can get them: base64 in the body, a link, or an id at the vendor."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote_to_bytes

from ctxlab.context import AssetRef
from ctxlab.documents.session.asset_source import InlineFile, LinkedFile, UploadedFile
from ctxlab.documents.session.inline_bytes import is_data_url, is_standard_base64, shown, standard_base64

SourceForm = Literal["base64", "url", "id"]
_WEB = re.compile(r"(?:https?|gs):", re.IGNORECASE)
_SAME = {"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav"}


@dataclass(frozen=True, slots=True)
class FileSource:
    """The bytes of a file in standard base64, its URL, or its id. `mime_type` is "" where it isn't known."""

    form: SourceForm
    value: str
    mime_type: str

    def text(self) -> str | None:
        """The words of a text file; None where it isn't UTF-8 or has no bytes here."""
        try:
            return binascii.a2b_base64(self.value).decode("utf-8-sig") if self.form == "base64" else None
        except (binascii.Error, UnicodeDecodeError):
            return None


def file_source(asset: AssetRef) -> FileSource | None:
    """Where the vendor gets a file; None when its bytes are in a library, or on one machine alone."""
    match asset.source:
        case InlineFile(base64, mime_type):
            return _inline(base64, mime_type or asset.mime_type)
        case LinkedFile(url) if is_data_url(url):
            return _of_data_url(url.lstrip(), asset.mime_type)
        case LinkedFile(url) if _WEB.match(url.lstrip()):
            return FileSource("url", url.strip(), _mime(asset.mime_type))
        case UploadedFile(file_id) if file_id:
            return FileSource("id", file_id, _mime(asset.mime_type))
        case _:
            return None


def file_words(asset: AssetRef) -> str:
    """A file's name as a report gives it, never its bytes."""
    return shown(asset.name or asset.id or f"a file of type {asset.kind}", 60)


def _inline(base64: str, mime_type: str) -> FileSource:
    if is_data_url(base64):
        return _of_data_url(base64.lstrip(), mime_type)
    words = base64 if is_standard_base64(base64) else standard_base64(base64)
    return FileSource("base64", words, _mime(mime_type))


def _of_data_url(url: str, mime_type: str) -> FileSource:
    head, _, data = url[5:].partition(",")
    kind, *options = head.split(";")
    if any(option.strip().lower() == "base64" for option in options):
        return _inline(data, kind.strip() or mime_type)
    words = binascii.b2a_base64(unquote_to_bytes(data), newline=False).decode()
    return FileSource("base64", words, _mime(kind.strip() or mime_type or "text/plain"))


def _mime(mime_type: str) -> str:
    plain = mime_type.partition(";")[0].strip().lower()
    return _SAME.get(plain, plain)

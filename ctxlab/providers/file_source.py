"""The bytes, the link or the vendor's id of a file, as the forms of requests want them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote_to_bytes

from ctxlab.context import AssetRef, Cause, Draft, Origin, Text
from ctxlab.context.file_facts import FileKind
from ctxlab.context.file_words import name_of
from ctxlab.documents.session.asset_source import InlineFile, LinkedFile, UploadedFile
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.model_info import ModelInfo

_WHITE = str.maketrans("", "", " \t\r\n")


@dataclass(frozen=True, slots=True)
class FileBytes:
    """Bytes as base64 that is whole, with their type."""

    base64: str
    mime_type: str

    @property
    def url(self) -> str:
        return f"data:{self.mime_type};base64,{self.base64}"


@dataclass(frozen=True, slots=True)
class FileLink:
    """A web address, with `http:` or `https:`."""

    url: str


@dataclass(frozen=True, slots=True)
class FileUpload:
    """The id that a vendor gave a file."""

    file_id: str


@dataclass(frozen=True, slots=True)
class NoFile:
    """A file that can't be sent; `reason` is a clause that says why."""

    reason: str


FileSource = FileBytes | FileLink | FileUpload | NoFile


def file_source(asset: AssetRef) -> FileSource:
    """The place of a file's bytes in a form that can be sent, or why there is none."""
    match asset.source:
        case InlineFile(base64, mime_type):
            return _whole(base64, mime_type or asset.mime_type)
        case LinkedFile(link):
            return _of_link(link.strip(), asset)
        case UploadedFile(file_id):
            return FileUpload(file_id) if file_id else NoFile("the vendor's id of it is empty")
        case _:
            return NoFile("its bytes are elsewhere; build with the files at hand to send it")


def _of_link(link: str, asset: AssetRef) -> FileSource:
    scheme, _, rest = link.partition(":")
    scheme = scheme.lower()
    if scheme in ("http", "https"):
        return FileLink(f"{scheme}:{rest}")
    if scheme != "data":
        return NoFile("its link leads to no place on the web")
    head, _, data = rest.partition(",")
    mime_type, *options = (word.strip() for word in head.split(";"))
    if "base64" in (option.lower() for option in options):
        return _whole(data, mime_type or asset.mime_type)
    return FileBytes(b64encode(unquote_to_bytes(data)).decode(), mime_type or asset.mime_type or "text/plain")


def _whole(base64: str, mime_type: str) -> FileSource:
    data = base64.translate(_WHITE)
    if not is_base64(data):
        return NoFile("its bytes are no base64 that can be read" if data else "it has no bytes")
    return FileBytes(data, mime_type or "application/octet-stream")


def is_base64(text: str) -> bool:
    """Whether a text is base64 of the standard alphabet, padded, and not empty.

    >>> is_base64("aGk="), is_base64("aGk"), is_base64("a-_=")
    (True, False, False)
    """
    try:
        return bool(text) and bool(b64decode(text, validate=True))
    except (NoBase64, ValueError):
        return False


READ_AS: Mapping[str, tuple[FileKind, str]] = {
    "image_url": ("image", "pictures"),
    "input_image": ("image", "pictures"),
    "input_audio": ("audio", "recordings"),
    "file": ("document", "files"),
    "input_file": ("document", "files"),
}
"""The kind of file, and a word for it, by the type of the part that carries it."""


def unread(part: Mapping[str, Any], model: ModelInfo) -> NoFile | None:
    """The reason why a model doesn't read the file of a part; None where it does, or nothing is known of it."""
    kind, words = READ_AS[part["type"]]
    if model.capabilities.known and not model.capabilities.reads(kind):
        return NoFile(f"{model.name or 'this model'} reads no {words}")
    return None


def standing_for(files: Sequence[AssetRef], draft: Draft) -> Text:
    """The names of files in brackets, for a message that would be empty without them."""
    cause = Cause("request", "file-elsewhere", "the file isn't in this message, which has nothing else")
    return Text.of(" ".join(f"[{name_of(file)}]" for file in files), Origin("notice", draft.key), cause)

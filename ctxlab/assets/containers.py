"""The type of a ZIP or an OLE2 container by the names in its directory; no member is unpacked."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from ctxlab.assets.byte_window import ByteWindow
from ctxlab.assets.type_table import ODF, OLE, OOXML, ZIP
from ctxlab.lazy_dataclass import dataclass

ZIP_START = b"PK\x03\x04"
OLE_START = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MOST_MEMBERS = 4_000
MOST_DIRECTORY_BYTES = 1_000_000
END_OF_DIRECTORY = b"PK\x05\x06"
MOST_COMMENT_BYTES = 65_535 + 22
MOST_SECTORS = 64
"""Sectors of an OLE2 directory that are read: in real files there are a few."""

OFFICE = (
    ("word/vbaProject.bin", "application/vnd.ms-word.document.macroenabled.12"),
    ("xl/workbook.bin", "application/vnd.ms-excel.sheet.binary.macroenabled.12"),
    ("xl/vbaProject.bin", "application/vnd.ms-excel.sheet.macroenabled.12"),
    ("ppt/vbaProject.bin", "application/vnd.ms-powerpoint.presentation.macroenabled.12"),
    ("word/", f"{OOXML}.wordprocessingml.document"),
    ("xl/", f"{OOXML}.spreadsheetml.sheet"),
    ("ppt/", f"{OOXML}.presentationml.presentation"),
)
"""By the member that only this type has, most particular first."""
OPEN_DOCUMENTS = frozenset({f"{ODF}.text", f"{ODF}.spreadsheet", f"{ODF}.presentation", "application/epub+zip"})
OLE_STREAMS = (
    ("WordDocument", "application/msword"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
)
MAY_BE_OLE = ("application/msword", "application/vnd.ms-", "application/vnd.openxmlformats-")
"""Beginnings of the types that an OLE2 container without a telling stream may have: it may be encrypted."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The type of what is in a container, the number of its slides, and what is amiss with it."""

    mime_type: str
    slides: int | None = None
    problem: str = ""


def zip_contents(window: ByteWindow) -> Contents:
    """The type of a ZIP container: an Office, OpenDocument or EPUB file by its members, else a plain archive."""
    names = _names_of_directory(window)
    problem = "" if names is not None else "the directory of its ZIP container is missing: it is cut short or broken"
    if names is None:
        names = list(_names_of_head(window.head))
    declared = _declared_type(window.head)
    if declared:
        return Contents(declared, None, problem)
    if "[Content_Types].xml" in names:
        for member, mime_type in OFFICE:
            if any(name == member or (member.endswith("/") and name.startswith(member)) for name in names):
                return Contents(mime_type, _slides(names) if member.startswith("ppt/") else None, problem)
    return Contents(ZIP, None, problem)


def _slides(names: list[str]) -> int:
    return sum(1 for name in names if name.startswith("ppt/slides/slide") and name.endswith(".xml"))


def _declared_type(head: bytes) -> str:
    """The type that the first member, `mimetype`, declares; empty for one that isn't known."""
    name, start, length = _local_member(head, 0)
    declared = head[start : start + min(length, 100)].decode("ascii", "replace").strip() if name == "mimetype" else ""
    return declared if declared in OPEN_DOCUMENTS else ""


def _local_member(head: bytes, offset: int) -> tuple[str, int, int]:
    """Name, start and packed size of the member whose header is at this offset."""
    if len(head) < offset + 30:
        return "", 0, 0
    size, name_length, extra_length = struct.unpack_from("<18xI4xHH", head, offset)
    start = offset + 30 + name_length
    return head[offset + 30 : start].decode("utf-8", "replace"), start + extra_length, size


def _names_of_head(head: bytes) -> Iterator[str]:
    """Names of the members whose headers are in the first bytes, where there is no directory."""
    offset = head.find(ZIP_START)
    for _ in range(MOST_MEMBERS):
        if offset < 0:
            return
        yield _local_member(head, offset)[0]
        offset = head.find(ZIP_START, offset + 4)


def _names_of_directory(window: ByteWindow) -> list[str] | None:
    """Names of the first members as the directory at the end lists them; None where there is no directory."""
    tail = window.tail(MOST_COMMENT_BYTES)
    end = tail.rfind(END_OF_DIRECTORY)
    if end < 0 or len(tail) < end + 22 or window.size is None:
        return None
    size, offset = struct.unpack_from("<12xII", tail, end)
    # What stands before the archive, such as a program that unpacks it, moves it by as much.
    place = window.size - len(tail) + end - size
    directory = window.at(place if place >= 0 else offset, min(size, MOST_DIRECTORY_BYTES))
    if size and not directory.startswith(b"PK\x01\x02"):
        directory = window.at(offset, min(size, MOST_DIRECTORY_BYTES))
    names: list[str] = []
    at = 0
    while directory.startswith(b"PK\x01\x02", at) and at + 46 <= len(directory) and len(names) < MOST_MEMBERS:
        name, extra, comment = struct.unpack_from("<28xHHH", directory, at)
        names.append(directory[at + 46 : at + 46 + name].decode("utf-8", "replace"))
        at += 46 + name + extra + comment
    return names if names or not size else None


# --- OLE2


def ole_contents(window: ByteWindow) -> Contents:
    """The type of an OLE2 container: Office of the old form, an Outlook message, or an encrypted Office file."""
    names = set(_ole_names(window))
    if "EncryptedPackage" in names:
        return Contents(OLE, None, "it is encrypted: without its password it can't be read")
    for stream, mime_type in OLE_STREAMS:
        if stream in names:
            return Contents(mime_type)
    return Contents(OLE)


def _ole_names(window: ByteWindow) -> Iterator[str]:
    """Names of the streams, of the first sectors of the directory."""
    header = window.at(0, 512)
    if len(header) < 512:
        return
    (shift,) = struct.unpack_from("<H", header, 30)
    if shift not in (9, 12):
        return
    size = 1 << shift
    (sector,) = struct.unpack_from("<I", header, 48)
    tables = struct.unpack_from("<109I", header, 76)
    for _ in range(MOST_SECTORS):
        if sector >= 0xFFFFFFFA:
            return
        entries = window.at((sector + 1) * size, size)
        for at in range(0, len(entries) - 127, 128):
            (length,) = struct.unpack_from("<H", entries, at + 64)
            if 2 < length <= 64:
                yield entries[at : at + length - 2].decode("utf-16-le", "replace")
        sector = _next_sector(window, tables, sector, size)


def _next_sector(window: ByteWindow, tables: tuple[int, ...], sector: int, size: int) -> int:
    table, place = divmod(sector, size // 4)
    if table >= len(tables) or tables[table] >= 0xFFFFFFFA:
        return 0xFFFFFFFE
    entry = window.at((tables[table] + 1) * size + place * 4, 4)
    return struct.unpack("<I", entry)[0] if len(entry) == 4 else 0xFFFFFFFE


def may_be_ole(mime_type: str) -> bool:
    """Whether a file of this type may be an OLE2 container in which no stream tells the type."""
    return mime_type.startswith(MAY_BE_OLE)


def is_container_of(mime_type: str, inner: str) -> bool:
    """Whether a file of type `inner` is a ZIP archive too, so that calling it one is no lie."""
    if mime_type != ZIP:
        return False
    return inner.startswith((OOXML, f"{ODF}.")) or inner == "application/epub+zip" or "macroenabled" in inner

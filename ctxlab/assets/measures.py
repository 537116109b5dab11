"""The measures of a file by its header: pixels, seconds, pages; and whether its end is missing."""

from __future__ import annotations

import struct
from io import BytesIO
from typing import BinaryIO, NamedTuple, cast

from ctxlab.assets.byte_window import ByteWindow
from ctxlab.errors import CtxlabError
from ctxlab.lazy_pattern import lazy_pattern

END_LOOKED_AT = 65_536
MOST_LOOKED_AT = 8_000_000
"""Bytes that are looked through, from the end, for the end mark of a picture."""
SVG_NUMBER = lazy_pattern(r"""\b(width|height)\s*=\s*["']\s*([0-9.]{1,12})\s*(?:px)?\s*["']""")
SVG_BOX = lazy_pattern(r"""\bviewBox\s*=\s*["']\s*[-0-9.]+[\s,]+[-0-9.]+[\s,]+([0-9.]{1,12})[\s,]+([0-9.]{1,12})""")
MOST_HEADER_BYTES = 4_000_000
MOST_READS = 20_000
MOST_CHUNKS = 50
"""Of a WAV file before its sound."""
CUT_SHORT = "the file is cut short: its end is missing"
NO_SIZE = "its width and height can't be read: its header is broken"
SIZED = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Types of which every sound file says its size where it is looked for."""
NO_PIXELS = "the picture has no pixels: it is {width} x {height}"


class Pixels(NamedTuple):
    """Width and height as a picture is shown; None where the header doesn't say."""

    width: int | None
    height: int | None
    problem: str = ""


class Pages(NamedTuple):
    """The number of pages of a document; None where it isn't known."""

    number: int | None
    problem: str = ""


def pixels_of(window: ByteWindow, mime_type: str) -> Pixels:
    """Width and height of a picture, turned as its EXIF says."""
    if mime_type == "image/svg+xml":
        return _svg_pixels(window.head)
    import imagesize

    try:
        window.stream.seek(0)
        width, height = imagesize.get(window.stream if not window.is_whole else BytesIO(window.head))
    except Exception:  # of a hostile header the library raises whatever its parsers meet
        width = height = -1
    if mime_type == "image/bmp" and height < -1:  # its rows are stored from the top down
        height = -height
    if width == 0 or height == 0:
        return Pixels(max(width, 0), max(height, 0), NO_PIXELS.format(width=max(width, 0), height=max(height, 0)))
    cut = CUT_SHORT if _is_cut_short(window, mime_type) else ""
    if width < 0 or height < 0:
        return Pixels(None, None, cut or (NO_SIZE if mime_type in SIZED else ""))
    return Pixels(int(width), int(height), cut)


def _svg_pixels(head: bytes) -> Pixels:
    start = head.decode("utf-8", "replace")
    tag = start[max(0, start.find("<svg")) :].partition(">")[0]
    found = {
        name: float(number) for name, number in SVG_NUMBER.findall(tag) if number.count(".") <= 1 and number != "."
    }
    box = SVG_BOX.search(tag)
    if "width" in found and "height" in found:
        return Pixels(round(found["width"]), round(found["height"]))
    if box and all(part.count(".") <= 1 and part != "." for part in box.groups()):
        return Pixels(round(float(box[1])), round(float(box[2])))
    return Pixels(None, None)


def _is_cut_short(window: ByteWindow, mime_type: str) -> bool:
    """Whether the end that files of this type have is missing; False where it can't be told."""
    if window.size is None:
        return False
    if mime_type == "image/jpeg":
        return not _has_end(window, b"\xff\xd9", _scan_start(window.head))
    if mime_type == "image/png":
        return not _has_end(window, b"IEND", 8)
    if mime_type in ("image/webp", "audio/wav") and len(window.head) >= 12:
        return struct.unpack_from("<I", window.head, 4)[0] > window.size
    return False


def _has_end(window: ByteWindow, mark: bytes, first: int) -> bool:
    """Whether the end mark stands anywhere behind `first`, looked for from the end backwards."""
    size = window.size or 0
    start = max(first, size - MOST_LOOKED_AT)
    end, after = size, b""
    while end > start:
        begin = max(start, end - END_LOOKED_AT)
        piece = window.at(begin, end - begin) + after[: len(mark) - 1]
        if mark in piece:
            return True
        end, after = begin, piece
    return start > first  # it may be in the part that wasn't looked at


def _scan_start(head: bytes) -> int:
    """The place where the header of a JPEG ends: a preview in it has an end mark of its own."""
    at = 2
    while at + 4 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0xDA:
            return at
        at += 2 + struct.unpack_from(">H", head, at + 2)[0]
    return min(at, len(head))


# --- sound and film


def seconds_of(window: ByteWindow, mime_type: str) -> float | None:
    """The length of a recording or a film, as its header says; None where it doesn't."""
    if mime_type in ("video/webm", "audio/webm", "video/x-matroska"):
        return _sound(_matroska_seconds(window.head))
    if mime_type == "video/x-msvideo":
        return _sound(_avi_seconds(window.head))
    if mime_type == "audio/wav":
        return _sound(_wav_seconds(window))
    if not window.can_seek:
        return None
    from tinytag import TinyTag, TinyTagException

    try:
        found = TinyTag.get(file_obj=cast("BinaryIO", LimitedReads(window)), tags=False)
    except (TinyTagException, OSError, ValueError, MemoryError):
        return None
    return _sound(found.duration)


class LimitedReads:
    """A stream of which only so many bytes can be read, in so many reads: a header may send its reader anywhere."""

    def __init__(self, window: ByteWindow) -> None:
        self.stream, self.bytes_left, self.reads_left = window.stream, MOST_HEADER_BYTES, MOST_READS
        self.stream.seek(0)

    def read(self, size: int = -1) -> bytes:
        self.reads_left -= 1
        data = self.stream.read(min(size, self.bytes_left) if size >= 0 else self.bytes_left)
        self.bytes_left -= len(data)
        if self.reads_left < 0 or (self.bytes_left <= 0 and size):
            raise OSError("the header goes on for too long")
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.stream.seek(offset, whence)

    def tell(self) -> int:
        return self.stream.tell()


def _wav_seconds(window: ByteWindow) -> float | None:
    """The size of the chunk `data` by the bytes a second that the chunk `fmt` names."""
    at, rate = 12, 0
    for _ in range(MOST_CHUNKS):
        header = window.at(at, 8)
        if len(header) < 8:
            return None
        name, size = header[:4], struct.unpack("<I", header[4:])[0]
        if name == b"fmt " and len(form := window.at(at + 8, 16)) == 16:
            rate = struct.unpack_from("<I", form, 8)[0]
        if name == b"data":
            there = (window.size or size) - at - 8
            return min(size, there) / rate if rate else None
        at += 8 + size + size % 2
    return None


def _sound(seconds: float | None) -> float | None:
    """A number of seconds that can be one: a header may hold anything."""
    return round(seconds, 3) if seconds is not None and 0 < seconds < 1e7 else None


def _avi_seconds(head: bytes) -> float | None:
    place = head.find(b"avih", 0, 512)
    if place < 0 or len(head) < place + 28:
        return None
    microseconds, frames = struct.unpack_from("<I12xI", head, place + 8)
    return microseconds * frames / 1e6


def _matroska_seconds(head: bytes) -> float | None:
    """The duration in the segment's info, times its scale, by the elements of RFC 9559."""
    info = head.find(b"\x15\x49\xa9\x66")
    if info < 0:
        return None
    scale = 1_000_000
    if (place := head.find(b"\x2a\xd7\xb1", info)) >= 0 and len(head) > place + 3:
        width = head[place + 3] & 0x0F
        scale = int.from_bytes(head[place + 4 : place + 4 + width], "big") or scale
    place = head.find(b"\x44\x89", info)
    for size, form in ((4, ">f"), (8, ">d")):
        if place >= 0 and head[place + 2 : place + 3] == bytes([0x80 | size]) and len(head) >= place + 3 + size:
            return struct.unpack_from(form, head, place + 3)[0] * scale / 1e9
    return None


# --- PDF


def pages_of(window: ByteWindow) -> Pages:
    """The number of pages of a PDF, which is read whole; of a large one it stays unknown."""
    data = window.whole()
    if data is None:
        return Pages(None)
    from ctxlab.assets.readers.pdf import number_of_pages

    try:
        return Pages(number_of_pages(data))
    except CtxlabError as error:
        return Pages(None, str(error))

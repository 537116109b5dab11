"""A look at how far the packed streams of a PDF unpack, before pdfium, which has no limit of memory, opens it."""

from __future__ import annotations

import re
import zlib

from ctxlab.assets.readers.limits import ReadLimits, shown_size
from ctxlab.errors import ReadError

STREAM = re.compile(rb"(?<!end)stream\r?\n?")
ZLIB_METHOD = 8
CHUNK = 1 << 20
DICTIONARY_BYTES = 1000
"""Bytes before a stream in which its dictionary is looked for."""
PICTURE_SHARE = 10
"""Pictures aren't unpacked for their text, and a scanned page is large: so many times more is let through."""


def check_streams(data: bytes, limits: ReadLimits) -> None:
    """Raises ReadError when what is packed with Flate unpacks to more than `max_unpacked_bytes`.

    Streams of an encrypted PDF can't be looked into.
    """
    text_left, pictures_left = limits.max_unpacked_bytes, limits.max_unpacked_bytes * PICTURE_SHARE
    view = memoryview(data)
    at = 0
    while found := STREAM.search(data, at):
        start = at = found.end()
        if not _begins_zlib(data, start):
            continue
        dictionary = data[max(0, start - DICTIONARY_BYTES) : start].rpartition(b" obj")[2]
        if dictionary.count(b"/FlateDecode") + dictionary.count(b"/Fl ") > 1:
            raise ReadError("the PDF has a stream that is packed twice over; such files are not read")
        is_picture = b"/Image" in dictionary
        unpacked, packed = _unpacked_size(view[start:], pictures_left if is_picture else text_left)
        if is_picture:
            pictures_left -= unpacked
        else:
            text_left -= unpacked
        if text_left < 0 or pictures_left < 0:
            most = shown_size(limits.max_unpacked_bytes)
            raise ReadError(f"the PDF unpacks to far more than it is; more than {most} isn't read")
        at = start + packed


def _begins_zlib(data: bytes, at: int) -> bool:
    return at + 1 < len(data) and data[at] & 15 == ZLIB_METHOD and (data[at] << 8 | data[at + 1]) % 31 == 0


def _unpacked_size(packed: memoryview, most: int) -> tuple[int, int]:
    """Bytes that a stream unpacks to, counted until they are more than `most`, and the packed bytes they are from."""
    unpacker = zlib.decompressobj()
    size = read = 0
    rest: bytes | memoryview = b""
    try:
        while size <= most and not unpacker.eof:
            if not rest:
                rest = packed[read : read + CHUNK]
                read += len(rest)
                if not rest:
                    break
            size += len(unpacker.decompress(rest, CHUNK))
            rest = unpacker.unconsumed_tail
    except zlib.error:
        return size, 0
    return size, max(0, read - len(unpacker.unused_data) - len(rest))

"""The bytes of a file as detection reads them: the first once, others where they are asked for."""

from __future__ import annotations

import os
from io import BytesIO
from typing import BinaryIO

HEAD_BYTES = 65_536
WHOLE_BYTES = 20_000_000
"""Size of a file up to which all of it may be read, to count the pages of a PDF."""


class ByteWindow:
    """The beginning of a file, its size, and any other stretch of it that is asked for.

    A stream that can't seek has only its beginning, and no size unless it ends there.
    """

    def __init__(self, data: bytes | BinaryIO, *, head: bytes | None = None) -> None:
        self.stream: BinaryIO = BytesIO(data) if isinstance(data, bytes | bytearray | memoryview) else data
        self.can_seek = self.stream.seekable()
        self._place = self.stream.tell() if self.can_seek else 0
        self.size: int | None = None
        if self.can_seek:
            self.size = self.stream.seek(0, os.SEEK_END)
            self.stream.seek(0)
        self.head = _read(self.stream, HEAD_BYTES) if head is None else head
        if self.size is None and len(self.head) < HEAD_BYTES:
            self.size = len(self.head)

    @property
    def is_whole(self) -> bool:
        """Whether the beginning is all of it."""
        return self.size is not None and self.size <= len(self.head)

    def at(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from this offset on; fewer at the end, none where they can't be reached."""
        if offset < 0 or length <= 0:
            return b""
        if offset + length <= len(self.head) or self.is_whole:
            return self.head[offset : offset + length]
        if not self.can_seek:
            return self.head[offset : offset + length]
        self.stream.seek(offset)
        return _read(self.stream, length)

    def tail(self, length: int) -> bytes:
        """The last bytes; none where the end can't be reached."""
        return b"" if self.size is None else self.at(max(0, self.size - length), length)

    def whole(self, most: int = WHOLE_BYTES) -> bytes | None:
        """All bytes, where they are no more than this; None for a larger file."""
        return self.at(0, self.size) if self.size is not None and self.size <= most else None

    def put_back(self) -> None:
        """Leave the stream at the place where it was."""
        if self.can_seek:
            self.stream.seek(self._place)


def _read(stream: BinaryIO, length: int) -> bytes:
    """This many bytes, also from a stream that gives fewer at a time."""
    first = stream.read(length) or b""
    if len(first) == length or not first:
        return first
    parts, have = [first], len(first)
    while have < length and (more := stream.read(length - have)):
        parts.append(more)
        have += len(more)
    return b"".join(parts)

"""The body of an HTTP request, read whole, by its length or chunk by chunk."""

from __future__ import annotations

from email.message import Message
from io import BufferedIOBase
from typing import Final

from ctxlab.lazy_pattern import lazy_pattern

LARGEST_BODY: Final = 512_000_000
MOST_OF_A_LINE: Final = 4096
MOST_TRAILERS: Final = 100
"""Fields that may come behind the last chunk."""
_HEXADECIMAL: Final = lazy_pattern(rb"[0-9a-fA-F]{1,12}")
_ENDS: Final = (b"\r\n", b"\n")


def request_body(file: BufferedIOBase, headers: Message) -> bytes | int:
    """The body of a request, or the status with which it is refused: one that isn't whole is no request."""
    coding = headers.get("transfer-encoding", "").strip().lower()
    if coding:
        return _chunks(file) if coding == "chunked" else 501
    return _sized(file, headers.get("content-length", "0").strip())


def _sized(file: BufferedIOBase, length: str) -> bytes | int:
    if not (length.isascii() and length.isdecimal()):
        return 400
    digits = length.lstrip("0") or "0"
    if len(digits) > len(str(LARGEST_BODY)) or (size := int(digits)) > LARGEST_BODY:
        return 413
    content = file.read(size)
    return content if len(content) == size else 400


def _chunks(file: BufferedIOBase) -> bytes | int:
    found = bytearray()
    while True:
        line = file.readline(MOST_OF_A_LINE)
        digits = line.partition(b";")[0].strip()
        if not line.endswith(b"\n") or _HEXADECIMAL.fullmatch(digits) is None:
            return 400
        size = int(digits, 16)
        if size == 0:
            return bytes(found) if _are_trailers_whole(file) else 400
        if len(found) + size > LARGEST_BODY:
            return 413
        chunk = file.read(size)
        if len(chunk) != size or file.readline(3) not in _ENDS:
            return 400
        found += chunk


def _are_trailers_whole(file: BufferedIOBase) -> bool:
    """Read the fields behind the last chunk, which say nothing here, up to the empty line that ends them."""
    for _ in range(MOST_TRAILERS):
        line = file.readline(MOST_OF_A_LINE)
        if line in _ENDS or not line.endswith(b"\n"):
            return line in _ENDS
    return False

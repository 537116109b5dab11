"""Limits of reading a file, and the sentences that name what is beyond them."""

from __future__ import annotations

from ctxlab.errors import ReadError
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """The most that is read of a file; what is beyond is named in the problems of its transcript.

    `max_bytes` are those of the file. `max_unpacked_bytes` and `max_ratio` (unpacked to packed) hold for what is packed
    in it: a part that is larger, or packed tighter, is refused (a PDF has the memory of its process instead). So is one
    that has more XML elements than `max_elements` before its text is long enough. A sheet whose cells span more than
    `max_cells` is left out.
    """

    max_bytes: int = 20_000_000
    max_characters: int = 200_000
    max_pages: int = 200
    max_unpacked_bytes: int = 100_000_000
    max_ratio: int = 400
    max_elements: int = 1_000_000
    max_cells: int = 4_000_000


LIMITS = ReadLimits()


def whole_file(data: bytes, limits: ReadLimits) -> bytes:
    """The bytes of a file that is only readable as a whole; refused when there are more of them than are read."""
    if len(data) > limits.max_bytes:
        raise ReadError(f"the file is too large to be read: {shown_size(limits.max_bytes)} at most")
    return data


def shown_size(size: int) -> str:
    """A size in words.

    >>> shown_size(20_000_000)
    '20 MB'
    """
    for unit, name in ((1_000_000, "MB"), (1000, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f}".removesuffix(".0") + f" {name}"
    return f"{size:,} bytes"


def not_read(what: str, first: int, last: int) -> str:
    """A clause that names pages, rows or sheets beyond a limit.

    >>> not_read("page", 201, 500)
    'pages 201 to 500 are not read'
    """
    return f"{what} {first:,} is not read" if first == last else f"{what}s {first:,} to {last:,} are not read"

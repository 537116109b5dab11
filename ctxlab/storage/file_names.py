"""Safe file names for ids, which may be of any characters and of any length."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

from ctxlab.lazy_pattern import lazy_pattern

PLAIN = lazy_pattern(r"[a-z0-9](?:[a-z0-9._-]{0,78}[a-z0-9_-])?")
"""Ids that are file names as they are. Upper case is not: file systems exist that don't tell `Guide` from `guide`."""
RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
MOST_BYTES = 60
"""Of the readable part of a name; the longest name that file systems take has 255."""


def file_stem(id: str) -> str:
    """The file name of an id, without its ending: the id where that is safe, else its letters and a hash of it.

    Two ids never have one name, also where file systems don't tell case or forms of Unicode.
    """
    if PLAIN.fullmatch(id) and id.partition(".")[0] not in RESERVED:
        return id
    letters = re.sub(r"[^\w]+", "-", unicodedata.normalize("NFC", id).lower()).strip("-_")
    digest = blake2b(id.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return f"{_cut(letters)}~{digest}"


def stripe(name: str, count: int) -> int:
    """A number below `count` for a name, the same in every process."""
    return int.from_bytes(blake2b(name.encode(errors="surrogatepass"), digest_size=4).digest(), "big") % count


def _cut(letters: str) -> str:
    return letters.encode(errors="ignore")[:MOST_BYTES].decode(errors="ignore")

"""The header of a GGUF file: its keys and values, never its tensors."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from ctxlab.errors import BrokenFile

MAGIC: Final = b"GGUF"
VERSIONS: Final = (2, 3)
MOST_KEYS: Final = 10_000
MOST_ITEMS: Final = 4_000_000
"""Items of the longest list; the largest vocabularies have some 300,000 tokens and as many merges."""
MOST_BYTES: Final = 256_000_000
"""Bytes of the largest header that is read; real ones have up to 40 million."""
# The numbers of the types are those of the format's own description (ggml, docs/gguf.md).
_NUMBERS: Final[Mapping[int, struct.Struct]] = {
    number: struct.Struct(f"<{code}")
    for number, code in {
        0: "B",
        1: "b",
        2: "H",
        3: "h",
        4: "I",
        5: "i",
        6: "f",
        7: "?",
        10: "Q",
        11: "q",
        12: "d",
    }.items()
}
_STRING: Final = 8
_LIST: Final = 9
_LENGTH: Final = _NUMBERS[10]


def read_gguf_header(path: Path) -> dict[str, Any]:
    """The keys and values of a GGUF file, in its order; lists are lists.

    Raises BrokenFile where the file is none, ends too early, or claims sizes that no real file has.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _Header(file, min(size, MOST_BYTES), path).read()
    except OSError as error:
        raise BrokenFile(f"{path} can't be read: {error}") from error


class _Header:
    """Reads one header; no more bytes are asked for than the file has left."""

    def __init__(self, file: BinaryIO, left: int, path: Path) -> None:
        self._file, self._left, self._path = file, left, path

    def read(self) -> dict[str, Any]:
        if self._bytes(4) != MAGIC:
            raise BrokenFile(f"{self._path} is no GGUF file: it doesn't begin with GGUF")
        version = self._number(4)
        if version not in VERSIONS:
            raise BrokenFile(f"{self._path} is GGUF of version {version}; versions 2 and 3, little-endian, can be read")
        self._number(10)  # tensors, which are not looked at
        keys = self._number(10)
        if keys > MOST_KEYS:
            raise BrokenFile(f"{self._path} claims {keys:,} keys; {MOST_KEYS:,} are the most")
        found: dict[str, Any] = {}
        for _ in range(keys):
            name = self._string()
            found[name] = self._value(self._number(4), name)
        return found

    def _value(self, kind: int, name: str, *, is_item: bool = False) -> Any:
        if kind == _STRING:
            return self._string()
        if kind in _NUMBERS:
            return self._number(kind)
        if kind != _LIST or is_item:
            raise BrokenFile(f"{self._path}: key {name!r} has a value of type {kind}, which is not known")
        return self._list(name)

    def _list(self, name: str) -> list[Any]:
        kind, length = self._number(4), self._number(10)
        least = _NUMBERS[kind].size if kind in _NUMBERS else _LENGTH.size
        if length > MOST_ITEMS or length * least > self._left:
            raise BrokenFile(f"{self._path}: key {name!r} claims {length:,} items, more than the file can hold")
        if kind in _NUMBERS:
            code = _NUMBERS[kind].format[1:]
            return list(struct.unpack(f"<{length}{code}", self._bytes(length * least)))
        return [self._value(kind, name, is_item=True) for _ in range(length)]

    def _string(self) -> str:
        return self._bytes(self._number(10)).decode("utf-8", "replace")

    def _number(self, kind: int) -> Any:
        form = _NUMBERS[kind]
        return form.unpack(self._bytes(form.size))[0]

    def _bytes(self, size: int) -> bytes:
        if size > self._left:
            raise BrokenFile(
                f"{self._path} ends in the middle of its header, or the header is over {MOST_BYTES:,} bytes"
            )
        self._left -= size
        found = self._file.read(size)
        if len(found) < size:
            raise BrokenFile(f"{self._path} ends in the middle of its header")
        return found

"""The pieces of a SentencePiece model: a file of protobuf, read by the few fields that counting needs."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from ctxlab.errors import BrokenFile
from ctxlab.lazy_dataclass import dataclass

MOST_PIECES: Final = 2_000_000
UNIGRAM, BPE = 1, 2
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
"""Types of pieces, in SentencePiece's files and in GGUF."""


class Piece(NamedTuple):
    text: str
    score: float
    kind: int


@dataclass(frozen=True, slots=True)
class SentencePieces:
    """A vocabulary of scored pieces; the fields are those of sentencepiece_model.proto.

    `kind` is UNIGRAM or BPE. `charsmap` is the normaliser's table, empty where texts stay as they are.
    """

    pieces: tuple[Piece, ...]
    kind: int = UNIGRAM
    byte_fallback: bool = False
    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_blanks: bool = True


def read_sentence_pieces(path: Path, data: bytes) -> SentencePieces:
    """The vocabulary of a `.model` file. Raises BrokenFile where it is none."""
    try:
        return _read(data)
    except (IndexError, ValueError, struct.error) as error:
        raise BrokenFile(f"{path} is no SentencePiece model: {error or 'it ends too early'}") from error


def _read(data: bytes) -> SentencePieces:
    pieces: list[Piece] = []
    kind, byte_fallback, charsmap, prefix, blanks = UNIGRAM, False, b"", True, True
    for field, value in _fields(data):
        if field == 1 and isinstance(value, bytes):
            pieces.append(_piece(value))
            if len(pieces) > MOST_PIECES:
                raise ValueError(f"it has more than {MOST_PIECES:,} pieces")
        elif field == 2 and isinstance(value, bytes):  # trainer_spec
            for name, setting in _fields(value):
                kind = int(setting) if name == 3 and isinstance(setting, int) else kind
                byte_fallback = bool(setting) if name == 35 else byte_fallback
        elif field == 3 and isinstance(value, bytes):  # normalizer_spec
            for name, setting in _fields(value):
                charsmap = setting if name == 2 and isinstance(setting, bytes) else charsmap
                prefix = bool(setting) if name == 3 else prefix
                blanks = bool(setting) if name == 4 else blanks
    if not pieces:
        raise ValueError("it has no pieces")
    return SentencePieces(tuple(pieces), kind, byte_fallback, charsmap, prefix, blanks)


def _piece(data: bytes) -> Piece:
    text, score, kind = "", 0.0, NORMAL
    for field, value in _fields(data):
        if field == 1 and isinstance(value, bytes):
            text = value.decode("utf-8")
        elif field == 2 and isinstance(value, bytes):
            score = struct.unpack("<f", value)[0]
        elif field == 3 and isinstance(value, int):
            kind = value
    return Piece(text, score, kind)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message by number: numbers, or the bytes of all else."""
    at = 0
    while at < len(data):
        tag, at = _number(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = _number(data, at)
            yield tag >> 3, value
            continue
        if wire == 2:
            size, at = _number(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ValueError(f"a field has the wire type {wire}")
        if at + size > len(data):
            raise ValueError("it ends too early")
        yield tag >> 3, data[at : at + size]
        at += size


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")

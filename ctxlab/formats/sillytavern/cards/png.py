"""Text inside PNG pictures: where cards travel."""

from __future__ import annotations

import zlib
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from ctxlab.errors import BrokenFile, UnknownFormat, WriteError
from ctxlab.lazy_dataclass import dataclass

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
TEXTS: Final = frozenset({b"tEXt", b"zTXt", b"iTXt"})
BUNDLE: Final = "aiob"
CARRIERS: Final = (BUNDLE, "ccv3", "chara")
"""Keywords under which agents and cards are kept, in Base64, the best first."""
MOST_FILE_BYTES: Final = 64 * 2**20
MOST_CHUNK_BYTES: Final = 16 * 2**20
MOST_TEXT_BYTES: Final = 64 * 2**20
"""Of one chunk's text, and of all texts of a picture, unpacked."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the picture: what it is, its content, and the bytes from `start` to `end` that it takes up."""

    kind: bytes
    body: bytes
    start: int
    end: int

    @property
    def keyword(self) -> str:
        """In small letters; empty for what is no text."""
        return self.body.partition(b"\x00")[0].decode("latin-1").lower() if self.kind in TEXTS else ""


def is_png(raw: bytes) -> bool:
    return raw.startswith(SIGNATURE)


def read_chunks(raw: bytes, source: str) -> dict[str, str]:
    """The texts of a picture by keyword in small letters; of several with one keyword the first, as SillyTavern reads.

    Raises BrokenFile with the place when the picture is cut off, damaged, or unpacks to more than is sensible.
    """
    texts: dict[str, str] = {}
    room = MOST_TEXT_BYTES
    for chunk in chunks(raw, source):
        if chunk.kind in TEXTS:
            text = _text(chunk, source, min(room, MOST_CHUNK_BYTES))
            room -= len(text)
            texts.setdefault(chunk.keyword, text)
    return texts


def repeated_texts(raw: bytes, source: str) -> list[tuple[str, int]]:
    """The keywords under which a picture has several agents or cards, and how many."""
    counts = Counter(chunk.keyword for chunk in chunks(raw, source))
    return [(keyword, counts[keyword]) for keyword in CARRIERS if counts[keyword] > 1]


def texts_in_png(raw: bytes, source: str) -> list[tuple[str, str]]:
    """The agent or card in a picture, as keyword and Base64, in each form that it has, the richest first."""
    texts = read_chunks(raw, source)
    found = [(keyword, texts[keyword]) for keyword in CARRIERS if keyword in texts]
    if not found:
        held = ", ".join(map(repr, list(texts)[:5])) or "none"
        raise UnknownFormat(f"{source} is a PNG picture without a card in it: its texts are {held}")
    return found


def decoded(text: str, place: str) -> bytes:
    """The bytes of a text in Base64."""
    packed = "".join(text.split())
    try:
        return b64decode(packed + "=" * (-len(packed) % 4), validate=True)  # some programs don't fill up the end
    except ValueError as error:
        raise BrokenFile(f"{place} is not Base64: {error}") from None


def with_chunks(raw: bytes, texts: Mapping[str, str | None], *, source: str = "the picture") -> bytes:
    """The picture with these texts, each instead of those with its keyword; all else is kept byte for byte.

    None takes a text out.
    """
    gone = {keyword.lower() for keyword in texts}
    found = list(chunks(raw, source))
    kept = [raw[chunk.start : chunk.end] for chunk in found[:-1] if chunk.keyword not in gone]
    added = [written(*_packed(keyword, text)) for keyword, text in texts.items() if text is not None]
    return b"".join([SIGNATURE, *kept, *added, raw[found[-1].start :]])


def chunks(raw: bytes, source: str) -> Iterator[Chunk]:
    """The pieces of a picture up to its end, each checked; raises BrokenFile at the first that isn't sound."""
    if not is_png(raw):
        raise BrokenFile(f"{source} is no PNG picture: it doesn't begin like one")
    if len(raw) > MOST_FILE_BYTES:
        raise BrokenFile(f"{source} has {len(raw):,} bytes; PNG pictures are read up to {MOST_FILE_BYTES:,}")
    at, kind = len(SIGNATURE), b""
    while kind != b"IEND":
        chunk = _chunk_at(raw, at, source)
        if not kind and chunk.kind != b"IHDR":
            raise BrokenFile(f"{source}: it is a PNG picture without a header; it begins with {_shown(chunk.kind)}")
        at, kind = chunk.end, chunk.kind
        yield chunk


def written(kind: bytes, body: bytes) -> bytes:
    """A piece as the file has it, with its length and checksum."""
    return len(body).to_bytes(4) + kind + body + zlib.crc32(kind + body).to_bytes(4)


@cache
def plain_picture(*, width: int = 400, height: int = 600) -> bytes:
    """A picture of one colour, for a card that has none."""
    import io

    import png

    target = io.BytesIO()
    writer = png.Writer(width, height, palette=[(0x3B, 0x42, 0x52)], bitdepth=1)
    writer.write(target, ([0] * width for _ in range(height)))
    return target.getvalue()


def _chunk_at(raw: bytes, at: int, source: str) -> Chunk:
    cut = f"{source}: it is a PNG picture that is cut off"
    if at + 12 > len(raw):
        raise BrokenFile(f"{cut} at byte {len(raw)}, before its end (IEND)")
    length, kind = int.from_bytes(raw[at : at + 4]), raw[at + 4 : at + 8]
    if not kind.isalpha() or not kind.isascii():
        raise BrokenFile(f"{source}: it is a PNG picture with a piece of no known kind at byte {at}")
    end = at + 12 + length
    if end > len(raw):
        raise BrokenFile(f"{cut}: the piece {_shown(kind)} at byte {at} says that it has {length:,} bytes")
    body = raw[at + 8 : end - 4]
    if zlib.crc32(body, zlib.crc32(kind)) != int.from_bytes(raw[end - 4 : end]):
        raise BrokenFile(f"{source}: it is a damaged PNG picture: {_shown(kind)} at byte {at} has a wrong checksum")
    return Chunk(kind, body, at, end)


def _text(chunk: Chunk, source: str, most: int) -> str:
    place = f"{source}: text {chunk.keyword!r} at byte {chunk.start}"
    _, mark, rest = chunk.body.partition(b"\x00")
    if not mark:
        raise BrokenFile(f"{place} has a keyword and no text")
    if chunk.kind == b"tEXt":
        return _within(rest, most, place).decode("latin-1")
    if chunk.kind == b"zTXt":
        return _unpacked(rest[1:], rest[:1], most, place).decode("latin-1")
    packed, method, rest = rest[:1], rest[1:2], rest[2:]
    _language, _, rest = rest.partition(b"\x00")
    _translated, mark, rest = rest.partition(b"\x00")
    if not mark:
        raise BrokenFile(f"{place} ends before its text")
    body = _unpacked(rest, method, most, place) if packed == b"\x01" else _within(rest, most, place)
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise BrokenFile(f"{place} is not UTF-8 at its byte {error.start}") from None


def _within(body: bytes, most: int, place: str) -> bytes:
    if len(body) > most:
        raise BrokenFile(f"{place} is longer than the {most:,} bytes that are read")
    return body


def _unpacked(packed: bytes, method: bytes, most: int, place: str) -> bytes:
    if method != b"\x00":
        raise BrokenFile(f"{place} is packed in a way that PNG doesn't know")
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(packed, most + 1)
    except zlib.error as error:
        raise BrokenFile(f"{place} can't be unpacked: {error}") from None
    if not unpacker.eof and len(body) <= most:
        raise BrokenFile(f"{place} can't be unpacked: it is cut off")
    return _within(body, most, place)


def _packed(keyword: str, text: str) -> tuple[bytes, bytes]:
    if not 1 <= len(keyword) <= 79 or not keyword.isprintable() or not keyword.isascii():
        raise ValueError(f"{keyword!r} is no keyword: 1 to 79 printable ASCII characters")
    if len(text) > MOST_CHUNK_BYTES:
        raise WriteError(f"{len(text):,} characters are too much for a picture; {MOST_CHUNK_BYTES:,} are read back")
    if text.isascii() and "\x00" not in text:
        return b"tEXt", keyword.encode() + b"\x00" + text.encode()
    return b"iTXt", keyword.encode() + b"\x00\x00\x00\x00\x00" + text.encode()


def _shown(kind: bytes) -> str:
    return kind.decode("ascii", "backslashreplace")

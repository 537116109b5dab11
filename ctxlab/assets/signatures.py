"""The type of a file by its first bytes: what every file of the type begins with, checked as far as it goes."""

from __future__ import annotations

import struct
from collections.abc import Callable

from ctxlab.assets.text_encoding import guess_encoding
from ctxlab.assets.type_table import BINARY, canonical_mime

BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"8BPS\x00\x01", "image/vnd.adobe.photoshop"),
    (b"fLaC\x00", "audio/flac"),
    (b"OggS\x00", "audio/ogg"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"FLV\x01", "video/x-flv"),
    (b"0&\xb2u\x8ef\xcf\x11", "video/x-ms-wmv"),
    (b"MThd\x00\x00\x00\x06", "audio/midi"),
    (b"#!AMR", "audio/amr"),
    (b"{\\rtf", "application/rtf"),
    (b"%!PS", "application/postscript"),
    (b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"SQLite format 3\x00", "application/x-sqlite3"),
    (b"\x7fELF", "application/x-executable"),
    (b"\x00asm\x01\x00\x00\x00", "application/wasm"),
    (b"wOFF", "font/ttf"),
    (b"wOF2", "font/ttf"),
    (b"OTTO\x00", "font/ttf"),
)
PLAIN_TEXT_TYPES = frozenset({"application/pdf", "application/rtf", "application/postscript", "audio/amr"})
"""Types whose files may be ASCII from end to end."""
RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
BRANDS = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"hevc": "image/heic",
    b"mif1": "image/heic",
    b"msf1": "image/heic",
    b"qt  ": "video/quicktime",
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
}
"""Types of the ISO base media container by its main brand; any other brand is MP4."""
PDF_BYTES = 1_024
"""The header of a PDF may stand anywhere in so many bytes, by note 13 of the implementation notes of PDF 1.7."""
BMP_HEADERS = frozenset({12, 40, 52, 56, 64, 108, 124})
SHORT_SIGNATURES = frozenset(
    {
        "image/bmp",
        "image/x-icon",
        "application/x-msdownload",
        "application/x-nintendo-nes-rom",
        "application/x-unix-archive",
        "application/x-compress",
        "application/x-lzop",
        "application/x-lzip",
        "application/x-brotli",
        "video/mpeg",
        "audio/mpeg",
        "audio/aac",
        "audio/midi",
        "application/x-shockwave-flash",
        "application/vnd.ms-fontobject",
        "application/postscript",
        "application/zip",
        "application/gzip",
        "application/epub+zip",
        "application/msword",
        "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint",
        "video/quicktime",
        "audio/amr",
        "application/dicom",
        "image/jxr",
        "image/vnd.ms-photo",
        "application/x-deb",
    }
)
"""Types that the library knows by two or three bytes, or that are looked at here: there it is not asked for them."""


def mime_of_signature(head: bytes) -> str:
    """The MIME type that the first bytes show; empty where they show none. Containers are looked into elsewhere."""
    for beginning, mime_type in BEGINNINGS:
        if head.startswith(beginning):
            return (
                _matroska(head) if mime_type == "video/webm" else _ogg(head) if mime_type == "audio/ogg" else mime_type
            )
    if head[:4] == b"RIFF" and head[8:12] in RIFF:
        return RIFF[head[8:12]]
    if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC"):
        return "audio/aiff"
    if head[4:8] == b"ftyp" and len(head) >= 12:
        brand = head[8:12]
        return "video/3gpp" if brand[:3] in (b"3gp", b"3g2") else BRANDS.get(brand, "video/mp4")
    if head.lstrip().startswith(b"%PDF-") or (b"%PDF-" in head[:PDF_BYTES] and not _is_text(head)):
        return "application/pdf"
    for mime_type, fits in CHECKED:
        if fits(head):
            return mime_type
    return _mime_of_library(head)


def _is_text(head: bytes) -> bool:
    """Whether the bytes are a text, in which the signature is only a word."""
    return b"\x00" not in head and guess_encoding(head, complete=False) is not None


def _matroska(head: bytes) -> str:
    """Matroska or WebM, by the type that the header names."""
    return "video/x-matroska" if b"matroska" in head[:64] else "video/webm"


def _ogg(head: bytes) -> str:
    return "video/ogg" if b"theora" in head[:128] else "audio/ogg"


def _is_bmp(head: bytes) -> bool:
    return head[:2] == b"BM" and len(head) >= 26 and struct.unpack_from("<I", head, 14)[0] in BMP_HEADERS


def _is_icon(head: bytes) -> bool:
    if head[:4] not in (b"\x00\x00\x01\x00", b"\x00\x00\x02\x00") or len(head) < 22:
        return False
    count = struct.unpack_from("<H", head, 4)[0]
    return 0 < count < 256 and head[9] == 0


def _is_windows_program(head: bytes) -> bool:
    if head[:2] != b"MZ" or len(head) < 64:
        return False
    place = struct.unpack_from("<I", head, 60)[0]
    return head[place : place + 4] == b"PE\x00\x00"


def _is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def _is_bzip2(head: bytes) -> bool:
    return head[:3] == b"BZh" and head[4:10] == b"1AY&SY"


def _is_true_type(head: bytes) -> bool:
    return head[:5] == b"\x00\x01\x00\x00\x00" and 0 < head[5] < 64 and head[12:13].isalpha()


def _is_mpeg_stream(head: bytes) -> bool:
    """A transport stream: packets of 188 bytes that each begin with a G."""
    return len(head) >= 565 and head[0] == head[188] == head[376] == head[564] == 0x47


def _is_mpeg_film(head: bytes) -> bool:
    return head[:4] in (b"\x00\x00\x01\xba", b"\x00\x00\x01\xb3") and len(head) > 12


def _is_mp3(head: bytes) -> bool:
    """A tag with its size, or two frames one behind the other."""
    if head[:3] == b"ID3":
        return len(head) >= 10 and head[3] in (2, 3, 4) and not any(byte & 0x80 for byte in head[6:10])
    length = _mp3_frame(head[:4])
    return bool(length) and (_mp3_frame(head[length : length + 4]) > 0 or len(head) == length)


RATES = (
    (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
)
"""Kilobits a second of layer 3, of MPEG 1 and of MPEG 2, by ISO 11172-3 and 13818-3."""
FREQUENCIES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}


def _mp3_frame(header: bytes) -> int:
    """The length in bytes of the frame with this header; 0 where it is none of layer 3."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE6 != 0xE2:
        return 0
    version, rate, frequency = header[1] >> 3 & 3, header[2] >> 4, header[2] >> 2 & 3
    if version == 1 or frequency == 3:
        return 0
    kilobits = RATES[0 if version == 3 else 1][rate]
    samples = 144_000 if version == 3 else 72_000
    return samples * kilobits // FREQUENCIES[version][frequency] + (header[2] >> 1 & 1) if kilobits else 0


def _is_aac(head: bytes) -> bool:
    """Two frames of ADTS one behind the other."""
    length = _aac_frame(head[:6])
    return length > 7 and _aac_frame(head[length : length + 6]) > 7


def _aac_frame(header: bytes) -> int:
    if len(header) < 6 or header[0] != 0xFF or header[1] & 0xF6 != 0xF0:
        return 0
    return (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5


CHECKED: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    ("image/bmp", _is_bmp),
    ("image/x-icon", _is_icon),
    ("application/x-msdownload", _is_windows_program),
    ("application/x-tar", _is_tar),
    ("application/x-bzip2", _is_bzip2),
    ("font/ttf", _is_true_type),
    ("audio/mpeg", _is_mp3),
    ("audio/aac", _is_aac),
    ("video/mpeg", _is_mpeg_film),
    ("video/mp2t", _is_mpeg_stream),
)
"""Types whose first two or three bytes are too few to go by."""


def _mime_of_library(head: bytes) -> str:
    """Of rarer types, what the library `filetype` knows by four bytes or more."""
    import filetype

    found = filetype.guess(head) if head else None
    mime_type = canonical_mime(str(found.mime)) if found is not None else ""
    return "" if mime_type in SHORT_SIGNATURES or mime_type == BINARY else mime_type

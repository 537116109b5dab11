"""Small files of each type that is told by its bytes, made here."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import struct
import tarfile
import wave
import zipfile
from collections.abc import Callable, Mapping

from PIL import Image

OOXML = "application/vnd.openxmlformats-officedocument"


def picture(kind: str, *, size: tuple[int, int] = (31, 17), **options: object) -> bytes:
    held = io.BytesIO()
    mode = {"GIF": "P", "JPEG": "RGB"}.get(kind, "RGB")
    Image.radial_gradient("L").resize(size).convert(mode).save(held, kind, **options)  # type: ignore[arg-type]
    return held.getvalue()


def turned_jpeg() -> bytes:
    """Stored 40 by 20, shown 20 by 40."""
    exif = Image.Exif()
    exif[0x0112] = 6
    held = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(held, "JPEG", exif=exif)
    return held.getvalue()


def archive(members: Mapping[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)
    return held.getvalue()


def office(*members: str) -> bytes:
    return archive({"[Content_Types].xml": b"<Types/>", "_rels/.rels": b"<r/>", **dict.fromkeys(members, b"<x/>")})


def declared(mime_type: str) -> bytes:
    return archive({"mimetype": mime_type.encode(), "META-INF/manifest.xml": b"<m/>"})


def sound(seconds: float = 0.5) -> bytes:
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8_000)
        file.writeframes(b"\x80" * int(8_000 * seconds))
    return held.getvalue()


def mp3(frames: int = 40) -> bytes:
    """Silent frames of layer 3 at 128 kbit/s and 44.1 kHz, 417 bytes each."""
    return (b"\xff\xfb\x90\x00" + bytes(413)) * frames


def aac() -> bytes:
    frame = b"\xff\xf1\x50\x80\x02\x1f\xfc" + bytes(9)
    return frame * 4


def box(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data) + 8) + name + data


def mp4(brand: bytes = b"isom", *, seconds: int = 7) -> bytes:
    header = struct.pack(">IIIII", 0, 0, 0, 1_000, seconds * 1_000) + bytes(80)
    return box(b"ftyp", brand + bytes(4) + brand) + box(b"moov", box(b"mvhd", header)) + box(b"mdat", bytes(20))


def webm(doctype: bytes = b"webm") -> bytes:
    header = b"\x42\x82" + bytes([0x80 | len(doctype)]) + doctype
    info = b"\x2a\xd7\xb1\x83\x0f\x42\x40" + b"\x44\x89\x84" + struct.pack(">f", 2_500.0)
    info = b"\x15\x49\xa9\x66" + bytes([0x80 | len(info)]) + info
    return b"\x1aE\xdf\xa3" + bytes([0x80 | len(header)]) + header + b"\x18\x53\x80\x67\x80" + info


def avi() -> bytes:
    header = b"avih" + struct.pack("<IIIIII", 56, 40_000, 0, 0, 0, 50) + bytes(32)
    body = b"AVI LIST" + struct.pack("<I", 4 + len(header)) + b"hdrl" + header
    return b"RIFF" + struct.pack("<I", len(body)) + body


def pdf(pages: int = 2) -> bytes:
    """A PDF with this many empty pages."""
    kids = " ".join(f"{3 + i} 0 R" for i in range(pages))
    parts = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Count {pages}/Kids[{kids}]>>"]
    parts += ["<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>"] * pages
    body, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(body))
        body += f"{number} 0 obj{part}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(parts) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Root 1 0 R/Size {size}>>\n"
    return body + f"{end}startxref\n{len(body)}\n%%EOF\n".encode()


def ole(*streams: str) -> bytes:
    """An OLE2 container with a table in sector 0, the directory from sector 1 on, 4 entries a sector."""
    names = ["Root Entry", *streams]
    sectors = -(-len(names) // 4)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 62, 3, 0xFFFE, 9, 6) + bytes(10)
    header += struct.pack("<IIIIIIIII", 1, 1, 0, 4_096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0)
    header = header.ljust(512, b"\xff")
    chain = [0xFFFFFFFD, *range(2, sectors + 1), 0xFFFFFFFE]
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(512, b"\xff")
    entries = b""
    for name in names:
        words = name.encode("utf-16-le") + b"\x00\x00"
        entries += (words.ljust(64, b"\x00") + struct.pack("<H", len(words))).ljust(128, b"\x00")
    return header + table + entries.ljust(512 * sectors, b"\x00") + bytes(512)


def database() -> bytes:
    with sqlite3.connect(":memory:") as held:
        held.execute("create table t (a)")
        held.commit()
        data = held.serialize()
    held.close()
    return data


def tar() -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as file:
        info = tarfile.TarInfo("a.txt")
        info.size = 2
        file.addfile(info, io.BytesIO(b"hi"))
    return held.getvalue()


def windows_program() -> bytes:
    return (b"MZ" + bytes(58) + struct.pack("<I", 128)).ljust(128, b"\x00") + b"PE\x00\x00" + bytes(64)


MAKERS: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "a.png": ("image/png", lambda: picture("PNG")),
    "a.jpg": ("image/jpeg", lambda: picture("JPEG")),
    "a.gif": ("image/gif", lambda: picture("GIF")),
    "a.webp": ("image/webp", lambda: picture("WEBP")),
    "a.bmp": ("image/bmp", lambda: picture("BMP")),
    "a.tiff": ("image/tiff", lambda: picture("TIFF")),
    "a.ico": ("image/x-icon", lambda: picture("ICO", size=(16, 16))),
    "a.svg": ("image/svg+xml", lambda: b'<?xml version="1.0"?>\n<svg xmlns="x" width="30px" height="20"/>'),
    "a.wav": ("audio/wav", sound),
    "a.mp3": ("audio/mpeg", mp3),
    "b.mp3": ("audio/mpeg", lambda: b"ID3\x03\x00\x00\x00\x00\x00\x0a" + bytes(10) + mp3()),
    "a.flac": ("audio/flac", lambda: b"fLaC\x00\x00\x00\x22" + bytes(34)),
    "a.ogg": ("audio/ogg", lambda: b"OggS\x00\x02" + bytes(20) + b"\x01\x1e\x01vorbis" + bytes(30)),
    "a.m4a": ("audio/mp4", lambda: mp4(b"M4A ")),
    "a.aac": ("audio/aac", aac),
    "a.mid": ("audio/midi", lambda: b"MThd\x00\x00\x00\x06\x00\x00\x00\x01\x00\x60MTrk" + bytes(8)),
    "a.mp4": ("video/mp4", mp4),
    "a.mov": ("video/quicktime", lambda: mp4(b"qt  ")),
    "a.webm": ("video/webm", webm),
    "a.mkv": ("video/x-matroska", lambda: webm(b"matroska")),
    "a.avi": ("video/x-msvideo", avi),
    "a.pdf": ("application/pdf", pdf),
    "a.docx": (f"{OOXML}.wordprocessingml.document", lambda: office("word/document.xml")),
    "a.docm": (
        "application/vnd.ms-word.document.macroenabled.12",
        lambda: office("word/document.xml", "word/vbaProject.bin"),
    ),
    "a.xlsx": (f"{OOXML}.spreadsheetml.sheet", lambda: office("xl/workbook.xml", "xl/worksheets/sheet1.xml")),
    "a.pptx": (
        f"{OOXML}.presentationml.presentation",
        lambda: office("ppt/presentation.xml", "ppt/slides/slide1.xml", "ppt/slides/slide2.xml"),
    ),
    "a.odt": (
        "application/vnd.oasis.opendocument.text",
        lambda: declared("application/vnd.oasis.opendocument.text"),
    ),
    "a.epub": ("application/epub+zip", lambda: declared("application/epub+zip")),
    "a.zip": ("application/zip", lambda: archive({"a.txt": b"hi", "word/notes.txt": b"no Office file"})),
    "a.doc": ("application/msword", lambda: ole("1Table", "Data", "\x05SummaryInformation", "WordDocument")),
    "a.xls": ("application/vnd.ms-excel", lambda: ole("Workbook")),
    "a.ppt": ("application/vnd.ms-powerpoint", lambda: ole("Pictures", "PowerPoint Document")),
    "a.msg": ("application/vnd.ms-outlook", lambda: ole("__nameid_version1.0", "__properties_version1.0")),
    "a.rtf": ("application/rtf", lambda: rb"{\rtf1\ansi Hello}"),
    "a.gz": ("application/gzip", lambda: gzip.compress(b"hi" * 50, mtime=0)),
    "a.bz2": ("application/x-bzip2", lambda: bz2.compress(b"hi" * 50)),
    "a.xz": ("application/x-xz", lambda: lzma.compress(b"hi" * 50)),
    "a.tar": ("application/x-tar", tar),
    "a.sqlite": ("application/x-sqlite3", database),
    "a.exe": ("application/x-msdownload", windows_program),
    "a.eml": (
        "message/rfc822",
        lambda: b"From: a@example.com\r\nTo: b@example.com\r\nSubject: Hi\r\nDate: Mon, 1 Jan 2024\r\n\r\nHello\r\n",
    ),
    "a.html": ("text/html", lambda: b"<!DOCTYPE html>\n<html><body>Hi</body></html>"),
    "a.json": ("application/json", lambda: b'{"a": [1, 2, 3]}'),
    "a.csv": ("text/csv", lambda: b"name,age\nShen,34\nLin,29\n"),
    "a.sh": ("text/x-shellscript", lambda: b"#!/bin/sh\necho hello\n"),
    "a.py": ("text/x-python", lambda: b"#!/usr/bin/env python3\nprint('hi')\n"),
    "a.txt": ("text/plain", lambda: "BMW and MZ are cars; GIF is a word.\n港口\n".encode()),
}
"""By a name that fits, the type and a function that makes such a file."""

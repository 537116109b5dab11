"""The type of a file: its bytes decide, name and MIME type help, and what they say falsely is named."""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.assets.file_types import facts_of
from ctxlab.assets.type_table import FAMILIES, TYPES, kind_of_mime, noun_of
from tests.assets.file_samples import MAKERS, archive, office, ole, pdf, picture, sound, turned_jpeg

FILES = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared")) / "data" / "files"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
SAMPLES = {name: (mime_type, make()) for name, (mime_type, make) in MAKERS.items()}

REAL: dict[str, tuple[str, str, dict[str, Any]]] = {
    "attachment.pdf": ("document", "application/pdf", {"pages": 1}),
    "chi_sim_image.jpeg": ("image", "image/jpeg", {"width": 449, "height": 110}),
    "chinese.flac": ("audio", "audio/flac", {"seconds": 0.956}),
    "comments-rich-para.docx": ("document", WORD, {}),
    "crazyones.pdf": ("document", "application/pdf", {"pages": 1}),
    "dispose_bgnd.gif": ("image", "image/gif", {"width": 100, "height": 100}),
    "exif_gps.jpg": ("image", "image/jpeg", {"width": 8, "height": 8}),
    "gb18030-utf8.txt": ("text", "text/plain", {"encoding": "utf-8"}),
    "gb18030.txt": ("text", "text/plain", {"encoding": "gb18030"}),
    "hopper.gif": ("image", "image/gif", {"width": 128, "height": 128}),
    "hopper.jpg": ("image", "image/jpeg", {"width": 128, "height": 128}),
    "hopper.png": ("image", "image/png", {"width": 128, "height": 128}),
    "hopper.webp": ("image", "image/webp", {"width": 128, "height": 128}),
    "hopper_orientation_6.jpg": ("image", "image/jpeg", {"width": 128, "height": 128}),
    "iss634.webp": ("image", "image/webp", {"width": 245, "height": 245}),
    "issue-297.pdf": ("document", "application/pdf", {"pages": 1}),
    "mixed_content_types.eml": ("document", "message/rfc822", {"encoding": "utf-8"}),
    "multilang.pdf": ("document", "application/pdf", {"pages": 1}),
    "non_searchable.pdf": ("document", "application/pdf", {"pages": 1}),
    "prs-notes.pptx": ("document", SLIDES, {"pages": 1}),
    "r4-owner-password.pdf": ("document", "application/pdf", {"pages": 1}),
    "r6-user-password.pdf": ("document", "application/pdf", {"pages": None}),
    "rgb32bf-rgba.bmp": ("image", "image/bmp", {"width": 127, "height": 64}),
    "scanned.pdf": ("document", "application/pdf", {"pages": 1}),
    "shift_jis.txt": ("text", "text/plain", {"encoding": "cp932"}),
    "tbl-having-tables.docx": ("document", WORD, {}),
    "test.docx": ("document", WORD, {}),
    "test.mp3": ("audio", "audio/mpeg", {"seconds": 6.48}),
    "test.pptx": ("document", SLIDES, {"pages": 6}),
    "test.xlsx": ("document", SHEET, {}),
    "test_utf16_little.csv": ("text", "text/csv", {"encoding": "utf-16"}),
    "truncated_jpeg.jpg": ("image", "image/jpeg", {"width": 100, "height": 100}),
    "xlsx_image_middle.xlsx": ("document", SHEET, {}),
}
PROBLEMS = {
    "r6-user-password.pdf": "it is encrypted: without its password it can't be read",
    "truncated_jpeg.jpg": "the file is cut short: its end is missing",
}
NAMELESS = {"gb18030.txt", "shift_jis.txt", "test_utf16_little.csv"}


@pytest.mark.parametrize("name", REAL)
def test_real_files_have_the_right_type_and_measures(name: str) -> None:
    if not (FILES / name).is_file():
        pytest.skip("the folder of real files is not here")
    kind, mime_type, measures = REAL[name]

    with (FILES / name).open("rb") as file:
        facts = facts_of(file, name=name)

    assert (facts.kind, facts.mime_type, facts.spoofed) == (kind, mime_type, "")
    assert {field: getattr(facts, field) for field in measures} == measures
    assert facts.problem == PROBLEMS.get(name, "")
    assert facts.size_bytes == (FILES / name).stat().st_size
    assert facts_of((FILES / name).read_bytes()).mime_type == mime_type  # without its name


def test_every_real_file_is_in_the_table() -> None:
    if not FILES.is_dir():
        pytest.skip("the folder of real files is not here")

    assert {path.name for path in FILES.iterdir()} == {*REAL}


@pytest.mark.parametrize("name", SAMPLES)
def test_bytes_alone_show_the_type(name: str) -> None:
    mime_type, data = SAMPLES[name]

    alone, named = facts_of(data), facts_of(data, name=name)

    assert alone.mime_type == named.mime_type == mime_type
    assert alone.kind == named.kind == kind_of_mime(mime_type)
    assert alone.decided_by == "bytes"
    assert alone.spoofed == named.spoofed == named.problem == ""


@pytest.mark.parametrize(
    ("name", "measures"),
    [
        ("a.png", {"width": 31, "height": 17}),
        ("a.svg", {"width": 30, "height": 20}),
        ("a.wav", {"seconds": 0.5}),
        ("a.mp4", {"seconds": 7.0}),
        ("a.webm", {"seconds": 2.5}),
        ("a.avi", {"seconds": 2.0}),
        ("a.pdf", {"pages": 2}),
        ("a.pptx", {"pages": 2}),
        ("a.docx", {"pages": None, "width": None, "encoding": None}),
    ],
)
def test_measures_are_those_of_the_header(name: str, measures: dict[str, Any]) -> None:
    facts = facts_of(SAMPLES[name][1])

    assert {field: getattr(facts, field) for field in measures} == measures


def test_a_turned_picture_has_the_size_in_which_it_is_shown() -> None:
    facts = facts_of(turned_jpeg())

    assert (facts.width, facts.height) == (20, 40)


# --- sources that agree and disagree


@pytest.mark.parametrize(
    ("mime_type", "name", "data", "expected"),
    [
        ("image/png", "", SAMPLES["a.png"][1], ("image/png", 0.95, "mime")),
        ("image/png", "", b"\x00\x01\x02", ("image/png", 0.95, "mime")),
        ("", "a.png", b"\x00\x01\x02", ("image/png", 0.85, "name")),
        ("", "a.md", b"# Title", ("text/markdown", 0.85, "name")),
        ("", "", SAMPLES["a.png"][1], ("image/png", 0.9, "bytes")),
        ("", "", b"\x00\x01\x02", ("application/octet-stream", 0.5, "nothing")),
        ("application/octet-stream", "a.bin", b"\x00\x01\x02", ("application/octet-stream", 0.5, "nothing")),
        ("image/jpg; q=1", "", SAMPLES["a.jpg"][1], ("image/jpeg", 0.95, "mime")),
        ("text/x-fortran", "", b"program p\nend", ("text/x-fortran", 0.95, "mime")),
        ("application/zip", "", SAMPLES["a.docx"][1], (WORD, 0.95, "mime")),
    ],
)
def test_the_confidence_is_that_of_the_evidence(
    mime_type: str, name: str, data: bytes, expected: tuple[str, float, str]
) -> None:
    facts = facts_of(data, name=name, mime_type=mime_type)

    assert (facts.mime_type, facts.confidence, facts.decided_by) == expected


@pytest.mark.parametrize(
    ("name", "mime_type", "data", "kind", "sentence"),
    [
        ("a.png", "", b"#!/bin/sh\necho hi\n", "text",
         "its name says it is a PNG picture, but its bytes are a shell script"),
        (
            "a.png",
            "image/png",
            SAMPLES["a.jpg"][1],
            "image",
            "its MIME type and its name say it is a PNG picture, but its bytes are a JPEG picture",
        ),
        ("a.jpg", "text/plain", SAMPLES["a.jpg"][1], "image",
         "its MIME type says it is plain text, but its bytes are a JPEG picture"),
        ("a.txt", "", bytes(range(256)), "other", "its name says it is plain text, but its bytes are binary"),
        ("a.docx", "", SAMPLES["a.zip"][1], "other",
         "its name says it is a Word document, but its bytes are a ZIP archive"),
        ("a.doc", "", SAMPLES["a.html"][1], "text",
         "its name says it is a Word document of the old form, but its bytes are HTML"),
        ("a.jpg", "", bytes(100), "image",
         "its name says it is a JPEG picture, but its bytes don't begin as those of one do"),
    ],
)  # fmt: skip
def test_a_false_name_is_named_and_the_bytes_win(
    name: str, mime_type: str, data: bytes, kind: str, sentence: str
) -> None:
    facts = facts_of(data, name=name, mime_type=mime_type)

    assert (facts.kind, facts.spoofed) == (kind, sentence)


@settings(deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), st.sampled_from(sorted(SAMPLES)))
def test_a_spoofed_sentence_is_true(real: str, named: str) -> None:
    (mime_type, data), (promised, _) = SAMPLES[real], SAMPLES[named]

    facts = facts_of(data, name=named)

    if promised == mime_type:
        assert facts.spoofed == ""
    elif facts.spoofed:
        assert facts.mime_type == mime_type
        assert facts.spoofed == f"its name says it is {noun_of(promised)}, but its bytes are {noun_of(mime_type)}"
    else:
        both_text = {
            data.isascii() or facts.encoding == "utf-8",
            kind_of_mime(promised) == "text" or promised == "message/rfc822",
        }
        same_container = any({mime_type, promised} <= family for family in FAMILIES) or promised == "application/zip"
        assert both_text == {True} or same_container


@settings(deadline=None)
@given(st.binary(max_size=300), st.sampled_from([row.mime_type for row in TYPES]), st.sampled_from(sorted(SAMPLES)))
def test_facts_of_any_bytes_are_sound_and_the_same_from_a_stream(data: bytes, mime_type: str, name: str) -> None:
    facts = facts_of(data, name=name, mime_type=mime_type)

    assert facts == facts_of(io.BytesIO(data), name=name, mime_type=mime_type)
    assert facts.size_bytes == len(data)
    assert facts.kind == kind_of_mime(facts.mime_type)
    assert (facts.encoding is not None) <= (facts.kind in ("text", "document", "image"))
    assert "\n" not in facts.spoofed + facts.problem


@settings(deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_a_damaged_file_never_raises(name: str, data: st.DataObject) -> None:
    whole = bytearray(SAMPLES[name][1])
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=20)):
        whole[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))

    facts_of(bytes(whole), name=name)
    facts_of(bytes(whole[:cut]), name=name)


# --- problems


def _without_pixels() -> bytes:
    data = bytearray(SAMPLES["a.png"][1])
    struct.pack_into(">II", data, 16, 0, 0)
    return bytes(data)


def _with_preview() -> bytes:
    """A JPEG whose header holds a preview with an end mark of its own, cut short in the picture itself."""
    preview = picture("JPEG", size=(8, 8))
    data = picture("JPEG", size=(90, 90))
    return (data[:2] + b"\xff\xe2" + struct.pack(">H", len(preview) + 2) + preview + data[2:])[:-60]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "the file is empty"),
        (_without_pixels(), "the picture has no pixels: it is 0 x 0"),
        (SAMPLES["a.jpg"][1][:-30], "the file is cut short: its end is missing"),
        (_with_preview(), "the file is cut short: its end is missing"),
        (SAMPLES["a.png"][1][:-20], "the file is cut short: its end is missing"),
        (SAMPLES["a.webp"][1][:-20], "the file is cut short: its end is missing"),
        (SAMPLES["a.jpg"][1] + bytes(100_000), ""),  # what stands behind a picture is not its end
        (SAMPLES["a.png"][1] + bytes(100_000), ""),
        (b"%PDF-1.7 and nothing more", "it can't be opened as a PDF: it is broken"),
        (office("word/document.xml")[:150], "the directory of its ZIP container is missing: it is cut short or broken"),
        (ole("EncryptionInfo", "EncryptedPackage"), "it is encrypted: without its password it can't be read"),
    ],
)
def test_what_keeps_a_file_from_being_used_is_said(data: bytes, problem: str) -> None:
    assert facts_of(data).problem == problem


def test_an_encrypted_word_document_is_no_lie() -> None:
    facts = facts_of(ole("EncryptionInfo", "EncryptedPackage"), name="a.docx")

    assert (facts.mime_type, facts.spoofed) == (WORD, "")


# --- work


class Counted(io.RawIOBase):
    """A large file of zeros behind a beginning, which counts the bytes that are read of it."""

    def __init__(self, head: bytes, size: int) -> None:
        self.head, self.size, self.place, self.read_bytes = head, size, 0, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self.place = offset + (0, self.place, self.size)[whence]
        return self.place

    def tell(self) -> int:
        return self.place

    def read(self, size: int = -1) -> bytes:
        size = self.size - self.place if size < 0 else max(0, min(size, self.size - self.place))
        start, self.place, self.read_bytes = self.place, self.place + size, self.read_bytes + size
        return self.head[start : start + size].ljust(size, b"\x00")


@pytest.mark.parametrize("name", ["a.png", "a.mp4", "a.pdf", "a.docx", "a.txt", "a.wav", "a.tiff", "a.ogg", "a.gz"])
def test_a_file_of_200_mb_is_not_read(name: str) -> None:
    file: Any = Counted(SAMPLES[name][1], 200_000_000)

    facts = facts_of(file, name=name)

    assert facts.size_bytes == 200_000_000
    assert file.read_bytes < 9_000_000
    assert facts.spoofed == "" or name == "a.txt"


def test_a_stream_is_left_where_it_was() -> None:
    file = io.BytesIO(SAMPLES["a.pdf"][1])
    file.seek(7)

    facts_of(file)

    assert file.tell() == 7


def test_a_stream_that_cannot_seek_shows_its_beginning() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: Any) -> int:
            raise io.UnsupportedOperation("seek")

        tell = seek

    facts = facts_of(Pipe(sound()), name="a.wav")

    assert (facts.mime_type, facts.size_bytes) == ("audio/wav", len(sound()))


def test_a_directory_of_many_members_is_read_in_part() -> None:
    data = archive({f"{i:06}.txt": b"" for i in range(6_000)} | {"[Content_Types].xml": b"", "word/document.xml": b""})

    assert facts_of(data).mime_type == "application/zip"


def test_pages_are_counted() -> None:
    assert facts_of(pdf(7)).pages == 7


def test_the_table_names_each_type_once() -> None:
    names = [name for row in TYPES for name in (row.mime_type, *row.aliases)]
    extensions = [extension for row in TYPES for extension in row.extensions]

    assert len(names) == len(set(names))
    assert len(extensions) == len(set(extensions))

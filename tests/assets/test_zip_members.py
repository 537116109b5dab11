"""A ZIP archive with a member that can't be unpacked is a sentence at every door, and costs no memory."""

from __future__ import annotations

import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

import ctxlab
from ctxlab.assets.readers import ReadLimits, read_text
from ctxlab.context import FileFacts
from ctxlab.errors import CtxlabError
from tests.assets.made_files import DOCX, zipped

LARGE = b'"' + b"x" * 30_000_000 + b'"'


def document(data: bytes, _: Path) -> str:
    return read_text(BytesIO(data), FileFacts("document", DOCX), limits=ReadLimits()).text


def sessions(data: bytes, folder: Path) -> str:
    (folder / "in.zip").write_bytes(data)
    return str(ctxlab.read(folder / "in.zip").losses)


def recording(data: bytes, folder: Path) -> str:
    (folder / "in.eval").write_bytes(data)
    return str(ctxlab.read_recording(folder / "in.eval").losses)


def backup(data: bytes, folder: Path) -> str:
    (folder / "in.zip").write_bytes(data)
    return str(ctxlab.open_workspace(folder / "kept").restore_backup(folder / "in.zip").left_out)


NAMES = {
    document: ("word/document.xml", "[Content_Types].xml"),
    sessions: ("sessions/s.json", "files/a.png"),
    recording: ("samples/1.json", "header.json"),
    backup: ("sessions/s.json", "workspace.json"),
}


def begin(raw: bytearray) -> int:
    """Where the packed bytes of the first member begin."""
    return 30 + sum(struct.unpack_from("<HH", raw, 26))


def no_deflate(raw: bytearray) -> None:
    at = begin(raw)
    raw[at : at + 4] = b"\xff" * 4


def another_sum(raw: bytearray) -> None:
    raw[raw.index(b"PK\1\2") + 16] ^= 0xFF


def another_way(raw: bytearray) -> None:
    for at in (8, raw.index(b"PK\1\2") + 10):
        raw[at : at + 2] = struct.pack("<H", zipfile.ZIP_LZMA)
    raw[begin(raw) : begin(raw) + 4] = struct.pack("<BBH", 9, 4, 5)


def unknown_way(raw: bytearray) -> None:
    for at in (8, raw.index(b"PK\1\2") + 10):
        raw[at : at + 2] = struct.pack("<H", 77)


def locked(raw: bytearray) -> None:
    for at in (6, raw.index(b"PK\1\2") + 8):
        raw[at] |= 1


def no_head(raw: bytearray) -> None:
    raw[:4] = b"PKxx"


BREAKS = (no_deflate, another_sum, another_way, unknown_way, locked, no_head)


@pytest.mark.parametrize("door", NAMES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("breaks", BREAKS, ids=lambda each: each.__name__)
def test_what_cant_be_unpacked_is_one_sentence(
    door: Callable[[bytes, Path], str], breaks: Callable[[bytearray], None], tmp_path: Path
) -> None:
    raw = bytearray(zipped({NAMES[door][0]: b'{"id": "s", "nodes": []}' * 40, NAMES[door][1]: b"{}"}))
    breaks(raw)

    with pytest.raises(CtxlabError) as error:
        pytest.fail(door(bytes(raw), tmp_path))

    assert "\n" not in str(error.value)
    assert 20 < len(str(error.value)) < 400


@pytest.mark.parametrize("door", [sessions, recording, backup], ids=lambda each: each.__name__)
def test_a_member_that_lies_of_its_size_is_not_unpacked(door: Callable[[bytes, Path], str], tmp_path: Path) -> None:
    raw = bytearray(zipped({NAMES[door][0]: LARGE, NAMES[door][1]: b"{}"}))
    struct.pack_into("<I", raw, raw.index(b"PK\1\2") + 24, 100)

    tracemalloc.start()
    with pytest.raises(CtxlabError):
        door(bytes(raw), tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < len(LARGE) // 4

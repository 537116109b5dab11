"""Members of ZIP archives, and the errors of archives that aren't sound."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from typing import Final

BROKEN_ZIP: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    OSError,
    ValueError,
    RuntimeError,
)
"""Errors that Python's ZIP reader raises of bytes that are no archive, or not all of one, or locked."""


def member_bytes(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The bytes of a member; raises one of BROKEN_ZIP.

    Of a deflated one no more is unpacked than its size in the archive's list; `archive.read` unpacks all of it first.
    """
    with archive.open(member) as file:
        return file.read(member.file_size)

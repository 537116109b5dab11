"""Paths that stay inside a folder: whatever a file says of its place, nothing outside is opened."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path
from typing import BinaryIO

from ctxlab.lazy_pattern import lazy_pattern

MOST_NAME_BYTES = 200
"""File systems take 255 bytes of a name; what programs put before or behind it needs room too."""
MOST_PATH_CHARACTERS = 4_096
RESERVED = lazy_pattern(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
"""Names of devices on Windows, with any extension."""
FORBIDDEN = lazy_pattern(r'[<>:"/\\|?*\x00-\x1f\x7f]')


def relative_path(text: str) -> str | None:
    """A path below a folder, its parts joined by `/`; None for one that could lead elsewhere.

    That is an absolute path, one with `..`, a drive, a device of Windows, or a NUL. The rules are those of all systems
    at once, so that a path means the same on each.

    >>> relative_path("./images\\\\a.png"), relative_path("../secret")
    ('images/a.png', None)
    """
    if not text or len(text) > MOST_PATH_CHARACTERS or "\x00" in text:
        return None
    plain = text.replace("\\", "/")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if plain.startswith("/") or not parts or not all(map(_is_plain, parts)):
        return None
    return "/".join(parts)


def _is_plain(part: str) -> bool:
    """Whether a part of a path names a file or a folder on every system."""
    return not (part.rstrip(". ") == "" or ":" in part or RESERVED.fullmatch(part.rstrip(". ")))


def open_inside(folder: Path, path: str) -> BinaryIO | None:
    """The file at this path below the folder; None where there is none, or where it leads out of the folder.

    A link is followed only to a file inside. Folders, pipes and devices are not opened.
    """
    found = path_inside(folder, path)
    if found is None:
        return None
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(found, flags)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")


def path_inside(folder: Path, path: str) -> Path | None:
    """The real path of a file below the folder; None where there is none, or where a link leads out of it."""
    relative = relative_path(path)
    if relative is None:
        return None
    try:
        root = folder.resolve(strict=True)
        found = (root / relative).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
    return found if found.is_relative_to(root) and found.is_file() else None


def safe_name(name: str, *, instead: str = "file") -> str:
    """A name that a file may have on every system: no folders, no signs that a system forbids, at most 200 bytes.

    Letters of all scripts stay, and so does the extension of a name that is too long.

    >>> safe_name("../a:b?.png"), safe_name("CON.txt"), safe_name("港口.jpg")
    ('a_b_.png', '_CON.txt', '港口.jpg')
    """
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    last = "".join(character for character in last if unicodedata.category(character) not in ("Cc", "Cf", "Cs"))
    plain = FORBIDDEN.sub("_", last).strip().rstrip(". ").lstrip()
    if not plain.strip("."):
        return instead
    plain = f"_{plain}" if RESERVED.fullmatch(plain) else plain
    return _shortened(plain) or instead


def _shortened(name: str) -> str:
    """The name within the bytes that a name may have, the extension kept where it is short."""
    if len(name.encode()) <= MOST_NAME_BYTES:
        return name
    stem, dot, extension = name.rpartition(".")
    end = f".{extension}" if dot and stem and len(extension.encode()) <= 20 else ""
    start = (stem if end else name).encode()[: MOST_NAME_BYTES - len(end.encode())].decode("utf-8", "ignore")
    return f"{start.rstrip('. ')}{end}"

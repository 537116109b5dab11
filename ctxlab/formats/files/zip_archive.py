"""Zip archives in and out: members unpacked within limits, and files under names that every system can have.

Nothing is unpacked to the disk.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from ctxlab.assets.zip_members import BROKEN_ZIP, member_bytes
from ctxlab.errors import BrokenFile
from ctxlab.formats.files.shelf import why_not_unpacked
from ctxlab.formats.results import Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.lazy_pattern import lazy_pattern

LARGEST_BYTES = 512 * 2**20
TOGETHER_BYTES = 2**30
"""Of one file that is parsed, and of all of them."""
ENTRIES = 50_000
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive: the same values make the same bytes."""
UNSAFE = lazy_pattern(r"[^\w.-]+")
Zipped = bytes | Path
"""An archive in memory, or the file that it is in, which isn't read whole."""


# --- writing


def file_name(folder: str, wanted: str, names: Names, ending: str = ".json") -> str:
    """A path inside the archive that no system reads as another; names that differ in letters' case alone are equal."""
    plain = UNSAFE.sub("_", wanted).strip("._")[:80] or "nameless"
    taken = names.take(f"{folder}/{plain}".casefold())
    return f"{folder}/{plain}{taken[len(folder) + 1 + len(plain.casefold()) :]}{ending}"


def packed_files(files: Mapping[str, bytes]) -> bytes:
    """An archive of files by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return packed.getvalue()


# --- reading


def opened(raw: Zipped, source: str) -> zipfile.ZipFile:
    """The archive, open; raises BrokenFile for what is none, and for one of too many files."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw) if isinstance(raw, bytes) else raw)
    except BROKEN_ZIP as error:
        raise BrokenFile(f"{source} is a broken zip archive ({error})") from error
    if (count := len(archive.infolist())) > ENTRIES:
        archive.close()
        raise BrokenFile(f"{source} is a zip archive of {count:,} files; {ENTRIES:,} are allowed")
    return archive


def names_in(raw: Zipped) -> list[str]:
    """The names of the files in an archive; none where it can't be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw) if isinstance(raw, bytes) else raw) as archive:
            return archive.namelist()
    except BROKEN_ZIP:
        return []


def members(
    archive: zipfile.ZipFile, source: str, losses: list[Loss], *, wanted: Callable[[str], bool]
) -> Iterator[tuple[str, bytes]]:
    """The files of an archive whose names are wanted, unpacked; raises BrokenFile for what is too large."""
    chosen = list(newest([entry for entry in archive.infolist() if wanted(entry.filename)], losses))
    together = sum(entry.file_size for entry in chosen)
    if together > TOGETHER_BYTES:
        raise BrokenFile(f"{source} would unpack to {_megabytes(together)}; {_megabytes(TOGETHER_BYTES)} are allowed")
    for entry in chosen:
        data = _unpacked(archive, entry, source, losses)
        if data is not None:
            yield entry.filename, data


def newest(entries: Sequence[zipfile.ZipInfo], losses: list[Loss]) -> Iterator[zipfile.ZipInfo]:
    """The entries, the last of those with one name, with a loss for each of the others."""
    last = {entry.filename: entry for entry in entries}
    for entry in entries:
        if last[entry.filename] is entry:
            yield entry
        else:
            losses.append(Loss(entry.filename, "the archive has several files of this name; the last counts"))


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, source: str, losses: list[Loss]) -> bytes | None:
    """A file's content; a zip's own reader gives no more bytes than the archive's list says."""
    if (reason := why_not_unpacked(entry)) is not None:
        losses.append(Loss(entry.filename, f"{reason}; left out"))
        return None
    if entry.file_size > LARGEST_BYTES:
        size, most = _megabytes(entry.file_size), _megabytes(LARGEST_BYTES)
        raise BrokenFile(f"{source}: {entry.filename!r} would unpack to {size}; {most} are allowed")
    try:
        return member_bytes(archive, entry)
    except BROKEN_ZIP as error:
        losses.append(Loss(entry.filename, f"it can't be unpacked ({error}); left out"))
        return None


def is_json(name: str) -> bool:
    """Whether a name is that of a JSON file that isn't hidden."""
    path = PurePosixPath(name)
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return path.suffix.lower() in (".json", ".jsonl") and not hidden


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:,.0f} MB"

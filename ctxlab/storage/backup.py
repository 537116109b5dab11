"""Backups: a whole workspace as one zip archive, and what is in one put back."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ctxlab.assets.asset_folder import INCOMING
from ctxlab.assets.zip_members import BROKEN_ZIP, member_bytes
from ctxlab.display.progress import ProgressOption, WorkProgress
from ctxlab.display.short_texts import counted
from ctxlab.documents.atomic_file import sync_folder
from ctxlab.errors import BrokenFile, Refused, WriteError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.storage.arrangement import PATH as ARRANGEMENT
from ctxlab.storage.drafts import FOLDER as DRAFTS
from ctxlab.storage.files import LOCKS
from ctxlab.storage.journal import OLDER
from ctxlab.storage.journal import PATH as JOURNAL
from ctxlab.storage.kinds import KINDS
from ctxlab.storage.store import ASSETS, HISTORIES, Store
from ctxlab.storage.trash import FOLDER as TRASH

FOLDERS = (*(kind.folder for kind in KINDS.values()), HISTORIES, DRAFTS)
VALUE = lazy_pattern(rf"(?:{'|'.join(map(re.escape, FOLDERS))})/[^/\\:\0.][^/\\:\0]*\.json")
ASSET = lazy_pattern(rf"{ASSETS}/(?:blobs/[0-9a-f]{{2}}/[0-9a-f]{{64}}|about/[0-9a-f]{{2}}/[0-9a-f]{{16,64}}\.json)")
NOT_KEPT = frozenset({LOCKS, "versions"})
"""Folders that are of use only where they are."""
DERIVED = frozenset(kind.index for kind in KINDS.values())
MOST_BYTES = 512_000_000
"""Of one file that is put back."""
MOST_TIMES = 1_000
"""Bytes that one byte of an archive may become: text gets to some 20, and what goes further is no backup."""


@dataclass(frozen=True, slots=True)
class Restored:
    """Results of putting a backup back: the numbers of files that came in, were the same, replaced another, or not.

    `left_out` are names of files that are none of a workspace, or not sound. `in_trash` are the names of those in the
    trash of the backup: they stay in the archive, and so does its journal, which tells of another workspace.
    """

    restored: int = 0
    same: int = 0
    replaced: int = 0
    left_out: tuple[str, ...] = ()
    in_trash: tuple[str, ...] = ()


def write_backup(store: Store, target: Path, progress: ProgressOption) -> Path:
    """Write the archive beside its place and move it there when it is whole."""
    root = _root(store)
    target = target.expanduser().absolute()
    if target.is_relative_to(root):
        raise Refused(f"{target} is inside the workspace: write a backup to another place")
    if not target.parent.is_dir():
        raise WriteError(f"{target} can't be written: there is no folder {target.parent}")
    paths = list(_paths(root))
    half = target.with_name(f".{target.name}.part")
    try:
        with (
            zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED) as archive,
            WorkProgress("files", len(paths), progress) as shown,
        ):
            for path in paths:
                with suppress(FileNotFoundError):  # deleted by another in between
                    archive.write(path, path.relative_to(root).as_posix())
                shown.advance(1)
        half.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise WriteError(f"{target} can't be written: {error.strerror or error}") from error
    finally:
        half.unlink(missing_ok=True)
    store.log("backup", None, detail=counted(len(paths), "file"))
    return target


def restore_backup(store: Store, source: Path, progress: ProgressOption) -> Restored:
    """Put back what is in an archive; what is here and other than there goes to the trash, all else stays.

    Trash and journal of the archive stay in it: they tell of the workspace that it is of.
    """
    _root(store)
    restored = same = replaced = 0
    left_out: list[str] = []
    in_trash: list[str] = []
    with _opened(source) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if ARRANGEMENT not in archive.namelist():
            raise BrokenFile(f"{source} is no backup of a workspace: there is no {ARRANGEMENT} in it")
        with WorkProgress("files", len(entries), progress) as shown:
            for entry in entries:
                name = entry.filename
                shown.advance(1)
                if name.startswith(f"{TRASH}/"):
                    in_trash.append(name)
                    continue
                if name in DERIVED or name in (JOURNAL, OLDER):
                    continue
                if not (VALUE.fullmatch(name) or ASSET.fullmatch(name) or name == ARRANGEMENT) or not _is_sane(entry):
                    left_out.append(name)
                    continue
                came = _put_back(store, name, _content(archive, entry, source))
                restored, same, replaced = (
                    restored + (came == "new"),
                    same + (came == "same"),
                    replaced + (came == "other"),
                )
    store.log("restore backup", None, detail=f"{restored + replaced:,} files")
    return Restored(restored, same, replaced, tuple(left_out), tuple(in_trash))


def _opened(source: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(source)
    except BROKEN_ZIP as error:
        raise _broken(source, error) from error


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, source: Path) -> bytes:
    """The bytes of a file, no more than the archive's list says; raises BrokenFile."""
    try:
        return member_bytes(archive, entry)
    except BROKEN_ZIP as error:
        raise _broken(source, error) from error


def _broken(source: Path, error: Exception) -> BrokenFile:
    words = error.strerror if isinstance(error, OSError) else None
    return BrokenFile(f"{source} is no sound archive: {words or error}")


def _put_back(store: Store, path: str, data: bytes) -> str:
    with store.errors("be written"), store.files.lock(path):
        if store.files.stamp(path) is None:
            store.files.write_whole(path, data)
            return "new"
        if path.startswith(f"{ASSETS}/") or store.files.read(path) == data:  # assets are named by their content
            return "same"
        store.set_aside(path, "a backup was restored")
        store.files.write_whole(path, data)
    return "other"


def _paths(root: Path) -> Iterator[Path]:
    """The files of a workspace, without what is derived, hidden, or a link."""
    for top in sorted(root.iterdir()):
        if top.name.startswith(".") or top.name in NOT_KEPT or top.is_symlink():
            continue
        found = [top] if top.is_file() else sorted(top.rglob("*"))
        yield from (
            path for path in found if path.is_file() and not path.is_symlink() and _is_kept(path.relative_to(root))
        )


def _is_kept(path: Path) -> bool:
    is_ours = path.suffix in (".json", ".jsonl") or path.parts[0] in (ASSETS, TRASH)
    is_on_its_way = path.parts[:2] == (ASSETS, INCOMING)
    hidden = any(part.startswith(".") for part in path.parts)
    return is_ours and not hidden and not is_on_its_way and path.as_posix() not in DERIVED


def _is_sane(entry: zipfile.ZipInfo) -> bool:
    return entry.file_size <= MOST_BYTES and entry.file_size <= MOST_TIMES * max(entry.compress_size, 64)


def _root(store: Store) -> Path:
    if store.files.root is None:
        raise Refused(f"{store.files.place} is no folder: backups are made of folders, and addresses have their own")
    return store.files.root

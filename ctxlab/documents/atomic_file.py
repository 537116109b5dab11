"""Files that are replaced in one step."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Literal

from ctxlab.errors import WriteError
from ctxlab.lazy_pattern import lazy_pattern

Sync = Literal["none", "file", "folder"]
"""Parts that are on the disk when a write is done: nothing for sure, the file, or the file and its name as well."""

TRIES = 3
LEFT_OVER = lazy_pattern(r"\..*\.(?P<pid>\d+)-\d+\.tmp", re.DOTALL)
"""Name of a temporary file, with the process that writes it."""
OLD_SECONDS = 3_600
"""Age from which a temporary file is a left-over, though a process of that number runs: numbers are given anew."""


def replace_file(path: str | os.PathLike[str], data: bytes, *, sync: Sync = "file") -> Path:
    """Replace a file in one step, so that a reader sees the old content or the new.

    A link at `path` is replaced by the file; what it points to is not touched.
    """
    target = Path(path).expanduser()
    if target.is_dir():
        raise WriteError(f"{os.fspath(path)} is a folder; give a file name inside it")
    if not target.parent.is_dir():
        raise WriteError(f"{os.fspath(path)} can't be written: there is no folder {target.parent}")
    try:
        _replace(target, data, sync)
    except OSError as error:
        raise WriteError(f"{os.fspath(path)} can't be written: {error.strerror or error}") from error
    return target


def sweep_left_overs(folder: Path) -> int:
    """Remove the temporary files of processes that are gone; gives their number."""
    swept = 0
    with os.scandir(folder) as entries:
        left = [entry for entry in entries if entry.name.endswith(".tmp")]
    for entry in left:
        found = LEFT_OVER.fullmatch(entry.name)
        if found is None or not entry.is_file(follow_symlinks=False):
            continue
        with suppress(OSError):
            if not _runs(int(found["pid"])) or _is_old(folder, entry.stat(follow_symlinks=False).st_mtime):
                Path(entry.path).unlink()
                swept += 1
    return swept


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk; where a system can't, nothing happens."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows opens no folder, and keeps names by itself
        return
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def _replace(target: Path, data: bytes, sync: Sync) -> None:
    for left in reversed(range(TRIES)):
        temporary = _fresh_file(target)
        try:
            _fill(temporary, target, data, sync)
            temporary.replace(target)
        except FileNotFoundError:  # swept by a machine that can't see this process
            temporary.unlink(missing_ok=True)
            if not left:
                raise
            continue
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        break
    if sync == "folder":
        sync_folder(target.parent)


def _fill(temporary: Path, target: Path, data: bytes, sync: Sync) -> None:
    with temporary.open("r+b") as file:
        file.write(data)
        file.flush()
        if sync != "none":
            os.fsync(file.fileno())
    with suppress(FileNotFoundError):  # removed by another in between
        if target.is_file() and not target.is_symlink():
            temporary.chmod(target.stat().st_mode & 0o7777)


def _fresh_file(target: Path) -> Path:
    """An empty file beside the target; creating it exclusively means that no link can stand in its place."""
    for n in count():
        temporary = target.with_name(f".{target.name[:40]}.{os.getpid()}-{n}.tmp")
        try:
            temporary.open("xb").close()
        except FileExistsError:
            continue
        return temporary
    raise AssertionError("count() has no end")


def _runs(pid: int) -> bool:
    if os.name == "nt":  # a signal 0 would end the process there
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _is_old(folder: Path, modified: float) -> bool:
    """Whether a file is old by the clock of the disk, by which it is dated."""
    probe = _fresh_file(folder / "clock")
    try:
        return probe.stat().st_mtime - modified > OLD_SECONDS
    finally:
        probe.unlink(missing_ok=True)


def refuse_overwriting(in_path: str | os.PathLike[str], out_path: str | os.PathLike[str]) -> None:
    """Raise WriteError when both paths are one file."""
    source, target = Path(in_path).expanduser(), Path(out_path).expanduser()
    if target.exists() and source.exists() and target.samefile(source):
        raise WriteError(f"{os.fspath(out_path)} is the file that is read; give another name")

"""Files that are replaced in one step."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

from ctxlab.errors import WriteError


def replace_file(path: str | os.PathLike[str], data: bytes) -> Path:
    """Replace a file in one step, so that a reader sees the old content or the new.

    A link at `path` is replaced by the file; what it points to is not touched.
    """
    target = Path(path).expanduser()
    if target.is_dir():
        raise WriteError(f"{os.fspath(path)} is a folder; give a file name inside it")
    if not target.parent.is_dir():
        raise WriteError(f"{os.fspath(path)} can't be written: there is no folder {target.parent}")
    try:
        _replace(target, data)
    except OSError as error:
        raise WriteError(f"{os.fspath(path)} can't be written: {error.strerror or error}") from error
    return target


def _replace(target: Path, data: bytes) -> None:
    temporary = _fresh_file(target)
    try:
        with temporary.open("r+b") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):  # removed by another in between
            if target.is_file() and not target.is_symlink():
                temporary.chmod(target.stat().st_mode & 0o7777)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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

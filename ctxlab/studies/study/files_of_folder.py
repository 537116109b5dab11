"""A hash of the files of a folder, by their paths and their bytes."""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import blake2b, file_digest
from pathlib import Path

from ctxlab.assets.asset_folder import ABOUT


def folder_hash(folder: Path) -> list[tuple[str, str]]:
    """Paths inside a folder with hashes of their bytes; of a folder that keeps files by content what is known of them.

    Links to other folders are not followed; neither does a build follow one that leads out.
    """
    root = folder / ABOUT if (folder / ABOUT).is_dir() else folder
    found: list[tuple[str, str]] = []
    for place, _, names in os.walk(root):
        for path in [Path(place) / name for name in names]:
            try:
                state = path.stat()
                digest = _file_hash(str(path), state.st_ino, state.st_size, state.st_mtime_ns)
            except OSError:  # gone since, or nobody's to read; a build can't read it either
                continue
            found.append((path.relative_to(root).as_posix(), digest))
    return sorted(found)


@lru_cache(maxsize=10_000)
def _file_hash(path: str, *_: int) -> str:
    """The hash of a file's bytes, taken again where its size or its time is another."""
    if not Path(path).is_file():  # a pipe, which would wait for a writer
        return ""
    with Path(path).open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()

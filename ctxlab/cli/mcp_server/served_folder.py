"""The folder that a server answers about: a name from outside never leads out of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ctxlab.errors import CtxlabError

LONGEST_NAME = 1_000
"""Characters of a path within the folder."""
LARGEST_FILE = 256 * 1024 * 1024
"""Bytes of a file that is still read."""


class ServedFolder:
    """The files of one folder, named by paths within it, with links that lead out of it refused."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise CtxlabError(f"{root} is no folder; ctxlab mcp takes the one whose files it may read")
        self.root = root.resolve()

    def path(self, name: str) -> Path:
        """The file or folder of a name; raises CtxlabError for one that is not in the folder, or can't be read safely.

        Files that are read along with it, because they stand beside it and begin with its name, are looked at too.
        """
        if not name or len(name) > LONGEST_NAME or "\0" in name:
            raise CtxlabError(f"a file is named by its path within the folder, of {LONGEST_NAME:,} characters at most")
        try:
            found = (self.root / name).resolve()
        except (OSError, RuntimeError, ValueError):
            raise CtxlabError(f"{name!r} is no path") from None
        if not found.is_relative_to(self.root):
            raise CtxlabError(f"{name!r} is outside the folder that is served")
        if not found.exists():
            raise CtxlabError(f"there is no {name!r} in the folder that is served")
        if not (found.is_dir() or found.is_file()):
            raise CtxlabError(f"{name!r} is neither a file nor a folder")
        for each in (found, *_read_along(found)):
            self._check(each, name)
        return found

    def without_root(self, text: str) -> str:
        """A text with the paths of files as they are named within the folder."""
        return text if self.root == self.root.parent else text.replace(f"{self.root}{os.sep}", "")

    def _check(self, path: Path, name: str) -> None:
        if path.is_symlink() and not path.resolve().is_relative_to(self.root):
            raise CtxlabError(f"beside {name!r} is a link that leads out of the folder that is served: {path.name}")
        with suppress(OSError):
            if path.is_file() and path.stat().st_size > LARGEST_FILE:
                raise CtxlabError(f"{path.name!r} is larger than {LARGEST_FILE // 1024 // 1024} MB")


def _read_along(found: Path) -> Iterator[Path]:
    """Files beside a file whose names begin as its own, what is in folders of such names, and all that a folder has."""
    if found.is_dir():
        yield from found.rglob("*")
        return
    stem = found.name.partition(".")[0]
    for each in found.parent.iterdir():
        if each.name.startswith(stem) and each != found:
            yield each
            if each.is_dir() and not each.is_symlink():
                yield from each.rglob("*")

"""Paths of files inside a folder or an archive; none of them leads out of it."""

from __future__ import annotations

from collections.abc import Iterator

LONGEST = 1_000
"""Characters of a path."""


def is_inside(path: str) -> bool:
    """Whether a name is a path below the top of a folder or an archive, on every system."""
    parts = path.split("/")
    return 0 < len(path) <= LONGEST and not any(
        part in ("", ".", "..") or "\\" in part or ":" in part or "\0" in part for part in parts
    )


def leads_out(path: str) -> bool:
    """Whether a path is none of a scheme such as `artifact:`, and leads out of the folder that it is read from."""
    parts = path.replace("\\", "/").split("/")
    return ".." in parts or path.startswith(("/", "\\")) or path[1:3] in (":\\", ":/")


def is_hidden(path: str) -> bool:
    """Whether a file, or a folder that it is in, is hidden."""
    return any(part.startswith((".", "__MACOSX")) for part in path.split("/"))


def folder_of(name: str) -> str:
    """The folder that a file is in; empty at the top."""
    return name.rpartition("/")[0]


def in_folder(folder: str, path: str) -> str:
    """A path seen from the top, of a file that is seen from a folder."""
    return f"{folder}/{path}" if folder else path


def upwards(folder: str) -> Iterator[str]:
    """A folder and those that it is in, up to the top, which is empty."""
    while folder:
        yield folder
        folder = folder_of(folder)
    yield ""

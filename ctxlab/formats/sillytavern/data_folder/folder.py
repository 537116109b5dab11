"""The files of SillyTavern's data folder of a user. They are only read, and none outside of the folder is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from ctxlab.errors import ReadError
from ctxlab.formats.decode import source_of_file
from ctxlab.formats.files.shelf import FolderShelf
from ctxlab.formats.sillytavern.coerce import as_object
from ctxlab.formats.source import Source
from ctxlab.lazy_dataclass import dataclass

SETTINGS: Final = "settings.json"
CHARACTERS, CHATS, GROUPS, GROUP_CHATS, WORLDS = "characters", "chats", "groups", "group chats", "worlds"
CHAT_PRESETS: Final = "OpenAI Settings"
MARKS: Final = (SETTINGS, CHARACTERS, CHATS)
"""Files and folders that a data folder is known by."""
BELOW: Final = ("", "default-user", "data/default-user")
"""Places of the usual user's data, seen from a folder that was named."""
NEVER_OPENED: Final = "secrets.json"
LARGEST_BYTES: Final = 256_000_000


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A user's data: settings, cards, chats, worlds."""

    path: Path

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> DataFolder:
        """The data folder at a path, or the usual user's below it: the program's own folder will do.

        Raises ReadError where there is none.
        """
        top = Path(path).expanduser()
        for below in BELOW:
            folder = top / below if below else top
            if any((folder / mark).exists() for mark in MARKS):
                return cls(folder.resolve())
        raise ReadError(f"{top} is no data folder of SillyTavern: it holds none of {', '.join(MARKS)}")

    def has(self, *parts: str) -> bool:
        return self._shelf.size_of("/".join(parts)) is not None

    def source(self, *parts: str) -> Source:
        """The content of a file; raises ReadError where there is none that can be read."""
        place = "/".join(parts)
        size = self._shelf.size_of(place)
        if size is None or parts[-1].casefold() == NEVER_OPENED:
            raise ReadError(f"{place} is not in the data folder {self.path}")
        if size > LARGEST_BYTES:
            raise ReadError(f"{place} has {size:,} bytes, more than are read")
        try:
            return source_of_file(self._shelf.read(place), place)
        except OSError as error:
            raise ReadError(f"{place} can't be read: {error.strerror or error}") from error

    def data(self, *parts: str) -> Mapping[str, Any]:
        """The object in a file of JSON; raises ReadError where there is none."""
        return as_object(self.source(*parts).data)

    def lines(self, *parts: str) -> list[Any]:
        """The values in a file of JSON lines; raises ReadError where there is none."""
        data = self.source(*parts).data
        return cast("list[Any]", data) if isinstance(data, list) else [data]

    def names(self, folder: str, *endings: str) -> tuple[str, ...]:
        """Names of the files of a folder with these endings, or of the folders in it without any, sorted."""
        try:
            with os.scandir(self.path / folder) as entries:
                found = [
                    entry.name
                    for entry in entries
                    if (entry.name.lower().endswith(endings) if endings else entry.is_dir(follow_symlinks=False))
                ]
        except OSError:
            return ()
        return tuple(sorted(found))

    @property
    def _shelf(self) -> FolderShelf:
        return FolderShelf(self.path, deep=True)

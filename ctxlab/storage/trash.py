"""The trash: what was deleted or replaced, with all files that belong to it, until it is emptied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import html_table, title
from ctxlab.display.short_texts import counted
from ctxlab.documents.moments import moment_of
from ctxlab.documents.stored import as_json, from_json
from ctxlab.errors import Refused, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.storage.files import Files

if TYPE_CHECKING:
    import pandas as pd

FOLDER = "trash"
ABOUT = "about.json"
MOST_CHARACTERS = 400
SAFE_PATH = lazy_pattern(r"(?!.*(?:^|/)\.)[^/\\\x00]+(?:/[^/\\\x00]+){0,3}")
"""Paths that a file can be put back to: inside the workspace, and nothing hidden."""


@dataclass(frozen=True, slots=True)
class TrashEntry:
    """Something in the trash; `place` is its place in the lists of the workspace, `why` how it came there."""

    key: str
    kind: str
    id: str
    name: str
    at: str
    why: str
    files: Mapping[str, str]
    place: Mapping[str, Any]


class TrashEntries(tuple[TrashEntry, ...]):
    """Everything in the trash, oldest first."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"TrashEntries({counted(len(self), 'entry', 'entries')})"

    def _repr_html_(self) -> str:
        rows = ((entry.kind, entry.id, entry.name, entry.at, entry.why) for entry in self)
        head = title(counted(len(self), "entry", "entries"))
        return head + html_table(("kind", "id", "name", "at", "why"), rows, of="entries")

    def older_than(self, time: str) -> TrashEntries:
        """Entries that came before an ISO time, in UTC where it names no zone. Raises WrongArgument."""
        before = moment_of(time)
        if before is None:
            raise WrongArgument(f"older_than takes an ISO time such as '2026-01-31', got {time[:40]!r}")
        return TrashEntries(entry for entry in self if (at := moment_of(entry.at)) is not None and at < before)

    def frame(self) -> pd.DataFrame:
        """One row an entry, oldest first."""
        names = ("kind", "id", "name", "at", "why")
        return frame_of([{name: getattr(entry, name) for name in names} for entry in self], columns=names)


class Trash:
    """The folder of the trash: each entry is a folder with its files and a note of where they were."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def take(
        self,
        paths: Iterable[str],
        *,
        kind: str,
        id: str,
        name: str,
        at: str,
        why: str,
        place: Mapping[str, Any] | None = None,
        copy: bool = False,
    ) -> str:
        """Move files here, or copies of them, and give the key of the entry; the note is written first."""
        there = [path for path in dict.fromkeys(paths) if self._files.stamp(path) is not None]
        held = {f"{n}-{path.rpartition('/')[2]}": path for n, path in enumerate(there)}
        key = self._fresh_key(kind, at)
        about = {"kind": kind, "id": id, "name": name, "at": at, "why": why[:MOST_CHARACTERS], "files": held}
        self._files.write_whole(f"{FOLDER}/{key}/{ABOUT}", as_json({**about, "place": dict(place or {})}, indent=2))
        for inside, path in held.items():
            (self._files.copy if copy else self._files.move)(path, f"{FOLDER}/{key}/{inside}")
        return key

    def _fresh_key(self, kind: str, at: str) -> str:
        taken = set(self._files.folders(FOLDER))
        when = re.sub(r"\D", "", at)[:17] or "0"
        number = 0
        while (key := f"{when}-{kind}-{number}") in taken:
            number += 1
        return key

    def entries(self) -> TrashEntries:
        """All entries, oldest first; one whose note can't be read is named by `broken`."""
        return TrashEntries(entry for key in self._keys() if (entry := self._entry(key)) is not None)

    def broken(self) -> list[str]:
        """Folders of the trash whose note can't be read."""
        return [key for key in self._keys() if self._about(key) is None]

    def _keys(self) -> Iterator[str]:
        return iter(sorted(self._files.folders(FOLDER)))

    def _about(self, key: str) -> dict[str, Any] | None:
        try:
            data: object = from_json(self._files.read(f"{FOLDER}/{key}/{ABOUT}"))
        except (OSError, ValueError):
            return None
        return cast("dict[str, Any]", data) if isinstance(data, dict) else None

    def _entry(self, key: str) -> TrashEntry | None:
        about = self._about(key)
        if about is None:
            return None
        texts = {name: str(about.get(name, "")) for name in ("kind", "id", "name", "at", "why")}
        named: Any = about.get("files")
        there = self._files.list(f"{FOLDER}/{key}")
        held = {
            str(inside): str(path)
            for inside, path in (named.items() if isinstance(named, dict) else ())
            if inside in there and SAFE_PATH.fullmatch(str(path)) and not str(path).startswith(f"{FOLDER}/")
        }
        place: Any = about.get("place")
        if not held:
            return None
        return TrashEntry(
            key, **texts, files=held, place=cast("dict[str, Any]", place) if isinstance(place, dict) else {}
        )

    def restore(self, entry: TrashEntry) -> None:
        """Put the files back; refuses where another is in the place of the first, which is the value's own."""
        taken = [path for path in entry.files.values() if self._files.stamp(path) is not None]
        if taken:
            raise Refused(f"{entry.id!r} can't be restored: {taken[0]} is there again; delete that one first")
        for inside, path in reversed(
            list(entry.files.items())
        ):  # the value last: what belongs to it is there before it
            self._files.move(f"{FOLDER}/{entry.key}/{inside}", path)
        self.remove(entry.key)

    def remove(self, key: str) -> None:
        """Remove an entry for good; its note goes last."""
        folder = f"{FOLDER}/{key}"
        for name in sorted(self._files.list(folder), key=lambda name: name == ABOUT):
            self._files.delete(f"{folder}/{name}")
        self._files.remove_folder(folder)

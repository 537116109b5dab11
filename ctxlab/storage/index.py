"""The index of one kind of values: a row a file, made of the files and kept only so that they need not be read again.

A row carries the stamp of its file. What changed, came or went is seen by the stamps of the folder, so that an index
that is old, broken or gone mends itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from threading import RLock
from typing import Any, cast

from ctxlab.display.progress import ProgressOption, WorkProgress
from ctxlab.documents.stored import Note, as_json, from_json
from ctxlab.errors import CtxlabError, ReadError
from ctxlab.formats.decode import source_of
from ctxlab.storage.files import Files
from ctxlab.storage.kinds import SUFFIX, Kind
from ctxlab.storage.value_facts import facts_of

Data = dict[str, Any]
VERSION = 4
TEXTS = ("file", "stamp", "problem", "id", "name", "revision", "body", "createdAt", "updatedAt", "category", "agent")
NUMBERS = ("messages", "branches", "tokens", "parts")
LISTS = ("tags", "problems", "lengths")
TYPES: Mapping[str, type] = {
    **dict.fromkeys(TEXTS, str),
    **dict.fromkeys(NUMBERS, int),
    **dict.fromkeys(LISTS, list),
}
"""By field of a row, what is in it: a list is made without looking at that again."""
FEW = 32
"""Changed rows with which an index is written, or more where it is long: each row is written a few times in all."""


class Index:
    """The rows of a kind by file name. `refresh` brings them up to date; `put` and `remove` follow one's own writes."""

    def __init__(self, files: Files, kind: Kind, note: Callable[[Note], None]) -> None:
        self._files, self._kind, self._note = files, kind, note
        self._rows: dict[str, Data] = {}
        self._ids: dict[str, str] = {}
        self._is_loaded = self._is_fresh = False
        self._unwritten = 0
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._ids)

    def refresh(self, *, progress: ProgressOption = False) -> None:
        """Look at the folder, and read the files whose stamps are others."""
        with self._lock:
            self._load()
            self._is_fresh = True
            stamps = {n: s for n, s in self._files.list(self._kind.folder).items() if self._kind.is_value_file(n)}
            gone = [name for name in self._rows if name not in stamps]
            changed = [name for name, stamp in stamps.items() if self._rows.get(name, {}).get("stamp") != stamp]
            for name in gone:
                del self._rows[name]
            with WorkProgress(self._kind.nouns[1], len(changed), progress if changed else False) as shown:
                for name in changed:
                    self._rows[name] = self._read(name, stamps[name])
                    shown.advance(1)
            if gone or changed:
                self._unwritten += len(gone) + len(changed)
                self._arrange()
            if self._unwritten > max(FEW, len(self._rows) // 16):
                self.write()

    def rows(self) -> Iterator[Data]:
        """The rows of values that can be read, one an id."""
        with self._lock:
            return iter([self._rows[name] for name in self._ids.values()])

    def unreadable(self) -> Mapping[str, str]:
        """By file name, why it can't be read."""
        with self._lock:
            return {name: row["problem"] for name, row in self._rows.items() if "id" not in row}

    def repeated(self) -> Mapping[str, str]:
        """By file name, the id in it that another file has already."""
        with self._lock:
            shown = set(self._ids.values())
            return {name: row["id"] for name, row in self._rows.items() if "id" in row and name not in shown}

    def file_of(self, id: str, *, is_new: bool = False) -> str | None:
        """The name of the file that holds this id; of several the one that is named for it.

        The folder is looked at where none is known; for what `is_new`, only if it never was.
        """
        own = self._kind.file_name(id)
        if self._files.stamp(self._kind.path(own)) is not None:
            return own
        with self._lock:
            if id not in self._ids and not (is_new and self._is_fresh):
                self.refresh()
            return self._ids.get(id)

    def listed_file_of(self, id: str) -> str | None:
        """The name of the file in which this id was found, whatever it is named for."""
        with self._lock:
            self.refresh()
            return self._ids.get(id)

    def row(self, id: str) -> Data | None:
        """The row of an id, as it was when last looked at."""
        with self._lock:
            return self._rows.get(self._ids.get(id, ""))

    def put(self, name: str, stamp: str, data: Data) -> None:
        """Note what was written to a file."""
        with self._lock:
            self._load()
            row = self._row(name, stamp, data)
            before, self._rows[name] = self._rows.get(name), row
            if before is None or before.get("id") != row["id"]:
                self._ids.setdefault(row["id"], name)
            self._changed()

    def remove(self, name: str) -> None:
        """Note that a file is gone."""
        with self._lock:
            self._load()
            if self._rows.pop(name, None) is not None:
                self._arrange()
                self._changed()

    def flush(self) -> bool:
        """Write the rows where they changed; False where that can't be done."""
        with self._lock:
            return self.write() if self._unwritten else True

    def forget(self) -> None:
        """Have all files read again at the next refresh."""
        with self._lock:
            self._rows, self._ids, self._is_loaded, self._unwritten = {}, {}, True, 1

    def write(self) -> bool:
        """Write the index; where that can't be done, which gives False, it is made anew the next time."""
        with self._lock:
            data = {"version": VERSION, self._kind.name: list(self._rows.values())}
            try:
                self._files.write_whole(self._kind.index, as_json(data), lasting=False)
            except (CtxlabError, OSError) as error:
                self._note(Note("info", f"the index {self._kind.index} isn't kept: {error}"))
                return False
            finally:
                self._unwritten = 0
            return True

    def _changed(self) -> None:
        self._unwritten += 1
        if self._unwritten > max(FEW, len(self._rows) // 16):
            self.write()

    def _load(self) -> None:
        if self._is_loaded:
            return
        self._is_loaded = True
        try:
            raw = self._files.read(self._kind.index)
        except FileNotFoundError:
            return
        except OSError as error:
            self._note(Note("warning", f"{self._kind.index} can't be read, {error}: it is made anew"))
            return
        rows = _rows_in(raw, self._kind.name)
        if rows is None:
            self._note(Note("warning", f"{self._kind.index} is no index that is known: it is made anew"))
            return
        self._rows = rows
        self._arrange()

    def _arrange(self) -> None:
        """By id the file that holds it: the one that is named for the id, else the first."""
        self._ids = {}
        for name, row in self._rows.items():
            if (id := row.get("id")) is not None and (id not in self._ids or name == self._kind.file_name(id)):
                self._ids[id] = name

    def _read(self, name: str, stamp: str) -> Data:
        path = self._kind.path(name)
        try:
            data = source_of(self._files.read(path), path).data
        except (OSError, ReadError) as error:
            return {"file": name, "stamp": stamp, "problem": str(error)}
        if not isinstance(data, dict):
            return {"file": name, "stamp": stamp, "problem": f"{path} is no {self._kind.noun}"}
        return self._row(name, stamp, cast("Data", data))

    def _row(self, name: str, stamp: str, data: Data) -> Data:
        stem = name.removeprefix(self._kind.prefix).removesuffix(SUFFIX)
        facts = facts_of(self._kind, data, stem=stem)
        is_session = self._kind.name == "sessions"  # whose messages have the times: a day of import is none of them
        if not is_session and "updatedAt" not in facts and (written := self._files.modified(stamp)):
            facts["updatedAt"] = written
        return {"file": name, "stamp": stamp, **facts}


def _rows_in(raw: bytes, kind: str) -> dict[str, Data] | None:
    """The rows of an index by file name, none of an older version's; None for what is no index that is known."""
    try:
        data: object = from_json(raw)
    except ValueError:
        return None
    fields = cast("Data", data) if isinstance(data, dict) else {}
    rows, version = fields.get(kind), fields.get("version")
    if isinstance(version, int) and 0 < version < VERSION:
        return {}
    if version != VERSION or not isinstance(rows, list):
        return None
    found: dict[str, Data] = {}
    for row in cast("list[Any]", rows):
        if not _is_row(row):
            return None
        found[row["file"]] = row
    return found


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict):
        return False
    fields = cast("Data", row)
    for name, value in fields.items():
        if type(value) is not TYPES.get(name):
            return False
    if not {*map(type, fields.get("lengths", ()))} <= {int}:
        return False
    if "file" not in fields or "stamp" not in fields or "/" in fields["file"]:
        return False
    return ("name" in fields and "body" in fields and "revision" in fields) if "id" in fields else "problem" in fields

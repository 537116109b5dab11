"""The journal of a workspace: one line for everything that was done, with who, what, when and the revision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import html_table, title
from ctxlab.display.short_texts import counted
from ctxlab.documents.stored import as_json, from_json
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.files import Files

if TYPE_CHECKING:
    import pandas as pd

PATH, OLDER = "journal.jsonl", "journal-older.jsonl"
MOST_BYTES = 16_000_000
"""From here on a new journal begins; the one before it is kept, one before that isn't."""
EVERY = 256
"""Lines after which its size is looked at."""
MOST_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """Something that was done: `who` is the program and its process, `at` an ISO time."""

    at: str
    who: str
    what: str
    kind: str = ""
    id: str = ""
    revision: str = ""
    detail: str = ""


class JournalEntries(tuple[JournalEntry, ...]):
    """Entries of a journal, oldest first."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"JournalEntries({counted(len(self), 'entry', 'entries')})"

    def _repr_html_(self) -> str:
        names = list(JournalEntry.__slots__)
        rows = ([getattr(entry, name) for name in names] for entry in reversed(self))
        return title(counted(len(self), "entry", "entries")) + html_table(names, rows, of="entries")

    def frame(self) -> pd.DataFrame:
        """One row an entry, oldest first."""
        return frame_of([asdict(entry) for entry in self], columns=JournalEntry.__slots__)


class Journal:
    """The journal's file. A line that can't be written is no reason to refuse what it is about."""

    def __init__(self, files: Files, *, who: str, now: Callable[[], str]) -> None:
        self._files, self._who, self._now = files, who, now
        self._count = 0

    def add(self, what: str, *, kind: str = "", id: str = "", revision: str = "", detail: str = "") -> bool:
        """Add a line; False where it can't be kept."""
        entry = JournalEntry(self._now(), self._who, what, kind, id, revision, detail[:MOST_CHARACTERS])
        line = as_json({name: value for name, value in asdict(entry).items() if value}) + b"\n"
        try:
            if self._count % EVERY == 0:
                self._turn_over()
            self._count += 1
            return self._files.append(PATH, line)
        except OSError:
            return False

    def entries(self) -> JournalEntries:
        """All that is kept; lines that were broken off are passed over."""
        return JournalEntries(entry for path in (OLDER, PATH) for entry in self._entries(path))

    def _entries(self, path: str) -> Iterator[JournalEntry]:
        try:
            lines = self._files.read(path).split(b"\n")
        except OSError:
            return
        for line in lines:
            try:
                data: object = from_json(line)
            except ValueError:
                continue
            if isinstance(data, dict):
                held = cast("dict[str, Any]", data)
                yield JournalEntry(*(str(held.get(name, "")) for name in JournalEntry.__slots__))

    def _turn_over(self) -> None:
        if self._files.root is not None:
            path = self._files.root / PATH
            if path.exists() and path.stat().st_size > MOST_BYTES:
                self._files.move(PATH, OLDER)

"""Worldbooks as frames with one row an entry, for bulk edits, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ctxlab.display.data_frame import frame_of
from ctxlab.documents.lore import LoreEntry, Worldbook
from ctxlab.documents.stored import Stored
from ctxlab.errors import CtxlabError, WrongArgument, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

NAME = "name"
"""The column with the name of an entry in its book, by which entries are told apart."""
FIELDS = tuple(LoreEntry.model_fields)


def book_frame(book: Worldbook) -> pd.DataFrame:
    """One row an entry: its name in the book, then one column a field of the file; keys are lists."""
    rows = (
        {NAME: name, **{field: _cell(getattr(entry, field)) for field in FIELDS}}
        for name, entry in book.entries.items()
    )
    return frame_of(rows, (NAME, *FIELDS))


def book_from_frame(book: Worldbook, frame: pd.DataFrame) -> Worldbook:
    """The book with the edits of the frame; the same book when nothing was edited.

    The column `name` says which entry a row is. Fields that weren't edited, and those that are no columns, stay as they
    are. Rows that are gone take their entries with them, rows under new names become entries. A cell without a value is
    the field's default, a text in a column of lists is read as words with commas between. Raises CtxlabError for a
    column that is no field and for a value that a field doesn't take.
    """
    columns = [str(column) for column in frame.columns]
    for column in columns:
        if column not in (NAME, *FIELDS):
            raise CtxlabError(f"entries have no field {column!r}{did_you_mean(column, list(FIELDS))}")
    if NAME not in columns:
        raise CtxlabError(f"the frame has no column {NAME!r}; take a frame that `frame()` of a book gave")
    entries: dict[str, LoreEntry] = {}
    for cells in frame.itertuples(index=False, name=None):
        row = dict(zip(columns, cells, strict=True))
        name = str(row.pop(NAME))
        if name in entries:
            raise CtxlabError(f"two rows of the frame have the name {name!r}; entries are told apart by it")
        entries[name] = _entry(name, row, book.entries.get(name))
    if list(entries) == list(book.entries) and all(entries[name] is book.entries[name] for name in entries):
        return book
    return book.model_copy(update={"entries": entries})


def _entry(name: str, row: Mapping[str, Any], before: LoreEntry | None) -> LoreEntry:
    old = before if before is not None else LoreEntry(uid=int(name) if name.isdecimal() else name)
    edited = {field: _value(field, cell) for field, cell in row.items() if not _same(cell, _cell(getattr(old, field)))}
    if before is None:
        edited = {field: value for field, value in edited.items() if not _is_missing(row[field])}
    if not edited:
        return old
    try:
        return old.with_(**edited)
    except WrongArgument as wrong:
        raise CtxlabError(f"entry {name!r} of the frame can't be taken: {wrong}") from None


def _cell(value: Any) -> Any:
    """A field as a cell: plain data."""
    if isinstance(value, Stored):
        return value.to_data()
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


def _value(field: str, cell: Any) -> Any:
    """A cell as a field takes it."""
    default = LoreEntry.model_fields[field].get_default(call_default_factory=True)
    if _is_missing(cell):
        return default
    if isinstance(default, tuple):
        words = str(cell).split(",") if isinstance(cell, str) else cast("Sequence[Any]", cell)
        return tuple([word for each in words if (word := str(each).strip())])
    return cell.item() if hasattr(cell, "item") else cell


def _same(cell: Any, before: Any) -> bool:
    """Whether a cell equals the field; pandas turns None into NaN, and whole numbers into 5.0."""
    if _is_missing(cell) or before is None:
        return _is_missing(cell) and before is None
    if isinstance(before, list):
        return not isinstance(cell, str) and list(cell) == before
    return bool(cell == before)


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ == "NAType" or (isinstance(cell, float) and cell != cell)

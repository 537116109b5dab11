"""Worldbooks as frames with one row an entry, for bulk edits, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import LoreEntry, Stored, Worldbook
from ctxlab.errors import CtxlabError, WrongArgument, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

FIELDS = tuple(LoreEntry.model_fields)


@checked_arguments
def book_frame(book: Worldbook) -> pd.DataFrame:
    """One row an entry under its name in the book, one column a field; keys are lists.

    >>> frame = book_frame(book)  # doctest: +SKIP
    >>> frame["probability"] = frame["probability"].clip(lower=50)  # doctest: +SKIP
    >>> book = book_from_frame(frame, book)  # doctest: +SKIP
    """
    import pandas as pd

    rows = [[_cell(getattr(entry, name)) for name in FIELDS] for entry in book.entries.values()]
    frame = pd.DataFrame(rows, columns=list(FIELDS), dtype=object)
    return frame.infer_objects().set_axis(pd.Index(list(book.entries), name="name", dtype=object))


@checked_arguments
def book_from_frame(frame: pd.DataFrame, book: Worldbook) -> Worldbook:
    """The book with the edits of the frame; the same book when nothing was edited.

    Fields that weren't edited, and those that are no columns, stay as they are. Rows that are gone take their entries
    with them, rows under new names become entries. A cell without a value is the field's default, a text in a column of
    lists is read as words with commas between. Raises CtxlabError for a column that is no field and for a value that a
    field doesn't take.
    """
    columns = [str(column) for column in frame.columns]
    for column in columns:
        if column not in FIELDS:
            raise CtxlabError(f"entries have no field {column!r}{did_you_mean(column, list(FIELDS))}")
    if not frame.index.is_unique:
        raise CtxlabError("two rows of the frame have the same name; entries are told apart by it")
    entries: dict[str, LoreEntry] = {}
    for name, row in zip(frame.index, frame.itertuples(index=False, name=None), strict=True):
        entries[str(name)] = _entry(str(name), dict(zip(columns, row, strict=True)), book.entries.get(str(name)))
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

"""Lists of what is in a workspace: one row a value, made of the index alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import html_table, title
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import pandas as pd

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in a list. Times are ISO texts; `tokens` are of the messages that were counted, None without any.

    `updated` is its own, else the time of its newest message; empty where its file had no times. `program` is the
    format and `file` the file that it was imported from, empty where it was made here.
    """

    id: str
    name: str
    agent: str = ""
    messages: int = 0
    branches: int = 0
    tokens: int | None = None
    updated: str = ""
    created: str = ""
    tags: tuple[str, ...] = ()
    folder: str = ""
    favourite: bool = False
    problems: tuple[str, ...] = ()
    """Kinds of what is wrong with its tree; `Session.check` names the places."""
    program: str = ""
    file: str = ""
    lengths: tuple[int, ...] = ()
    """Characters of each message on the active path; of more than 26 messages the longest of each stretch."""


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value other than a session in a list; `parts` is the number of its entries, rules, actions or presets."""

    id: str
    name: str
    category: str = ""
    parts: int | None = None
    updated: str = ""
    created: str = ""
    tags: tuple[str, ...] = ()
    folder: str = ""
    favourite: bool = False


LENGTHS = "lengths"
"""The field that is drawn rather than read."""
R = TypeVar("R", SessionRow, ValueRow)


class Rows(tuple[R, ...], Generic[R]):
    """Rows in order; a notebook shows them as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Rows({counted(len(self), 'row')})"

    def _repr_html_(self) -> str:
        head = title(counted(len(self), "row"))
        if not self:
            return head
        names = [field.name for field in fields(self[0]) if field.name != LENGTHS]
        return head + html_table(names, ([_shown(getattr(row, n)) for n in names] for row in self), of="rows")

    def frame(self) -> pd.DataFrame:
        """One row a value, with the fields of the rows as columns."""
        rows = [{n: list(v) if n == LENGTHS else _joined(v) for n, v in asdict(row).items()} for row in self]
        return frame_of(rows, columns=SESSION_COLUMNS)

    def get(self, id: str) -> R | None:
        """The row of this id; None where there is none."""
        return next((row for row in self if row.id == id), None)


SESSION_COLUMNS = ("id", "name")


def session_row(row: Data, place: Mapping[str, Any]) -> SessionRow:
    """The row of a session from that of the index, whose fields have their types, and its place in the lists."""
    get = row.get
    return SessionRow(
        row["id"],
        row["name"],
        get("agent", ""),
        get("messages", 0),
        get("branches", 0),
        get("tokens"),
        get("updatedAt", ""),
        get("createdAt", ""),
        *_place_of(row, place),
        problems=tuple(kind for kind in get("problems", ()) if isinstance(kind, str)),
        program=_text_in(place, "program"),
        file=_text_in(place, "file"),
        lengths=tuple(get("lengths", ())),
    )


def _text_in(place: Mapping[str, Any], name: str) -> str:
    found = place.get(name)
    return found if isinstance(found, str) else ""


def value_row(row: Data, place: Mapping[str, Any]) -> ValueRow:
    """The row of another value from that of the index and its place in the lists."""
    get = row.get
    times = get("updatedAt", ""), get("createdAt", "")
    return ValueRow(row["id"], row["name"], get("category", ""), get("parts"), *times, *_place_of(row, place))


def _place_of(row: Data, place: Mapping[str, Any]) -> tuple[tuple[str, ...], str, bool]:
    """Tags, folder, and whether it is a favourite."""
    if not place and "tags" not in row:
        return (), "", False
    more = place.get("tags")
    tags: list[Any] = [*row.get("tags", ()), *(cast("list[Any]", more) if isinstance(more, list) else ())]
    folder = place.get("folder")
    named = tuple(dict.fromkeys(tag for tag in tags if isinstance(tag, str)))
    return named, folder if isinstance(folder, str) else "", place.get("favourite") is True


def _shown(value: object) -> object:
    return "" if value is False else _joined(value)


def _joined(value: object) -> object:
    return ", ".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value

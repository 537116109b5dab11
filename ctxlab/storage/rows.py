"""Lists of what is in a workspace: one row a value, made of the index alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import html_table, title
from ctxlab.display.short_texts import counted

if TYPE_CHECKING:
    import pandas as pd

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in a list. Times are ISO texts; `tokens` are of the messages that were counted, None without any."""

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
        names = [field.name for field in fields(self[0])]
        return head + html_table(names, ([_shown(getattr(row, n)) for n in names] for row in self), of="rows")

    def frame(self) -> pd.DataFrame:
        """One row a value, with the fields of the rows as columns."""
        return frame_of([{**asdict(row), "tags": ", ".join(row.tags)} for row in self], columns=SESSION_COLUMNS)

    def get(self, id: str) -> R | None:
        """The row of this id; None where there is none."""
        return next((row for row in self if row.id == id), None)


SESSION_COLUMNS = ("id", "name")


def session_row(row: Data, place: Mapping[str, Any]) -> SessionRow:
    """The row of a session from that of the index and its place in the arrangement."""
    return SessionRow(
        id=row["id"],
        name=row["name"],
        agent=_text(row, "agent"),
        messages=_number(row, "messages") or 0,
        branches=_number(row, "branches") or 0,
        tokens=_number(row, "tokens"),
        updated=_text(row, "updatedAt"),
        created=_text(row, "createdAt"),
        tags=_tags(row, place),
        folder=_text(place, "folder"),
        favourite=place.get("favourite") is True,
    )


def value_row(row: Data, place: Mapping[str, Any]) -> ValueRow:
    """The row of another value from that of the index and its place in the arrangement."""
    return ValueRow(
        id=row["id"],
        name=row["name"],
        category=_text(row, "category"),
        parts=_number(row, "parts"),
        updated=_text(row, "updatedAt"),
        created=_text(row, "createdAt"),
        tags=_tags(row, place),
        folder=_text(place, "folder"),
        favourite=place.get("favourite") is True,
    )


def _tags(row: Data, place: Mapping[str, Any]) -> tuple[str, ...]:
    found: Iterable[Any] = (*_items(row.get("tags")), *_items(place.get("tags")))
    return tuple(dict.fromkeys(tag for tag in found if isinstance(tag, str))) if found else ()


def _items(value: object) -> Sequence[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _number(row: Data, name: str) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) else None


def _shown(value: object) -> object:
    return ", ".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else "" if value is False else value

"""Rows of named values as a pandas frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 2**63 - 1


def frame_of(table: Mapping[str, Any] | Iterable[Any], columns: Iterable[str] = ()) -> pd.DataFrame:
    """One row an entry, a mapping alone as one row; `columns` first, then others in the order in which they are met.

    Keys are columns, rows are numbered: the index is never part of the data.
    """
    import pandas as pd

    rows = [cast("Mapping[str, Any]", table)] if isinstance(table, Mapping) else list(table)
    if not all(isinstance(row, Mapping) for row in rows):
        return pd.DataFrame(rows)
    names = dict.fromkeys(columns)
    for row in rows:
        if not row.keys() <= names.keys():
            names |= dict.fromkeys(row)
    found = {name: _column([row.get(name) for row in rows]) for name in names}
    return pd.DataFrame(found, index=pd.RangeIndex(len(rows)))


def _column(values: Sequence[Any]) -> pd.Series[Any]:
    """Values as a column: missing ones don't turn whole numbers into fractions, and stay None among words."""
    import pandas as pd

    return pd.Series(values, dtype=_dtype(values))


def _dtype(values: Sequence[Any]) -> Literal["int64", "Int64", "float64", "bool", "object"]:
    kinds = set(map(type, values))
    if kinds == {bool}:
        return "bool"
    some = kinds - {type(None)}
    if not some or not some <= {int, float} or any(type(value) is int and abs(value) > LARGEST for value in values):
        return "object"
    if float in kinds:
        return "float64"
    return "int64" if some == kinds else "Int64"

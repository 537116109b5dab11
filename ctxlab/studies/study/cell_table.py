"""The columns of a study's cells, sorted, as a pandas frame and as an Arrow table of fixed form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.study.cell_rows import Row
from ctxlab.studies.study.frame_facts import PANDAS_ATTRS, FrameFacts
from ctxlab.studies.study.plan import KEY, OWN_COLUMNS
from ctxlab.studies.study.scorer import ScoreColumn

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["text", "count", "number"]
KINDS: Mapping[str, Kind] = {
    **dict.fromkeys((KEY, "case", "conversation", "kind", "variant", "settings", "error"), "text"),
    **dict.fromkeys(("budget", "seed", "tokens", "messages", "cut_messages"), "count"),
}
LABELS_AT = OWN_COLUMNS.index("seed") + 1
"""The place of labels among the columns."""
METADATA = b"ctxlab study"
"""Key of the metadata that says which columns of a file are labels and scores."""


@dataclass(frozen=True, slots=True, eq=False)
class CellTable:
    """Values by column, a row a cell, in the order of conversation, case, variant, budget and seed."""

    columns: Mapping[str, Sequence[Any]]
    kinds: Mapping[str, Kind]
    labels: tuple[str, ...]
    scores: tuple[str, ...]
    facts: FrameFacts = field(default_factory=FrameFacts)

    @classmethod
    def of_rows(cls, rows: Sequence[Row], facts: FrameFacts) -> CellTable:
        rows, scores = sorted(rows, key=_place), facts.columns
        labels = tuple(dict.fromkeys(sorted(name for row in rows for name in row["labels"])))
        first, last = OWN_COLUMNS[:LABELS_AT], OWN_COLUMNS[LABELS_AT:]
        columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in (KEY, *first)}
        columns |= {name: [row["labels"].get(name) for row in rows] for name in labels}
        columns |= {name: [row[name] for row in rows] for name in last}
        columns |= {each.name: [row["scores"].get(each.name) for row in rows] for each in scores}
        kinds = dict(KINDS)
        kinds |= {name: _kind_of_label(columns[name]) for name in labels}
        kinds |= {each.name: _kind_of_score(each, columns[each.name]) for each in scores}
        as_kind = {name: [_as(kinds[name], value) for value in values] for name, values in columns.items()}
        return cls(as_kind, kinds, labels, tuple([each.name for each in scores]), facts)

    def __len__(self) -> int:
        return len(self.columns[KEY])

    def rows(self) -> list[Row]:
        """The cells as they were before they were made into columns."""
        own = {name: self.columns[name] for name in (KEY, *OWN_COLUMNS)}
        return [
            {name: values[i] for name, values in own.items()}
            | {"labels": self._given(self.labels, i), "scores": self._given(self.scores, i)}
            for i in range(len(self))
        ]

    def _given(self, names: Sequence[str], i: int) -> dict[str, Any]:
        found = {name: self.columns[name][i] for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def arrow(self) -> Any:
        """An Arrow table whose metadata names labels and scores; pandas reads the facts as `attrs` of the frame."""
        import pyarrow as pa

        types = {"text": pa.string(), "count": pa.int64(), "number": pa.float64()}
        arrays = {name: pa.array(values, types[self.kinds[name]]) for name, values in self.columns.items()}
        data = json.dumps({"labels": self.labels, "scores": self.scores}, sort_keys=True).encode()
        attrs = json.dumps(self.facts.as_attrs(), sort_keys=True).encode()
        return pa.table(arrays).replace_schema_metadata({METADATA: data, PANDAS_ATTRS: attrs})

    @classmethod
    def of_arrow(cls, table: Any) -> CellTable:
        """The table of a file; raises ValueError where the file is not one of a study."""
        import pyarrow as pa

        metadata = table.schema.metadata or {}
        data = metadata.get(METADATA)
        if data is None:
            raise ValueError("it has no cells of a study")
        names = json.loads(data)
        kinds: dict[Any, Kind] = {pa.string(): "text", pa.int64(): "count", pa.float64(): "number"}
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        found: dict[str, Kind] = {field.name: kinds[field.type] for field in table.schema}
        return cls(columns, found, tuple(names["labels"]), tuple(names["scores"]), _facts(metadata))


def cells_frame(table: CellTable) -> pd.DataFrame:
    """One row a cell, without the keys; its `attrs` hold the facts of the study."""
    import pandas as pd

    series = {name: _series(values, table.kinds[name]) for name, values in table.columns.items() if name != KEY}
    frame = pd.DataFrame(series, index=pd.RangeIndex(len(table)))
    frame.attrs.update(table.facts.as_attrs())
    return frame


def _facts(metadata: Mapping[bytes, bytes]) -> FrameFacts:
    attrs = json.loads(metadata.get(PANDAS_ATTRS, b"{}"))
    return FrameFacts.of_attrs(attrs) if isinstance(attrs, dict) else FrameFacts()


def _place(row: Row) -> tuple[Any, ...]:
    budget = row["budget"]
    return (row["conversation"], row["case"], row["variant"], budget is None, budget or 0, row["seed"])


def _kind_of_label(values: Sequence[Any]) -> Kind:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, bool}:
        return "count"
    return "number" if kinds <= {int, bool, float} else "text"


def _kind_of_score(column: ScoreColumn, values: Sequence[Any]) -> Kind:
    if column.unit == "text":
        return "text"
    whole = column.unit in ("tokens", "messages") and all(float(v).is_integer() for v in values if v is not None)
    return "count" if whole else "number"


def _as(kind: Kind, value: Any) -> Any:
    if value is None:
        return None
    return str(value) if kind == "text" else int(value) if kind == "count" else float(value)


def _series(values: Sequence[Any], kind: Kind) -> pd.Series[Any]:
    import pandas as pd

    if kind == "text":
        return pd.Series(list(values), dtype="object")
    if kind == "count":
        return pd.Series(list(values), dtype="Int64" if None in values else "int64")
    return pd.Series(list(values), dtype="float64")

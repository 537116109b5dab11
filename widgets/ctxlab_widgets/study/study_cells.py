"""Cells of a study, given as its result, as its frame or as the folder that it was kept in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxlab.assets.transcription.loaded_models import optional_module
from ctxlab.display.one_line import plain
from ctxlab.errors import ReadError, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.study import ScoreColumn, StudyResult
from ctxlab.studies.study.cell_folder import CELLS
from ctxlab.studies.study.cell_table import CellTable, cells_frame
from ctxlab.studies.study.frame_facts import FrameFacts
from ctxlab.studies.study.plan import KEY, OWN_COLUMNS
from ctxlab.studies.study_table.score_columns import NumberUnit, scorer_columns

if TYPE_CHECKING:
    import pandas as pd

REQUIRED = ("case", "conversation", "variant")
TOKENS = ScoreColumn("tokens", "tokens of the prompt", "tokens", "lower")


@dataclass(frozen=True, slots=True, eq=False)
class StudyCells:
    """A tidy frame whose variants are in the study's order, and what is known of its columns.

    `result` is None where only cells were given: they can't be built again then.
    """

    frame: pd.DataFrame
    scores: tuple[ScoreColumn, ...]
    tokenizer: str = ""
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    result: StudyResult | None = None

    @property
    def budgets(self) -> tuple[int | None, ...]:
        """The budgets from the smallest on, None behind them."""
        if "budget" not in self.frame.columns:
            return (None,)
        found = {None if value != value or value is None else int(value) for value in self._values("budget")}
        return (*sorted(each for each in found if each is not None), *([None] if None in found else []))

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(map(str, self._values("variant")))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of case, in order of their names; none where cases are of one kind."""
        if "kind" not in self.frame.columns:
            return ()
        found = sorted({kind for kind in self._values("kind") if isinstance(kind, str) and kind})
        return tuple(found) if len(found) > 1 else ()

    @property
    def costs(self) -> tuple[ScoreColumn, ...]:
        """Columns of which less is better: the tokens, and what scorers say so of."""
        tokens = [TOKENS] if "tokens" in self.frame.columns else []
        return (*tokens, *(each for each in self.scores if each.better == "lower"))

    def column(self, name: str) -> ScoreColumn:
        return next(each for each in (*self.scores, TOKENS) if each.name == name)

    def unit(self, name: str) -> NumberUnit:
        """The unit of a column of numbers."""
        found = self.column(name).unit
        return "number" if found == "text" else found

    def at(self, budget: int | None, kind: str = "") -> pd.DataFrame:
        """The cells at one budget, of one kind of case or of all."""
        found = self.frame if not kind else self.frame[(self.frame["kind"] == kind).fillna(value=False)]
        if "budget" not in found.columns:
            return found
        budgets = found["budget"]
        return found[budgets.isna() if budget is None else (budgets == budget).fillna(value=False)]

    def _values(self, name: str) -> list[Any]:
        return self.frame[name].astype("object").where(self.frame[name].notna(), None).drop_duplicates().tolist()


def cells_of(source: StudyResult | pd.DataFrame | str | Path) -> StudyCells:
    """The cells of a result, of a frame or of a folder; raises WrongArgument for what has none."""
    if isinstance(source, StudyResult):
        return _of_result(source)
    if isinstance(source, str | Path):
        return _of_folder(Path(source).expanduser())
    return _of_frame(source)


def _of_result(result: StudyResult) -> StudyCells:
    names = {variant.name: i for i, variant in enumerate(result.variants)}
    frame = result.frame()
    in_order = frame.sort_values("variant", key=lambda column: column.map(names), kind="stable", ignore_index=True)
    return StudyCells(
        frame=in_order,
        scores=_with_numbers(in_order, result.columns),
        tokenizer=result.tokenizer,
        left_out=tuple([f"{count:,} {reason}" for reason, count in result.left_out.items()]),
        notes=result.notes,
        result=result,
    )


def _of_folder(path: Path) -> StudyCells:
    file = path / CELLS if path.is_dir() else path
    optional_module("pyarrow", extra="studies", purpose="a study that is kept in a folder")
    import pyarrow.parquet as pq

    try:
        table = CellTable.of_arrow(pq.read_table(file))
    except FileNotFoundError:
        raise ReadError(
            f"{path} has no {CELLS}; a study that ran to its end with path={path.name!r} leaves it"
        ) from None
    except Exception as problem:  # a broken file raises whatever pyarrow and json raise
        raise ReadError(f"{file} can't be read as cells of a study: {plain(str(problem), 120)}") from problem
    frame = cells_frame(table)
    facts = table.facts
    known = {**scorer_columns(), **{column.name: column for column in facts.columns}}
    scores = [known.get(name) or _unknown_column(name) for name in table.scores]
    return StudyCells(frame, _with_numbers(frame, scores), facts.tokenizer, facts.left_out)


def _of_frame(frame: Any) -> StudyCells:
    names = [str(name) for name in getattr(frame, "columns", [])]
    missing = next((name for name in REQUIRED if name not in names), None)
    if missing is not None:
        raise WrongArgument(f"the frame has no column {missing!r}; that of a study is result.frame()")
    facts = FrameFacts.of_attrs(frame.attrs)
    known = scorer_columns()
    known |= {column.name: column for column in facts.columns}
    there = [column for name, column in known.items() if name in names]
    others = [_unknown_column(name) for name in names if name not in known and name not in (*OWN_COLUMNS, KEY)]
    return StudyCells(frame, _with_numbers(frame, [*there, *others]), facts.tokenizer, facts.left_out)


def _unknown_column(name: str) -> ScoreColumn:
    """A column of which nobody says whether more of it is better: differences are then only higher or lower."""
    return ScoreColumn(name, name.replace("_", " "), "number")


def _with_numbers(frame: pd.DataFrame, columns: Iterable[ScoreColumn]) -> tuple[ScoreColumn, ...]:
    """The columns that hold numbers, one at least."""
    return tuple([each for each in columns if each.unit != "text" and _has_numbers(frame, each.name)])


def _has_numbers(frame: pd.DataFrame, name: str) -> bool:
    from pandas.api.types import is_numeric_dtype

    return name in frame.columns and bool(is_numeric_dtype(frame[name])) and bool(frame[name].notna().any())


def title_of(column: ScoreColumn) -> str:
    """The meaning of a column, with its unit as the page shows it: prices for a thousand."""
    return f"{column.title}, US$ for 1,000" if column.unit == "usd" else column.title


def head_of(column: ScoreColumn) -> str:
    """The head of a column of the table."""
    if column.unit == "usd":
        return "US$ / 1,000"
    return {"tokens": "tokens", "prefix_share": "prefix reused"}.get(column.name, column.name.replace("_", " "))


def shown_scale(column: ScoreColumn) -> float:
    """Shares are shown as numbers of a hundred, prices of a thousand."""
    return {"share": 100.0, "usd": 1_000.0}.get(column.unit, 1.0)


def amount_of(column: ScoreColumn, value: float | None) -> str:
    """The mean of a column as the table shows it."""
    if value is None:
        return ""
    shown = value * shown_scale(column)
    if column.unit == "share":
        return f"{shown:.0f}\u00a0%" if shown >= 10 else f"{shown:.1f}\u00a0%"
    if column.unit == "usd":
        return f"{shown:,.2f}"
    return f"{shown:,.0f}" if abs(shown) >= 100 else f"{shown:.3g}"


def extras_of(cells: StudyCells, score: str, cost: str) -> tuple[ScoreColumn, ...]:
    """Columns whose means stand in the table: tokens, the prefix reused, a price, and the cost of the plot."""
    price = next((each.name for each in cells.scores if each.unit == "usd"), "")
    wanted: Sequence[str] = list(dict.fromkeys(["tokens", "prefix_share", price, cost]))
    known = {each.name: each for each in (*cells.costs, *cells.scores)}
    return tuple([known[name] for name in wanted if name in known and name != score])

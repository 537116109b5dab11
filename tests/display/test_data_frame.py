"""What steps leave as tables: nothing becomes what it wasn't."""

from __future__ import annotations

from typing import Any

import pytest

from ctxlab.api import build
from ctxlab.context import BuildInput, Context, Table
from ctxlab.display.data_frame import frame_of
from ctxlab.documents import LoreEntry, Session, Worldbook
from ctxlab.pipeline import Pipeline, Services
from ctxlab.testing.fakes import WordTokenizer


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 2], "int64"),
        ([1, None], "Int64"),
        ([1.5, None], "float64"),
        ([1, 1.5], "float64"),
        ([True, False], "bool"),
        ([True, None], "object"),
        ([True, 1], "object"),
        ([2**70, None], "object"),
        ([2**70, 0.5], "object"),
        (["a", None], "object"),
        ([1, "a"], "object"),
        ([None, None], "object"),
        ([[1, 2], None], "object"),
        ([[1, 2], [3, 4]], "object"),
        ([{"a": 1}, {}], "object"),
    ],
)
def test_a_column_is_as_its_values_are(values: list[Any], dtype: str) -> None:
    column = frame_of([{"x": value} for value in values])["x"]

    assert column.dtype == dtype
    if dtype in ("object", "bool", "int64"):
        assert column.tolist() == values


def test_rows_need_not_have_the_same_columns() -> None:
    frame = frame_of([{"a": 1}, {"b": "x", "a": 2}])

    assert list(frame) == ["a", "b"]
    assert frame["a"].tolist() == [1, 2]
    assert frame["b"].tolist() == [None, "x"]


def test_a_mapping_is_one_row_and_no_rows_are_an_empty_frame() -> None:
    assert frame_of({"budget": 5, "kept": [1, 2]}).to_dict("records") == [{"budget": 5, "kept": [1, 2]}]
    assert frame_of(()).shape == (0, 0)
    assert frame_of({}).shape == (1, 0)


def test_rows_that_are_no_mappings_are_taken_as_pandas_takes_them() -> None:
    assert frame_of([(1, "a"), (2, "b")]).shape == (2, 2)


def test_decisions_keep_whole_tokens_and_missing_words() -> None:
    session = Session(id="s").append("", role="system", id="root").append("the reef", id="u1")
    entries = {"1": LoreEntry(uid=1, key=("reef",), content="deep"), "2": LoreEntry(uid=2, key=("salt",), content="x")}
    services = Services(tokenizer=WordTokenizer())

    table = build(session, books=[Worldbook(id="isle", entries=entries)], services=services).table("lore")

    table = table.set_index("uid")
    assert str(table["tokens"].dtype) == "Int64"
    assert table["tokens"].isna().tolist() == [False, True]
    assert table["matched"].tolist() == ["reef", None]
    assert str(table["start"].dtype) == str(table["end"].dtype) == "Int64"
    assert (table["start"].iloc[0], table["end"].iloc[0]) == (4, 8)


def test_a_table_of_a_plugin_is_treated_alike() -> None:
    def counts(ctx: Context) -> Context:
        return ctx.put(Table("counts", [{"n": 1, "word": None}, {"word": "a"}]))

    services = Services(tokenizer=WordTokenizer())
    table = Pipeline.of([counts]).run(Context(BuildInput(Session(id="s"))), services).table("counts")

    assert str(table["n"].dtype) == "Int64"
    assert table["word"].tolist() == [None, "a"]

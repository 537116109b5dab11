"""Books as tables, and back."""

from __future__ import annotations

import pandas as pd
import pytest

import ctxlab
from ctxlab import LoreEntry, Worldbook
from ctxlab.documents.lore import CharacterFilter


def entry(**fields: object) -> LoreEntry:
    return LoreEntry.model_validate(fields)


BOOK = Worldbook.model_validate(
    {
        "name": "island",
        "extra": {"kept": True},
        "entries": {
            "0": {"uid": 0, "key": ["reef", "礁"], "content": "A wreck.", "sticky": 3, "mystery": 1},
            "1": {"uid": "b", "characterFilter": {"names": ["Nova"]}, "probability": 40},
        },
    }
)


def test_a_row_is_an_entry() -> None:
    frame = BOOK.frame()

    assert list(frame["name"]) == ["0", "1"]
    assert frame["key"][0] == ["reef", "礁"]
    assert frame["character_filter"][1] == {"names": ["Nova"]}


def test_without_an_edit_the_book_is_the_same() -> None:
    assert BOOK.with_frame(BOOK.frame()) is BOOK
    assert BOOK.with_frame(BOOK.frame()[["name", "probability"]]) is BOOK


def test_only_what_was_edited_changes() -> None:
    frame = BOOK.frame()
    frame["probability"] = frame["probability"].clip(lower=50)
    frame.loc[frame["name"] == "0", "sticky"] = None

    book = BOOK.with_frame(frame)

    assert book.entries["0"] == BOOK.entries["0"].with_(sticky=None)
    assert book.entries["0"].to_data()["mystery"] == 1
    assert book.entries["1"].probability == 50
    assert book.entries["1"].character_filter == CharacterFilter(names=("Nova",))
    assert book.to_data()["extra"] == {"kept": True}


def test_rows_can_go_and_come() -> None:
    frame = BOOK.frame().query("name != '1'")
    new = pd.DataFrame([{"key": "lagoon, 泻湖", "content": "Calm.", "order": 5, "name": "7"}])

    book = BOOK.with_frame(pd.concat([frame, new]))

    assert list(book.entries) == ["0", "7"]
    assert book.entries["0"] is BOOK.entries["0"]
    assert book.entries["7"] == entry(uid=7, key=["lagoon", "泻湖"], content="Calm.", order=5)


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pd.DataFrame({"name": ["0"], "probabilty": [1]}), "did you mean 'probability'"),
        (pd.DataFrame({"name": ["0"], "depth": ["deep"]}), "entry '0'"),
        (pd.DataFrame({"name": ["0", "0"], "depth": [1, 2]}), "have the name '0'"),
        (pd.DataFrame({"depth": [1]}), "no column 'name'"),
    ],
)
def test_what_is_no_book_is_refused(frame: pd.DataFrame, says: str) -> None:
    with pytest.raises(ctxlab.CtxlabError, match=says):
        BOOK.with_frame(frame)

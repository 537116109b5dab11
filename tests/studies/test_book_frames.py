"""Books as tables, and back."""

from __future__ import annotations

import pandas as pd
import pytest

import ctxlab
from ctxlab import LoreEntry, Worldbook, book_frame, book_from_frame
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
    frame = book_frame(BOOK)

    assert list(frame.index) == ["0", "1"]
    assert frame.loc["0", "key"] == ["reef", "礁"]
    assert frame.loc["1", "character_filter"] == {"names": ["Nova"]}


def test_without_an_edit_the_book_is_the_same() -> None:
    assert book_from_frame(book_frame(BOOK), BOOK) is BOOK
    assert book_from_frame(book_frame(BOOK)[["probability"]], BOOK) is BOOK


def test_only_what_was_edited_changes() -> None:
    frame = book_frame(BOOK)
    frame["probability"] = frame["probability"].clip(lower=50)
    frame.loc["0", "sticky"] = None

    book = book_from_frame(frame, BOOK)

    assert book.entries["0"] == BOOK.entries["0"].with_(sticky=None)
    assert book.entries["0"].to_data()["mystery"] == 1
    assert book.entries["1"].probability == 50
    assert book.entries["1"].character_filter == CharacterFilter(names=("Nova",))
    assert book.to_data()["extra"] == {"kept": True}


def test_rows_can_go_and_come() -> None:
    frame = book_frame(BOOK).drop("1")
    new = pd.DataFrame([{"key": "lagoon, 泻湖", "content": "Calm.", "order": 5}], index=["7"])

    book = book_from_frame(pd.concat([frame, new]), BOOK)

    assert list(book.entries) == ["0", "7"]
    assert book.entries["0"] is BOOK.entries["0"]
    assert book.entries["7"] == entry(uid=7, key=["lagoon", "泻湖"], content="Calm.", order=5)


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pd.DataFrame({"probabilty": [1]}, index=["0"]), "did you mean 'probability'"),
        (pd.DataFrame({"depth": ["deep"]}, index=["0"]), "entry '0'"),
        (pd.DataFrame({"depth": [1, 2]}, index=["0", "0"]), "same name"),
    ],
)
def test_what_is_no_book_is_refused(frame: pd.DataFrame, says: str) -> None:
    with pytest.raises(ctxlab.CtxlabError, match=says):
        book_from_frame(frame, BOOK)

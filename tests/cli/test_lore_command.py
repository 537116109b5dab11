"""`ctxlab lore`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Written

BOOK = {
    "entries": {
        "0": {"uid": 0, "key": ["reef"], "comment": "The reef", "content": "A wreck."},
        "1": {"uid": 1, "key": ["火山"], "comment": "火山", "content": "热"},
    }
}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "island.json"
    path.write_text(json.dumps(BOOK), encoding="utf-8")
    return path


def test_a_text_shows_what_it_calls_up(run: Run, book: Path) -> None:
    code, out, _ = run("lore", "--text", "a reef", "--book", book)

    assert code == 0
    assert "The reef" in out
    assert "a message with '火山'" in out


def test_a_conversation_is_looked_through(run: Run, book: Path, written: Written) -> None:
    code, out, _ = run("lore", written(("user", "a reef")), "--book", book, "--json")

    rows = json.loads(out)
    assert code == 0
    assert [(row["title"], row["fired"]) for row in rows] == [("The reef", True), ("火山", False)]


def test_decisions_come_as_a_table_of_values(run: Run, book: Path) -> None:
    _, out, _ = run("lore", "--text", "a reef", "--book", book, "--csv")

    rows = list(csv.DictReader(io.StringIO(out)))

    assert [row["gate"] for row in rows] == ["", "no-key"]


def test_settings_are_heeded(run: Run, book: Path, written: Written) -> None:
    chat = written(("user", "a reef"), ("assistant", "hm"), ("user", "so?"))

    _, narrow, _ = run("lore", chat, "--book", book, "--json")
    _, wide, _ = run("lore", chat, "--book", book, "--json", "--set", "worldbook-processor.scan_depth=3")

    assert [json.loads(out)[0]["fired"] for out in (narrow, wide)] == [False, True]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "FILE, or through the words of --text"),
        (("--text", "a reef"), "--book names one"),
        (("--text", "a reef", "--json", "--csv"), "two forms"),
    ],
)
def test_what_is_missing_is_one_line(run: Run, options: tuple[str, ...], says: str) -> None:
    code, _, err = run("lore", *options)

    assert code == 2
    assert says in err


def test_a_conversation_without_a_book_says_what_to_do(run: Run, written: Written) -> None:
    code, _, err = run("lore", written(("user", "hi")))

    assert code == 2
    assert "--book names one" in err

"""Lines of keys in TOML that people write."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import BrokenFile, ReadError
from ctxlab.studies import toml_table
from ctxlab.studies.toml_table import line_of, read_toml

NAMES = [f"key{n}" for n in range(8)]
VALUES = ["3", '"x"', "[\n 1,\n # two\n 2,\n]", '"""\nkey1 = 5\n[table]\n"""', "{ a = 1 }", "true # key3 = 1"]


@given(
    rows=st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(["", "\n", "# key2 = 3\n"])), max_size=8),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_the_line_of_a_key_is_the_one_that_it_begins(rows: list[tuple[str, str]], newline: str) -> None:
    text, lines = "", list[int]()
    for name, (value, before) in zip(NAMES, rows, strict=False):
        text += before
        lines.append(text.count("\n") + 1)
        text += f"{name} = {value}\n"
    text = text.replace("\n", newline)

    assert [line_of(text, [name]) for name in NAMES[: len(rows)]] == lines
    assert line_of(text, ["nowhere"]) is None


def test_keys_of_tables_and_of_dotted_names_have_lines() -> None:
    text = "a.b = 1\n[c.d]\ne = 2\n[[f]]\ng = 1\n[c.h]\n"

    paths = (["a", "b"], ["c"], ["c", "d", "e"], ["f"], ["c", "h"], ["f", "g"])
    assert [line_of(text, path) for path in paths] == [1, 2, 3, 4, 6, None]


def test_of_a_long_file_the_key_is_named_without_its_line(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text("# more\n" * (toml_table.MOST_LINES + 1) + "budget = 3\n")

    with pytest.raises(BrokenFile, match=r"long\.toml: budget is not known; did you mean 'budgets'\?"):
        read_toml(tmp_path / "long.toml", what="study").refuse_unknown(["budgets"])


def test_a_file_that_cannot_be_a_table_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toml_table, "LARGEST_BYTES", 10)
    (tmp_path / "large.toml").write_text("a = 1\n" * 3)
    (tmp_path / "bytes.toml").write_bytes(b"a = '\xff'")

    with pytest.raises(BrokenFile, match="more than 10 bytes, which is no study"):
        read_toml(tmp_path / "large.toml", what="study")
    with pytest.raises(BrokenFile, match="is no TOML"):
        read_toml(tmp_path / "bytes.toml", what="study")
    with pytest.raises(ReadError, match="No such file"):
        read_toml(tmp_path / "nowhere.toml", what="study")

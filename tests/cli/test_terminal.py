"""Text for the terminal: harmless, as wide as it should be, broken where it may be."""

from __future__ import annotations

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ctxlab.cli.inputs.options import setting_from
from ctxlab.cli.output.terminal import THEME, Screen, harmless, one_line, quoted, shortened, wrapped
from ctxlab.processors import default_pipeline


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = harmless(text)

    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in shown)
    assert shown.encode().decode() == shown


@example(" 。。。。。", 9)
@given(st.text(alphabet="ab 港，。x", max_size=80), st.integers(8, 30))
def test_wrapping_loses_no_character_and_keeps_the_width(text: str, width: int) -> None:
    rows = wrapped(Text(text), width, hang=2)

    assert "".join(row.plain for row in rows).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(row.plain) <= width for row in rows)


@given(st.text(alphabet="ab 港，", max_size=40), st.integers(4, 20))
def test_shortened_text_fits_its_cells(text: str, cells: int) -> None:
    assert cell_len(shortened(text, cells)) <= cells
    assert cell_len(one_line(text, cells=cells)) <= cells


def test_chinese_is_not_broken_before_a_closing_mark() -> None:
    rows = [row.plain for row in wrapped(Text("雾港的灯塔，熄了"), 10)]

    assert rows == ["雾港的灯", "塔，熄了"]


def test_first_words_are_quoted_and_cut() -> None:
    assert quoted("one\ntwo three four", 12) == "“one two t…”"
    assert quoted(" \n ", 12) == "(no words)"


def test_lines_stay_whole_off_a_terminal_and_hang_on_one() -> None:
    long = "a sentence " * 12
    plain, terminal = io.StringIO(), io.StringIO()

    Screen(Console(file=plain, theme=THEME, width=40)).line(long, hang=4)
    Screen(Console(file=terminal, theme=THEME, width=40, force_terminal=True)).line(long, hang=4)

    assert plain.getvalue().count("\n") == 1
    first, *rest = terminal.getvalue().splitlines()
    assert not first.startswith(" ")
    assert rest and all(line.startswith("    ") and len(line) <= 40 for line in rest)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("token-limiter.budget_tokens=400", 400),
        ("token-limiter.budget_tokens=null", None),
        ("merge-system.enabled=true", True),
        ("merge-system.separator=true", "true"),
        ('merge-system.separator="\\n"', "\n"),
        ("token-limiter.retain=each", "each"),
        ("token-limiter.marker= a=b", " a=b"),
    ],
)
def test_values_are_json_unless_the_setting_is_text(text: str, value: object) -> None:
    assert list(setting_from(default_pipeline(), text).values()) == [value]

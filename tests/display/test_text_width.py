"""Room that figures leave for texts: enough for the widest of usual fonts, not much more, whatever is written."""

from __future__ import annotations

from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxlab.display.text_width import fitted, lines_of, pixels_wide
from tests.gallery.fonts import DEJAVU, chinese_font

LATIN = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60)
MIXED = st.text(st.sampled_from("Wil m,.(灯塔检索，。「」a1—…·"), max_size=60)
ANY = st.text(st.characters(exclude_categories=("Cs",)), max_size=80)
NAMES = ["usual", "dejavu", "bold"]


@cache
def font(name: str) -> Any:
    from PIL import ImageFont

    usual = Path(str(chinese_font()))
    files = {"usual": usual, "dejavu": DEJAVU / "DejaVuSans.ttf", "bold": DEJAVU / "DejaVuSans-Bold.ttf"}
    return ImageFont.truetype(files[name], 1000)


@pytest.mark.parametrize("name", NAMES)
@given(text=LATIN)
def test_no_usual_font_is_wider(name: str, text: str) -> None:
    assert font(name).getlength(text) / 1000 <= pixels_wide(text, 1, bold=name == "bold") + 1e-6


@given(text=MIXED)
@example("i…i…")
@example("·")
def test_a_chinese_font_is_not_wider(text: str) -> None:
    assert font("usual").getlength(text) / 1000 <= pixels_wide(text, 1) + 1e-6


def test_the_room_is_hardly_more_than_the_widest_font_takes() -> None:
    words = "head-and-tail, frozen 8 turns (budget_tokens=1,800): 4,096 tokens left for the answer"

    assert pixels_wide(words, 1) < 1.08 * font("dejavu").getlength(words) / 1000


@given(text=ANY, room=st.integers(0, 400))
@example("<b>灯塔</b> & more", 40)
def test_a_fitted_text_fits_and_is_no_markup(text: str, room: int) -> None:
    cut = fitted(text, room)

    assert pixels_wide(unescape(cut)) <= room
    assert "<" not in cut


@given(text=MIXED | LATIN, room=st.integers(30, 400))
def test_lines_hold_all_words_in_order_and_fit(text: str, room: int) -> None:
    lines = lines_of(text, room)

    assert [letter for line in lines for letter in line if letter != " "] == [c for c in text if c != " "]
    assert all(pixels_wide(line) <= room for line in lines)


def test_a_line_breaks_at_blanks_and_beside_chinese_characters() -> None:
    assert lines_of("the lamp was lit", 60) == ["the lamp", "was lit"]
    assert lines_of("灯塔亮了", 24) == ["灯塔", "亮了"]

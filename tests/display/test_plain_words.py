"""Words of a Markdown text on one line, cut to a width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.display.one_line import plain, plain_words


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("## 灯塔\n\n**他**说", "灯塔 他说"),
        ("> *Hi*, [Wei](https://a.example/b_c)!", "Hi, Wei!"),
        ("1. one\n2. two\n- three", "one two three"),
        ("```python\nx = 1\n```\nand `y`", "x = 1 and y"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a | b 1 | 2"),
        ("snake_case_name, 2 * 3 * 4, #5 and a_", "snake_case_name, 2 * 3 * 4, #5 and a_"),
        ("***", "***"),
        ("", ""),
    ],
)
def test_marks_are_gone_and_words_stay(markdown: str, words: str) -> None:
    assert plain_words(markdown) == words


def test_chinese_counts_double_and_what_is_left_out_is_marked() -> None:
    assert plain_words("**你好世界**" * 400, 12) == "你好世界你…"
    assert plain_words("- one\n" * 5_000, 12) == "one one one…"


@given(st.text(alphabet=st.sampled_from("ab灯 *_`#>-[]()|~!\n1."), max_size=800), st.integers(4, 60))
def test_any_text_is_one_line_of_that_width(markdown: str, cells: int) -> None:
    found = plain_words(markdown, cells)

    assert "\n" not in found
    assert found == plain(found, cells)
    assert bool(found.strip("…")) or not markdown.strip() or len(markdown) > 12 * cells

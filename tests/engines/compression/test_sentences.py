"""Sentences of Chinese and English text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.engines.compression import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It cost $3.50. We paid.", ["It cost $3.50.", "We paid."]),
        (
            "Dr. Wu met J. R. Lin at 5 p.m. on Monday. Then he left.",
            ["Dr. Wu met J. R. Lin at 5 p.m. on Monday.", "Then he left."],
        ),
        ("What?! No... maybe. Wait… Yes!", ["What?!", "No... maybe.", "Wait…", "Yes!"]),
        ("“Really?” she asked. Nobody knew.", ["“Really?” she asked.", "Nobody knew."]),
        ("see https://a.b/c?q=1.2 and a != b", ["see https://a.b/c?q=1.2 and a != b"]),
        ("他说：“太贵了。”然后走了。真的？！好", ["他说：“太贵了。”", "然后走了。", "真的？！", "好"]),
        ("他走了……然后回来。今天3.14元。", ["他走了……然后回来。", "今天3.14元。"]),
        ("你好.我是小明!你呢?", ["你好.", "我是小明!", "你呢?"]),
        ("I use Python。它很好。OK.", ["I use Python。", "它很好。", "OK."]),
        ("1. First. 2. Second\n- one item\n- another", ["1. First.", "2. Second", "- one item", "- another"]),
        ("A line that wraps\nand goes on here.\nA new one", ["A line that wraps\nand goes on here.", "A new one"]),
        ("Look:\n```py\na = 1. \nb = 2! c\n```\nDone.", ["Look:", "```py\na = 1. \nb = 2! c\n```", "Done."]),
        ("~~~\nnever closed. Really", ["~~~\nnever closed. Really"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_a_text_is_split_where_a_reader_would(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(st.text(st.sampled_from('aB1 \n.。!?…”"-`~、中')))
def test_sentences_stand_in_order_and_hold_every_character_but_blanks(text: str) -> None:
    places = list(sentences(text))

    assert all(start < end for start, end in places)
    assert all(end <= start for (_, end), (start, _) in pairwise(places))
    assert "".join(split(text)).split() == text.split() or "".join("".join(split(text)).split()) == "".join(
        text.split()
    )
    assert all(each == each.strip() for each in split(text))


@pytest.mark.parametrize(
    "text", ["." * 200_000, "```\n" * 50_000, "a.\n" * 50_000, '"' * 200_000, "A. " * 60_000, " " * 300_000]
)
def test_hostile_texts_are_split_too(text: str) -> None:
    assert sum(1 for _ in sentences(text)) <= len(text)

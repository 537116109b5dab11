"""What a model says without end is cut, what people say several times stays, and the cut is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.assets.transcription import without_repetitions
from ctxlab.context import Passage, Transcript


def cut(text: str) -> Transcript:
    return without_repetitions(Transcript.of(text))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Good job.\nGood job.\nGood job.\nand on\n", "Good job.\nand on\n"),
        ("We sail at dawn. We sail at dawn. We sail at dawn.\n", "We sail at dawn.\n"),
        ("谢谢观看谢谢观看谢谢观看\n", "谢谢观看\n"),
        ("la " * 40 + "\n", "la \n"),
        ("".join(f"Thank you.\nline {n}\n" for n in range(7)), None),
    ],
)
def test_a_loop_is_cut_and_a_problem_says_so(text: str, kept: str | None) -> None:
    found = cut(text)

    assert found.text == kept if kept else found.text.count("Thank you.") == 4
    assert len(found.problems) == 1
    assert "was repeated" in found.problems[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n\n\n\n\n",
        "no, no, no, no\n",
        "Good job.\nGood job.\n",
        "ha ha ha ha\n",
        "| --- | --- | --- | --- | --- |\n",
        "1,000,000,000,000,000\n",
        "=" * 500 + "\n",
        "".join(f"Thank you.\nline {n}\n" for n in range(4)),
    ],
)
def test_what_people_say_and_draw_several_times_stays(text: str) -> None:
    transcript = Transcript.of(text)

    assert without_repetitions(transcript) is transcript


def test_a_loop_over_many_passages_leaves_the_first_with_its_place() -> None:
    passages = [Passage("Hello.\n", "0:00")] + [Passage("Bye now.\n", f"0:{n:02}") for n in range(1, 30)]

    found = without_repetitions(Transcript(tuple(passages), "speech", ("quiet",)))

    assert [(passage.text, passage.place) for passage in found.passages] == [
        ("Hello.\n", "0:00"),
        ("Bye now.\n", "0:01"),
    ]
    assert found.problems == ("quiet", "'Bye now.' was repeated; 28 of it are left out")


words = st.lists(st.sampled_from(["tide ", "ship\n", "港口", ". ", "\n", "a", "We sail. "]), max_size=40).map("".join)


@given(st.lists(words, max_size=5))
def test_nothing_is_made_up_and_what_is_gone_is_told(texts: list[str]) -> None:
    before = Transcript(tuple(Passage(text, str(n)) for n, text in enumerate(texts)))

    after = without_repetitions(before)

    letters = iter(before.text)
    assert all(letter in letters for letter in after.text), "it is what was there, with parts left out"
    assert (after.text != before.text) == bool(after.problems)
    assert (after is before) == (not after.problems)

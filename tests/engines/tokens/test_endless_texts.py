"""Texts that a tokenizer was not made for."""

import pytest

from ctxlab.engines.tokens import encoding
from ctxlab.engines.tokens.bpe_counter import ExactCounter
from ctxlab.engines.tokens.split import LONG_RUN, count_unbroken
from ctxlab.providers import tokenizer_for

MILLION = 1_000_000
ENCODINGS = ["o200k_base", "cl100k_base"]


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [
        (" " * MILLION, 7_813, 7_813),
        (" " * MILLION + "x", 7_814, 7_814),  # tiktoken itself panics
        ("!\n" + "\t" * MILLION + "x", 62_502, 62_502),
        ("\n" * MILLION, 62_500, 31_250),
        ("a" * MILLION, 125_000, 125_000),
        ("字" * MILLION, MILLION, MILLION),
        ("!" * MILLION, 62_500, 125_000),
    ],
    ids=["blanks", "blanks and a word", "tabs and a word", "newlines", "letters", "Chinese", "marks"],
)
def test_a_million_of_one_character_is_counted_and_each_is_encoded_once(
    name: str, text: str, o200k: int, cl100k: int
) -> None:
    exact = ExactCounter(name)
    encode, encoded = encoding(name).encode_ordinary, list[int]()
    exact._length = lambda text: encoded.append(len(text)) or len(encode(text))  # pyright: ignore[reportPrivateUsage]

    tokens = exact.measure(text)

    assert tokens == (o200k if name == "o200k_base" else cl100k)
    assert sum(encoded) == len(text)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(
    "unit", [" ", "\n", "a", "A", "字", "!", "\u3000", " \n", "\r\n", "1", "/", "\u0301", "😀", "'s"]
)
def test_counts_of_long_runs_are_tiktoken_s(name: str, unit: str) -> None:
    encode = encoding(name).encode_ordinary

    for text in (unit * 50_000, f"x{unit * 50_000}x", f"!{unit * 20_000}\n"):
        assert ExactCounter(name).measure(text) == len(encode(text))


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("before", ["", "x", "!", "\n", "!\n", "\r", "\x1c", "/", "'"])
def test_cutting_at_a_run_of_blanks_changes_no_count(name: str, before: str) -> None:
    def count(text: str) -> int:
        return len(encoding(name).encode_ordinary(text))

    for after in ("", "x", "!", "\n", "\nx", "1", "'s", "/"):
        text = before + "\t " * (LONG_RUN // 2 + 1) + after
        assert count_unbroken(text, count) == count(text)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_growing_text_is_encoded_only_at_its_end(name: str) -> None:
    exact = ExactCounter(name)
    whole = "Words, and 字 more. " * 2_000
    asked: list[int] = []
    exact.measure(whole[:30_000])
    encode = encoding(name).encode_ordinary
    exact._length = lambda text: asked.append(len(text)) or len(encode(text))  # pyright: ignore[reportPrivateUsage]

    assert exact.measure(whole[:30_010]) == len(encode(whole[:30_010]))
    assert sum(asked) <= 4_000


def test_a_long_text_is_counted_in_pieces_without_a_difference() -> None:
    tokenizer = tokenizer_for("gpt-4o")
    text = "def f(x):\n\treturn x**2  # 平方，好\n\n\n你好！don't I'LL 12345 \r\n" * 3_000

    assert tokenizer.count(text) == len(encoding("o200k_base").encode_ordinary(text))

"""Where the tokens of a text end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.tokens import encoding
from ctxlab.engines.tokens.boundaries import token_boundaries, token_ends
from ctxlab.engines.tokens.split import LONG_RUN
from ctxlab.errors import CtxlabError
from ctxlab.providers import tokenizer_for

NAMES = ["o200k_base", "cl100k_base"]
CHARACTERS = st.characters() | st.sampled_from("\ud83d\udc69👩‍👧🏽🇯🇵e\u0301字灯\u200f\t\r\n \u3000\x1b")


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(text=st.text(CHARACTERS))
def test_ends_rise_to_the_length_and_are_as_many_as_are_counted(name: str, text: str) -> None:
    ends = token_ends(text, name)

    assert ends == sorted(ends)
    assert (ends[-1] if ends else 0) == units(text)
    assert len(ends) == tokenizer_for(name).count(text)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(text=st.text(CHARACTERS))
def test_each_end_is_after_the_last_character_that_is_begun(name: str, text: str) -> None:
    bounds = token_boundaries(text, name)
    found = encoding(name)
    whole = b"".join(map(found.decode_single_token_bytes, bounds.ids))

    at = 0
    for i, (id, end) in enumerate(zip(bounds.ids, bounds.ends, strict=True)):
        at += len(found.decode_single_token_bytes(id))
        upto = at
        while upto < len(whole) and whole[upto] & 0xC0 == 0x80:
            upto += 1
        assert end == units(whole[:upto].decode())
        assert (i in bounds.inside) == (upto > at)


def test_words_end_where_their_tokens_do() -> None:
    assert token_ends("hello world", "o200k_base") == [5, 11]
    assert token_ends("", "o200k_base") == []


def test_an_emoji_that_is_split_has_its_end_more_than_once() -> None:
    bounds = token_boundaries("a🫠b", "o200k_base")

    assert bounds.ends == (1, 3, 3, 3, 4)
    assert bounds.inside == (1, 2)


def test_chinese_ends_by_characters_where_a_token_is_a_word() -> None:
    text = "灯塔里的看守人，今天没有来。"
    ends = token_ends(text, "o200k_base")

    assert ends[-1] == len(text) == 14
    assert len(ends) < 14 < len(token_ends(text, "cl100k_base"))


def test_the_name_of_a_special_token_is_text() -> None:
    assert len(token_ends("<|endoftext|>", "o200k_base")) == 7


def test_half_a_surrogate_pair_is_one_unit_and_two_halves_are_a_character() -> None:
    assert token_ends("a\ud83d", "cl100k_base")[-1] == 2
    assert token_ends("\ud83d\ude00", "cl100k_base") == token_ends("😀", "cl100k_base")


def test_harmony_ends_where_o200k_does() -> None:
    assert token_ends("some words", "o200k_harmony") == token_ends("some words", "o200k_base")


@pytest.mark.parametrize("text", ["", "hello"])
def test_an_encoding_without_ranks_is_refused(text: str) -> None:
    with pytest.raises(CtxlabError, match="did you mean 'o200k_base'"):
        token_ends(text, "o200k")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", [" ", "\t", "a", "字", "!", "\n", "words and 字. ", "🫠"])
def test_long_texts_have_the_ends_that_tiktoken_gives(name: str, unit: str) -> None:
    text = "x" + unit * (LONG_RUN + 1000) + "x"
    bounds = token_boundaries(text, name)

    assert len(bounds) == tokenizer_for(name).count(text)
    assert bounds.ends[-1] == units(text)
    if len(unit) == 1:
        assert list(bounds.ids) == encoding(name).encode_ordinary(text)

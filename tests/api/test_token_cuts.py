"""Any vocabulary as a cutter of texts: tokens have the characters of their bytes, and what only counts is refused."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.api.token_cuts import cutter_or_none, token_cutter
from ctxlab.engines.tokens import Tokenizer, encoding
from ctxlab.engines.tokens.boundaries import TokenBoundaries, boundaries_of_bytes, token_boundaries
from ctxlab.errors import WrongArgument, WrongSetting
from tests.local_models.small_models import gguf_of_vocabulary, hugging_face, pieces, vocabulary

tokenizers = pytest.importorskip("tokenizers", reason="a vocabulary needs the extra `local`")

TEXT = "灯塔 🫠!<|im_end|>\n\nthe  lamp. \n\n"
CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from("灯塔🫠e\u0301 \n\tthe lamp")


@cache
def library() -> Any:
    return tokenizers.Tokenizer.from_str(json.dumps(vocabulary()))


def by_bytes(text: str) -> TokenBoundaries:
    """The tokens by the bytes that their names stand for, each a letter."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {chr(byte): byte for byte in printed}
    letters |= {chr(256 + n): byte for n, byte in enumerate(byte for byte in range(256) if byte not in printed)}
    found = library().encode(text, add_special_tokens=False)
    marks = {each["content"] for each in vocabulary()["added_tokens"]}
    tokens = [t.encode() if t in marks else bytes(letters[letter] for letter in t) for t in found.tokens]
    return boundaries_of_bytes(found.ids, tokens)


@settings(deadline=None)
@given(text=st.text(CHARACTERS))
def test_tokens_of_a_library_have_the_characters_of_their_bytes(text: str) -> None:
    assert token_cutter(library()).cut(text) == by_bytes(text)


def test_a_chinese_character_of_several_tokens_is_in_each_of_them() -> None:
    found = token_cutter(library()).cut("灯塔")

    assert found.ends == (1, 2)
    assert found.inside == (0,)  # the second token begins with the last byte of the first character


def test_a_folder_a_gguf_and_a_tokenizer_that_trims_blanks_cut_alike(tmp_path: Path) -> None:
    trimming = tokenizers.Tokenizer.from_str(json.dumps(vocabulary()))
    trimming.post_processor = tokenizers.processors.ByteLevel(trim_offsets=True)
    model = ctxlab.local_model(hugging_face(tmp_path / "tiny"))
    run = ctxlab.build([{"role": "user", "content": "灯"}], model=model)
    sources: list[Any] = [model, tmp_path / "tiny", str(gguf_of_vocabulary(tmp_path / "tiny.gguf")), trimming]

    found = [token_cutter(source).cut(TEXT) for source in [*sources, run.services.tokenizer, model.vocabulary]]

    assert all(each.ends == by_bytes(TEXT).ends and each.inside == by_bytes(TEXT).inside for each in found)
    assert token_cutter(model).name == "tiny"


@pytest.mark.parametrize("kind", [1, 2])
def test_scored_pieces_and_their_bytes_have_their_characters(tmp_path: Path, kind: int) -> None:
    path = pieces(
        tmp_path / "a.model", {"▁": -1.0, "t": -1.0, "h": -2.0, "th": -0.5, "▁th": -0.2, "灯": -3.0}, kind=kind
    )

    found = token_cutter(path).cut("th 灯塔🫠")

    assert found.ends == (2, 3, 4, 5, 5, 5, 7, 7, 7, 7)
    assert found.inside == (3, 4, 6, 7, 8)
    assert len(found) == ctxlab.local_model(path).vocabulary.count("th 灯塔🫠")  # pyright: ignore[reportOptionalMemberAccess]


def test_names_of_encodings_and_tiktokens_own_cut_as_before() -> None:
    wanted = token_boundaries(TEXT, "o200k_base")

    for source in ("o200k_base", "o200k_base+4", Tokenizer.of_encoding("o200k_base"), encoding("o200k_base")):
        assert token_cutter(source).cut(TEXT) == wanted


def test_what_only_counts_is_refused_with_what_to_give() -> None:
    for source in (len, "estimator", "chars4+4", Tokenizer.counting("words", lambda text: len(text.split()))):
        assert cutter_or_none(source) is None
        with pytest.raises(WrongArgument, match=r"not where each of them ends: give a vocabulary"):
            token_cutter(source)
    with pytest.raises(WrongSetting, match="no such file"):
        token_cutter("nowhere_at_all")
    run = ctxlab.build([{"role": "user", "content": "灯"}], tokenizer=library())
    assert token_cutter(run.services.tokenizer).cut(TEXT) == by_bytes(TEXT)

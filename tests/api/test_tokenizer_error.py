"""Errors of a tokenizer by kind of text, against given tokenizers and against open vocabularies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.tokens.kinds_of_text import kind_of_line, stretches_of
from ctxlab.engines.tokens.open_vocabularies import VOCABULARIES, tokens_by_vocabulary
from ctxlab.errors import CtxlabError, WrongArgument

NUMBERS = "\n".join(f"{n * 7.31:.3f},{n * 1.17:.2f},{n}" for n in range(80))
KINDS = {
    "English": "The keeper wrote that the rain began in the night.",
    "Chinese": "守灯人写道，雨在夜里开始下。",
    "Russian": "смотритель записал, что дождь начался ночью",
    "Japanese": "灯台守は夜に雨が降り始めたと書いた。",
    "numbers": "12.5,7.25,3.125,99",
    "hexadecimal": "9f86d081884c7d659a2feaa0c55ad015",
    "code": "if (x[i] != y[j]) { return f(x, y)[0]; }",
}


@pytest.mark.parametrize(("kind", "line"), KINDS.items())
def test_a_line_is_of_its_kind(kind: str, line: str) -> None:
    assert kind_of_line(line) == kind


@given(text=st.text(max_size=60))
def test_the_stretches_of_a_text_are_the_text(text: str) -> None:
    assert "".join(stretch for _, stretch in stretches_of(text)) == text
    assert all(kind for kind, _ in stretches_of(text))


def test_a_tokenizer_against_itself_has_no_error() -> None:
    found = ctxlab.tokenizer_error("\n".join(KINDS.values()), "o200k_base", reference="o200k_base")

    assert found.measured
    assert all((row.lowest, row.mean, row.highest) == (1, 1, 1) for row in (*found.kinds, found.total))
    assert {row.kind for row in found.kinds} == set(KINDS)


def test_the_ratios_are_the_counts_divided() -> None:
    count = {name: ctxlab.build([{"role": "user", "content": NUMBERS}], tokenizer=name) for name in ("by-kind",)}
    found = ctxlab.tokenizer_error(NUMBERS, reference=["o200k_base", lambda text: 2 * len(text)])
    by_kind = count["by-kind"].services.tokenizer.count(NUMBERS)

    (row,) = found.kinds
    assert (row.kind, row.tokens, row.characters) == ("numbers", by_kind, len(NUMBERS))
    assert row.lowest == by_kind / (2 * len(NUMBERS))
    assert row.highest == by_kind / found.total.references["o200k_base"]
    assert list(found.frame().columns)[-2:] == ["o200k_base", "<lambda>"]


def test_without_a_reference_five_open_vocabularies_are_estimated() -> None:
    found = ctxlab.tokenizer_error(NUMBERS, "estimator")

    assert (found.references, found.measured) == (VOCABULARIES, False)
    assert found.total.references == tokens_by_vocabulary(NUMBERS)
    assert found.total.lowest < 0.6  # the formula of words is far under for numbers


def test_a_run_is_counted_as_it_was_counted() -> None:
    trace = ctxlab.build([{"role": "user", "content": NUMBERS}], model="mistral-small")
    found = ctxlab.tokenizer_error(trace)

    assert found.tokenizer == "by-kind"
    assert found.total.tokens == trace.services.tokenizer.count(NUMBERS)


def test_texts_of_no_character_and_no_reference_are_refused() -> None:
    for texts in ("", [], ["", ""]):
        with pytest.raises(WrongArgument, match="texts"):
            ctxlab.tokenizer_error(texts)
    with pytest.raises(WrongArgument, match="reference"):
        ctxlab.tokenizer_error("x", reference=[])
    with pytest.raises(CtxlabError, match="o300k"):
        ctxlab.tokenizer_error("x", reference="o300k")


def test_shares_of_kinds_are_all_of_the_text() -> None:
    found = ctxlab.tokenizer_error([NUMBERS, KINDS["Chinese"], KINDS["English"]])

    assert sum(row.share for row in found.kinds) == pytest.approx(1)
    assert sum(row.characters for row in found.kinds) == found.total.characters
    assert [row.characters for row in found.kinds] == sorted((row.characters for row in found.kinds), reverse=True)

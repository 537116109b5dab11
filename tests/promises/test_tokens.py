"""Laws of counting."""

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken import Encoding

from ctxlab.context import AssetRef, Draft, Origin, Span, Text
from ctxlab.documents import ToolCall
from ctxlab.engines.tokens import encoding, estimate_tokens
from ctxlab.engines.tokens.bpe_counter import ExactCounter
from ctxlab.engines.tokens.few_words import EFFORT, FewWords
from ctxlab.engines.tokens.split import CUT, count_joined, pieces
from ctxlab.providers import tokenizer_for

# fmt: off
ATOMS = [
    "a", "Zb", "don't", "I'LL", "'s", "'", "123", "4", "_", "-", "/", "//", "!", "...", '"', "(", ")", "{", "}",
    "字", "中文", "，", "。", "、", "？", "한국", "é", "e\u0301", "\u0301", "\u093f", "अ", "ſ", "K", "İ", "ǅ", "ʰ", "ﬁ",
    "ก", "ا", "٣", "²", "Ⅷ", "①", "😀", "👨\u200d👩", "🇩🇪", "<|endoftext|>", "\ufeff", "\u200b", "\x00",
    " ", "  ", "    ", "\n", "\n\n\n", "\r\n", "\r", "\t", "\x0b", "\x1c", "\x85", "\u2028", "\u3000",
]
# fmt: on

NAMES = st.sampled_from(["o200k_base", "cl100k_base"])
CHARACTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
TEXTS = st.lists(st.sampled_from(ATOMS) | CHARACTERS, max_size=30).map("".join)
ANY_TEXTS = st.lists(st.sampled_from([*ATOMS, "\ud83d", "\ude00"]) | st.text(max_size=5), max_size=30).map("".join)
LONG_TEXTS = st.builds(
    lambda parts, times: "".join(parts) * times, st.lists(TEXTS, min_size=1, max_size=4), st.integers(100, 600)
)

law = settings(deadline=None, max_examples=300)
slow_law = settings(deadline=None, max_examples=40)


def count(name: str, text: str) -> int:
    return len(encoding(name).encode_ordinary(text))


@law
@given(NAMES, TEXTS)
def test_counts_add_up_at_every_safe_cut(name: str, text: str) -> None:
    whole = count(name, text)

    for cut in CUT.finditer(text):
        assert count(name, text[: cut.end()]) + count(name, text[cut.end() :]) == whole


@law
@given(NAMES, st.lists(ANY_TEXTS, max_size=6), st.integers(0, 10))
def test_parts_put_together_count_as_the_whole(name: str, parts: list[str], at_least: int) -> None:
    def measure(text: str) -> int:
        return count(name, text)

    assert count_joined(parts, measure, measure, at_least=at_least) == count(name, "".join(parts))


@slow_law
@given(NAMES, LONG_TEXTS)
def test_a_text_in_pieces_counts_as_in_one_go(name: str, text: str) -> None:
    assert "".join(pieces(text)) == text
    assert ExactCounter(name).measure(text) == count(name, text)


@slow_law
@given(LONG_TEXTS, ANY_TEXTS)
def test_growing_at_the_end_moves_no_cut(text: str, more: str) -> None:
    before, after = list(pieces(text)), list(pieces(text + more))

    assert after[: len(before) - 1] == before[:-1]


@slow_law
@given(
    NAMES, st.lists(st.builds(Span, LONG_TEXTS | ANY_TEXTS, st.sampled_from([Origin("a"), Origin("b")])), max_size=5)
)
def test_a_text_of_spans_counts_as_its_string(name: str, spans: list[Span]) -> None:
    text = Text(spans)

    assert tokenizer_for(name).count_text(text) == count(name, str(text))


@cache
def published(name: str) -> Encoding:
    """The encoding with tiktoken's own pattern, which overflows at a million blanks."""
    ours = encoding(name)
    pattern = ours._pat_str.replace(r"|\s++$|\s+(?!\S)|\s+", r"|\s+(?!\S)|\s+")
    return Encoding(name, pat_str=pattern, mergeable_ranks=ours._mergeable_ranks, special_tokens={})


@law
@given(ANY_TEXTS)
def test_tokens_are_those_of_the_published_pattern(text: str) -> None:
    assert encoding("o200k_base").encode_ordinary(text) == published("o200k_base").encode_ordinary(text)


@law
@given(ANY_TEXTS)
def test_an_estimate_is_the_formula(text: str) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    each = [chr(units[i] | units[i + 1] << 8) for i in range(0, len(units), 2)]
    chinese = sum("\u4e00" <= unit <= "\u9fa5" for unit in each)
    blank = "\t\n\x0b\x0c\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
    plain = sum(unit in blank or bool(re.match("[0-9A-Za-z_]", unit)) for unit in each)

    assert estimate_tokens(text) == -(-(8 * chinese + 3 * plain + 12 * (len(each) - chinese - plain)) // 12)


NODE = Origin("node", "n1")
MAYBE = st.none() | ANY_TEXTS
FILES = st.builds(
    lambda kind, metadata: AssetRef("a", kind, metadata=metadata),
    st.sampled_from(["image", "audio", "video", "document", "other", ""]),
    st.dictionaries(
        st.sampled_from(["width", "height", "duration", "pages"]),
        st.none() | st.integers() | st.floats() | st.text(max_size=3) | st.booleans(),
    ),
)
DRAFTS = st.builds(
    lambda body, calls, result_of, reasoning, name: Draft("k", "user", body, NODE, calls, result_of, reasoning, name),
    st.lists(ANY_TEXTS.map(lambda text: Text.of(text, NODE)) | FILES, max_size=4).map(tuple),
    st.lists(st.builds(ToolCall, st.just("c"), ANY_TEXTS, ANY_TEXTS), max_size=2).map(tuple),
    MAYBE,
    MAYBE,
    MAYBE,
)
MODELS = st.sampled_from(
    ["gpt-4o", "gpt-4", "gpt-4o-mini", "o4-mini", "claude-opus-4-8", "gemini-3-pro", "llama-3", None]
)


@law
@given(DRAFTS, MODELS)
def test_any_message_has_a_count_that_memory_does_not_change(draft: Draft, model: str | None) -> None:
    tokenizer = tokenizer_for(model)
    tokenizer.counts.clear()
    cold = tokenizer.count_draft(draft)

    assert tokenizer.count_draft(draft) == cold >= tokenizer.message_tokens
    assert isinstance(tokenizer.draft_is_estimated(draft), bool)


@pytest.mark.parametrize("model", ["gpt-4o", "claude-opus-4-8"])
@law
@given(text=st.text())
def test_the_name_of_a_model_never_breaks_counting(model: str, text: str) -> None:
    assert tokenizer_for(f"{model}{text}").count("x") == tokenizer_for(text).count("x") == 1


@law
@given(NAMES, ANY_TEXTS)
def test_few_words_are_counted_without_the_encoder_as_with_it(name: str, text: str) -> None:
    found = few_words(name).count(text)

    assert found is None or found == count(name, text)


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize(
    "text", [atom for atom in ATOMS if atom.isascii() and atom > " "] + ["字", "中文", "한국", "é", "😀", "，"]
)
def test_common_letters_need_no_encoder(name: str, text: str) -> None:
    assert few_words(name).count(f"{text} x{text}") == count(name, f"{text} x{text}")


def test_the_encoder_counts_after_so_many_characters_of_known_words() -> None:
    few, text = FewWords("o200k_base"), "a lamp " * 10_000

    found = [few.count(text) for _ in range(EFFORT // len(text) + 2)]

    assert set(found[:-2]) == {count("o200k_base", text)}
    assert found[-1] is None


def test_unknown_words_are_searched_for_as_long_as_that_is_cheaper_than_an_encoder() -> None:
    few = FewWords("o200k_base")
    words = (f"{chr(0x4E00 + at // 2000)}{chr(0x4E00 + at % 2000)}灯塔 " for at in range(40_000))

    counted = sum(few.count(word) is not None for word in words)

    assert EFFORT // 200 < counted < EFFORT // 50


@cache
def few_words(name: str) -> FewWords:
    few = FewWords(name)
    few.left = 10**12
    return few

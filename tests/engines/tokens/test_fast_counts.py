"""The fast encoder counts as tiktoken does, or doesn't count."""

import random
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given

from ctxlab.engines.tokens.bpe_counter import ExactCounter
from ctxlab.engines.tokens.fast_counts import Count, fast_count
from ctxlab.engines.tokens.known_characters import all_known
from tests.promises.test_tokens import ANY_TEXTS, ATOMS, NAMES, count, law

pytest.importorskip("toktok", reason="the faster library isn't installed")
ENCODINGS = ("o200k_base", "cl100k_base")
WORDS = [
    *ATOMS,
    "'ſ",
    "'S",
    "'re",
    "'LL",
    "<|endofprompt|>",
    "camelCase",
    "XMLHttp",
    "灯塔",
    "こんにちは",
    "🫠",
    "\x00",
]
FORMS = ("{}", "a{}b", " {}", "1{}1", "{}'s", "\n{}", "{}\n", "{}{}{}", "A{}a", "a{}A", "!{}a", "  {}", "'{}'S", "{}/")


def counter(name: str) -> Count:
    found = fast_count(name, partial(count, name))
    assert found is not None
    return found


@law
@given(NAMES, ANY_TEXTS)
def test_a_text_counts_as_tiktoken_s(name: str, text: str) -> None:
    assert counter(name)(text) == count(name, text)


@pytest.mark.parametrize("name", ENCODINGS)
def test_texts_at_random_count_as_tiktoken_s(name: str) -> None:
    counted = counter(name)

    assert [text for text in texts_at_random(4_000) if counted(text) != count(name, text)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODINGS)
def test_a_hundred_thousand_texts_count_as_tiktoken_s(name: str) -> None:
    counted = counter(name)

    assert [text for text in texts_at_random(100_000) if counted(text) != count(name, text)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODINGS)
def test_every_known_character_is_split_off_as_by_tiktoken(name: str) -> None:
    import toktok

    known = [character for character in map(chr, range(sys.maxunicode)) if all_known(character)]
    texts = [form.replace("{}", character) for character in known for form in FORMS]

    assert toktok.batch_count(texts, name, threads=1) == [count(name, text) for text in texts]
    assert len(known) > 95_000


@pytest.mark.parametrize("name", ENCODINGS)
def test_after_very_much_text_the_fast_encoder_takes_over_and_no_count_changes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxlab.engines.tokens.bpe_counter.WORTH", 20_000)
    exact, taken = ExactCounter(name), list[str]()
    monkeypatch.setitem(sys.modules, "toktok", SimpleNamespace(_encoding=lambda name: noting(name, taken)))
    texts = texts_at_random(1_000)

    assert [exact.measure(text) for text in texts] == [count(name, text) for text in texts]
    assert 100 < len(set(taken)) < len(texts)
    assert all(map(all_known, taken))


@pytest.mark.parametrize(
    "module",
    [
        None,
        SimpleNamespace(),
        SimpleNamespace(_encoding=lambda name: SimpleNamespace(count=lambda text: len(text) // 2)),
    ],
    ids=["not installed", "another version", "counts otherwise"],
)
def test_otherwise_tiktoken_goes_on(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab.engines.tokens.bpe_counter.WORTH", 20_000)
    monkeypatch.setitem(sys.modules, "toktok", module)
    exact, texts = ExactCounter("o200k_base"), texts_at_random(1_000)

    assert [exact.measure(text) for text in texts] == [count("o200k_base", text) for text in texts]


def noting(name: str, taken: list[str]) -> Any:
    import importlib

    count = importlib.import_module("toktok._toktok").Tokenizer(name, "").count
    return SimpleNamespace(count=lambda text: taken.append(text) or count(text))


def texts_at_random(number: int, seed: int = 11) -> list[str]:
    """Words, marks, any characters, blanks, long runs and long words."""
    dice = random.Random(seed)
    kinds = [
        lambda size: "".join(dice.choices(WORDS, k=size)),
        lambda size: "".join(chr(dice.randrange(0xD800)) for _ in range(size)),
        lambda size: "".join(chr(dice.randrange(0xE000, 0x110000)) for _ in range(size)),
        lambda size: "".join(chr(dice.randrange(128)) for _ in range(3 * size)),
        lambda size: "".join(dice.choices(" \t\n\r\x0b\x1c\x85\u2003\u2028\u3000x", k=size)),
        lambda size: dice.choice(WORDS) * dice.randrange(1, 300),
        lambda size: "".join(dice.choices("etaoinshrdluäßABC", k=10 * size)),
        lambda size: "".join(chr(dice.randrange(0x4E00, 0x9FA6)) for _ in range(4 * size)),
        lambda size: "".join(chr(dice.randrange(0x1F300, 0x1F650)) for _ in range(size)),
    ]  # fmt: skip
    return [dice.choice(kinds)(dice.choice((1, 2, 3, 5, 8, 13, 40))) for _ in range(number)]

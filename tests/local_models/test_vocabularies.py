"""Counts are those of the libraries that vocabularies were made for, whichever library counts."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

import ctxlab
from ctxlab.local_models import vocabulary as module
from ctxlab.local_models.vocabulary import JsonCounter
from tests.local_models.small_models import MARKUP, vocabulary

tokenizers = pytest.importorskip("tokenizers", reason="counting with a vocabulary needs the extra `local`")

FOLDER = os.environ.get("CTXLAB_VOCABULARIES", "")
LETTERS = "abc the lamp ABC  \n\t012,.;:!?'\"(){}<>|你好世界привет мир éüñ🙂🫠▁--__##مرحبا שלום한국어カナ\r\n"


def texts(number: int, seed: int = 5) -> list[str]:
    dice = random.Random(seed)
    made = ["".join(dice.choices(LETTERS, k=dice.randrange(1, 80))) for _ in range(number)]
    return [*made, *(text + dice.choice(MARKUP) + text for text in made[:20]), "x" + " " * 47 + "y", "\n" * 33]


def test_fastokens_takes_over_after_much_text_and_no_count_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastokens", reason="the faster library isn't installed")
    monkeypatch.setattr(module, "WORTH_FAST", 1_000)
    data = json.dumps(vocabulary())
    counter, slow = JsonCounter(data, "tiny", is_bpe=True), JsonCounter(data, "tiny", is_bpe=False)
    before = counter._count  # pyright: ignore[reportPrivateUsage]

    counts = [counter(text) for text in texts(300)]

    assert counts == [slow(text) for text in texts(300)]
    assert counter._count is not before  # pyright: ignore[reportPrivateUsage]


def test_a_library_that_counts_otherwise_does_not_take_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_FAST", 1_000)
    monkeypatch.setattr(module, "_of_fastokens", lambda data: lambda text: len(text) + 1)
    data = json.dumps(vocabulary())
    counter, slow = JsonCounter(data, "tiny", is_bpe=True), JsonCounter(data, "tiny", is_bpe=False)

    assert [counter(text) for text in texts(100)] == [slow(text) for text in texts(100)]


@pytest.mark.skipif(not FOLDER, reason="CTXLAB_VOCABULARIES names no folder with vocabularies")
def test_published_vocabularies_count_as_tokenizers_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH_FAST", 20_000)
    for path in sorted(Path(FOLDER).rglob("tokenizer.json")):
        own = ctxlab.local_model(path).vocabulary
        theirs = tokenizers.Tokenizer.from_file(str(path))
        assert own is not None
        for text in texts(1_500):
            assert own.count(text) == len(theirs.encode(text, add_special_tokens=False).ids), (path, text)

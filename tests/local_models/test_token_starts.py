"""Each token of a text is of the stretch that has its first character."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.tokens import Tokenizer
from ctxlab.local_models.token_starts import tokens_of_stretches
from tests.local_models.small_models import MARKUP, gguf_of_vocabulary, hugging_face, pieces

pytest.importorskip("tokenizers", reason="counting with a vocabulary needs the extra `local`")


def tekken(path: Path) -> Path:
    rows = [{"token_bytes": base64.b64encode(bytes([byte])).decode(), "rank": byte} for byte in range(256)]
    more = (b"la", b"lam", b"lamp", "灯".encode()[:2], "灯".encode())
    rows += [{"token_bytes": base64.b64encode(each).decode(), "rank": 256 + n} for n, each in enumerate(more)]
    marks = [{"token_str": name} for name in MARKUP]
    config = {"pattern": r"\p{L}+|[^\p{L}]", "default_num_special_tokens": 2, "default_vocab_size": len(rows) + 2}
    path.write_text(json.dumps({"config": config, "vocab": rows, "special_tokens": marks}), "utf-8")
    return path


@pytest.fixture(scope="module")
def counters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tokenizer]:
    folder = tmp_path_factory.mktemp("vocabularies")
    paths = {
        "tokenizer.json": hugging_face(folder / "tiny"),
        "gguf": gguf_of_vocabulary(folder / "tiny.gguf"),
        "sentencepiece": pieces(folder / "tokenizer.model", {"▁lamp": -1.0, "lamp": -2.0, "灯塔": -1.5}),
        "tekken": tekken(folder / "tekken.json"),
    }
    found = {name: ctxlab.local_model(path).vocabulary for name, path in paths.items()}
    return {
        **{name: each for name, each in found.items() if each is not None},
        "function": Tokenizer.counting("words", lambda text: len(text.split())),
    }


texts = st.lists(
    st.sampled_from(["lamp", " lamp", "灯塔", "灯", "é", "👩\u200d👧", "\n\n", " ", "the ", *MARKUP]),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(parts=texts)
@pytest.mark.parametrize("name", ["tokenizer.json", "gguf", "sentencepiece", "tekken", "function"])
def test_the_tokens_of_stretches_add_up_to_those_of_the_text(
    counters: dict[str, Tokenizer], name: str, parts: list[str]
) -> None:
    text, starts = "", list[int]()
    for part in parts:
        starts.append(len(text))
        text += part

    found = tokens_of_stretches(counters[name], text, starts)

    assert sum(found) == counters[name].count(text)
    assert len(found) == len(starts)
    assert min(found) >= 0


@pytest.mark.parametrize("name", ["tokenizer.json", "gguf", "tekken"])
def test_a_mark_is_a_token_of_the_stretch_that_has_it(counters: dict[str, Tokenizer], name: str) -> None:
    text = f"{MARKUP[0]}灯{MARKUP[1]}"

    found = tokens_of_stretches(counters[name], text, [0, len(MARKUP[0]), len(MARKUP[0]) + 1])

    assert found == [1, counters[name].count("灯"), 1]


def test_a_token_across_two_stretches_is_of_the_first(counters: dict[str, Tokenizer]) -> None:
    assert tokens_of_stretches(counters["tekken"], "lamp", [0, 2]) == [1, 0]

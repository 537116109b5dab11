"""The tokenizer of a name: an encoding, or a count of texts alone such as "chars4+4"."""

from __future__ import annotations

import re

from ctxlab.engines.tokens.character_tokenizer import CharacterTokenizer
from ctxlab.engines.tokens.model_encodings import ENCODINGS, ESTIMATES
from ctxlab.engines.tokens.text_tokenizer import TextTokenizer
from ctxlab.engines.tokens.tokenizer import Tokenizer
from ctxlab.errors import WrongSetting, did_you_mean
from ctxlab.lazy_pattern import lazy_pattern

NamedTokenizer = Tokenizer | CharacterTokenizer | TextTokenizer
_CHARACTERS = lazy_pattern(r"chars([1-9][0-9]{0,5})", re.ASCII)
_ADDED = lazy_pattern(r"(.+)\+([0-9]{1,6})", re.ASCII)


def tokenizer_named(name: str) -> NamedTokenizer:
    """The tokenizer of an encoding, without a wire format's overhead; with "+4" that of texts alone and 4 a message.

    In place of an encoding's name "chars4" is a token for four characters, and one for a text that has none. Raises
    WrongSetting where there is none of this name.

    >>> tokenizer_named("chars3+1").name, tokenizer_named("o200k_base").name, tokenizer_named("o200k_base+4").name
    ('chars3+1', 'o200k_base', 'o200k_base+4')
    """
    added = _ADDED.fullmatch(name)
    counter, tokens = (added[1], int(added[2])) if added is not None else (name, None)
    characters = _CHARACTERS.fullmatch(counter)
    if characters is not None and tokens is not None:
        return CharacterTokenizer(int(characters[1]), tokens)
    if counter not in ENCODINGS and counter not in ESTIMATES:
        known = [*sorted(ENCODINGS), *ESTIMATES, "chars4+4", "o200k_base+4"]
        raise WrongSetting(f"there is no tokenizer {name!r}{did_you_mean(name, known)}")
    encoding = Tokenizer.of_encoding(counter)
    return encoding if tokens is None else TextTokenizer(encoding, tokens)

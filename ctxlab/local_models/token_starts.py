"""The characters at which the tokens of a text begin, by a model's own vocabulary."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path

from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.tokens.split import unbroken
from ctxlab.local_models.vocabulary import Vocabulary, guarded, json_of, tekken_encoding, tokenizers_of, whole

Starts = Callable[[str], list[int]]


def tokens_of_stretches(tokenizer: Tokenizer, text: str, starts: Sequence[int]) -> list[int]:
    """Tokens of each stretch of a text, of which `starts` are the first characters, the first one 0, in order.

    A token is of the stretch that has its first character, so that the counts add up to that of the text. A tokenizer
    around a function that only counts gives counts of the text up to each place: there a token that two stretches
    share may be told of either.
    """
    if not starts:
        return []
    count = tokenizer.counts.count
    if isinstance(count, Vocabulary):
        found = [0] * len(starts)
        for at in _starts(count)(text):
            found[max(0, bisect_right(starts, at) - 1)] += 1
        return found
    total = tokenizer.count(text)
    upto = [0, *(min(total, tokenizer.count(text[:at])) for at in starts[1:]), total]
    grown = [*accumulate(upto, max)]
    return [after - before for before, after in pairwise(grown)]


@lru_cache(maxsize=2)
def _starts(vocabulary: Vocabulary) -> Starts:
    if vocabulary.kind == "tekken":
        return _of_tekken(vocabulary)
    found = tokenizers_of(json_of(vocabulary), vocabulary.path)

    def starts(text: str) -> list[int]:
        return [start for start, _ in found.encode(whole(text), add_special_tokens=False).offsets]

    return lambda text: guarded(starts, text, vocabulary.path)  # type: ignore[no-any-return]


def _of_tekken(vocabulary: Vocabulary) -> Starts:
    encoding = tekken_encoding(Path(vocabulary.path))

    def starts(text: str) -> list[int]:
        found: list[int] = []
        at = 0
        for part in unbroken(whole(text)):
            offsets = encoding.decode_with_offsets(encoding.encode(part, allowed_special="all"))[1]
            found += [at + offset for offset in offsets]
            at += len(part)
        return found

    return lambda text: guarded(starts, text, vocabulary.path)

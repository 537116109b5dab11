"""The characters at which the tokens of a text begin and end, by a model's own vocabulary."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.tokens.boundaries import TokenBoundaries
from ctxlab.local_models.vocabulary import Vocabulary


def token_ends(found: TokenBoundaries, text: str) -> list[int]:
    """The end of each token in characters; of one that ends inside a character the end of that."""
    if text.isascii() or max(text, default="") < "\U00010000":
        return list(found.ends)
    units = [0, *accumulate(1 + (character > "\uffff") for character in text)]
    return [bisect_right(units, end) - 1 for end in found.ends]


def token_starts(found: TokenBoundaries, text: str) -> list[int]:
    """The first character of each token; of one that begins inside a character that one."""
    inside = frozenset(found.inside)
    ends = token_ends(found, text)[:-1]
    return [0, *(end - (place in inside) for place, end in enumerate(ends))] if len(found) else []


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
        for at in token_starts(count.boundaries(text), text):
            found[max(0, bisect_right(starts, at) - 1)] += 1
        return found
    total = tokenizer.count(text)
    upto = [0, *(min(total, tokenizer.count(text[:at])) for at in starts[1:]), total]
    grown = [*accumulate(upto, max)]
    return [after - before for before, after in pairwise(grown)]

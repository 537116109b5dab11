"""Tokens of a text as each of five open vocabularies counts them, by the kinds of text in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache, partial
from typing import Final

from ctxlab.engines.tokens.bpe_counter import CountCache
from ctxlab.engines.tokens.estimate_by_kind import features_of, tokens_at_most

VOCABULARIES: Final = ("Qwen 3", "Llama 3", "Llama 4", "gpt-oss", "Mistral")
MARGIN: Final = 0.1
"""Share by which a vocabulary's own count of a text may be beyond the range; of 20 such counts one is further out."""

REMEMBERED: Final = 65_536
"""Texts whose counts are remembered."""

# Fitted by `python -m tests.engines.tokens.fit_vocabularies` (November 2026): the prices of a kind by vocabulary.
PRICES: Final[Mapping[str, tuple[float, ...]]] = {
    "accented": (0.129, 0, 0, 0, 0),
    "accented+": (0.073, 0.33, 0, 0, 0),
    "arabic": (0.525, 0.21, 0.37, 0.425, 0.614),
    "arabic+": (0.327, 0.367, 0.326, 0.237, 0.205),
    "blanks": (0.169, 0.146, 0.301, 0.253, 0.037),
    "capitals+": (0.089, 0.09, 0.08, 0.086, 0.093),
    "chinese": (0.377, 0.438, 0.609, 0.534, 0.202),
    "chinese+": (0.488, 0.695, 0.517, 0.685, 0.875),
    "codes": (0, 0.496, 0.449, 0.658, 0),
    "codes+": (0.881, 0.576, 0.576, 0.574, 0.895),
    "cyrillic": (1.503, 1.077, 0.665, 0.805, 0.962),
    "cyrillic+": (0.171, 0.183, 0.11, 0.149, 0.198),
    "digits": (0.079, 0.109, 0.234, 0.178, 0),
    "digits+": (0.916, 0, 0, 0, 0.867),
    "greek": (0.224, 0.263, 0.099, 0.062, 0.238),
    "greek+": (0.985, 0.494, 0.465, 0.529, 0.504),
    "hangul": (1.918, 0.757, 0.71, 1.049, 0.7),
    "hangul+": (0.313, 0.568, 0.455, 0.456, 0.465),
    "hebrew": (0, 0, 0.133, 0, 0.406),
    "hebrew+": (0.464, 1.19, 0.529, 0.466, 0.531),
    "indic": (0.982, 0.528, 0.588, 0.42, 0.636),
    "indic+": (0.897, 0.508, 0.205, 0.226, 0.271),
    "kana": (0.039, 0, 0, 0, 0),
    "kana+": (0.894, 0.847, 0.869, 0.921, 0.907),
    "newlines+": (0.164, 0.156, 0.28, 0.25, 0.295),
    "others": (3.271, 2.69, 2.15, 2.336, 4.004),
    "signs": (0.57, 0.573, 0.468, 0.467, 0.416),
    "signs+": (0.166, 0.175, 0.192, 0.226, 0.332),
    "symbols": (0.366, 0, 0, 0, 0),
    "symbols+": (1.268, 1.873, 1.313, 1.508, 2.449),
    "thai": (0, 0.887, 0, 0, 0),
    "thai+": (0.604, 0.412, 0.341, 0.392, 0.628),
    "threes+": (0.384, 1.141, 1.096, 1.113, 0.54),
    "wide_signs": (0, 0.2, 0.538, 0.492, 0.233),
    "wide_signs+": (0.913, 0.78, 0.153, 0, 0.479),
    "words": (1.014, 1.013, 0.997, 0.989, 0.997),
    "words+": (0.085, 0.085, 0.095, 0.101, 0.122),
}


def tokens_by_vocabulary(text: str) -> Mapping[str, int]:
    """By each vocabulary's name its count of a text, itself an estimate: near it by about 5 %.

    >>> dict(tokens_by_vocabulary("1234567890"))
    {'Qwen 3': 10, 'Llama 3': 5, 'Llama 4': 5, 'gpt-oss': 5, 'Mistral': 10}
    """
    return dict(zip(VOCABULARIES, _counts(text), strict=True))


@cache
def counts_of_vocabulary(name: str) -> CountCache:
    """The counts of texts by one of the vocabularies, shared by the whole process."""
    return CountCache(partial(_count, VOCABULARIES.index(name)))


def _count(vocabulary: int, text: str) -> int:
    return _counts(text)[vocabulary]


@lru_cache(maxsize=REMEMBERED)
def _counts(text: str) -> tuple[int, ...]:
    """The counts of a text by all vocabularies: it is looked through once for all of them."""
    if not text:
        return (0,) * len(VOCABULARIES)
    sums = [0.0] * len(VOCABULARIES)
    for kind, number in features_of(text).items():
        for vocabulary, price in enumerate(PRICES.get(kind, ())):
            sums[vocabulary] += price * number
    return tuple(tokens_at_most(text, each) for each in sums)

"""Tokens without a vocabulary, by the kinds of text in it: a mean over open vocabularies, and a safe side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import ceil
from typing import Final, NamedTuple

from ctxlab.engines.tokens.estimate import without_inline_images
from ctxlab.lazy_pattern import lazy_pattern


class Estimate(NamedTuple):
    """Tokens of a text as an estimate: what the open vocabularies count on average, and a safe side of it."""

    mean: int
    safe: int


KINDS: Final[Mapping[str, str]] = {
    "codes": r"(?=[A-Za-z]{0,20}[0-9]{1,20}[A-Za-z])[A-Za-z0-9]{6,}",
    "digits": "[0-9]+",
    "words": " ?[A-Za-z]+",
    "newlines": r"[\r\n]+",
    "blanks": r"[^\S\r\n]+",
    "signs": r" ?[!-/:-@\[-`{-~]+",
    "chinese": "[\u3400-\u4dbf\u4e00-\u9fff]+",
    "kana": "[\u3040-\u30ff]+",
    "hangul": "[\uac00-\ud7a3]+",
    "wide_signs": "[\u2010-\u205e\u3000-\u303f\uff00-\uffef]+",
    "accented": "[\u00c0-\u024f]+",
    "cyrillic": " ?[\u0400-\u052f]+",
    "greek": "[\u0370-\u03ff]+",
    "hebrew": "[\u0590-\u05ff]+",
    "arabic": "[\u0600-\u06ff]+",
    "indic": "[\u0900-\u0dff]+",
    "thai": "[\u0e00-\u0eff]+",
    "symbols": "[\u2190-\u2bff\U0001f000-\U0001faff]+",
    "others": "(?s:.)",
}
"""Kinds of stretches, by the pattern that takes them; the first that fits takes a stretch."""
_STRETCH: Final = lazy_pattern("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in KINDS.items()))
LONG: Final = 8
"""Letters of a Latin word, with the space before it, from which each more has a price."""

# Fitted by `python -m tests.engines.tokens.fit_estimate` (November 2026) to the vocabularies of Qwen 3, Llama 3.1,
# DeepSeek V3, Gemma 3, gpt-oss and Mistral's tekken: the mean to their mean, the safe side to the largest of them.
# Characters of no kind (`others`) are three bytes, which a vocabulary may count one by one.
MEAN: Final[Mapping[str, float]] = {
    "accented+": 0.031,
    "arabic": 0.705,
    "arabic+": 0.214,
    "blanks": 0.275,
    "capitals+": 0.075,
    "chinese": 0.345,
    "chinese+": 0.604,
    "codes+": 0.736,
    "cyrillic": 0.758,
    "cyrillic+": 0.208,
    "digits": 0.925,
    "digits+": 0.465,
    "greek+": 0.62,
    "hangul": 1.027,
    "hangul+": 0.47,
    "hebrew+": 0.626,
    "indic": 0.46,
    "indic+": 0.446,
    "kana": 0.286,
    "kana+": 0.692,
    "newlines+": 0.257,
    "others": 2.305,
    "signs": 0.608,
    "signs+": 0.181,
    "symbols+": 1.622,
    "thai": 1.582,
    "thai+": 0.315,
    "wide_signs": 1.263,
    "words": 1.011,
    "words+": 0.079,
}
SAFE: Final[Mapping[str, float]] = {
    "accented+": 0.707,
    "arabic": 0.71,
    "arabic+": 0.293,
    "blanks": 0.207,
    "blanks+": 0.038,
    "capitals+": 0.182,
    "chinese": 0.297,
    "chinese+": 0.811,
    "codes+": 0.924,
    "cyrillic": 2.377,
    "cyrillic+": 0.029,
    "digits": 0.037,
    "digits+": 0.93,
    "greek": 0.967,
    "greek+": 0.81,
    "hangul": 1.767,
    "hangul+": 0.421,
    "hebrew+": 1.177,
    "indic": 0.675,
    "indic+": 0.994,
    "kana+": 0.758,
    "newlines+": 0.233,
    "signs": 1.242,
    "signs+": 0.009,
    "symbols+": 2.729,
    "thai+": 0.694,
    "wide_signs": 3.091,
    "words": 1.126,
    "words+": 0.05,
    "others": 3,
}


def estimate_by_kind(text: str) -> Estimate:
    """The estimate of a text; "" has none, any other at least one.

    >>> estimate_by_kind("")
    Estimate(mean=0, safe=0)
    """
    if not text:
        return Estimate(0, 0)
    found = features_of(text)
    mean = _priced(found, MEAN, text)
    return Estimate(mean, max(mean, _priced(found, SAFE, text)))


def mean_by_kind(text: str) -> int:
    """The mean of an estimate: near what most vocabularies count."""
    return estimate_by_kind(text).mean


def safe_by_kind(text: str) -> int:
    """The safe side of an estimate: more than nearly every vocabulary counts."""
    return estimate_by_kind(text).safe


def features_of(text: str) -> Mapping[str, int]:
    """The amount of each kind in a text: the stretches of a kind by its name, their characters as "<kind>+".

    "threes+" are the digits by threes, as many vocabularies take them.
    """
    found: Counter[str] = Counter()
    for match in _STRETCH.finditer(without_inline_images(text)):
        kind = match.lastgroup or "others"
        size = match.end() - match.start()
        found[kind] += 1
        if kind == "words":
            if size > LONG:
                found["words+"] += size - LONG
            if size > 2 and not match[0][2:].islower():
                found["capitals+"] += size
        elif kind != "others":
            found[f"{kind}+"] += size
            if kind == "digits":
                found["threes+"] += -(-size // 3)
    return found


def _priced(found: Mapping[str, int], prices: Mapping[str, float], text: str) -> int:
    return tokens_at_most(text, sum(prices.get(kind, 0.0) * number for kind, number in found.items()))


def tokens_at_most(text: str, priced: float) -> int:
    """A price in whole tokens: one at least, and no more than the text has bytes, of which every token has one."""
    tokens = max(1, ceil(priced))
    return tokens if tokens <= len(text) else min(tokens, len(text.encode("utf-8", "surrogatepass")))

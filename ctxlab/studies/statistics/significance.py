"""Tests of paired differences over conversations, and Holm's correction for many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.studies.statistics.scipy_stats import scipy_stats

EXACT_UP_TO = 16
"""Up to so many differences that aren't 0 all 2 ** n signs are tried, above DRAWS of them."""
DRAWS = 2**16 - 1
ERROR_OF_DRAWS = 0.0024
"""Half of the 95 % interval of a p of 0.05 that is drawn: twice that of a share of 0.025 of so many draws."""
STEPS = 2**32


def sign_flip_test(differences: Sequence[float]) -> float:
    """The two-sided p of differences by conversation, under signs that could as well be the other way round.

    Differences of 0 change nothing, whatever their sign. It is exact up to 16 others; above, 65,535 draws with a fixed
    seed stand for all, so that the least p is the same from there on. Neither their order nor which of two variants
    comes first makes another p.
    """
    import numpy as np

    largest = max(map(abs, differences), default=0.0)
    if largest == 0:
        return 1.0
    scaled = np.array([each for each in differences if each]) / largest
    scaled *= -1 if scaled.sum() < 0 else 1
    scaled = scaled[np.lexsort((scaled, abs(scaled)))]
    if len(scaled) == 1:
        return 1.0

    def total(values: Any, axis: int = -1) -> Any:
        # Sums that are equal but for rounding are equal: rounded are the sums, not what is added.
        return np.rint(values.sum(axis=axis) * STEPS)

    found = scipy_stats().permutation_test(
        (scaled,),
        total,
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**EXACT_UP_TO if len(scaled) <= EXACT_UP_TO else DRAWS,
        batch=2_048,
        axis=-1,
        rng=np.random.default_rng(0),
    )
    return min(1.0, float(found.pvalue))


def sign_test(differences: Sequence[float]) -> float:
    """The two-sided p of as many conversations above 0 as there are, of those that differ at all."""
    above, below = sum(each > 0 for each in differences), sum(each < 0 for each in differences)
    return float(scipy_stats().binomtest(above, above + below).pvalue) if above + below else 1.0


def least_p(conversations: int) -> float:
    """The smallest p that the sign-flip test can give with so many conversations.

    >>> least_p(5)
    0.0625
    """
    if conversations <= EXACT_UP_TO:
        return min(1.0, 2 / 2**conversations)
    return 2 / (DRAWS + 1)


def least_conversations(level: float = 0.95, *, comparisons: int = 1) -> int | None:
    """Conversations from which on the test can call one of so many comparisons told apart, after Holm.

    None where it can't with any number of conversations: more signs than EXACT_UP_TO give aren't tried.

    >>> least_conversations(), least_conversations(comparisons=8), least_conversations(comparisons=5_000)
    (6, 9, None)
    """
    return next((n for n in range(1, EXACT_UP_TO + 1) if comparisons * least_p(n) < 1 - level), None)


def most_comparisons(level: float = 0.95) -> int:
    """The most comparisons of which the test can tell one apart after Holm, with as many conversations as one likes.

    >>> most_comparisons()
    1638
    """
    found = int((1 - level) / least_p(EXACT_UP_TO))
    return found if found * least_p(EXACT_UP_TO) < 1 - level else found - 1


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Values of p corrected for their number after Holm (1979), in the order in which they are given.

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    corrected = [1.0] * len(p_values)
    so_far = 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = so_far
    return tuple(corrected)

"""The size of a paired difference in standard deviations, and how many conversations it takes to tell it apart."""

from __future__ import annotations

from importlib import import_module
from math import isfinite
from typing import Any

from ctxlab.studies.statistics.conversation_totals import ConversationTotals
from ctxlab.studies.statistics.interval import Interval
from ctxlab.studies.statistics.scipy_stats import scipy_stats

POWER = 0.8
MOST = 100_000


def paired_effect(differences: ConversationTotals, *, level: float = 0.95) -> tuple[float, Interval | None] | None:
    """Cohen's d of paired differences: their mean in standard deviations over conversations, and its interval.

    None with fewer than two conversations, or where none differs from another.
    """
    if differences.spread == 0:
        return None
    effect = differences.mean / differences.spread
    return effect, _interval(effect, len(differences), level)


def _interval(effect: float, conversations: int, level: float) -> Interval | None:
    """The effects under which a t as large, or as small, as the one found has a chance of (1 - level) / 2."""
    root, tail = conversations**0.5, (1 - level) / 2
    if effect < 0:  # scipy computes the other side's tails more exactly
        mirrored = _interval(-effect, conversations, level)
        return mirrored and Interval(-mirrored.high, -mirrored.low, level, mirrored.method)
    low, high = (_shift_with(chance, effect * root, conversations - 1) for chance in (1 - tail, tail))
    return Interval(low / root, high / root, level, "noncentral t") if low is not None and high is not None else None


def _shift_with(chance: float, t: float, degrees: int) -> float | None:
    """The shift at which so large a share of noncentral t values is below t; None where scipy can't compute it."""
    cdf: Any = scipy_stats().nct.cdf
    brentq: Any = import_module("scipy.optimize").brentq

    def beyond(shift: float) -> float:
        return float(cdf(t, degrees, shift)) - chance

    side = -1 if chance > 0.5 else 1
    near, step = t, 1.0
    while 1e-3 < step < 1e6:
        far = near + side * step
        found = beyond(far)
        if not isfinite(found):
            step /= 4
        elif found * side <= 0:
            return float(brentq(beyond, near, far))
        else:
            near, step = far, 1.5 * step
    return None


def power_of(effect: float, conversations: int, *, level: float = 0.95) -> float:
    """The chance that a two-sided paired t test over so many conversations finds a difference of this size."""
    stats: Any = scipy_stats()
    border = stats.t.ppf((1 + level) / 2, conversations - 1)
    shift = abs(effect) * conversations**0.5
    return float(stats.nct.sf(border, conversations - 1, shift) + stats.nct.cdf(-border, conversations - 1, shift))


def conversations_needed(effect: float, *, level: float = 0.95, least: int = 2) -> int | None:
    """Conversations with which a difference of this size is found in 80 % of studies; None above 100,000.

    `effect` is in standard deviations over conversations; `least` are those without which the test can't decide.

    >>> conversations_needed(0.5)
    34
    """
    if power_of(effect, MOST, level=level) < POWER:
        return None
    low, high = 1, 2
    while power_of(effect, high, level=level) < POWER:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(effect, middle, level=level) >= POWER else (middle, high)
    return max(high, least)

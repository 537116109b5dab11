"""How often 95 % intervals hold the truth, by way of making them: what the choice of the default rests on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ctxlab.studies.statistics import ConversationTotals, interval_of
from ctxlab.studies.statistics.interval import Method

ROUNDS = 500
SHARE = (0.0, 1.0)


def studies(conversations: int, truth: float, likeness: float) -> Iterator[ConversationTotals]:
    """Studies whose conversations differ: `likeness` is the share of the variance that is the conversation's."""
    dice = np.random.default_rng(conversations)
    more = (1 - likeness) / likeness
    for _ in range(ROUNDS):
        counts = dice.integers(20, 260, conversations)
        sums = dice.binomial(counts, dice.beta(truth * more, (1 - truth) * more, conversations)).astype(float)
        names = tuple(f"{i:02}" for i in range(conversations))
        yield ConversationTotals(names, *(tuple(each.tolist()) for each in (sums, counts, sums)))


def coverage(conversations: int, truth: float, likeness: float, method: Method) -> float:
    found = [interval_of(each, bounds=SHARE, method=method) for each in studies(conversations, truth, likeness)]
    return sum(each is not None and truth in each for each in found) / ROUNDS


@pytest.mark.slow
@pytest.mark.parametrize("conversations", [5, 10, 30])
@pytest.mark.parametrize(("truth", "likeness"), [(0.15, 0.1), (0.5, 0.2), (0.75, 0.1), (0.93, 0.05)])
def test_the_default_holds_the_truth_as_often_as_it_says(conversations: int, truth: float, likeness: float) -> None:
    assert 0.92 <= coverage(conversations, truth, likeness, "auto") <= 0.985


@pytest.mark.slow
@pytest.mark.parametrize(("conversations", "most"), [(5, 0.88), (10, 0.92)])
def test_the_bootstrap_of_few_conversations_holds_it_less_often(conversations: int, most: float) -> None:
    assert coverage(conversations, 0.5, 0.2, "bootstrap") < most

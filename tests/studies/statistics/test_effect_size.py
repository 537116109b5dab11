"""Effect sizes, power and the number of conversations that a difference needs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ctxlab.studies.statistics import conversations_needed, paired_effect, power_of, totals_of


def effect(differences: list[float]):
    return paired_effect(totals_of((f"{i:03}", each) for i, each in enumerate(differences)))


def test_the_effect_is_the_mean_in_standard_deviations() -> None:
    found = effect([1, 2, 3, 4])

    assert found is not None
    assert found[0] == pytest.approx(2.5 / np.std([1, 2, 3, 4], ddof=1))


def test_differences_that_are_all_alike_or_of_one_conversation_have_no_effect_size() -> None:
    assert effect([0.5, 0.5, 0.5]) is None
    assert effect([0.5]) is None


@pytest.mark.parametrize("shift", [-40.0, -0.7, 0.0, 0.4, 3.0, 90.0])
@pytest.mark.parametrize("conversations", [2, 5, 30])
def test_the_interval_s_ends_are_effects_under_which_such_a_t_is_rare(shift: float, conversations: int) -> None:
    found = effect((shift + np.random.default_rng(conversations).normal(0, 1, conversations)).tolist())

    assert found is not None
    size, interval = found
    root = conversations**0.5
    assert interval is not None
    assert interval.low < size < interval.high
    for end, chance in ((interval.low, 0.975), (interval.high, 0.025)):
        assert stats.nct.cdf(size * root, conversations - 1, end * root) == pytest.approx(chance, abs=1e-4)


def test_power_is_the_share_of_simulated_studies_that_find_the_difference() -> None:
    studies = np.random.default_rng(1).normal(0.6, 1, (4_000, 20))

    found = np.mean(stats.ttest_1samp(studies, 0, axis=1).pvalue < 0.05)

    assert power_of(0.6, 20) == pytest.approx(found, abs=0.03)


@pytest.mark.parametrize("size", [0.05, 0.3, -0.5, 1.0, 4.0])
def test_the_conversations_needed_are_the_fewest_with_a_power_of_80_percent(size: float) -> None:
    needed = conversations_needed(size)

    assert needed is not None
    assert power_of(size, needed) >= 0.8
    assert needed == 2 or power_of(size, needed - 1) < 0.8


def test_no_difference_is_never_found_and_a_large_one_needs_what_the_test_needs() -> None:
    assert conversations_needed(0.0) is None
    assert conversations_needed(50.0, least=6) == 6

"""Tests over conversations: exact values by hand, the least p there can be, Holm's correction."""

from __future__ import annotations

from itertools import product
from operator import mul
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from ctxlab.studies.statistics import holm, least_p, sign_flip_test, sign_test
from ctxlab.studies.statistics.paired_difference import few_conversations
from ctxlab.studies.statistics.significance import DRAWS, ERROR_OF_DRAWS, least_conversations, most_comparisons


def test_the_sign_flip_test_is_the_share_of_all_signs_that_go_as_far() -> None:
    differences = [0.3, 0.1, 0.2, -0.1, 0.25, 0.05]
    far = abs(sum(differences)) - 1e-9

    by_hand = [
        abs(sum(sign * each for sign, each in zip(signs, differences, strict=True))) >= far
        for signs in product((1, -1), repeat=6)
    ]

    assert sign_flip_test(differences) == pytest.approx(sum(by_hand) / 64)


def test_sums_that_differ_by_rounding_only_are_ties() -> None:
    """0.1 + 0.2 isn't 0.3 to a computer; here the signs of half of all flips give the same sum."""
    assert sign_flip_test([0.1, 0.2, -0.3]) == 1.0
    assert sign_flip_test([0.1 + 0.2, -0.3, 1.0]) == sign_flip_test([0.3, -0.3, 1.0])


@pytest.mark.parametrize("conversations", [1, 2, 5, 10, 16])
def test_the_least_p_is_reached_by_differences_that_all_go_one_way(conversations: int) -> None:
    assert sign_flip_test([1.0 + i for i in range(conversations)]) == pytest.approx(least_p(conversations))


def test_above_sixteen_conversations_the_least_p_is_that_of_the_draws() -> None:
    one_way = [1.0] * 40

    assert sign_flip_test(one_way) == sign_flip_test(one_way) == pytest.approx(least_p(40)) == 2 / (DRAWS + 1)


def test_p_is_exact_over_the_differences_that_are_not_zero_however_many_others_there_are() -> None:
    few = [0.3, 0.1, 0.2, -0.1, 0.25, 0.05]

    assert sign_flip_test([*[0.0] * 40, *few]) == sign_flip_test(few)
    assert sign_flip_test([*[0.0] * 40, *[1.0] * 6]) == 2 / 64


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=18, max_size=30), st.randoms(use_true_random=False))
def test_neither_order_nor_which_variant_comes_first_makes_another_p(sums: list[int], dice: Random) -> None:
    mixed = [each / 7 for each in sums]
    dice.shuffle(mixed)

    assert (
        sign_flip_test(mixed)
        == sign_flip_test([each / 7 for each in sums])
        == sign_flip_test([-each for each in mixed])
    )


def test_draws_are_as_near_as_is_said() -> None:
    """Of 18 differences that are alike the sums are those of coins, so that the exact p is known."""
    exact = binomtest(13, 18).pvalue

    assert sign_flip_test([*[1.0] * 13, *[-1.0] * 5]) == pytest.approx(exact, abs=1.5 * ERROR_OF_DRAWS)
    assert round(2 * 1.96 * (0.025 * 0.975 / DRAWS) ** 0.5, 4) == ERROR_OF_DRAWS


def test_nothing_that_differs_is_no_evidence() -> None:
    assert sign_flip_test([0.0, 0.0]) == sign_test([0.0, 0.0]) == sign_flip_test([]) == 1.0


def test_the_sign_test_leaves_ties_out() -> None:
    assert sign_test([1, 2, 3, 4, 5, 6, 0, 0]) == pytest.approx(2 / 64)
    assert sign_test([1, -1]) == 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-12, 12), min_size=2, max_size=8), st.sampled_from([1, 3, 10, 20]))
def test_sums_that_tie_count_as_ties_whatever_the_values_are_divided_by(sums: list[int], cases: int) -> None:
    signs = product((1, -1), repeat=len(sums))
    as_far = sum(abs(sum(map(mul, each, sums))) >= abs(sum(sums)) for each in signs)

    assert sign_flip_test([each / cases for each in sums]) == pytest.approx(as_far / 2 ** len(sums))


def test_the_sign_flip_test_finds_nothing_in_one_of_twenty_studies_at_most() -> None:
    dice = np.random.default_rng(3)

    found = sum(sign_flip_test(list(dice.normal(0, 1, 8))) < 0.05 for _ in range(300))

    assert 3 <= found <= 24


def test_more_conversations_never_raise_the_least_p() -> None:
    found = [least_p(n) for n in range(1, 41)]

    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_more_comparisons_than_the_test_can_tell_apart_are_told_so(level: float) -> None:
    most = most_comparisons(level)

    assert least_conversations(level, comparisons=most) is not None
    assert least_conversations(level, comparisons=most + 1) is None
    assert f"compare {most:,} at most" in few_conversations(400, most + 1, level)


def test_a_sentence_names_the_exact_test_only_where_it_is_exact() -> None:
    assert "the exact test can't go below p = 0.125, so that none can be told" in few_conversations(4, 1, 0.95)
    assert "the test can't go below" in few_conversations(40, 5_000, 0.95)


@pytest.mark.parametrize("comparisons", [1, 4, 8, 40, 1_638])
def test_from_the_least_number_of_conversations_on_all_going_one_way_is_told_apart(comparisons: int) -> None:
    least = least_conversations(comparisons=comparisons)
    assert least is not None

    def corrected(conversations: int) -> float:
        return max(holm([least_p(conversations)] * comparisons))

    assert corrected(least) < 0.05 <= corrected(least - 1)


def test_holm_corrects_as_in_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([]) == ()
    assert holm([0.9, 0.8]) == (1.0, 1.0)

"""Intervals: what they hold, what they never leave, and what they agree with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from ctxlab.studies.statistics import ConversationTotals, interval_of, totals_of

SHARE = (0.0, 1.0)


def totals(sums: list[float], counts: list[int]) -> ConversationTotals:
    """Totals of scores that are 0 or 1, or of differences of such that all have one sign."""
    names = tuple(f"c{i}" for i in range(len(sums)))
    return ConversationTotals(names, tuple(sums), tuple(counts), tuple(map(abs, sums)))


def test_a_conversation_weighs_as_much_as_it_has_scores() -> None:
    assert totals([1, 0], [1, 3]).mean == 0.25


def test_pseudo_values_of_conversations_of_one_size_are_their_means() -> None:
    assert totals([2, 3, 5], [10, 10, 10]).pseudo_values == pytest.approx((0.2, 0.3, 0.5))


def test_student_s_interval_is_scipy_s_where_conversations_are_of_one_size() -> None:
    means = [0.21, 0.35, 0.24, 0.5, 0.33]
    own = interval_of(totals([40 * each for each in means], [40] * 5), method="student")

    theirs = stats.ttest_1samp(means, 0).confidence_interval(0.95)

    assert own is not None
    assert (own.low, own.high) == pytest.approx((theirs.low, theirs.high))


def test_a_share_of_conversations_with_one_case_each_has_about_the_exact_interval() -> None:
    own = interval_of(totals([1.0] * 12 + [0.0] * 28, [1] * 40), bounds=SHARE)

    exact = stats.binomtest(12, 40).proportion_ci(method="exact")

    assert own is not None
    assert own.low <= exact.low and own.high >= exact.high
    assert (own.low, own.high) == pytest.approx((exact.low, exact.high), abs=0.01)


@pytest.mark.parametrize(("score", "end"), [(0.0, "low"), (1.0, "high")])
def test_what_always_or_never_happened_is_bounded_by_the_number_of_conversations(score: float, end: str) -> None:
    few = interval_of(totals([score * 50] * 5, [50] * 5), bounds=SHARE)
    more = interval_of(totals([score * 50] * 20, [50] * 20), bounds=SHARE)

    assert few is not None and more is not None
    assert getattr(few, end) == getattr(more, end) == score
    assert few.high - few.low > more.high - more.low > 0.1


def test_one_conversation_has_no_interval() -> None:
    assert interval_of(totals([3], [9]), bounds=SHARE) is None


def test_differences_that_are_all_alike_are_bounded_and_those_without_bounds_have_no_interval() -> None:
    alike = totals_of((f"c{i}", 0.5) for i in range(60))

    bounded = interval_of(alike, bounds=(-1, 1))

    assert bounded is not None
    assert -1 < bounded.low < 0.5 < bounded.high < 1
    assert interval_of(alike) is None
    assert interval_of(alike, method="bootstrap") is None


def test_conversations_with_one_mean_whose_scores_differ_have_the_spread_of_their_scores() -> None:
    """Half of the ten cases of each conversation: cases that are independent would give no less."""
    alike = totals([5] * 6, [10] * 6)

    for bounds in (SHARE, (-1.0, 1.0), None):
        found = interval_of(alike, bounds=bounds)
        assert found is not None
        assert 0.3 < found.low < 0.5 - 1.9 * (0.25 / 60) ** 0.5 and found.high == pytest.approx(1 - found.low)


def values(kind: str, conversations: int, dice: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Shares that are no count of yes and no, with the mean 0.8: one a conversation, or those of a few parts a case."""
    for number, chance in enumerate(dice.beta(16, 4, conversations)):
        if kind == "one a conversation":
            yield f"{number:02}", float(chance)
            continue
        for parts in dice.integers(1, 5, dice.integers(8, 40)):
            yield f"{number:02}", float(dice.binomial(parts, chance) / parts)


@pytest.mark.parametrize("kind", ["one a conversation", "parts of a case"])
@pytest.mark.parametrize(("conversations", "widest"), [(5, 1.25), (10, 1.12), (30, 1.05)])
def test_shares_that_count_no_cases_hold_the_truth_and_are_about_as_wide_as_student_s(
    kind: str, conversations: int, widest: float
) -> None:
    dice = np.random.default_rng(conversations)
    rounds, held, own, student = 200, 0, 0.0, 0.0
    for _ in range(rounds):
        found = totals_of(values(kind, conversations, dice))
        ours, theirs = interval_of(found, bounds=SHARE), interval_of(found, method="student")
        assert ours is not None and theirs is not None
        assert 0 <= ours.low < found.mean < ours.high <= 1
        held += 0.8 in ours
        own, student = own + ours.high - ours.low, student + theirs.high - theirs.low

    assert 0.91 <= held / rounds <= 0.99
    assert 0.9 < own / student < widest


def test_shares_that_are_all_one_number_are_bounded_by_the_number_of_conversations() -> None:
    few, more = (interval_of(totals_of((f"{i:02}", 0.8) for i in range(n)), bounds=SHARE) for n in (5, 20))

    assert few is not None and more is not None
    assert 0 < few.low < more.low < 0.8 < more.high < few.high < 1


def test_the_bootstrap_is_the_same_every_time_and_stays_among_the_conversations() -> None:
    spread = totals([1, 9, 4, 6, 2, 7], [10, 12, 10, 9, 10, 10])

    first, second = (interval_of(spread, bounds=SHARE, method="bootstrap") for _ in range(2))

    assert first == second
    assert first is not None
    assert 0.1 <= first.low < spread.mean < first.high <= 0.75


@pytest.mark.parametrize("conversations", [5, 10, 30])
def test_intervals_over_conversations_hold_the_truth_and_those_over_cases_do_not(conversations: int) -> None:
    """Cases of a conversation that resemble one another strongly: 0.2 of the variance is the conversation's."""
    dice = np.random.default_rng(conversations)
    rounds, truth = 200, 0.3
    held = naive = 0
    for _ in range(rounds):
        counts = dice.integers(30, 160, conversations)
        sums = dice.binomial(counts, dice.beta(truth * 4, (1 - truth) * 4, conversations))
        found = interval_of(totals(sums.tolist(), counts.tolist()), bounds=SHARE)
        assert found is not None
        held += truth in found
        of_cases = stats.binomtest(int(sums.sum()), int(counts.sum())).proportion_ci(method="wilson")
        naive += of_cases.low <= truth <= of_cases.high

    assert 0.91 <= held / rounds <= 0.985
    assert naive / rounds < 0.5


@pytest.mark.parametrize("conversations", [5, 10])
def test_intervals_of_paired_differences_hold_none_where_there_is_none(conversations: int) -> None:
    dice = np.random.default_rng(conversations)
    rounds, held = 400, 0
    for _ in range(rounds):
        counts = dice.integers(30, 160, conversations)
        shift = dice.normal(0, 0.1, conversations)
        sums = [dice.binomial(n, 0.5 + s) - dice.binomial(n, 0.5 - s) for n, s in zip(counts, shift, strict=True)]
        found = interval_of(totals(list(map(float, sums)), counts.tolist()), bounds=(-1, 1))
        held += found is not None and 0 in found

    assert 0.91 <= held / rounds <= 0.9855


def test_totals_do_not_depend_on_the_order_of_scores() -> None:
    scores = [("b", 0.1), ("a", 0.2), ("b", 0.7), ("a", 0.4), ("c", 0.3)]

    assert totals_of(scores) == totals_of(reversed(scores))

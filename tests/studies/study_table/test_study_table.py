"""The table of a study: what it says of numbers, what it leaves out, and that it says so."""

from __future__ import annotations

import re
import sys

import pandas as pd
import pytest

import ctxlab
from ctxlab.display.one_line import cells_wide
from ctxlab.errors import MissingExtra, WrongArgument
from ctxlab.studies.statistics.significance import least_conversations
from ctxlab.studies.study_table.table_notes import LOUD
from tests.studies.synthetic_study import study_frame

FRAME = study_frame()
TABLE = ctxlab.study_table(FRAME, tokenizer="o200k_base", left_out=["446 questions without an answer"])


def test_a_row_has_the_mean_over_cases_and_pairs_the_same_cases() -> None:
    wide = FRAME[FRAME["budget"] == 512].pivot(index=["conversation", "case"], columns="variant", values="all_evidence")

    row = next(row for row in TABLE.rows if (row.variant, row.budget) == ("lexical", 512))

    assert row.mean is not None and row.difference is not None
    assert row.mean.mean == pytest.approx(wide["lexical"].mean())
    assert row.difference.mean == pytest.approx((wide["lexical"] - wide["sliding"]).mean())
    assert (row.mean.cases, row.mean.conversations) == (len(wide), 10)


def test_a_large_difference_over_ten_conversations_is_told_apart_and_a_small_one_is_open() -> None:
    assert {row.variant: row.verdict for row in TABLE.rows if row.budget == 2048} == {
        "sliding": "baseline",
        "middle-out": "open",
        "lexical": "better",
        "summary-and-relevant": "better",
        "oracle": "oracle",
    }


def test_the_same_scores_are_worse_where_less_is_better_and_neither_where_none_is() -> None:
    lower = ctxlab.study_table(FRAME, better="lower", budget=512)
    neither = ctxlab.study_table(FRAME, better=None, budget=512)

    assert [row.verdict for row in lower.rows] == ["baseline", "open", "worse", "worse", "oracle"]
    assert [row.verdict for row in neither.rows] == ["baseline", "open", "higher", "higher", "oracle"]


def test_five_conversations_carry_no_claim_and_the_table_says_so_first() -> None:
    table = ctxlab.study_table(study_frame(conversations=5))

    assert {row.verdict for row in table.rows} == {"baseline", "oracle", "open"}
    assert table.notes[0].startswith(LOUD)
    assert "0.0625" in table.notes[0]
    assert "it takes 7 or more" in table.notes[0]


def test_no_fewer_conversations_are_needed_than_the_corrected_test_needs() -> None:
    frame = study_frame(variants={"sliding": 0.1, **{f"v{i}": 0.9 for i in range(8)}}, conversations=4)
    table = ctxlab.study_table(frame, "all_evidence")
    needed = table.frame()["conversations_needed"].dropna()
    least, alone = least_conversations(comparisons=8), least_conversations()

    assert least is not None and alone is not None
    assert len(needed) and needed.min() >= least > alone


def test_more_conversations_are_needed_where_more_variants_are_compared() -> None:
    few, many = (
        ctxlab.study_table(study_frame(variants={"sliding": 0.4, "own": 0.47, **others}, budgets=[512]), also=[])
        for others in ({}, {f"v{i}": 0.4 for i in range(9)})
    )

    alone, among = (next(row.difference for row in table.rows if row.variant == "own") for table in (few, many))
    assert alone is not None and among is not None and alone.needed is not None and among.needed is not None
    assert (alone.mean, alone.needed) == (among.mean, alone.needed) and among.needed > alone.needed


def test_a_share_is_what_is_told_and_nothing_is_guessed_from_values() -> None:
    cents = FRAME.assign(price=FRAME["all_evidence"] / 100, one=FRAME["all_evidence"])

    assert not ctxlab.study_table(cents, "price", also=[]).is_share
    assert not ctxlab.study_table(cents, "one", also=[]).is_share
    assert ctxlab.study_table(cents, "one", unit="share", also=[]).is_share
    mean = ctxlab.mean_score(cents[cents["variant"] == "oracle"], "one")
    assert mean.interval is not None and mean.interval.method.startswith("Student")
    told = ctxlab.mean_score(cents, "one", unit="share")
    assert told.interval is not None and told.interval.method.startswith("Korn")
    assert ctxlab.paired_difference(cents, "lexical", "sliding", score="price").amount(0.25) == "+0.25"


def test_a_column_knows_which_scores_are_better_where_anybody_says_so() -> None:
    frame = FRAME.assign(repetition=FRAME["all_evidence"], own=FRAME["all_evidence"])

    def verdict(score: str) -> str:
        found = ctxlab.study_table(frame, score, budget=2048, also=[])
        return next(row.verdict for row in found.rows if row.variant == "lexical")

    assert [verdict(score) for score in ("all_evidence", "repetition", "own")] == ["better", "worse", "higher"]


def test_variants_that_score_alike_are_equal_and_have_no_interval() -> None:
    twin = FRAME[FRAME["variant"] == "sliding"].assign(variant="twin")
    table = ctxlab.study_table(pd.concat([FRAME, twin]), budget=512)

    found = next(row.difference for row in table.rows if row.variant == "twin")
    assert found is not None and found.interval is None and found.verdict == "equal"
    assert "equal on every one of 245 cases of 10 conversations" in found.sentence()
    assert "no more than 26% of conversations" in found.sentence()
    assert 0.74**10 <= 0.05 < 0.75**10
    assert "1 equal" in table.summary and any(note.startswith("equal: the same score") for note in table.notes)
    assert "| equal |" in table.markdown()


def test_the_notes_name_what_the_numbers_rest_on() -> None:
    notes = " ".join(TABLE.notes)

    assert "245 cases of 10 conversations with a score in each row" in notes
    assert "tokens counted with o200k_base" in notes
    assert "446 questions without an answer" in notes
    assert "Holm for 3 comparisons at each budget" in notes
    assert "summary-and-relevant may keep summaries" in notes and "ceiling" in notes
    assert LOUD not in notes


def test_conversations_of_very_unequal_sizes_earn_a_note() -> None:
    second = sorted(FRAME["conversation"].unique())[1]
    one_case = FRAME[FRAME["conversation"] == second]["case"].iloc[0]
    uneven = FRAME[(FRAME["conversation"] != second) | (FRAME["case"] == one_case)]

    assert any("with sizes so unequal" in note for note in ctxlab.study_table(uneven, budget=512).notes)
    assert not any("with sizes so unequal" in note for note in TABLE.notes)


def test_without_a_tokenizer_and_without_summaries_the_notes_say_only_what_is_known() -> None:
    notes = " ".join(ctxlab.study_table(study_frame(variants={"a": 0.4, "b": 0.5})).notes)

    assert "the tokenizer isn't named" in notes
    assert "summaries" not in notes


def test_cells_with_an_error_are_in_no_mean_and_are_named() -> None:
    broken = FRAME.copy()
    at = (broken["variant"] == "lexical") & (broken["case"] == "q0")
    broken.loc[at, "error"] = "the budget is too small for the newest message"
    broken.loc[at, "all_evidence"] = float("nan")

    table = ctxlab.study_table(broken, budget=512)

    row = next(row for row in table.rows if row.variant == "lexical")
    assert row.left_out == 10
    assert row.mean is not None and row.mean.cases == 235
    assert any(
        "10 cells of 10 cases (q0) that ended in an error" in note and "too small" in note for note in table.notes
    )


@pytest.mark.parametrize("lacking", ["sliding", "lexical"])
def test_means_over_different_cases_are_said_to_be_so(lacking: str) -> None:
    missing = FRAME.copy()
    missing.loc[(missing["variant"] == lacking) & (missing["case"] == "q1"), "all_evidence"] = None

    table = ctxlab.study_table(missing)

    assert any("lexical" in note and "are over different cases" in note for note in table.notes)
    assert "Left out: 20 cells of 10 cases (q1) without a value of all_evidence: " in " ".join(table.notes)


def test_further_columns_part_the_rows_and_each_part_is_compared_with_its_own_baseline() -> None:
    table = ctxlab.study_table(FRAME, by=("variant", "kind"), budget=512)

    row = next(row for row in table.rows if row.variant == "lexical" and row.labels == {"kind": "multi"})
    part = FRAME[(FRAME["kind"] == "multi") & (FRAME["budget"] == 512)]
    means = part.groupby("variant")["all_evidence"].mean()
    assert row.difference is not None
    assert row.difference.mean == pytest.approx(means["lexical"] - means["sliding"])
    assert row.difference.comparisons == 6


def test_the_order_of_the_frame_s_rows_changes_no_number() -> None:
    shuffled = ctxlab.study_table(FRAME.sample(frac=1, random_state=2)).frame()

    order = ["variant", "budget"]
    pd.testing.assert_frame_equal(
        shuffled.sort_values(order, ignore_index=True),
        ctxlab.study_table(FRAME).frame().sort_values(order, ignore_index=True),
    )


def test_rows_stay_in_the_order_of_the_frame_with_the_baseline_first() -> None:
    table = ctxlab.study_table(FRAME, baseline="lexical")

    assert [row.variant for row in table.rows[:5]] == [
        "lexical",
        "sliding",
        "middle-out",
        "summary-and-relevant",
        "oracle",
    ]
    assert [row.budget for row in table.rows] == [512] * 5 + [2048] * 5


def test_scores_that_are_no_shares_have_intervals_that_may_leave_them() -> None:
    counted = FRAME.assign(cost=FRAME["tokens"] * 1.5)

    table = ctxlab.study_table(counted, "cost", better="lower", also=[])

    assert not table.is_share
    assert any("without an interval" in note for note in table.notes)


def test_a_study_without_budgets_has_no_column_of_budgets() -> None:
    table = ctxlab.study_table(study_frame(budgets=[None]))

    assert table.budgets == (None,)
    assert "| budget |" not in table.markdown()


def test_an_empty_frame_gives_an_empty_table() -> None:
    table = ctxlab.study_table(FRAME[:0])

    assert table.rows == ()
    assert "Nothing is compared" in table.summary
    assert table.markdown() and table._repr_html_()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"score": "al_evidence"}, "did you mean 'all_evidence'"),
        ({"score": "kind"}, "takes numbers to make a mean of, got"),
        ({"baseline": "slidin"}, "did you mean 'sliding'"),
        ({"oracle": "orcle"}, "did you mean 'oracle'"),
        ({"budget": 77}, "no budget 77; there are: 512, 2,048"),
        ({"level": 95}, "level takes a number between 0 and 1, got 95"),
        ({"by": ["variant", "knd"]}, "did you mean 'kind'"),
        ({"score": "tokens", "unit": "share"}, "a share is from 0 to 1; unit='number' takes any number"),
    ],
)
def test_what_is_not_in_the_frame_is_refused_by_name(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(WrongArgument, match=re.escape(sentence)):
        ctxlab.study_table(FRAME, **given)  # pyright: ignore[reportArgumentType]


def test_whole_numbers_of_which_some_are_missing_have_a_mean() -> None:
    ages = FRAME.assign(age=pd.array([None, 3] * (len(FRAME) // 2), dtype="Int64"))

    assert ctxlab.mean_score(ages, "age").mean == 3


def test_a_case_twice_at_one_place_is_refused() -> None:
    with pytest.raises(WrongArgument, match="twice with the same budget and seed"):
        ctxlab.study_table(pd.concat([FRAME, FRAME[:1]]))


def test_seeds_are_cells_of_one_case() -> None:
    table = ctxlab.study_table(pd.concat([FRAME, FRAME.assign(seed=1)]), budget=512)

    assert table.rows[0].mean is not None
    assert (table.rows[0].mean.cells, table.rows[0].mean.cases) == (490, 245)


HOSTILE = "a|b`<img src=x>\n*c*_[d](e)|"


def test_names_with_markup_stay_in_their_cell_of_the_markdown() -> None:
    text = ctxlab.study_table(study_frame(words=HOSTILE), budget=512).markdown()

    table = [re.sub(r"\\.", "", line) for line in text.split("\n\n")[0].splitlines()]
    assert {line.count("|") for line in table} == {table[1].count("|")}
    assert len(table) == 7
    assert "<img" not in text


def test_a_pair_is_said_in_one_sentence_with_what_may_be_claimed() -> None:
    apart = ctxlab.paired_difference(FRAME, "lexical", "sliding", budget=2048)
    open_one = ctxlab.paired_difference(FRAME, "middle-out", "sliding", budget=2048)

    told = (
        r"lexical less sliding: \+34\.3 points, 95% interval \+\S+ to \+\S+, paired over 10 conversations; better, p .*"
    )
    assert re.fullmatch(told, apart.sentence())
    assert "open" in open_one.sentence() and "no order is claimed" in open_one.sentence()
    assert re.search(r"about \d+ conversations would be needed", open_one.sentence())
    assert len(apart.frame()) == 245


def test_a_variant_that_shares_no_case_is_not_compared() -> None:
    apart = pd.concat([FRAME[FRAME["variant"] == "sliding"], FRAME[FRAME["variant"] == "lexical"].assign(seed=5)])

    table = ctxlab.study_table(apart)

    assert {row.verdict for row in table.rows} == {"baseline", "not compared"}
    with pytest.raises(WrongArgument, match="no scored case in common"):
        ctxlab.paired_difference(apart, "lexical", "sliding")


def test_means_over_the_same_cases_are_not_said_to_differ() -> None:
    assert not any("different cases" in note for note in TABLE.notes)


def test_without_scipy_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)

    with pytest.raises(MissingExtra, match=re.escape("pip install 'ctxlab[studies]'")):
        ctxlab.study_table(FRAME)


def test_a_mean_over_nothing_is_refused() -> None:
    with pytest.raises(WrongArgument, match="no row of the frame has a value"):
        ctxlab.mean_score(FRAME[:0])


@pytest.mark.parametrize(
    ("conversations", "said"),
    [
        (
            5,
            "and with 5 conversations none could be, whatever its interval: it takes 7 or more.",
        ),
        (10, "2 are significant at 0.05."),
    ],
)
def test_a_table_says_in_a_sentence_whether_a_difference_is_significant(conversations: int, said: str) -> None:
    few = {"sliding": 0.15, "lexical": 0.6, "better": 0.8, "alike": 0.16}

    table = ctxlab.study_table(study_frame(variants=few, conversations=conversations, cases=60, budgets=[512]))

    assert table.summary.endswith(said)
    assert f"\n- {table.summary}\n" in table.markdown()


def test_the_score_of_a_frame_that_has_only_one_need_not_be_named() -> None:
    other = FRAME.drop(columns=["all_evidence", "share_of_evidence"]).assign(repetition=FRAME["all_evidence"])

    assert ctxlab.study_table(other).score == ctxlab.study_table(other, "repetition").score == "repetition"
    assert ctxlab.mean_score(other).mean == ctxlab.mean_score(FRAME, "all_evidence").mean
    with pytest.raises(WrongArgument, match=r"has 2 scores; give score=, one of: .*repetition"):
        ctxlab.study_table(other.assign(share_of_evidence=0.5))
    with pytest.raises(WrongArgument, match="no column that is known as a score"):
        ctxlab.study_table(other.drop(columns=["repetition"]))


@pytest.mark.parametrize("words", ["", "灯塔" * 30])
@pytest.mark.parametrize("by", [("variant",), ("kind",), ("kind", "conversation")])
def test_a_printed_table_has_all_rows_in_columns_that_fit(words: str, by: tuple[str, ...]) -> None:
    frame = study_frame(words=words)
    table = ctxlab.study_table(frame, by=by)

    lines = str(table).split("\n")

    rows = lines[1 : len(table.rows) + 2]
    assert rows[0].startswith("variant ") and rows[0].endswith("verdict")
    assert all(cells_wide(row) <= 120 for row in rows)
    ends = [row.rstrip().rpartition("  ")[2].strip() for row in rows[1:]]
    assert ends == [row.verdict for row in table.rows]
    assert lines[-1] == table.summary


def test_a_column_that_is_the_same_in_each_row_is_printed_once() -> None:
    printed = str(ctxlab.study_table(FRAME))

    assert "In each row: cases 245, conversations 10." in printed
    assert "conversations" not in printed.split("\n")[1]

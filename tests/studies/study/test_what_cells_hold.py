"""Numbers and texts that a file of cells can't hold are refused in one sentence before anything is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ctxlab
from ctxlab.errors import WrongArgument
from tests.studies.study.samples import plan, run, session

INT64: Any = {"l": np.int64(3)}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: plan(seeds=[0, 2**65]),
            r"seeds has a number beyond 64 bits; whole numbers of a study are from -2\*\*63",
        ),
        (lambda: plan(seeds=[-(2**63) - 1]), "seeds has a number beyond"),
        (lambda: plan(budgets=[800, 10**5_000]), "budgets has a number beyond"),
        (lambda: ctxlab.Case("a", "a", session(0), labels={"l": 2**70}), "case 'a': label 'l' is a number beyond"),
        (
            lambda: ctxlab.Case("a", "a", session(0), labels={"l": np.int64(3)}),
            "label 'l' is a int64; labels are texts",
        ),
        (lambda: ctxlab.Case("a", "a", session(0), labels={"l\ud800": 1}), "a label's name is a text without half"),
        (lambda: ctxlab.Variant("v", labels={"l": 2**70}), "variant 'v': label 'l' is a number beyond"),
        (lambda: ctxlab.Variant("v\ud800"), r"a variant is named 'v\\ud800'; half surrogates have no place"),
    ],
)
def test_what_no_file_holds_is_refused(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(WrongArgument, match=words):
        make()


def test_the_largest_numbers_are_kept(tmp_path: Path) -> None:
    case = ctxlab.Case("a", "a", session(0), labels={"l": -(2**63)})

    frame = run(tmp_path / "cells", source=[case], seeds=[2**63 - 1], budgets=[2**63 - 1]).frame()

    assert set(frame["seed"]) == set(frame["budget"]) == {2**63 - 1}
    assert set(frame["l"]) == {-(2**63)}


@pytest.mark.parametrize(
    "number", [1e308, -1e308, 10**400, -(10**400), 1.1e100], ids=["large", "least", "whole", "least whole", "above"]
)
def test_a_score_of_which_there_is_no_mean_is_a_row_with_an_error(number: float) -> None:
    def huge(run: Any) -> float:
        return number

    result = run(source=[ctxlab.Case(f"q{i}", f"c{i}", session(i)) for i in range(6)], scorers=[huge])

    assert result.frame()["error"].str.contains("its 'huge' is beyond 1e\\+100 or -1e\\+100").all()


def test_a_table_of_the_largest_scores_is_made() -> None:
    def large(run: Any) -> float:
        return 1e100 if run.case.id == "q1" else -1e100

    result = run(source=[ctxlab.Case(f"q{i}", f"c{i}", session(i)) for i in range(6)], scorers=[large])

    assert "large" in repr(result.table("large")) + result.table("large").markdown()


@pytest.mark.parametrize("ids", [("q\ud800", "q\ud800"), ("q\ud800", "q\\ud800")])
def test_two_cases_that_have_one_name_in_a_file_are_refused(ids: tuple[str, str]) -> None:
    with pytest.raises(WrongArgument, match="two cases are named"):
        run(source=[ctxlab.Case(id, "a", session(0)) for id in ids])


def test_cases_whose_ids_differ_in_half_surrogates_are_two(tmp_path: Path) -> None:
    cases = [ctxlab.Case(id, id, session(0)) for id in ("q\ud800", "q\ud801")]

    result = run(tmp_path / "cells", source=cases, budgets=(60,))

    assert result.conversations == len(set(result.frame()["case"])) == 2
    assert result.trace("q\\ud801", "sliding").tokens == result.trace("q\ud801", "sliding").tokens

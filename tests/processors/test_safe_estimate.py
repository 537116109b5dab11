"""Cuts by the safe side of an estimate, and the range in which an estimate lies."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.tokens.open_vocabularies import VOCABULARIES, tokens_by_vocabulary
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import WrongSetting
from ctxlab.pipeline import BudgetTooSmall, Trace
from ctxlab.prompt.token_range import safe_counter
from ctxlab.studies.budget_sums import budget_sums

ROW = "2026-11-{day:02d}T12:00:07.{n:03d}Z,{a:.3f},{b:.2f},{id:08x}"
LOG = [
    {
        "role": "user" if turn % 2 == 0 else "assistant",
        "content": "\n".join(
            ROW.format(day=n % 28 + 1, n=n * 37 % 1000, a=n * 7.31, b=n * 1.17, id=n * 2654435761 % 2**32)
            for n in range(turn * 9, turn * 9 + 9)
        ),
    }
    for turn in range(9)
]
SAFE = {"token-limiter.estimate": "safe"}


def run(budget: int | None = 2_000, *, safe: bool = False, **more: Any) -> Trace:
    return ctxlab.build(LOG, budget_tokens=budget, settings=SAFE if safe else {}, **{"model": "qwen3-32b", **more})


def report_of(trace: Trace) -> BudgetReport:
    found = trace.result.report(BudgetReport)
    assert found is not None
    return found


def test_the_safe_side_keeps_less_and_its_count_is_within_the_budget() -> None:
    mean, safe = run(), run(safe=True)

    assert len(safe.messages) < len(mean.messages)
    assert safe.tokens <= safe_counter(safe.services.tokenizer).request_tokens + sum(
        map(safe_counter(safe.services.tokenizer).count_draft, safe.result.drafts)
    )
    assert report_of(safe).protected_tokens + report_of(safe).history_tokens <= 2_000
    assert (report_of(mean).estimate, report_of(safe).estimate) == ("mean", "safe")


@pytest.mark.parametrize("tokenizer", ["o200k_base", "by-kind-safe"])
def test_what_has_one_side_only_is_cut_the_same(tokenizer: str) -> None:
    plain, safe = run(tokenizer=tokenizer), run(tokenizer=tokenizer, safe=True)

    assert [draft.key for draft in plain.result.drafts] == [draft.key for draft in safe.result.drafts]
    assert report_of(safe).estimate == "mean"


@pytest.mark.parametrize("tokenizer", ["estimator", "by-kind", "by-kind+4"])
def test_the_run_by_a_safe_cut_is_never_over_its_budget(tokenizer: str) -> None:
    russian = [{"role": "user", "content": "смотритель маяка записал, что дождь начался ночью " * n} for n in range(9)]
    for chat in (LOG, russian):
        for budget in (700, 1_200, 2_000):
            try:
                trace = ctxlab.build(chat, tokenizer=tokenizer, budget_tokens=budget, settings=SAFE)
            except BudgetTooSmall as problem:
                assert problem.least_budget > budget
                continue
            assert trace.tokens <= budget


def test_the_sums_of_a_safe_cut_say_what_the_safe_side_holds_back() -> None:
    sums = budget_sums(run(safe=True))

    assert sums is not None
    assert sums.safe_tokens > 0
    assert "by the safe estimate" in str(sums)
    assert sums.left_tokens + sums.set_aside_tokens + sums.safe_tokens + sums.saved_tokens == sums.free_tokens


def test_another_estimate_than_the_two_is_refused() -> None:
    with pytest.raises(WrongSetting, match="estimate"):
        ctxlab.build(LOG, settings={"token-limiter.estimate": "best"})


def test_what_a_safe_cut_dropped_comes_back_with_the_budget_that_it_names() -> None:
    trace = run(safe=True)
    cut = trace.result.dropped[0].drafts[-1].key

    remedy = trace.why(cut).remedy
    assert remedy is not None
    assert cut in [draft.key for draft in trace.rerun(remedy).result.drafts]


def test_a_range_is_told_of_estimates_alone() -> None:
    assert run(tokenizer="o200k_base").token_range is None
    assert run(tokenizer=lambda text: len(text)).token_range is None

    found = run().token_range
    assert found is not None
    assert found.low < run().tokens < found.high
    assert str(found) == f"between {found.low:,} and {found.high:,} by five open vocabularies"


def test_a_range_has_the_counts_of_every_vocabulary_in_it() -> None:
    found = run(None).token_range
    assert found is not None

    for name in VOCABULARIES:
        words = sum(tokens_by_vocabulary(message["content"])[name] for message in LOG)
        assert found.low < words < found.high


def test_the_true_count_of_the_vocabulary_that_is_at_hand_is_in_the_range() -> None:
    """o200k is gpt-oss's."""
    found, true = run(None).token_range, run(None, tokenizer="o200k_base").tokens

    assert found is not None
    assert found.low <= true <= found.high


def test_the_side_of_an_estimate_is_in_the_report_and_goes_through_a_pickle() -> None:
    trace = pickle.loads(pickle.dumps(run(safe=True)))

    assert report_of(trace).estimate == "safe"
    assert trace.table("budget").iloc[0]["estimate"] == "safe"
    assert str(trace.token_range) in trace._repr_html_()
    assert "open vocabularies" not in run(tokenizer="o200k_base")._repr_html_()


def test_no_build_counts_by_vocabularies_that_nobody_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    monkeypatch.setattr(
        "ctxlab.engines.tokens.open_vocabularies._counts", lambda text: counted.append(text) or (1,) * 5
    )

    found = run()

    assert not counted
    assert found.token_range is not None


def test_a_template_without_a_vocabulary_is_cut_by_the_safe_side_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.jinja"
    file.write_text("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}")
    counter = ctxlab.build(LOG, tokenizer=file, budget_tokens=None).services.tokenizer
    safe = safe_counter(counter)

    drafts = run(None).result.drafts
    assert all(safe.count_draft(draft) > counter.count_draft(draft) for draft in drafts)
    assert safe_counter(safe) is safe
    assert run(tokenizer=file, safe=True).tokens <= 2_000
    assert run(tokenizer=file).token_range is not None


def test_the_safe_side_of_a_tokenizer_is_itself_where_it_counts_exactly() -> None:
    exact = Tokenizer.of_encoding("o200k_base")

    assert exact.safe is exact

"""Laws of estimates: what a safe cut keeps is near its budget by every vocabulary, and ranges hold true counts."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.tokens.open_vocabularies import MARGIN, tokens_by_vocabulary
from ctxlab.pipeline import Trace
from ctxlab.prompt.token_range import safe_counter

pytest.importorskip("scipy", reason="the scripts that make the texts need it")

from tests.engines.tokens.fit_estimate import SHARED, made, recorded
from tests.engines.tokens.fit_vocabularies import vocabularies

FOLDER = os.environ.get("CTXLAB_VOCABULARIES", "")
"""A folder with the ranks of vocabularies; o200k is at hand without it."""
WORST = 0.25
"""Share by which a vocabulary may count a text over the safe side."""
RARE = 0.05
"""Share of the cuts in which some vocabulary counts more than the budget."""


@cache
def texts() -> tuple[str, ...]:
    """Texts of other seeds than those that prices were fitted to."""
    found = [text for _, text in made(23)]
    if (SHARED / "data").is_dir():
        found += [text for _, text in recorded(29, each=30) if len(text) > 20]
    return tuple(found)


@cache
def counts() -> dict[str, Callable[[str], int]]:
    return vocabularies(Path(FOLDER or "nowhere"))


def cuts(number: int = 80) -> Iterator[tuple[int, Trace]]:
    """Chats of eight texts, cut by the safe side to a budget below what they take."""
    dice = random.Random(5)
    for _ in range(number):
        said = dice.sample(texts(), 8)
        chat = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
        whole = ctxlab.build(chat, tokenizer="by-kind")
        least = safe_counter(whole.services.tokenizer)
        newest = sum(least.count_draft(draft) for draft in whole.result.drafts[-2:]) + least.request_tokens
        budget = newest + (whole.tokens * dice.randrange(1, 10)) // 10
        yield (
            budget,
            ctxlab.build(chat, tokenizer="by-kind", budget_tokens=budget, settings={"token-limiter.estimate": "safe"}),
        )


def test_what_a_safe_cut_keeps_is_within_its_budget_but_for_the_stated_error() -> None:
    over = dict.fromkeys(counts(), 0)
    all_cuts = [*cuts()]
    for budget, trace in all_cuts:
        counter = trace.services.tokenizer
        beside = counter.request_tokens + counter.message_tokens * len(trace.result.drafts)
        for name, count in counts().items():
            true = beside + sum(count(str(draft.text)) for draft in trace.result.drafts)
            assert true <= budget * (1 + WORST), name
            over[name] += true > budget

    assert any(trace.result.dropped for _, trace in all_cuts)
    assert {name for name, n in over.items() if n > RARE * len(all_cuts)} == set()


def test_nine_in_ten_counts_of_a_text_are_in_its_range() -> None:
    inside = dict.fromkeys(counts(), 0)
    for text in texts():
        found = tokens_by_vocabulary(text)
        low, high = min(found.values()) * (1 - MARGIN), max(found.values()) * (1 + MARGIN)
        for name, count in counts().items():
            inside[name] += low <= count(text) <= high

    assert {name for name, n in inside.items() if n < 0.9 * len(texts())} == set()


@given(text=st.text(max_size=60), more=st.text(max_size=20))
def test_a_range_holds_every_vocabulary_and_is_never_upside_down(text: str, more: str) -> None:
    trace = ctxlab.build(
        [{"role": "user", "content": f"x{text}"}, {"role": "user", "content": f"y{more}"}], tokenizer="by-kind"
    )
    found = trace.token_range

    assert found is not None
    assert 0 < found.low <= found.high
    assert trace.request_tokens <= found.low

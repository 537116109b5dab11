"""What would keep all cut messages is found in one search: four times the messages cost about four times the work."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxlab.context import BuildInput, Context, Draft, Origin, Text
from ctxlab.documents import Session
from ctxlab.engines.truncation import by_rank, registry
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.pipeline.remedies import remedies
from ctxlab.processors import TokenLimiter, cut_to_budget
from ctxlab.processors.example_blocks import __file__ as example_blocks
from ctxlab.testing.fakes import WordTokenizer

FILES = {*map(str, Path(registry.__file__).parent.glob("*.py")), cut_to_budget.__file__, example_blocks}
MOST_TIMES = 5
WORDS = ["a", "key", "of", "the", "old", "lighthouse", "by", "the", "sea"]
NEEDS_AN_EMBEDDER = ("embeddings", "hybrid")
WAYS: dict[str, dict[str, Any]] = {
    **{name: {"strategy": name} for name in registry.strategies().by_name if name not in NEEDS_AN_EMBEDDER},
    "heads at the border": {"strategy": "sliding", "retained_characters": 20},
    "heads of each": {"strategy": "sliding", "retained_characters": 20, "retain": "each"},
    "a large head": {"strategy": "head-and-tail", "head_share": 0.9},
    "no head": {"strategy": "head-and-tail", "head_share": 0.0},
    "blocks of nine tenths": {"strategy": "block", "block_share": 0.9},
    "few of the newest": {"strategy": "recent-and-relevant", "recent_share": 0.05},
    "no pins": {"strategy": "adaptive", "pins_share": 0.0},
    "many pins": {"strategy": "adaptive", "pins_share": 0.6},
    "none of the newest": {"strategy": "recent-and-relevant", "recent_share": 0.0},
}


class Counting(WordTokenizer):
    """Counts how often it counts."""

    counted: int = 0

    def count_draft(self, draft: Draft) -> int:
        Counting.counted += 1
        return super().count_draft(draft)


LITTLE = 400
"""Tokens for a dozen messages, and the request."""


def cut(messages: int, way: dict[str, Any], room: str) -> tuple[Trace, list[str]]:
    """A run with a third of the room that it needs, or with little room, and what was cut."""
    dice = random.Random(messages)
    words = [*WORDS, "Never lie."] if way["strategy"] == "adaptive" else WORDS  # of which it makes pins
    drafts = [
        Draft(
            f"node:n{i}",
            ("user", "assistant")[i % 2],
            (Text.of(" ".join(dice.choices(words, k=dice.randint(3, 60))), Origin("node", f"n{i}")),),
            Origin("node", f"n{i}"),
            priority=dice.choice([0, 0, 0, 1]),
        )
        for i in range(messages)
    ]
    tokenizer = Counting()
    budget = sum(map(tokenizer.count_draft, drafts)) // 3 if room == "a third" else LITTLE
    limiter = TokenLimiter(TokenLimiter.Settings(budget_tokens=budget, **way))
    trace = Pipeline.of([limiter]).run(
        Context(BuildInput(Session(id="s")), tuple(drafts)), Services(tokenizer=tokenizer)
    )
    return trace, [draft.key for group in trace.result.dropped for draft in group.drafts]


def lines_run(work: Callable[[], object]) -> int:
    """Lines of the limiter and of strategies that run."""
    lines = 0

    def count(frame: Any, event: str, _: Any) -> Any:
        nonlocal lines
        if frame.f_code.co_filename not in FILES:
            return None
        lines += event == "line"
        return count

    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(None)
    return lines


@pytest.mark.parametrize("room", ["a third", "little"])
@pytest.mark.parametrize("name", WAYS)
def test_remedies_of_all_cut_messages_cost_as_much_more_as_there_are_more(
    name: str, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rankings: list[str] = []
    best_first = by_rank.best_first

    def counted(window: Any, ranker: str) -> Any:
        rankings.append(ranker)
        return best_first(window, ranker)

    for module in [module for module in map(sys.modules.get, _modules()) if hasattr(module, "best_first")]:
        monkeypatch.setattr(module, "best_first", counted)
    work: list[tuple[int, int]] = []
    for messages in (150, 600):
        trace, gone = cut(messages, WAYS[name], room)
        rankings.clear()
        before = Counting.counted
        lines = lines_run(lambda trace=trace, gone=gone: remedies(trace, gone))
        work.append((lines, Counting.counted - before))
        assert len(gone) > messages // 3
        assert len(rankings) <= 1

    (few_lines, few_counted), (lines, tokens_counted) = work
    assert lines <= MOST_TIMES * few_lines
    assert tokens_counted <= MOST_TIMES * few_counted


def _modules() -> list[str]:
    return [f"ctxlab.engines.truncation.{Path(file).stem}" for file in sorted(FILES)]

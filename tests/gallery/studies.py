"""A study to look at: its cases can be built, its scores are made up, so that nothing is run for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import ctxlab
from ctxlab import Case, StudyResult, Variant
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.studies.scorers import EVIDENCE, PREFIX, PREFIX_COST
from ctxlab.studies.study import StudyPlan
from ctxlab.studies.study.cell_table import CellTable
from ctxlab.studies.study.frame_facts import FrameFacts

HARBOUR = Path(__file__).parents[2] / "datasets" / "harbour_roleplay.session.json"
BUDGETS = (1024, 2048)
KINDS = ("single hop", "multi hop", "when")
STRATEGY = "token-limiter.strategy"
MADE_UP = {
    "sliding": (0.15, 0.31, "sliding"),
    "head-and-tail": (0.17, 0.38, "head-and-tail"),
    "middle-out": (0.16, 0.35, "middle-out"),
    "block": (0.13, 0.84, "block"),
    "lexical": (0.67, 0.12, "bm25"),
    "embeddings": (0.63, 0.11, "bm25"),
    "lexical, frozen 8 turns": (0.61, 0.71, "bm25"),
    "relevant and recent": (0.73, 0.14, "recent-and-relevant"),
    "summary and relevant": (0.755, 0.22, "summary-and-relevant"),
}
"""By variant the share of evidence, the prefix that is reused, and the strategy that builds it here."""


def made_up_result(conversations: int = 10, cases: int = 12, variants: Any = MADE_UP, words: str = "") -> StudyResult:
    """A result of real cases with drawn scores: cases of one conversation resemble one another. `words` end names."""
    plan = StudyPlan(
        build=ctxlab.build,
        variants=tuple([Variant(name, {STRATEGY: strategy}) for name, (_, _, strategy) in variants.items()]),
        budgets=BUDGETS,
        scorers=(EVIDENCE, PREFIX, PREFIX_COST),
        tokenizer=tokenizer_named("o200k_base"),
    )
    session = ctxlab.load(HARBOUR)
    asked = [
        Case(
            f"talk {talk + 1}, q{i + 1}{words}",
            f"talk {talk + 1}{words}",
            session,
            question="What is lever 7 for?",
            kind=KINDS[i % 3],
        )
        for talk in range(conversations)
        for i in range(cases + talk)
    ]
    dice = Random(7)
    rows: list[dict[str, Any]] = []
    hard = {case.conversation: dice.gauss(0, 0.04) for case in asked}
    for case in asked:
        luck = dice.random()
        rows += [
            _row(case, name, budget, luck - hard[case.conversation], variants[name], dice.random())
            for name in variants
            for budget in BUDGETS
        ]
    return StudyResult(
        plan,
        CellTable.of_rows(rows, FrameFacts(plan.columns)),
        asked,
        len(asked),
        (),
        {"questions without an answer": 446},
    )


def _row(
    case: Case, name: str, budget: int, luck: float, made: tuple[float, float, str], other: float
) -> dict[str, Any]:
    share, prefix, _ = made
    kept = float(0.7 * luck + 0.3 * other < share * (1 if budget == 2048 else 0.7))
    tokens = int(budget * (0.98 - (0.15 if name == "block" else 0) + 0.01 * other))
    price = tokens / 1e6 * ((1 - prefix) * 2 + prefix * 0.5)
    scores = {
        "all_evidence": kept,
        "share_of_evidence": (kept + share) / 2,
        "prefix_share": prefix,
        "input_usd": price,
        "uncached_tokens": tokens * (1 - prefix),
    }
    return {
        "cell_key": f"{case.id} {name} {budget}",
        "case": case.id,
        "conversation": case.conversation,
        "kind": case.kind,
        "variant": name,
        "budget": budget,
        "seed": 0,
        "labels": {},
        "tokens": tokens,
        "messages": 20,
        "cut_messages": 100,
        "settings": "",
        "error": None,
        "scores": scores,
    }


@cache
def result() -> StudyResult:
    return made_up_result()

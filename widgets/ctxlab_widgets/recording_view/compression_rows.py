"""Rows of what a recorded compression kept: facts of what went, those that were lost first."""

from __future__ import annotations

from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.recordings.compressions import RecordedCompression

MOST_FACTS = 200
STATES = ("lost", "weakened", "kept")
LONGEST = 400


def compression_json(found: RecordedCompression) -> dict[str, Any]:
    """The report of a compression: what went, the summary, each fact, and what happened to lost rules afterwards."""
    facts = [] if found.no_report else sorted(found.report.facts, key=_order)
    afterwards = [*_breaches(found), *_repeats(found)] if not found.no_report else []
    return {
        "id": found.id,
        "told": found.sentence,
        "because": found.because,
        "summary": found.summary[:20_000],
        "facts": [_fact(each) for each in facts[:MOST_FACTS]],
        "more": max(0, len(facts) - MOST_FACTS),
        "afterwards": afterwards,
        "ceiling": "Words that survive are a ceiling: nobody knows what a model understood of them.",
    }


def _order(fact: Any) -> tuple[int, bool]:
    return (STATES.index(fact.state) if fact.state in STATES else len(STATES), fact.kind != "rule")


def _fact(fact: Any) -> list[str]:
    return [fact.state, fact.kind, fact.text[:LONGEST]]


def _breaches(found: RecordedCompression) -> list[list[str]]:
    return [[each.rule.text[:LONGEST], f"broken: {plain(each.evidence, 120)}"] for each in found.breaches]


def _repeats(found: RecordedCompression) -> list[list[str]]:
    return [[each.rule.text[:LONGEST], f"said again: {plain(each.text, 120)}"] for each in found.repeats]

"""Rows of what a recorded compression kept: sentences of what went first, lost ones first, with the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.engines.compression import CheckedFact
from ctxlab.recordings.compressions import RecordedCompression
from ctxlab.secrets import masked_in_place

MOST_FACTS = 600
STATES = ("lost", "weakened", "kept")
GRAVE = ("must-keep", "rule", "decision", "task", "error")
"""Kinds of facts that are listed at once; those of the others are folded."""
LONGEST = 400


def compression_json(found: RecordedCompression, *, most: int = MOST_FACTS) -> dict[str, Any]:
    """The report of a compression: what went, the summary, each fact, and what happened to lost rules afterwards.

    Of more than `most` facts the others are counted.
    """
    there = not found.no_report
    facts = sorted(found.report.facts, key=_order) if there else []
    spared = {rule.text: why for rule, why in found.spared_rules} if there else {}
    shown = facts[: min(most, MOST_FACTS)]
    return {
        "id": found.id,
        "told": f"{plain(agent, 40)}: {found.sentence}" if (agent := found.request.agent) else found.sentence,
        "because": found.because,
        "summary": masked_in_place(found.summary)[:20_000],
        "counts": [[kind, *states.values()] for kind, states in found.report.counts().items()] if there else [],
        "facts": [_fact(each, spared) for each in shown],
        "grave": sum(each.kind in GRAVE for each in shown),
        "more": len(facts) - len(shown),
        "afterwards": [*_breaches(found), *_repeats(found)] if there else [],
        "ceiling": "Words that survive are a ceiling: nobody knows what a model understood of them.",
    }


def _order(fact: CheckedFact) -> tuple[bool, int, bool]:
    """The graver kinds before the others, of each the lost ones first, and rules first of those."""
    return (fact.kind not in GRAVE, STATES.index(fact.state), fact.kind != "rule")


def _fact(fact: CheckedFact, spared: Mapping[str, str]) -> list[str]:
    """State, kind, words, and what the summary has of them all the same; of a lost rule also why it isn't missing."""
    why = spared.get(fact.text, "") if fact.kind == "rule" and fact.state == "lost" else ""
    reason = "; ".join(filter(None, [fact.reason, f"not missing: {why}" if why else ""]))
    return [fact.state, fact.kind, masked_in_place(fact.text)[:LONGEST], plain(reason, LONGEST)]


def _breaches(found: RecordedCompression) -> list[list[str]]:
    return [
        [masked_in_place(each.rule.text)[:LONGEST], f"broken: {plain(each.evidence, 120)}"] for each in found.breaches
    ]


def _repeats(found: RecordedCompression) -> list[list[str]]:
    return [
        [masked_in_place(each.rule.text)[:LONGEST], f"said again: {plain(each.text, 120)}"] for each in found.repeats
    ]

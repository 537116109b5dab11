"""The report of a compression as rows: each fact with the words around it on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.chat.compression import Compression
from ctxlab.display.short_texts import counted
from ctxlab.engines.compression import CheckedFact
from ctxlab.engines.compression.compression_report import CEILING
from ctxlab.engines.compression.sentences import sentences
from ctxlab.secrets import masked_in_place

MOST_FACTS = 2000
"""Facts that are listed, the worst first."""
AROUND = 60
"""Characters that are shown on both sides of a fact."""
SEAM = 40
"""Characters at the end of the summary that may share a token with what is put back."""
LONGEST = 400
STATEMENTS = ("must-keep", "rule", "decision", "task", "error", "quote")
"""Kinds of facts that are sentences by themselves."""


def facts_shown(compression: Compression) -> tuple[CheckedFact, ...]:
    """The facts of the report that are listed, in its order."""
    return compression.report().facts[:MOST_FACTS] if compression.summary else ()


def report_json(compression: Compression) -> dict[str, Any]:
    """The facts with their places as `[before, words, after]`, the counts, and what the report can't say."""
    report = compression.report()
    texts = {each.id: each.text for each in report.originals}
    count = compression.before.services.tokenizer.count
    end = report.summary[-SEAM:]
    without = count(end)
    totals = report.totals()
    kept = f"{totals['kept']:,} of {counted(len(report.facts), 'fact')} kept"
    return {
        "sentence": f"{kept}, {totals['weakened']:,} weakened, {totals['lost']:,} lost.",
        "ceiling": CEILING,
        "totals": totals,
        "kinds": {kind: sum(by_state.values()) for kind, by_state in report.counts().items()},
        "unlisted": max(0, len(report.facts) - MOST_FACTS),
        "facts": [
            {
                "state": fact.state,
                "kind": fact.kind,
                "source": fact.source or "",
                "mentions": fact.mentions,
                "was": _around(texts.get(fact.source or "", ""), fact.start, fact.end)
                or ["", masked_in_place(fact.text)[:LONGEST], ""],
                "now": _around(report.summary, fact.summary_start, fact.summary_end),
                "reason": fact.reason,
                "price": None if fact.state == "kept" else count(f"{end}\n{_said_again(fact, texts)}") - without,
            }
            for fact in facts_shown(compression)
        ],
    }


def words_to_put_back(compression: Compression, fact: CheckedFact) -> str:
    """The words that say a fact again: itself where it is a sentence, else the sentence that it stands in."""
    return _said_again(fact, {each.id: each.text for each in compression.report().originals})


def _said_again(fact: CheckedFact, texts: Mapping[str, str]) -> str:
    text = texts.get(fact.source or "", "")
    if fact.kind in STATEMENTS or fact.start is None or fact.end is None:
        return fact.text
    for start, end in sentences(text):
        if start <= fact.start < end:
            return text[start : max(end, fact.end)]
    return fact.text


def _around(text: str, start: int | None, end: int | None) -> list[str] | None:
    """The words at a place with some before and after them; None where there is no place."""
    if start is None or end is None or not text:
        return None
    text = masked_in_place(text)
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    words = text[start:end]
    words = words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
    left, right = "…" if start > AROUND else "", "…" if end + AROUND < len(text) else ""
    return [left + before, words, after + right]

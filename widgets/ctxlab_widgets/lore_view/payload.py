"""A scan as the page gets it: a row an entry in the order of interest, the sentence above them, an opened row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab import Trace
from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook import Decision, LoreScan
from ctxlab_widgets.lore_view import explanations
from ctxlab_widgets.lore_view.excerpts import ScannedTexts

MOST_NAMED = 3
MOST_COUNTED = 1_000
"""Entries up to which those that didn't fire are counted too."""
Row = dict[str, Any]


def rows_of(texts: ScannedTexts, before: LoreScan | None, order: Sequence[str]) -> list[Row]:
    """A row an entry. Without an order: what was seen and did not fire, what fired, the rest blocked, what wasn't hit.

    `before` is the scan before a change on trial; with another entry than `order` has, the order is made anew.
    """
    scan = texts.scan
    fired_before = None if before is None else {one.key for one in before.fired}
    rows = {one.key: _row(one, texts, fired_before) for one in scan.fired_first()}
    if len(rows) <= MOST_COUNTED:
        for one in scan.decisions:
            if not one.fired:
                rows[one.key]["own_tokens"] = scan.scan_input.tokens_of(one.lore)
    if rows.keys() == set(order):
        return [rows[key] for key in order]
    return sorted(rows.values(), key=_interest)


def _interest(row: Row) -> int:
    if row["kind"] == "blocked":
        return 0 if "pieces" in row else 2
    return 1 if row["kind"] == "fired" else 3


def _row(decision: Decision, texts: ScannedTexts, fired_before: set[str] | None) -> Row:
    scan, lore = texts.scan, decision.lore
    row: Row = {
        "key": decision.key,
        "uid": str(lore.entry.uid),
        "title": decision.title,
        "book": lore.book.shown_name,
        "keys": explanations.keys_of(lore),
        "kind": explanations.kind_of(decision),
        "why": explanations.cause(decision, scan),
        **_where(decision, texts),
    }
    if decision.fired:
        row["tokens"] = decision.tokens or 0
    elif label := explanations.change_label(decision):
        row |= {"change": label, "nearest": explanations.nearest(decision, scan)}
        row["aside"] = explanations.aside(decision, scan)
    if fired_before is not None and decision.fired != (decision.key in fired_before):
        row["turned"] = "new" if decision.fired else "no longer"
    return row


def _where(decision: Decision, texts: ScannedTexts) -> Row:
    """The place where its key was found, or the texts that were searched in vain."""
    match = texts.first_match(decision)
    if match is None:
        return {"scanned": _scanned_summary(decision, texts)}
    text, spot = match
    where = text.key.replace("-", " ")
    if text.number is not None:
        where = f"message {text.number:,}"
    elif text.key.startswith("lore:"):
        where = texts.scan[text.key].title
    pieces = texts.excerpt(decision, text, spot)
    return {"where": where, "in_lore": text.key.startswith("lore:"), "pieces": pieces}


def _scanned_summary(decision: Decision, texts: ScannedTexts) -> str:
    if decision.lore.is_certain:
        return "it needs no key"
    if not decision.lore.primary:
        return "it has no keys"
    messages, characters = texts.characters(decision.lore.depth)
    return f"scanned {counted(messages, 'message')}, {counted(characters, 'character')}"


def counts_of(scan: LoreScan) -> Mapping[str, int]:
    """The number of entries of each kind, and of all."""
    counts: dict[str, int] = dict.fromkeys(("all", *explanations.KINDS), 0)
    for decision in scan.decisions:
        counts["all"] += 1
        counts[explanations.kind_of(decision)] += 1
    return counts


def answer_of(scan: LoreScan, rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    """The sentence above the rows in parts: words, and where they lead: to a `kind` of rows, or to an entry's `key`."""
    if not rows:
        return [("The books have no entries", "", "")]
    fired = sum(row["kind"] == "fired" for row in rows)
    blocked = [row for row in rows if row["kind"] == "blocked"]
    parts = [
        (f"{fired:,} of {counted(len(rows), 'entry', 'entries')} fired", "kind", "fired"),
        (f", {_spent(scan)}", "", ""),
    ]
    if not blocked:
        return parts
    seen = "seen and " if all("pieces" in row for row in blocked) else ""
    parts += [
        ("; ", "", ""),
        (f"{len(blocked):,} {'was' if len(blocked) == 1 else 'were'} {seen}blocked", "kind", "blocked"),
    ]
    for i, row in enumerate(blocked[:MOST_NAMED]):
        parts += [(", " if i else ": ", "", ""), (row["title"], "key", row["key"])]
    more = len(blocked) - MOST_NAMED
    return [*parts, (f" and {more:,} more", "", "")] if more > 0 else parts


def _spent(scan: LoreScan) -> str:
    budget = scan.scan_input.rules.budget_tokens
    if budget is None:
        return counted(scan.spent_tokens, "token")
    return f"{scan.spent_tokens:,} of {counted(budget, 'token')}"


def detail_of(decision: Decision, texts: ScannedTexts) -> Row:
    """All that an opened row shows."""
    scan = texts.scan
    marked = texts.marked(decision)
    return {
        "texts": [{"where": _name(text.key, text.number), "pieces": pieces} for text, pieces in marked],
        "content": decision.lore.entry.content,
        "goes": explanations.placement(decision.lore),
        "gates": list(explanations.gates(decision, scan)),
        "change": explanations.nearest(decision, scan) if decision.nearest else "",
        "label": explanations.change_label(decision),
        "fired": decision.fired,
    }


def _name(key: str, number: int | None) -> str:
    return key if number is None else f"message {number:,}"


def why_empty(trace: Trace | None) -> str:
    """Why a run has no decisions to show."""
    if trace is not None and not trace.start.input.books:
        return "No book is in force in this run: ctxlab.build(session, books=[book]) has one."
    return "This run hasn't decided on its lore: the step worldbook-processor is off, failed or still to come."

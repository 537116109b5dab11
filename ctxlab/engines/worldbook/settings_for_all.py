"""Settings of a scan, for all entries alike, that make a blocked entry fire: found by scanning again with each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ctxlab.engines.worldbook.decision import Decision
from ctxlab.engines.worldbook.key_matches import KeyMatches
from ctxlab.engines.worldbook.prepared_entry import EntryPreparer
from ctxlab.engines.worldbook.scan import LoreScan, scan
from ctxlab.engines.worldbook.scan_input import ScanInput, ScanSettings

MOST_DEPTHS = 40
"""Scan depths that are tried; where more would bring a key into sight, the deepest of them is tried for the rest."""


def depths_with_more_keys(scan_input: ScanInput) -> list[int]:
    """Scan depths beyond the scan's own at which one more key comes into sight, ascending; between them none does."""
    maker = EntryPreparer(scan_input)
    lores = maker.all()
    seen = KeyMatches.over(scan_input, lores, maker.search).chat
    return sorted({hit.text + 1 for hit in seen.values() if hit.text >= scan_input.rules.scan_depth})


def least_depth(found: LoreScan, decision: Decision) -> int | None:
    """The least scan depth for all entries at which this one fires, others with it or in their place.

    None where there is none up to the depth that its nearest change needs for it alone.
    """
    alone = decision.nearest.entry.get("scanDepth", len(found.scan_input.chat.messages))
    depths = [depth for depth in depths_with_more_keys(found.scan_input) if depth <= alone]
    tried = depths if len(depths) <= MOST_DEPTHS else [*depths[: MOST_DEPTHS - 1], depths[-1]]
    rules = found.scan_input.rules
    at = first_with(found.scan_input, decision, (replace(rules, scan_depth=depth) for depth in tried))
    return None if at is None else at.scan_depth


def first_with(scan_input: ScanInput, decision: Decision, tried: Iterable[ScanSettings]) -> ScanSettings | None:
    """The first of these settings with which the entry fires; None where it does with none."""
    return next((rules for rules in tried if scan(replace(scan_input, rules=rules))[decision.key].fired), None)

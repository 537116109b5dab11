"""Findings as the page lists them, and the text at a place of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import plain
from ctxlab.recordings.recording import Recording
from ctxlab.secrets import masked_in_place
from ctxlab_widgets.recording_view.marks import dollars

if TYPE_CHECKING:
    from ctxlab.recordings.findings.finding import Finding, FindingPlace

MOST_FINDINGS = 200
MOST_PLACES = 8
"""Places of a finding that can be gone to."""
AROUND = 300
"""Characters around a place that are shown with it."""
MARKED = 2_000


def findings_json(found: Iterable[Finding], recording: Recording) -> dict[str, Any]:
    """The findings with their places; more than the page lists are counted."""
    all_found = [*found]
    numbers = {request.id: request.number for request in recording.requests}
    first_sent = {node: sent.first for sent in _sent(recording) for node in sent.nodes}
    rows = [_finding(number, each, numbers, first_sent) for number, each in enumerate(all_found[:MOST_FINDINGS])]
    levels = [each.level for each in all_found]
    counts = {level: levels.count(level) for level in ("error", "warning", "note") if level in levels}
    return {"rows": rows, "more": len(all_found) - len(rows), "levels": counts}


def place_json(recording: Recording, place: FindingPlace) -> dict[str, Any] | None:
    """The words at a place with some around them; None where it names no message."""
    node = recording.session.nodes.get(place.node)
    if node is None:
        return None
    text = masked_in_place(node.content)
    start = min(max(place.start or 0, 0), len(text))
    end = len(text) if place.end is None else min(max(place.end, start), len(text))
    begin, stop = max(0, start - AROUND), min(end, start + MARKED)
    whole = place.start is None
    before = "" if whole else ("\u2026" if begin else "") + text[begin:start]
    behind = "" if whole else text[stop : stop + AROUND] + ("\u2026" if stop + AROUND < len(text) else "")
    marked = text[start:stop] + ("\u2026" if stop < end else "")
    return {"node": place.node, "role": node.role, "name": plain(place.name, 80), "text": [before, marked, behind]}


def request_of(recording: Recording, place: FindingPlace) -> str:
    """The id of the request to show for a place: its own, else the first that sent its message; "" for none."""
    if place.request:
        return place.request
    first = next((sent.first for sent in _sent(recording) if place.node in sent.nodes), 0)
    return recording.requests[first - 1].id if 0 < first <= len(recording.requests) else ""


def _sent(recording: Recording) -> Iterable[Any]:
    return recording.requests[0].tree.sent.values() if recording.requests else ()


def _finding(
    number: int, finding: Finding, numbers: Mapping[str, int], first_sent: Mapping[str, int]
) -> dict[str, Any]:
    """One row: what it says and costs, and its places with the numbers of their requests (0 where there is none)."""
    places = [
        [numbers.get(place.request, 0) or first_sent.get(place.node, 0), plain(place.name, 40)]
        for place in finding.places
    ]
    return {
        "number": number,
        "rule": finding.rule,
        "level": finding.level,
        "title": plain(finding.title, 80),
        "text": finding.text,
        "remedy": finding.remedy,
        "tokens": finding.tokens,
        "usd": dollars(finding.usd),
        "places": places[:MOST_PLACES],
        "more": max(0, len(places) - MOST_PLACES),
    }

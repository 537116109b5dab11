"""A few words around what was changed, to be read in a table."""

from __future__ import annotations

from ctxlab.engines.regexes.apply import RuleHit

AROUND = 24
LONGEST = 60


def excerpt(hit: RuleHit) -> tuple[str, str]:
    """The place of a hit's first change, as it was and as it is."""
    start, end, new = hit.changes[0]
    text = str(hit.before)
    head = ("…" if start > AROUND else "") + text[max(0, start - AROUND) : start]
    tail = text[end : end + AROUND] + ("…" if end + AROUND < len(text) else "")
    return head + _short(text[start:end]) + tail, head + _short(new) + tail


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"

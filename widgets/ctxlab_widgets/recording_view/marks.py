"""Marks on the requests: where the cached prefix broke and why, compressions, and the words at each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted

if TYPE_CHECKING:
    from ctxlab.recordings.compressions import RecordedCompression
    from ctxlab.recordings.prefix import RequestPrefix

BREAKS: Final = frozenset({"cut", "expired", "other model"})
"""States of a request whose prefix could have been read from the cache and wasn't."""
CAUSES: Final[Mapping[str, str]] = {
    "tools": "tools changed",
    "system": "system changed",
    "reminder": "reminder changed",
    "preset": "preset moved",
    "lore": "lore moved",
    "summary": "compression",
    "edited": "message edited",
    "reordered": "order changed",
    "left out": "message left out",
    "parameters": "parameters changed",
    "model": "other model",
}
"""Causes of a break, in two words."""
STATES: Final[Mapping[str, str]] = {"expired": "time ran out", "other model": "other model", "cut": "prefix cut"}


def breaks_json(prefixes: Iterable[RequestPrefix], at: Mapping[str, int]) -> list[list[Any]]:
    """Breaks as [place, words, sentence, dollars, "err" | "warn" | "note"] in order.

    A note is a prefix that goes on and still wasn't read, as its vendor reports.
    """
    return [
        [at[each.request.id], words_of(each), sentence_of(each), dollars(usd_of(each)), _level(each)]
        for each in prefixes
        if (is_break(each) or is_missed(each)) and each.request.id in at
    ]


def is_break(prefix: RequestPrefix) -> bool:
    """Whether a prefix broke: by what was sent, or where the log doesn't have that by what the vendor reports."""
    return prefix.state in BREAKS or (prefix.state == "unknown" and prefix.reported.state in BREAKS)


def is_missed(prefix: RequestPrefix) -> bool:
    """Whether a request goes on from the one before, and the vendor reports that it was not read all the same."""
    return prefix.state == "whole" and bool(prefix.unexplained_tokens)


def tokens_of(prefix: RequestPrefix) -> int:
    """Tokens that a request read anew though they stood in the one before, explained or not, if known."""
    return (prefix.lost_tokens or 0) + prefix.unexplained_tokens


def usd_of(prefix: RequestPrefix) -> float | None:
    """The price of those tokens; None where there are none, or no price is known."""
    counts = ((prefix.lost_tokens, prefix.cost_usd), (prefix.unexplained_tokens, prefix.unexplained_usd))
    prices = [usd for tokens, usd in counts if tokens]
    return None if not prices or any(usd is None for usd in prices) else sum(usd or 0.0 for usd in prices)


def words_of(prefix: RequestPrefix) -> str:
    """The cause of a break, in two or three words."""
    if is_missed(prefix):
        return "not read, as reported"
    if prefix.state == "unknown":
        return f"{STATES[prefix.reported.state]}, as reported"
    if prefix.state != "cut":
        return STATES[prefix.state]
    return CAUSES.get(prefix.cause.kind, STATES["cut"]) if prefix.cause is not None else STATES["cut"]


def sentence_of(prefix: RequestPrefix) -> str:
    """The cause of a break as a sentence; empty where nothing is known."""
    return "" if prefix.state in ("short", "unknown") else prefix.sentence


def compressions_json(
    found: Sequence[RecordedCompression], at: Mapping[str, int], *, checked: bool
) -> list[dict[str, Any]]:
    """Compressions at the first request after each: what it made smaller, by whom, and how many rules it lost.

    Rules are looked for only where that was asked; else `lost` is 0.
    """
    return [
        {
            "at": at[each.request.id],
            "id": each.id,
            "title": _smaller(each),
            "about": _about(each),
            "lost": len(each.lost_rules) if checked and not each.no_report else 0,
        }
        for each in found
        if each.request.id in at
    ]


def _smaller(found: RecordedCompression) -> str:
    before, after = found.before_tokens, found.after_tokens
    if before is None or after is None:
        return "compression"
    sign = "\u2212" if after <= before else "+"
    return f"compression {sign}{abs(before - after):,}"


def _about(found: RecordedCompression) -> str:
    said = found.trigger or ("said by the log" if found.is_said else "inferred")
    return f"{counted(found.messages, 'message')} went; {plain(said, 40)}"


def dollars(usd: float | None) -> str:
    """An amount in words with as many digits as matter; empty where no price is known."""
    if usd is None:
        return ""
    if usd and abs(usd) < 0.01:
        return f"US$ {usd:.4f}" if abs(usd) >= 0.0001 else "< US$ 0.0001"
    return f"US$ {usd:,.2f}"


def _level(prefix: RequestPrefix) -> str:
    if is_missed(prefix):
        return "note"
    return "warn" if "expired" in (prefix.state, prefix.reported.state) else "err"

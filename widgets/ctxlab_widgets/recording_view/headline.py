"""The sentence of a recording: its requests, breaks of the prefix and their price, what compressions lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.display.short_texts import counted
from ctxlab_widgets.recording_view.marks import dollars, is_break

if TYPE_CHECKING:
    from ctxlab.recordings.compressions import RecordedCompression
    from ctxlab.recordings.prefix import RequestPrefix
    from ctxlab.recordings.recorded_request import RecordedRequest
    from ctxlab.recordings.recording import Recording


def headline(
    requests: Sequence[RecordedRequest],
    prefixes: Sequence[RequestPrefix],
    compressions: Sequence[RecordedCompression],
    of: int,
    *,
    checked: bool,
) -> str:
    """One sentence on the requests of an agent; `of` is the number of all requests of the recording.

    Facts and rules that compressions lost are told where they were looked for.
    """
    asked = counted(len(requests), "request") if len(requests) == of else f"{len(requests):,} of {of:,} requests"
    ends = [_breaks(prefixes), _compressions(compressions, checked=checked)]
    return f"{asked}; {', and '.join(filter(None, ends))}."


def _breaks(prefixes: Sequence[RequestPrefix]) -> str:
    broken = [each for each in prefixes if is_break(each)]
    missed = _unexplained([each for each in prefixes if each.unexplained_tokens])
    if not broken:
        states = {each.state for each in prefixes}
        known = bool(states - {"first", "unknown"})
        if len(prefixes) < 2:
            return "there is no prefix to break"
        if "short" in states and "whole" not in states:
            return "no prefix is as long as the vendor caches"
        never = "the prefix never broke for a cause that the log tells" if missed else "the prefix never broke"
        return f"{never}{missed}" if known else "how their prefixes go on isn't known"
    tokens = sum(each.lost_tokens or 0 for each in broken)
    told = f": {_anew(tokens, [each.cost_usd for each in broken if each.lost_tokens])}" if tokens else ""
    unknown = sum(each.lost_tokens is None for each in broken)
    of = (
        f"of {counted(unknown, 'break')} it isn't known how much{'' if tokens else ' was read anew'}" if unknown else ""
    )
    return f"the prefix broke {_times(len(broken))}{told}{f'; {of}' if of else ''}{missed}"


def _unexplained(found: Sequence[RequestPrefix]) -> str:
    """A clause on what the vendor reports and the log doesn't explain; "" where there is nothing of it."""
    if not found:
        return ""
    tokens = sum(each.unexplained_tokens for each in found)
    anew = _anew(tokens, [each.unexplained_usd for each in found])
    return f"; in {counted(len(found), 'request')} the vendor reports more, which the log doesn't explain: {anew}"


def _anew(tokens: int, prices: Sequence[float | None]) -> str:
    said = f"{counted(tokens, 'token')} {'was' if tokens == 1 else 'were'} read anew"
    if any(price is None for price in prices):
        return said
    return f"{said}, {dollars(sum(price or 0.0 for price in prices))} at list prices"


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count:,} times"


def _compressions(compressions: Sequence[RecordedCompression], *, checked: bool) -> str:
    if not compressions:
        return ""
    if not checked or all(each.no_report for each in compressions):
        return f"there {'was' if len(compressions) == 1 else 'were'} {counted(len(compressions), 'compression')}"
    read = [each for each in compressions if not each.no_report]
    word = counted(len(compressions), "compression")
    which = word if len(read) == len(compressions) else f"{len(read):,} of {word}"
    lost = sum(len(each.report.lost) for each in read)
    facts = sum(len(each.report.facts) for each in read)
    return f"{which} lost {lost:,} of {counted(facts, 'fact')}{_rules(read) if lost else ''}"


def _rules(read: Sequence[RecordedCompression]) -> str:
    """A clause on the rules among lost facts: those that are missing afterwards, else that none is."""
    missing = sum(len(each.lost_rules) for each in read)
    if missing:
        return f", {counted(missing, 'rule')} among them"
    spared = sum(len(each.spared_rules) for each in read)
    return ", no rule among them that is missing" if spared else ", no rule among them that is known"


def price_of(recording: Recording) -> str:
    """The price of all requests whose price is known, in words; empty where there is none."""
    prices = [usd for request in recording.requests if (usd := request.usd) is not None]
    if not prices:
        return ""
    of = f"{len(prices):,} of {len(recording):,}" if len(prices) < len(recording) else f"all {len(recording):,}"
    which = f" for {of} requests" if len(prices) < len(recording) or len(recording.agents) > 1 else ""
    return f"{dollars(sum(prices))} at list prices{which}"

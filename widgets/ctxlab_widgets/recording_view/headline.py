"""The sentence of a recording: its requests, breaks of the prefix and their price, compressions that lost rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.display.short_texts import counted
from ctxlab_widgets.recording_view.marks import dollars, is_break

if TYPE_CHECKING:
    from ctxlab.recordings.compressions import RecordedCompression
    from ctxlab.recordings.prefix import RequestPrefix
    from ctxlab.recordings.recorded_request import RecordedRequest


def headline(
    requests: Sequence[RecordedRequest],
    prefixes: Sequence[RequestPrefix],
    compressions: Sequence[RecordedCompression],
    of: int,
    *,
    checked: bool,
) -> str:
    """One sentence on the requests of an agent; `of` is the number of all requests of the recording.

    Rules that compressions lost are told where they were looked for.
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
    return f"the prefix broke {_times(len(broken))}{told}{missed}"


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
    lost = sum(1 for each in compressions if not each.no_report and each.lost_rules)
    word = counted(len(compressions), "compression")
    if not lost:
        return f"{word} lost no rule that is known"
    if lost == len(compressions):
        return f"{word} lost rules"
    return f"{lost:,} of {word} lost rules"

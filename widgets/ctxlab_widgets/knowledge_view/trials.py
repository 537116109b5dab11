"""Changes on trial: the run with another minimum, limit or engine, and which pieces come and go with it, in words."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab import Trace
from ctxlab.display.short_texts import first_of
from ctxlab_widgets.knowledge_view.payload import report_of
from ctxlab_widgets.knowledge_view.rows import key_of, shown_title

MOST_NAMED = 4
Sent = dict[tuple[int, str], str]


def sent_in(trace: Trace) -> Sent:
    """Titles of what is sent, by the number of the placeholder and the key of the row."""
    report = report_of(trace)
    results = report.results if report is not None else ()
    return {
        (number, key_of(decision)): shown_title(hit := decision.candidate.hit)
        + (f" ({hit.place})" if hit.place else "")
        for number, result in enumerate(results)
        for decision in result.sent
    }


def turned(before: Trace, after: Trace) -> str:
    """The pieces that come in and those that go, as a sentence."""
    was, now = sent_in(before), sent_in(after)
    words = "; ".join(_turns(was, now)) or "the same pieces are sent"
    return f"{words[:1].upper()}{words[1:]}."


def price_of(before: Trace, after: Trace) -> int | None:
    """Tokens that the prompt grows by; None where one of the runs ended early."""
    return after.tokens - before.tokens if _is_whole(before) and _is_whole(after) else None


def _turns(was: Sent, now: Sent) -> Iterator[str]:
    came = [title for key, title in now.items() if key not in was]
    went = [title for key, title in was.items() if key not in now]
    if came:
        yield f"comes in: {first_of(came, MOST_NAMED)}"
    if went:
        yield f"goes: {first_of(went, MOST_NAMED)}"


def _is_whole(trace: Trace) -> bool:
    return trace.stopped_at is None and all(step.error is None for step in trace.steps)

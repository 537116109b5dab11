"""Rules of recordings as they are asked of one's own next request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ctxlab.context.equal_stretch import equal_after
from ctxlab.pipeline.shared_beginning import is_sent_alike
from ctxlab.recordings.findings.checked_context import CheckedContext, Cost, quoted, quoted_name
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found
from ctxlab.recordings.findings.moving_words import around, without_moving

if TYPE_CHECKING:
    from ctxlab.pipeline import Trace

LATER = timedelta(minutes=1)


def moving_part(checked: CheckedContext, trace: Trace) -> Iterator[Found]:
    """The first message that would be another, by numbers or dates alone, were the same run made a minute later."""
    from ctxlab.studies.what_if.removals import run_on

    now = _time_of(trace)
    drafts = trace.result.drafts
    if now is None or not any(span.origin.kind == "macro" for draft in drafts[:-1] for span in draft.text.spans):
        return
    later = run_on(trace, replace(trace.start.input, timestamp=(now + LATER).isoformat())).result.drafts
    pairs = enumerate(zip(drafts[:-1], later, strict=False))
    at = next((n for n, (draft, other) in pairs if not is_sent_alike(draft, other)), None)
    if at is None:
        return
    draft, old, new = drafts[at], str(drafts[at].text), str(later[at].text)
    if draft.role != later[at].role or old == new or without_moving(old) != without_moving(new):
        return
    start = equal_after(old, new)
    was, would = around(old, new)
    count = trace.services.tokenizer
    yield Found(
        f"A minute later {quoted_name(draft.key)} would differ in numbers, dates or ids alone ({quoted(was, 40)} would "
        f"be {quoted(would, 40)}), which ends the cached prefix there.",
        "Move what changes into the newest message, or leave it out.",
        (checked.place(draft.key, start, len(old)),),
        *_lost(checked, count.count(old[start:]) + sum(map(count.count_draft, drafts[at + 1 :]))),
    )


def _time_of(trace: Trace) -> datetime | None:
    try:
        return datetime.fromisoformat(trace.start.input.timestamp or "")
    except ValueError:
        return None


def _lost(checked: CheckedContext, tokens: int) -> Cost:
    """Tokens that are read anew, and what they cost more than cached ones."""
    prices = checked.prices(checked.requests[0])
    return tokens, tokens * (prices[0] - prices[1]) if prices is not None else None


def nearly_full(checked: CheckedContext, trace: Trace, share: float) -> Iterator[Found]:
    """A prompt that leaves little of its model's window, or that is larger."""
    from ctxlab.providers.models import model_info, name_of

    model = trace.start.input.model
    name = name_of(model) or ""
    window = model_info(model).context_window
    if not window or trace.tokens < share * window:
        return
    left = window - trace.tokens
    rest = f"leaves {left:,} for the reply" if left >= 0 else f"is {-left:,} too large"
    yield Found(
        f"The prompt takes {trace.tokens:,} of the {window:,} tokens of {quoted_name(name)}, by "
        f"{'an estimate' if trace.estimated else 'its tokenizer'}, and {rest}.",
        f"Set a budget below {int(share * window):,} tokens, compress, or leave out what the other findings name.",
        (FindingPlace(checked.requests[0].id),),
        trace.tokens,
    )

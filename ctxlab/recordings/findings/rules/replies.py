"""Rules on requests that failed, were repeated, or whose answer was cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.recordings.findings.checked_context import CheckedContext, added, quoted
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found, finding_rule
from ctxlab.recordings.recorded_request import RecordedRequest

REASONS: Final = ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_context_window_exceeded")
"""Words of vendors for an answer that ended because its room was used up."""


@finding_rule(
    "reply-cut",
    "An answer that was cut",
    "Speaks of answers that ended because the tokens for them were used up, as the vendor says.",
    "warning",
    ("recording",),
)
def reply_cut(checked: CheckedContext) -> Iterator[Found]:
    """The reason for which a vendor ended its answer."""
    for request in checked.requests:
        reason = next((reason for reason in _reasons(request.reply or {}) if reason in REASONS), None)
        if reason is not None:
            yield Found(
                f"The answer to {request.id} ended with {reason!r}: it is cut"
                f"{f' after {request.usage.output:,} tokens' if request.usage.output else ''}.",
                "Give the answer more tokens, or ask for a shorter one.",
                (FindingPlace(request.id),),
            )


def _reasons(reply: Data) -> Iterator[object]:
    for choice in (*items_of(reply.get("choices")), *items_of(reply.get("candidates"))):
        fields = fields_of(choice)
        yield from (fields.get("finish_reason"), fields.get("finishReason"))
    yield reply.get("stop_reason")
    yield fields_of(reply.get("incomplete_details")).get("reason")


@finding_rule(
    "request-failed",
    "A request without an answer",
    "Speaks of requests that the vendor refused, or whose answer broke off.",
    "error",
    ("recording",),
    example_real=True,
)
def request_failed(checked: CheckedContext) -> Iterator[Found]:
    """Requests with an error, those with the same words together."""
    failed: dict[str, list[RecordedRequest]] = {}
    for request in checked.requests:
        if request.error:
            failed.setdefault(request.error, []).append(request)
    for error, requests in failed.items():
        yield Found(
            f"{counted(len(requests), 'request')} got no whole answer: {quoted(error, 120)}.",
            "Mend what the words name; where they speak of a limit or an overload, wait and send again.",
            tuple(FindingPlace(request.id) for request in requests),
            sum(checked.parts.tokens(request) for request in requests),
        )


@finding_rule(
    "same-request-again",
    "The same request sent again",
    "Speaks of whole requests with the same messages, tools, system texts and parameters.",
    "note",
    ("recording",),
    example_real=True,
)
def same_request_again(checked: CheckedContext) -> Iterator[Found]:
    """Requests that differ in nothing; after a failure a request may be sent again."""
    same: dict[tuple[str, str, str], list[RecordedRequest]] = {}
    for request in checked.requests:
        if request.whole and not request.error and checked.parts.tree.depth.get(request.leaf):
            same.setdefault((request.head.id, request.leaf, request.model), []).append(request)
    for requests in same.values():
        if len(requests) < 2:
            continue
        costs = [_cost(checked, request) for request in requests[1:]]
        yield Found(
            f"{counted(len(requests), 'request')} are the same from the first tool to the last message: "
            f"{', '.join(request.id for request in requests[:6])}.",
            "Keep the first answer, where another one isn't wanted.",
            tuple(FindingPlace(request.id) for request in requests),
            *added(costs),
        )


def _cost(checked: CheckedContext, request: RecordedRequest) -> tuple[int, float | None]:
    """Tokens of a request with their price, that of cached input for the share which the vendor read from its cache."""
    tokens, prices, usage = checked.parts.tokens(request), checked.prices(request), request.usage
    if prices is None:
        return tokens, None
    cached = min(1.0, max(0.0, usage.cached / usage.input)) if usage.cached and usage.input else 0.0
    return tokens, tokens * (prices[0] + (prices[1] - prices[0]) * cached)

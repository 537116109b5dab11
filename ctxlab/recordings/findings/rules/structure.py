"""Rules on calls without results, results without calls, and summaries of summaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ctxlab.recordings.findings.checked_context import CheckedContext, listed_names, quoted_name
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found, finding_rule
from ctxlab.recordings.recorded_request import RecordedRequest

KEPT_BY_VENDOR: Final = ("previous_response_id", "conversation", "cachedContent", "cached_content")
"""Fields with which a request goes on with messages that the vendor keeps."""


@finding_rule(
    "orphan-result",
    "A result without its call",
    "Speaks of a tool's result in whose request no call has its id, of requests that hold all of their messages.",
    "error",
)
def orphan_result(checked: CheckedContext) -> Iterator[Found]:
    """Results that vendors refuse, and that a model can't place."""
    for id in checked.nodes:
        node = checked.node(id)
        if node.role != "tool" or not node.result_of or id in checked.call_of or not checked.is_sent(id):
            continue
        request = checked.request_of(id)
        if not _goes_on(request):
            yield Found(
                f"The result {quoted_name(node.result_of)} in request {request.id} answers no call of the request.",
                "Send the call with its result, or leave out both.",
                (checked.place(id),),
                *checked.cost(checked.parts_of(id)),
            )


@finding_rule(
    "unanswered-call",
    "A call without a result",
    "Speaks of a call that no result answers, though the conversation goes on behind it.",
    "error",
)
def unanswered_call(checked: CheckedContext) -> Iterator[Found]:
    """Calls that vendors refuse, and that a model waits for."""
    answered = {(call.key, call.call) for call in checked.call_of.values()}
    continued = {checked.parts.tree.parent[id] for id in checked.sent if checked.carried.count[id]}
    for id in checked.nodes:
        missing = [
            part for part in checked.parts_of(id) if part.source == "calls" and (part.key, part.call) not in answered
        ]
        if missing and checked.is_sent(id) and checked.message(id).id in continued:
            one = len(missing) == 1
            yield Found(
                f"{'The call' if one else f'{len(missing)} calls'} {listed_names(part.name for part in missing)} "
                f"{'has' if one else 'have'} no result, and messages behind {'it' if one else 'them'} are sent.",
                "Send a result for each call, if only the words that it was cancelled.",
                tuple(checked.place_of(part) for part in missing),
                *checked.cost(missing),
            )


def _goes_on(request: RecordedRequest) -> bool:
    """Whether the vendor has earlier messages of it, which are not in the request."""
    return any(name in KEPT_BY_VENDOR and value for name, value in request.head.fields)


@finding_rule(
    "summary-of-summary",
    "A summary of a summary",
    "Speaks of a summary in the place of messages that began with an earlier summary.",
    "warning",
    ("recording",),
)
def summary_of_summary(checked: CheckedContext) -> Iterator[Found]:
    """The oldest messages are then known through two summaries."""
    summaries: dict[str, list[str]] = {}
    newest: dict[str, RecordedRequest] = {}
    for request in checked.requests:
        before = newest.get(request.agent)
        newest[request.agent] = request
        for message in request.first_sent:
            if not any(part.source == "summaries" for part in checked.parts.of_message(message)):
                continue
            known = summaries.setdefault(request.agent, [])
            earlier = next((old for old in reversed(known) if _replaced(checked, old, message.id, before)), None)
            known.append(message.id)
            if earlier is not None:
                first, second = checked.place(earlier), checked.place(message.id)
                yield Found(
                    f"The summary that {request.id} begins to send stands in the place of messages that began with the "
                    f"summary of {first.request}, so the oldest messages are summarised twice.",
                    "Summarise from the messages themselves, or carry the rules and facts of the first summary over.",
                    (FindingPlace(second.request, second.node), FindingPlace(first.request, first.node)),
                    *checked.cost(checked.parts.of_message(message)),
                )


def _replaced(checked: CheckedContext, old: str, new: str, before: RecordedRequest | None) -> bool:
    """Whether the request before had an earlier summary which this one's messages don't have."""
    if before is None or checked.is_above(old, new):
        return False
    return old == before.leaf or checked.is_above(old, before.leaf)

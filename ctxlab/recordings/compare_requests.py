"""Requests of recordings side by side, as requests that were built are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Draft
from ctxlab.display.short_texts import counted, short
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import Diff, DiffRow
from ctxlab.pipeline.explain.diff import diff_by_content
from ctxlab.providers import Payload
from ctxlab.providers.models import model_info
from ctxlab.providers.registry import built_in
from ctxlab.providers.request_parameters import RequestParameters
from ctxlab.recordings.cache_marks import all_marks
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.studies.request_comparison import (
    DifferenceKind,
    RequestComparison,
    RequestDifference,
    field_differences,
)
from ctxlab.studies.request_comparison import compare_requests as compare_payloads

WORDS = 60
_KINDS: dict[str, DifferenceKind] = {
    "only in a": "dropped",
    "only in b": "added",
    "moved": "moved",
    "changed": "changed",
    "joined": "moved",
}


@checked_arguments
def compare_requests(a: Payload | RecordedRequest, b: Payload | RecordedRequest) -> RequestComparison:
    """The differences of the second request from the first: moved, renamed, changed, added or dropped.

    A message is moved that is of another role, in another turn, or stands elsewhere among the others. Where nothing
    else differs and the bodies aren't the same JSON, the first place where they aren't is a row. Requests of a
    recording are compared by the messages that they sent, matched by what these say. Raises WrongArgument for a request
    of which the log has only parts.
    """
    if isinstance(a, Payload) and isinstance(b, Payload):
        return compare_payloads(a, b)
    one, other = (_payload(each, name) for each, name in ((a, "a"), (b, "b")))
    found = diff_by_content(one.trace, other.trace)
    rows = [*_messages(one, other, found), *field_differences(one, other), *_marks(a, b)]
    texts = [row for row in found if row.a is None or row.b is None or row.text_change is not None]
    same = tuple(row for row in rows if row.kind == "same")
    return RequestComparison(
        one, other, tuple(row for row in rows if row.kind != "same"), same, len(found.rows), len(texts)
    )


def _payload(request: Payload | RecordedRequest, name: str) -> Payload:
    if isinstance(request, Payload):
        return request
    body = request.payload
    if body is None:
        raise WrongArgument(
            f"{name} is request {short(request.id)!r}, of which the log has only parts; ctxlab.diff compares the "
            "messages that it has, and ctxlab record writes whole requests"
        )
    vendors = [each for each in built_in().values() if each.wire == request.wire]
    provider = next((each for each in vendors if each.name == request.vendor), vendors[0])
    facts = model_info(request.model or "")
    return Payload(provider, facts, body, (), (), (), RequestParameters(), request.trace)


def _messages(a: Payload, b: Payload, found: Diff) -> Iterator[RequestDifference]:
    """Rows of messages; those in a row that differ in the same way are one."""
    for kind, group in groupby(found, key=_kind):
        rows = [*group]
        before, after = _tokens(a, [row.a for row in rows]), _tokens(b, [row.b for row in rows])
        places = [_places([at for row in rows if (at := getattr(row, name)) is not None]) for name in ("at_a", "at_b")]
        tokens = before if kind == "dropped" else after
        yield RequestDifference(kind, _named(rows), places[0], places[1], tokens, after - before)


def _kind(row: DiffRow) -> DifferenceKind:
    return _KINDS.get(row.kind, "same")


def _tokens(payload: Payload, drafts: list[Draft | None]) -> int:
    return sum(payload.trace.services.tokenizer.count_draft(draft) for draft in drafts if draft is not None)


def _named(rows: list[DiffRow]) -> str:
    draft = rows[0].b or rows[0].a
    assert draft is not None
    more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
    return f"{draft.role}: {short(str(draft.text), WORDS)!r}{more}"


def _places(numbers: list[int]) -> str:
    if not numbers:
        return "none"
    return f"message {min(numbers):,}" + (f" to {max(numbers):,}" if max(numbers) > min(numbers) else "")


def _marks(a: Payload | RecordedRequest, b: Payload | RecordedRequest) -> Iterator[RequestDifference]:
    """The cache marks of two recorded requests, as many as there are in all of their places."""
    if isinstance(a, RecordedRequest) and isinstance(b, RecordedRequest):
        one, other = (all_marks(each) for each in (a, b))
        if one != other:
            words = [counted(len(each), "mark") if each else "none" for each in (one, other)]
            yield RequestDifference(
                "added" if not one else "dropped" if not other else "changed", "cache marks", words[0], words[1]
            )

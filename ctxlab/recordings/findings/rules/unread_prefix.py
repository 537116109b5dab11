"""A rule on prefixes that could have been read from a vendor's cache and weren't."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.display.short_texts import counted
from ctxlab.recordings.findings.checked_context import CheckedContext
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found, finding_rule


@finding_rule(
    "unread-prefix",
    "A prefix that was not read",
    "Speaks of requests that read less from the vendor's cache than they could by what the log has, as the vendor "
    "reports; the log doesn't say why.",
    "note",
    ("recording",),
    example_real=True,
)
def unread_prefix(checked: CheckedContext) -> Iterator[Found]:
    """Usage that tells of a break where the messages tell of none."""
    if all(request.usage.cached is None for request in checked.requests):
        return
    report = checked.recording.prefix()
    found = report.unexplained
    if not found:
        return
    worst = max(found, key=lambda each: each.unexplained_tokens)
    cached = worst.reported.cached or 0
    many = f"{counted(len(found), 'request')} {'reads' if len(found) == 1 else 'read'}"
    yield Found(
        f"{many} less of the request before from the cache than the log would have it: the vendor reports "
        f"{cached:,} of {counted(cached + worst.unexplained_tokens, 'token')} in {worst.request.id}, the most that was "
        "missed, and the log doesn't say why.",
        "Record whole requests with ctxlab record, so that a change of tools or system texts shows if there is one.",
        tuple(FindingPlace(each.request.id) for each in found),
        report.unexplained_tokens,
        report.unexplained_usd,
    )

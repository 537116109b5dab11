"""Two runs, contexts or recorded requests side by side."""

from __future__ import annotations

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Context
from ctxlab.pipeline import Diff, Trace
from ctxlab.pipeline import diff as diff_of_runs
from ctxlab.pipeline.explain.diff import diff_by_content
from ctxlab.recordings.recorded_request import RecordedRequest


@checked_arguments
def diff(a: Trace | Context | RecordedRequest, b: Trace | Context | RecordedRequest) -> Diff:
    """The differences of two results, message by message; empty (falsy) when there are none.

    Merged messages are compared by their parts. Messages whose ids are others are matched by what they say, in versions
    of one conversation and in recorded requests. `parted` says where two sessions part.
    """
    one, other = (each.trace if isinstance(each, RecordedRequest) else each for each in (a, b))
    is_recorded = isinstance(a, RecordedRequest) and isinstance(b, RecordedRequest)
    return (diff_by_content if is_recorded else diff_of_runs)(one, other)

"""Two runs, contexts or recorded requests side by side."""

from __future__ import annotations

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Context
from ctxlab.pipeline import Diff, Trace
from ctxlab.pipeline import diff as diff_of_runs
from ctxlab.recordings.recorded_request import RecordedRequest


@checked_arguments
def diff(a: Trace | Context | RecordedRequest, b: Trace | Context | RecordedRequest) -> Diff:
    """The differences of two results, message by message; empty (falsy) when there are none.

    Merged messages are compared by their parts. Messages of one conversation whose ids are others, as in two requests
    of a recording, are matched by what they say. `parted` says where two sessions part.
    """
    one, other = (each.trace if isinstance(each, RecordedRequest) else each for each in (a, b))
    return diff_of_runs(one, other)

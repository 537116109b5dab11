"""Look through a recording, a run or a conversation for what is wrong with it, or carried along for nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from ctxlab.api.sources import SessionSource
from ctxlab.argument_checks import checked_arguments
from ctxlab.errors import ReadError, UnknownFormat
from ctxlab.pipeline import Trace
from ctxlab.recordings.findings.find import findings_of_recording, findings_of_trace
from ctxlab.recordings.findings.finding import Findings
from ctxlab.recordings.findings.finding_rule import FindingRule
from ctxlab.recordings.recording import Recording

if TYPE_CHECKING:
    from ctxlab.studies import LoreTimeline

RuleSources: TypeAlias = Annotated[Sequence[str | FindingRule], "ids of rules, or rules"]


@checked_arguments
def check(
    what: Recording | Trace | SessionSource, *, rules: RuleSources | None = None, ignore: Sequence[str] = ()
) -> Findings:
    """The findings of a recording, a run or a conversation, the worst first: each with place, cost and remedy.

    A conversation, a library or a list of messages is built first, as `build` does without options; for others give the
    run: `check(build(session, agent, model="gpt-4o"))`. A path is read as a recording where it is one. `rules` are
    those to ask, by id or as FindingRule, by default all that fit; those of packages are under the entry point group
    `ctxlab.findings`. `ignore` are ids of rules to leave out. Raises UnknownName for an id that there is not.
    """
    from ctxlab.recordings.findings.registry import rules_of

    rules_of(rules, ignore)
    if isinstance(what, Trace):
        return findings_of_trace(what, rules, ignore, lore_timeline=lore_timeline_of(what))
    if isinstance(what, Recording):
        return findings_of_recording(what, rules, ignore)
    recording = recording_at(what) if isinstance(what, str | os.PathLike) else None
    if recording is not None:
        return findings_of_recording(recording, rules, ignore)
    from ctxlab.api.build import build

    trace = build(what)
    return findings_of_trace(trace, rules, ignore, lore_timeline=lore_timeline_of(trace), of_session=True)


def recording_at(path: str | os.PathLike[str]) -> Recording | None:
    """The recording at a path; None where a file is of another kind, or a folder has none or several."""
    from ctxlab.recordings.read import read_recording

    try:
        return read_recording(path)
    except UnknownFormat:
        return None
    except ReadError:
        if Path(path).expanduser().is_dir():
            return None
        raise


def lore_timeline_of(trace: Trace) -> Callable[[], LoreTimeline] | None:
    """A function that scans the books of a run at each message of its path; None where no book is in force."""
    given = trace.start.input
    if not given.books:
        return None

    def timeline() -> LoreTimeline:
        from ctxlab.api.lore import lore_timeline

        return lore_timeline(
            given.session,
            given.agent,
            books=given.books,
            leaf=given.leaf,
            user=given.user,
            model=given.model,
            timestamp=given.timestamp,
            zone=given.zone,
            seed=given.seed,
            variables=given.variables,
            pipeline=trace.pipeline,
        )

    return timeline

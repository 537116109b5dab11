"""The assertion that a recording or a run has no findings."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.api.check import RuleSources, check
from ctxlab.api.sources import SessionSource
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted
from ctxlab.pipeline import Trace
from ctxlab.recordings.findings.finding import Finding, Findings, Level
from ctxlab.recordings.recording import Recording

MOST = 20
"""Findings that a failure names; the others are counted."""


@checked_arguments
def assert_no_findings(
    what: Recording | Trace | SessionSource,
    *,
    level: Level = "warning",
    rules: RuleSources | None = None,
    ignore: Sequence[str] = (),
) -> Findings:
    """Fail where a recording, a run or a conversation has a finding of a level or of a worse one, naming each.

    `rules` and `ignore` are those of `ctxlab.check`; it gives all that was found, also of lower levels. A rule that
    could not be asked fails as well.
    """
    __tracebackhide__ = True
    found = check(what, rules=rules, ignore=ignore)
    failed = found.at_least(level)
    if failed or found.notes:
        lines = [_line(finding) for finding in failed[:MOST]] + [*found.notes]
        lines += [f"and {len(failed) - MOST:,} more"] if len(failed) > MOST else []
        head = f"{counted(len(failed), 'finding')} of level {level!r} or worse"
        raise AssertionError("\n".join([head, *(f"  {line}" for line in lines)]))
    return found


def _line(finding: Finding) -> str:
    places = "; ".join(map(str, finding.places[:3]))
    return f"{finding.level} {finding.rule}: {finding.text} {finding.remedy}{f' [{places}]' if places else ''}"

"""What ctxlab says of a recording: its prefixes, its findings and its compressions, each worked out when first asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import ctxlab
from ctxlab.errors import CtxlabError
from typing import TYPE_CHECKING, Any
if TYPE_CHECKING:
    from ctxlab.recordings.compressions import RecordedCompression
    from ctxlab.recordings.prefix import PrefixReport, RequestPrefix
from ctxlab.recordings.findings.finding import Finding, Findings
class _None(tuple):
    frozen = None
from ctxlab.recordings.recording import Recording

WHAT_IFS = {"": "as it was", "tools": "tools frozen", "reminders": "reminders frozen", "clock": "no clock in front"}
"""Recordings that could have been, with their words."""


class Analysis:
    """The reports on a recording, kept for as long as the page is open."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._what_ifs: dict[str, PrefixReport] = {}

    @cached_property
    def prefixes(self) -> PrefixReport:
        return self.recording.prefix() if hasattr(self.recording,'prefix') else _None()

    @cached_property
    def prefix_of(self) -> Mapping[str, RequestPrefix]:
        """The prefix of each request by its id."""
        return {each.request.id: each for each in self.prefixes}

    @cached_property
    def compressions(self) -> tuple[RecordedCompression, ...]:
        return tuple(self.recording.compressions()) if hasattr(self.recording,'compressions') else ()

    @cached_property
    def findings(self) -> Findings:
        return ctxlab.check(self.recording) if hasattr(ctxlab,'check') else Findings()

    def finding(self, number: int) -> Finding:
        """A finding by its number on the page; raises CtxlabError."""
        if not 0 <= number < len(self.findings):
            raise CtxlabError(f"there is no finding {number}: {len(self.findings):,} were found")
        return self.findings[number]

    def compression(self, id: str) -> RecordedCompression:
        """A compression by its id; raises CtxlabError."""
        found = next((each for each in self.compressions if each.id == id), None)
        if found is None:
            raise CtxlabError(f"the recording has no compression {id[:40]!r}")
        return found

    def what_if(self, name: str) -> PrefixReport:
        """The prefixes of a recording that could have been; raises CtxlabError for another name."""
        if name not in WHAT_IFS:
            raise CtxlabError(f"there is no what-if {name[:40]!r}; there are: {', '.join(filter(None, WHAT_IFS))}")
        if not name:
            return self.prefixes
        if name not in self._what_ifs:
            self._what_ifs[name] = self.recording.prefix(frozen=name)
        return self._what_ifs[name]

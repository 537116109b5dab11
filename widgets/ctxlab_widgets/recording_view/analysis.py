"""The reports on a recording: its prefixes, findings and compressions, each worked out when first asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final, get_args

import ctxlab
from ctxlab.errors import CtxlabError
from ctxlab.recordings.compressions import RecordedCompression
from ctxlab.recordings.findings.finding import Finding, Findings
from ctxlab.recordings.frozen_names import FrozenName
from ctxlab.recordings.prefix import FrozenPrefix, PrefixReport, RequestPrefix
from ctxlab.recordings.recording import Recording

WHAT_IFS: Final[Mapping[str, str]] = {
    "": "as it was",
    "tools": "tools as they were first",
    "tools-sorted": "tools sorted by name",
    "reminders": "reminders as they were first",
    "reminders-last": "reminders at the end",
    "clock": "no clock in front",
}
"""Names of what-ifs with their words."""


class Analysis:
    """The reports on a recording, kept for as long as the page is open."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._still: dict[str, FrozenPrefix | None] = {}

    @cached_property
    def prefixes(self) -> PrefixReport:
        return self.recording.prefix()

    @cached_property
    def prefix_of(self) -> Mapping[str, RequestPrefix]:
        """The prefix of each request by its id."""
        return {each.request.id: each for each in self.prefixes}

    @cached_property
    def compressions(self) -> tuple[RecordedCompression, ...]:
        return tuple(self.recording.compressions())

    @cached_property
    def findings(self) -> Findings:
        return ctxlab.check(self.recording)

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

    def what_if(self, name: str) -> FrozenPrefix | None:
        """Tokens that could have been read from the cache with something kept still; None for the recording as it was.

        Raises CtxlabError for another name.
        """
        wanted = next((each for each in get_args(FrozenName) if each == name), None)
        if name and wanted is None:
            raise CtxlabError(f"there is no what-if {name[:40]!r}; there are: {', '.join(filter(None, WHAT_IFS))}")
        if wanted is None:
            return None
        if wanted not in self._still:
            self._still[wanted] = self.recording.prefix(frozen=wanted).frozen
        return self._still[wanted]

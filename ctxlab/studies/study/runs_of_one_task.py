"""Conversations whose names look like several runs of one task, which count as independent all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.lazy_pattern import lazy_pattern

NAME = 60
LONGEST = 400
"""Characters of a name that is looked at."""
RUN = lazy_pattern(r"^(.+?)[\s._/-]+(?:attempt|repetition|repeat|rollout|run|trial|try)[\s._#=-]*\d+$", re.I)
"""A name that ends as a run of something does, with what it is a run of: "task-3-trial-0", "login_run2"."""


class RunsOfOneTask:
    """Meets the names of conversations, and says which of them look like runs of one task."""

    def __init__(self) -> None:
        self._runs: dict[str, dict[str, None]] = {}

    def meet(self, conversation: str) -> None:
        """Look at the conversation of a case."""
        found = RUN.match(conversation) if len(conversation) <= LONGEST else None
        if found is not None:
            self._runs.setdefault(found[1], {})[conversation] = None

    def notes(self) -> Iterator[str]:
        """A sentence, where several conversations look like runs of one task."""
        several = [list(names) for names in self._runs.values() if len(names) > 1]
        if several:
            count = counted(sum(map(len, several)), "conversation")
            first, second = (plain(name, NAME) for name in several[0][:2])
            yield (
                f"{count} look like runs of {counted(len(several), 'task')}, as {first!r} and {second!r} do, and count "
                "as independent: give the cases of one task one conversation, or a study's file `group` under [cases]"
            )

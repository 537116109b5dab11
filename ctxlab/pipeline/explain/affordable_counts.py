"""Token totals for a display, left out where they would take seconds and nobody asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.context import Draft

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace

MOST_CHARACTERS = 2_000_000
"""Characters that a display counts by the way, about half a million tokens; encoding them takes a second or two."""
NOT_COUNTED = "–"
"""The sign that a display shows where it did not count."""


class AffordableCounts:
    """Tokens of rows of messages, None where more than `MOST_CHARACTERS` of them are not sent in the end.

    Those that are sent were counted by the limiter, or have to be for the total.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        is_finished = len(trace.steps) >= len(trace.pipeline.running())
        self._sent = set(map(id, trace.result.drafts)) if is_finished else set[int]()
        self._totals: dict[int, int | None] = {}

    def tokens_of(self, drafts: Sequence[Draft]) -> int | None:
        """Tokens of these messages, without what the request itself costs."""
        if id(drafts) not in self._totals:
            self._totals[id(drafts)] = self._counted(drafts)
        return self._totals[id(drafts)]

    def context_tokens(self, drafts: Sequence[Draft]) -> int | None:
        """Tokens of a context with these messages, the request's own included."""
        tokens = self.tokens_of(drafts)
        return None if tokens is None else tokens + self._trace.request_tokens

    def _counted(self, drafts: Sequence[Draft]) -> int | None:
        room = MOST_CHARACTERS
        for draft in drafts:
            if id(draft) not in self._sent:
                room -= sum(len(span.text) for span in draft.text.spans)
                if room < 0:
                    return None
        return sum(map(self._trace.services.tokenizer.count_draft, drafts))


def shown(tokens: int | None) -> str:
    """A total as a display shows it."""
    return NOT_COUNTED if tokens is None else f"{tokens:,}"

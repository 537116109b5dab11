"""A run sent to the page once as a whole, and then only the difference: a long conversation is not sent anew."""

from __future__ import annotations

from copy import copy
from typing import Any

from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.trace_json import TABLES, Tables
from ctxlab_widgets._shared.json_values import as_json

SHARE = 2
"""A delta larger than one in so many parts of the view is sent as a view."""


class ViewDelta:
    """`view` is the run that was sent first, as `Trace.view()` gives it; `delta` turns it into the newest one.

    Both are JSON. A delta has the same keys as a view; of its tables only the rows behind the first `since` of each.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.delta = ""
        self._tables = Tables(trace.services.tokenizer)
        self._send(self._tables.view(trace))

    def _send(self, whole: dict[str, Any]) -> None:
        self.view, self._sizes = as_json(whole), self._tables.sizes()

    def updated(self, trace: Trace) -> ViewDelta:
        """Itself with the delta to another run, or a new one with a view of its own where too much is new."""
        if trace.services.tokenizer is not self.trace.services.tokenizer:
            return ViewDelta(trace)
        whole: dict[str, Any] = self._tables.view(trace)
        added = {name: whole[name][size:] for name, size in self._sizes.items()}
        if not any(self._sizes.values()):  # what was sent had no message: these tables are those of this run alone
            first = copy(self)
            first.trace, first.delta = trace, ""
            first._send(whole)
            return first
        if len(added["drafts"]) > self._sizes["drafts"]:
            return ViewDelta(trace)
        delta = as_json({**whole, **added, "since": {name: self._sizes[name] for name in TABLES}})
        if len(delta) * SHARE > len(self.view):
            return ViewDelta(trace)
        self.trace, self.delta = trace, delta
        return self

    def text(self, draft: int) -> str | None:
        """The text of a draft by its number in the view; None where there is none of that number."""
        tables = self._tables
        if not 0 <= draft < len(tables.drafts):
            return None
        return "".join(tables.texts[tables.spans[span][0]] for span in tables.drafts[draft]["spans"])

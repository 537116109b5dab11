"""What the page has of a run, and what it still needs: a long conversation is sent once, and then what is new in it."""

from __future__ import annotations

from typing import Any

from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.trace_json import TABLES, Tables
from ctxlab_widgets._shared.json_values import as_json

SHARE = 2
"""News larger than one in so many parts of the view are sent as a view."""


class Sending:
    """`view` is a run as `Trace.view()` gives it. `news` says what another run has instead, and what its tables add."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.news = ""
        self._tables = Tables(trace.services.tokenizer)
        self.view = as_json(self._tables.view(trace))
        self._sizes = self._tables.sizes()

    def then(self, trace: Trace) -> Sending:
        """With another run: this one with its news, or a new one where too much is new."""
        if trace.services.tokenizer is not self.trace.services.tokenizer:
            return Sending(trace)
        whole: dict[str, Any] = self._tables.view(trace)
        added = {name: whole[name][size:] for name, size in self._sizes.items()}
        if len(added["drafts"]) > self._sizes["drafts"]:
            return Sending(trace)
        news = as_json({**whole, **added, "since": {name: self._sizes[name] for name in TABLES}})
        if len(news) * SHARE > len(self.view):
            return Sending(trace)
        self.trace, self.news = trace, news
        return self

    def text(self, draft: int) -> str | None:
        """The words of a draft by its number; None where there is none of that number."""
        tables = self._tables
        if not 0 <= draft < len(tables.drafts):
            return None
        return "".join(tables.texts[tables.spans[span][0]] for span in tables.drafts[draft]["spans"])

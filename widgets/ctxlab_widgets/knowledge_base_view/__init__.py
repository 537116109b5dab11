"""A knowledge base: its entries and files, the pieces they are cut into, and what a query finds in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import traitlets

from ctxlab import Trace
from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import KnowledgeBase
from ctxlab.errors import CtxlabError
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.knowledge_base_view.entry_rows import EntryRows
from ctxlab_widgets.knowledge_base_view.knowledge_base_page import KnowledgeBasePage
from ctxlab_widgets.knowledge_base_view.query_run import query_run

PAGE = 100
"""Rows that the page gets at once, around the place that it is scrolled to."""
MOST_QUERY = 20_000
"""Characters of a query."""
MOST_LOSSES = 200


class KnowledgeBaseView(Widget):
    """Lists the entries of a base and their pieces, each with its place, and asks the base.

    >>> KnowledgeBaseView(base)  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    listing = traitlets.Unicode("").tag(sync=True)
    """The head as JSON: its sentence, the number of rows, what could not be read, and which rows are others."""
    rows = traitlets.Unicode("").tag(sync=True)
    """A page of rows as JSON, with the number of its first one."""
    query = traitlets.Unicode("").tag(sync=True)
    """The text that the base was asked; empty where it was asked nothing."""
    at = traitlets.Int(0, min=0).tag(sync=True)
    """The row that is in sight."""
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run of the query that was asked last, which `KnowledgeView` shows; None where nothing was asked."""

    _page: KnowledgeBasePage | None = None

    @checked_arguments
    def __init__(self, base: KnowledgeBase) -> None:
        self.base = base
        self._table = EntryRows(base)
        self._generation = 0
        super().__init__()
        self.show()

    def __repr__(self) -> str:
        return f"KnowledgeBaseView({self.base!r})"

    @property
    def page(self) -> KnowledgeBasePage:
        """The entries, and below them what a query finds."""
        if self._page is None or self._page.is_closed:
            self._page = KnowledgeBasePage(self)
        return self._page

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.page._repr_mimebundle_(**options)

    @checked_arguments
    def ask(self, text: str) -> None:
        """Search the base as for a message that says this; an empty text takes that back."""
        said = text.strip()[:MOST_QUERY]
        self.trace = query_run(self.base, said) if said else None
        self.query = said

    @checked_arguments
    def open_entry(self, which: str, *, is_open: bool = True) -> None:
        """Show the pieces of the entry of this id or key, or hide them. Raises CtxlabError, naming those near."""
        number = self.base.entries.index(self.base.entry(which))
        self._open(number, is_open=is_open)
        self.at = self._table.place_of(number)
        self._show(self.at)

    def open_hit(self, key: str) -> None:
        """Show the pieces of the entry of a hit of a search, such as `knowledge:3`; other keys are passed over."""
        part, _, number = key.partition(":")
        if part == "knowledge" and number.isdecimal() and int(number) < len(self.base.entries):
            self._open(int(number), is_open=True)
            self.at = self._table.place_of(int(number))
            self._show(self.at)

    def _open(self, number: int, *, is_open: bool) -> None:
        if not 0 <= number < len(self.base.entries):
            raise CtxlabError(f"the base has no entry number {number:,}")
        if is_open:
            self._table.open.add(number)
        else:
            self._table.open.discard(number)
        self._generation += 1

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "ask", "text": str(text)}:
                self.ask(text)
            case {"command": "rows", "start": int(start)}:
                self._show_rows(start)
            case {"command": "open", "entry": int(number), "open": bool(is_open)}:
                self._open(number, is_open=is_open)
                self._show(self._table.place_of(number))
            case _:
                raise self._wrong_command(message)

    def show(self) -> None:
        """Fill the synced traits from the base."""
        if not self.listing:
            self._show(0)

    def _show(self, start: int) -> None:
        with self.hold_sync():
            head = {
                "generation": self._generation,
                "answer": self._table.sentence(),
                "count": len(self._table),
                "description": self.base.description or "",
                "losses": list(self.base.losses[:MOST_LOSSES]),
            }
            self.listing = as_json(head)
            self._show_rows(start)

    def _show_rows(self, start: int) -> None:
        first = max(0, min(start, len(self._table) - 1) - PAGE // 4)
        self.rows = as_json({"start": first, "rows": self._table.page(first, PAGE)})

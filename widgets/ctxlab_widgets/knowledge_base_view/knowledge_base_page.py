"""The entries of a base, and below them the pieces that a query finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from ctxlab_widgets.knowledge_view import KnowledgeView

if TYPE_CHECKING:
    from ctxlab_widgets.knowledge_base_view import KnowledgeBaseView


class KnowledgeBasePage(ipywidgets.VBox):
    """A base with a place below it for the candidates of the query that was asked last."""

    def __init__(self, view: KnowledgeBaseView) -> None:
        self.view = view
        self.found: KnowledgeView | None = None
        self.is_closed = False
        view.layout.width = "100%"
        super().__init__([view])
        self.add_class("ctxlab-page")
        view.observe(self._on_trace, "trace")
        self._on_trace()

    def __repr__(self) -> str:
        return f"KnowledgeBasePage({self.view!r})"

    def close(self) -> None:
        """Take the page away with all that is on it."""
        if not self.is_closed:
            self.is_closed = True
            self.view.unobserve(self._on_trace, "trace")
            if self.found is not None:
                self.found.close()
            self.view.close()
        super().close()

    def _on_trace(self, _: Any = None) -> None:
        run = self.view.trace
        if run is None:
            self.children = (self.view,)
            return
        if self.found is None:
            self.found = KnowledgeView(run)
            self.found.layout.width = "100%"
        else:
            self.found.trace = run
        self.children = (self.view, self.found)

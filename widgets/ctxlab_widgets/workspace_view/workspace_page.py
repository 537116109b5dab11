"""The list of a workspace, and below it the view in which a value was opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

import ctxlab_widgets
from ctxlab.documents import Agent, Session
from ctxlab.errors import CtxlabError
from ctxlab_widgets.chat_panel import ChatPanel
from ctxlab_widgets.knowledge_base_view import KnowledgeBaseView
from ctxlab_widgets.workspace_view.workspace_runs import agent_of, run_of

if TYPE_CHECKING:
    from ctxlab.storage.workspace import Workspace
    from ctxlab_widgets._shared.widget import Widget
    from ctxlab_widgets.workspace_view import WorkspaceView

OF_RUNS = {"steps": "StepDebugger", "budget": "TokenBudget", "tokens": "TokenView"}


class WorkspacePage(ipywidgets.VBox):
    """The list with a place below it for one other view; what is changed there, the list can save."""

    def __init__(self, view: WorkspaceView) -> None:
        self.view = view
        self.opened: Widget | None = None
        self.is_closed = False
        self._place = ipywidgets.Box()
        view.layout.width = "100%"
        super().__init__([view, self._place])
        self.add_class("ctxlab-page")
        view.observe(self._on_opened, "opened")
        self._on_opened()

    def __repr__(self) -> str:
        return f"WorkspacePage({self.view!r})"

    def close(self) -> None:
        """Take the page away with the list and what was opened below it."""
        if not self.is_closed:
            self.is_closed = True
            self.view.unobserve(self._on_opened, "opened")
            self._close_view()
            self.view.close()
        super().close()

    def _on_opened(self, _: Any = None) -> None:
        name, value, node = self.view.opened
        if value is None:
            return
        opened = opened_view(self.view.workspace, name, value)
        self._close_view()
        self.opened = opened
        if isinstance(value, Session):
            if opened.has_trait("session"):
                traitlets.link((self.view, "session"), (opened, "session"))
            if node:
                opened.selected = f"node:{node}"
        elif isinstance(opened, ctxlab_widgets.AgentForm):
            opened.observe(self._on_agent, "agent")
        elif isinstance(opened, KnowledgeBaseView) and node:
            opened.open_hit(node)
        shown = _whole(opened)
        shown.layout.width = "100%"
        self._place.children = (shown,)

    def _on_agent(self, change: Any) -> None:
        """Keep the agent that was saved in the form."""
        if isinstance(change["new"], Agent):
            try:
                self.view.workspace.save(change["new"])
                self.view.refresh()
            except CtxlabError as problem:
                self.view.error = str(problem)

    def _close_view(self) -> None:
        self._place.children = ()
        if self.opened is not None:
            _whole(self.opened).close()
            self.opened = None


def _whole(opened: Widget) -> Any:
    """A view with what stands around it, where it has such a page."""
    return opened.page if isinstance(opened, ChatPanel | KnowledgeBaseView) else opened


def opened_view(workspace: Workspace, name: str, value: Any) -> Widget:
    """The view of this name for a value; a session comes with its agent and that one's books, where they are kept."""
    match name:
        case "tree":
            return ctxlab_widgets.BranchTree(value)
        case "chat":
            return ctxlab_widgets.ChatPanel(value, agent_of(workspace, value))
        case "agent":
            return ctxlab_widgets.AgentForm(value)
        case "lore":
            return ctxlab_widgets.LoreView(value)
        case "rules":
            return ctxlab_widgets.RuleView(value)
        case "base":
            return KnowledgeBaseView(value)
        case _:
            view: Any = getattr(ctxlab_widgets, OF_RUNS[name])
            return view(run_of(workspace, value))

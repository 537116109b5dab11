"""A chat, and below it what was opened in it: the steps of an answer, its budget, its lore, its request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

import ctxlab_widgets
from ctxlab.chat.plugin_settings import PluginSettings
from ctxlab.display.one_line import plain
from ctxlab.documents import UserProfile
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.providers.payload import Payload
from ctxlab_widgets._shared.widget import brief
from ctxlab_widgets.chat_panel.kept_line import KeptLine
from ctxlab_widgets.chat_panel.page_run import take_part
from ctxlab_widgets.chat_panel.tried_here import TriedHere

if TYPE_CHECKING:
    from ctxlab_widgets._shared.widget import Widget
    from ctxlab_widgets.chat_panel import ChatPanel
    from ctxlab_widgets.chat_panel.setup import ChatSetup

VIEWS = {
    "steps": "StepDebugger",
    "budget": "TokenBudget",
    "lore": "LoreView",
    "knowledge": "KnowledgeView",
    "request": "RequestView",
}


class ChatPage(ipywidgets.VBox):
    """The chat with a place below it for one other view."""

    _is_open = False
    _link: traitlets.link | None = None

    def __init__(self, panel: ChatPanel) -> None:
        self.panel = panel
        self.opened: Widget | None = None
        self.tried: TriedHere | None = None
        """The changes that are tried in the view below; `tried.use()` lets the chat go by them."""
        self._place = ipywidgets.VBox()
        panel.layout.width = "100%"
        self.kept = KeptLine(panel)
        super().__init__([self.kept, panel, self._place])
        self.layout.width = "100%"  # in a tab nothing else says how wide it is
        self.add_class("ctxlab-page")
        panel.observe(self._on_opened, "opened")
        panel.observe(self._on_session, "session")
        self._is_open = True
        self._on_opened()

    def __repr__(self) -> str:
        return f"ChatPage({self.panel!r})"

    def close(self) -> None:
        """Take the page away with the chat and what was opened below it."""
        if self._is_open:
            self._is_open = False
            self.panel.unobserve(self._on_opened, "opened")
            self.panel.unobserve(self._on_session, "session")
            self._close_view()
            self.panel.close()
        super().close()

    def _on_opened(self, _: Any = None) -> None:
        name, shown = self.panel.opened
        self._place.children = ()
        self._close_view()
        if not name or shown is None:
            return
        view = self._view(name, shown)
        view.layout.width = "100%"
        self.opened = view
        self.tried = TriedHere(self.panel, view, shown) if isinstance(shown, Trace) and name in VIEWS else None
        self._place.children = (self.tried, view) if self.tried is not None else (view,)

    def _view(self, name: str, shown: Any) -> Widget:
        if name == "compression":
            view = ctxlab_widgets.CompressionView(shown, history=self.panel.history)
            view.observe(self._on_compressed, "applied")
            return view
        if name == "tree":
            tree = ctxlab_widgets.BranchTree(self.panel.history)
            tree.observe(self._on_history, "session")
            return tree
        if name == "agent":
            form = ctxlab_widgets.AgentForm(shown, model=self.panel.setup.named_model, session=self.panel.session)
            form.observe(self._on_agent, "agent")
            return form
        if name == "user":
            return self._user_form(shown)
        if name == "settings":
            return self._settings_form(shown)
        widget: Any = getattr(ctxlab_widgets, VIEWS[name])
        if name == "request" and not isinstance(shown, Payload):
            return widget(shown, provider=self.panel.provider_name or None)
        return widget(shown)

    def _on_agent(self, change: Any) -> None:
        """Go on with the agent that was saved in the form."""
        if change["new"] is not None:
            self._take_part(self.panel.setup.with_agent(change["new"]))

    def _user_form(self, user: UserProfile) -> Widget:
        setup = self.panel.setup
        bound_to = (setup.agent.shown_name or setup.agent.id) if setup.agent is not None and setup.is_user_bound else ""
        form = ctxlab_widgets.UserForm(user, books=setup.library.books, bound_to=bound_to)
        form.observe(self._on_user, "user")
        return form

    def _on_user(self, change: Any) -> None:
        """Go on with the profile that was saved in the form."""
        if change["new"] is not None:
            self._take_part(self.panel.setup.with_user(change["new"]))

    def _settings_form(self, settings: PluginSettings) -> Widget:
        models = [id for id, _ in self.panel.setup.choices("model") if self.panel.setup.is_named(id)]
        own = self.panel.translations.model
        name = getattr(own, "__name__", "") if callable(own) else ""
        notes = [f"The function {plain(name, 60)} translates; the model of that section is not asked."] if name else []
        form = ctxlab_widgets.SettingsForm(settings, models=models, notes=notes)
        self._link = traitlets.link((self.panel, "plugin_settings"), (form, "settings"))
        return form

    def _take_part(self, setup: ChatSetup) -> None:
        """Go on with others; where the page's run can't be built with them the chat says so and stays as it is."""
        try:
            take_part(self.panel, setup)
        except CtxlabError as problem:
            self.panel.error = brief(str(problem))

    def _on_history(self, _: Any) -> None:
        """Show the chat anew: the view below has moved its history."""
        self.panel.refresh()

    def _on_compressed(self, change: Any) -> None:
        """Say with a new summary what it lost."""
        self._on_history(change)
        session = self.panel.history.session
        for node in session.path():
            if node.is_summary and node.id not in self.panel.summaries:
                self.panel.tell_of_summary(node.id)

    def _on_session(self, _: Any) -> None:
        """The tree or the compression below is of the same history, which the chat has moved."""
        if self.opened is not None and self.panel.opened[0] in ("tree", "compression"):
            self.opened.show()

    def _close_view(self) -> None:
        if self._link is not None:
            self._link.unlink()
            self._link = None
        if self.tried is not None:
            self.tried.close()
            self.tried = None
        if self.opened is not None:
            self.opened.close()
            self.opened = None

"""All views of one run on a page: what is done in one of them is seen in the others, and is a run of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import ipywidgets

import ctxlab
import ctxlab_widgets
from ctxlab.api.sources import AgentSource, SessionSource, agent_or_library, library_of, session_or_library
from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import Agent, KnowledgeBase, Library, Session
from ctxlab.engines.regexes.report import RuleHits
from ctxlab.engines.truncation import BudgetReport
from ctxlab.engines.worldbook import LoreScan
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.policy.report import KnowledgeReport
from ctxlab.pipeline import Trace
from ctxlab.storage.workspace import Workspace
from ctxlab_widgets._shared.shared_state import SharedState
from ctxlab_widgets._shared.widget import saved_html
from ctxlab_widgets.branch_tree import BranchTree
from ctxlab_widgets.branch_tree.session_of_run import session_of_run
from ctxlab_widgets.chat_panel import ChatPanel
from ctxlab_widgets.knowledge_base_view import KnowledgeBaseView
from ctxlab_widgets.open_file import call_as_code, run_of_file
from ctxlab_widgets.run_history import RunHistory, Runs
from ctxlab_widgets.workspace_view.workspace_runs import newest_session, run_of, run_with

if TYPE_CHECKING:
    from ctxlab_widgets._shared.widget import Widget
    from ctxlab_widgets.compare import Compare
    from ctxlab_widgets.compression_view import CompressionView
    from ctxlab_widgets.injection_map import InjectionMap
    from ctxlab_widgets.knowledge_view import KnowledgeView
    from ctxlab_widgets.lore_view import LoreView
    from ctxlab_widgets.request_view import RequestView
    from ctxlab_widgets.rule_view import RuleView
    from ctxlab_widgets.sent_view import SentView
    from ctxlab_widgets.step_debugger import StepDebugger
    from ctxlab_widgets.token_budget import TokenBudget
    from ctxlab_widgets.token_view import TokenView
    from ctxlab_widgets.workspace_view import WorkspaceView

TABS: Mapping[str, str] = {
    "chat": "ChatPanel",
    "steps": "StepDebugger",
    "sent": "SentView",
    "request": "RequestView",
    "budget": "TokenBudget",
    "injections": "InjectionMap",
    "lore": "LoreView",
    "knowledge": "KnowledgeView",
    "rules": "RuleView",
    "compression": "CompressionView",
    "compare": "Compare",
    "tokens": "TokenView",
}
"""The views below the tree, each a tab of this name."""
KNOWLEDGE = "knowledge"
"""The tab that comes with the first run that asks for knowledge, or when it is asked for."""
WORKSPACE = "workspace"
"""The tab of a page that has a workspace, behind all others."""
OPENED_AS = {"agent": "steps", "table": "lore"}
"""The tab that shows what a value of the workspace does in the run, where it isn't the view of the same name."""
TITLES = {"sent": "What is sent"}
TOPICS = {
    "messages": "sent",
    "budget": "budget",
    "cut": "steps",
    "lore": "lore",
    "rules": "rules",
    "failed": "steps",
    "edits": "steps",
}
"""The view that a part of the head's sentence opens."""
COMPARED_STRATEGIES = ("sliding", "whole-exchanges", "middle-out")
"""Strategies that the table of runs begins with: the first two that the run doesn't use itself."""


class LabPage(ipywidgets.VBox):
    """The answer and every run at the head, below it the tree of the conversation, and a tab for each view of the run.

    A view is made when its tab is opened or when Python asks for it, and from then on follows the others.
    """

    def __init__(
        self,
        trace: Trace,
        *,
        python: str = "",
        library: Library | None = None,
        workspace: Workspace | None = None,
    ) -> None:
        tree = BranchTree(trace)
        self._kept = workspace
        self._names = [name for name in TABS if name != KNOWLEDGE or _asks_for_knowledge(trace)]
        self.state = SharedState(trace, tree.history.session, ("tree", *self._names), library=library)
        if workspace is not None:
            self._names.append(WORKSPACE)
        self._views: dict[str, Widget] = {}
        self._kept_place = ipywidgets.VBox()
        self._head = RunHistory(trace, python=python)
        places = [ipywidgets.Box() for _ in self._names]
        self._tabs = ipywidgets.Tab(places, titles=[TITLES.get(name, name.capitalize()) for name in self._names])
        super().__init__([self._head, tree, self._tabs])
        self.add_class("ctxlab-page")
        for name, view in (("head", self._head), ("tree", tree)):
            view.layout.width = "100%"
            self._follow(name, view)
        self._head.on_file(self._opened_file)
        self._head.show()
        self._tabs.observe(self._on_tab, "selected_index")
        self.state.observe(self._on_wanted, "wanted")
        self.state.observe(self._title_tabs, "trace")
        self._tabs.selected_index = self._names.index("steps")
        self._title_tabs()
        self._open("steps")

    def __repr__(self) -> str:
        return f"LabPage({self.trace!r}, shows {', '.join(self.opened)})"

    def _repr_html_(self) -> str:
        return saved_html("The page", "page.trace", [self.trace])

    # --- what all views share

    @property
    def trace(self) -> Trace:
        """The run that all views show. Set it, and all show another one."""
        return self.state.run

    @trace.setter
    def trace(self, run: Trace) -> None:
        self.state.trace = run

    @property
    def session(self) -> Session:
        """The conversation as the tree has it. Set it, and it is built with what the run was built with."""
        return self.state.session

    @session.setter
    def session(self, session: Session) -> None:
        self.state.session = session

    @property
    def selected(self) -> str:
        """Key of the message in focus in all views, such as `node:a3`; empty when none."""
        return self.state.selected

    @selected.setter
    def selected(self, key: str) -> None:
        self.state.selected = key

    @property
    def runs(self) -> Runs:
        """Every run of the page with its name, in the order in which they came; `ctxlab.compare` takes them."""
        assert self._head.runs is not None
        return self._head.runs

    def undo(self) -> Trace:
        """Show the run that the current one was made from, whichever view made it."""
        return self._head.undo()

    def redo(self) -> Trace:
        """Show the run that was undone last."""
        return self._head.redo()

    def go_to(self, name: str) -> Trace:
        """Show the run of this name; what is changed then is made from that one."""
        return self._head.go_to(name)

    # --- views

    @property
    def head(self) -> RunHistory:
        return self._head

    @property
    def tree(self) -> BranchTree:
        return cast("BranchTree", self._views["tree"])

    @property
    def chat(self) -> ChatPanel:
        """The conversation to be gone on with: a reply that is there is one more run of the page."""
        return cast("ChatPanel", self._open("chat"))

    @property
    def steps(self) -> StepDebugger:
        return cast("StepDebugger", self._open("steps"))

    @property
    def budget(self) -> TokenBudget:
        return cast("TokenBudget", self._open("budget"))

    @property
    def injections(self) -> InjectionMap:
        return cast("InjectionMap", self._open("injections"))

    @property
    def lore(self) -> LoreView:
        return cast("LoreView", self._open("lore"))

    @property
    def knowledge(self) -> KnowledgeView:
        return cast("KnowledgeView", self._open("knowledge"))

    @property
    def rules(self) -> RuleView:
        return cast("RuleView", self._open("rules"))

    @property
    def compression(self) -> CompressionView:
        return cast("CompressionView", self._open("compression"))

    @property
    def compare(self) -> Compare:
        return cast("Compare", self._open("compare"))

    @property
    def tokens(self) -> TokenView:
        return cast("TokenView", self._open("tokens"))

    @property
    def request(self) -> RequestView:
        return cast("RequestView", self._open("request"))

    @property
    def sent(self) -> SentView:
        return cast("SentView", self._open("sent"))

    @property
    def workspace(self) -> WorkspaceView:
        """The list of the workspace; raises CtxlabError where the page has none."""
        if self._kept is None:
            raise CtxlabError("this page has no workspace: lab(..., workspace=...) gives it one")
        return cast("WorkspaceView", self._open(WORKSPACE))

    @property
    def opened(self) -> tuple[str, ...]:
        """Names of the views that are made."""
        return tuple(name for name in self._views if name != "head")

    def show_tab(self, name: str, key: str = "") -> None:
        """Bring a tab to the front, such as `budget`; with a key at a message, an entry or a rule."""
        if name not in {*TABS, *self._names}:
            raise CtxlabError(f"there is no tab {name!r}; there are: {', '.join(dict.fromkeys([*TABS, *self._names]))}")
        self._need_tab(name)
        self._tabs.selected_index = self._names.index(name)
        if key:
            self._show_key(name, key)

    def close(self) -> None:
        """Take the page away with all its views."""
        for view in self._views.values():
            (view.page if isinstance(view, ChatPanel) else view).close()
        for page in self._kept_place.children[1:]:
            page.close()
        super().close()

    # --- views come when they are wanted

    def _on_tab(self, change: Mapping[str, Any]) -> None:
        if change["new"] is not None:
            self._open(self._names[change["new"]])

    def _title_tabs(self, _: object = None) -> None:
        """Name the tabs, with what there is to see in each."""
        if _asks_for_knowledge(self.trace):
            self._need_tab(KNOWLEDGE)
        counts = _counts(self.trace)
        titles = [f"{TITLES.get(name, name.capitalize())} {counts.get(name, '')}".strip() for name in self._names]
        if list(self._tabs.titles) != titles:
            self._tabs.titles = titles

    def _need_tab(self, name: str) -> None:
        """Put in a tab that isn't there yet, at its place among the others; the one in front stays there."""
        if name in self._names:
            return
        front = self._names[self._tabs.selected_index or 0]
        self._names = [each for each in (*TABS, WORKSPACE) if each == name or each in self._names]
        at = self._names.index(name)
        self._tabs.children = (*self._tabs.children[:at], ipywidgets.Box(), *self._tabs.children[at:])
        self._tabs.selected_index = self._names.index(front)
        self.state.views = ["tree", *(each for each in self._names if each != WORKSPACE)]
        for view in self._views.values():
            view.views = list(self.state.views)
        self._title_tabs()

    def _on_wanted(self, change: Mapping[str, Any]) -> None:
        name, key = change["new"]
        name = TOPICS.get(key.removeprefix("topic:"), "") if key.startswith("topic:") else name
        if name == "tree":
            self.selected = key or self.selected
        elif name in TABS:
            self.show_tab(name, "" if key.startswith("topic:") else key)

    def _show_key(self, name: str, key: str) -> None:
        """Bring what a key names into sight: by the view's own way, else as the message in focus."""
        view = self._open(name)
        kind, _, rest = key.partition(":")
        if name == "compare" and kind == "runs":
            self.compare.show_runs([self.runs[run] for run in _names(rest)])
        elif hasattr(view, "show_key"):
            cast("Any", view).show_key(key)
        else:
            self.selected = key

    def _open(self, name: str) -> Widget:
        if name not in self._views:
            self._need_tab(name)
            view = _view_of(name, self.trace) if name != WORKSPACE else self._list_of_workspace()
            view.layout.width = "100%"
            self._follow(name, view)
            place = cast("ipywidgets.Box", self._tabs.children[self._names.index(name)])
            if name == WORKSPACE:
                self._kept_place.children = (view,)
            shown = {WORKSPACE: self._kept_place}.get(name, view)
            place.children = (view.page if isinstance(view, ChatPanel) else shown,)
        return self._views[name]

    def _list_of_workspace(self) -> WorkspaceView:
        view = ctxlab_widgets.WorkspaceView(cast("Workspace", self._kept))
        view.on_open(self._opened_value)
        return view

    def _opened_value(self, name: str, value: object, node: str) -> None:
        """Show a session of the workspace in all views, or the run with an agent, a book or rules of it."""
        if isinstance(value, KnowledgeBase):
            self._show_base(value, node)
            return
        if isinstance(value, Session):
            self.trace = run_of(cast("Workspace", self._kept), value)
            self.selected = f"node:{node}" if node else ""
        else:
            self.trace = run_with(self.trace, value)
        self._on_wanted({"new": (OPENED_AS.get(name, name), "")})

    def _show_base(self, base: KnowledgeBase, node: str) -> None:
        """Show a base of the workspace below the list, in the place of the one that was there before."""
        before = self._kept_place.children[1:]
        view = KnowledgeBaseView(base)
        view.open_hit(node)
        self._kept_place.children = (self._kept_place.children[0], view.page)
        for page in before:
            page.close()

    def _follow(self, name: str, view: Widget) -> None:
        self._views[name] = view
        view.follow(self.state)

    def _opened_file(self, name: str, data: bytes) -> Trace:
        return run_of_file(self.trace, name, data)


@checked_arguments
def lab(
    shown: SessionSource | Trace | None = None,
    agent: AgentSource | None = None,
    *,
    workspace: Workspace | None = None,
    **options: Any,
) -> LabPage:
    """A page with all views of a run, which follow one another. `options` are those of `ctxlab.build`.

    `shown` is all that `ctxlab.build` takes: a session, a library such as `ctxlab.read` gives, a path, or messages. Of
    a trace the page shows that very run, with an agent the run again with that one. A `workspace` gets a tab, from
    which its sessions open in all views; without anything else the session that was opened last is shown.
    """
    if shown is None and workspace is not None:
        session = newest_session(workspace)
        run = run_of(workspace, session, **options) if agent is None else ctxlab.build(session, agent, **options)
        return LabPage(run, library=workspace.library(sessions=[]), workspace=workspace)
    if shown is None:
        raise CtxlabError("lab needs something to show: a session, a run, a path or a workspace")
    if not isinstance(shown, Trace):
        python = call_as_code(shown, agent, options)
        held = session_or_library(shown)
        brought = agent_or_library(agent) if agent is not None else None
        library = _library_of(held, brought, options)
        run = ctxlab.build(held, brought, **options)
        return LabPage(run, python=python, library=library, workspace=workspace)
    if options:
        raise CtxlabError(f"lab(trace) takes no {', '.join(options)}: the run is built; use ctxlab.rebuild(trace, ...)")
    return LabPage(shown if agent is None else ctxlab.rebuild(shown, agent=agent), workspace=workspace)


def _library_of(held: Session | Library, brought: Agent | Library | None, options: Mapping[str, Any]) -> Library:
    """All that a page was opened with, so that it can be chosen there."""
    found = held if isinstance(held, Library) else Library()
    if options.get("library") is not None:
        found |= library_of(options["library"])
    return found | brought if isinstance(brought, Library) else found


def _names(text: str) -> list[str]:
    """Names of runs, as a JSON list."""
    try:
        found: object = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in cast("list[object]", found)):
        raise CtxlabError(f"runs are named by a JSON list of their names, not by {text[:80]!r}")
    return cast("list[str]", found)


def _view_of(name: str, trace: Trace) -> Widget:
    if name == "chat":
        start = trace.start.input
        return ChatPanel(session_of_run(trace), start.agent, user=start.user)
    view = getattr(ctxlab_widgets, TABS[name])
    return view(trace, strategies=_other_strategies(trace)) if name == "compare" else view(trace)


def _counts(trace: Trace) -> dict[str, str]:
    """Counts behind the names of tabs: steps, messages, tokens, entries that fired, messages that rules changed."""
    counts = {"steps": f"{len(trace.steps):,}", "sent": f"{len(trace.result.drafts):,}", "budget": f"{trace.tokens:,}"}
    scan, hits = trace.result.report(LoreScan), trace.result.report(RuleHits)
    if scan is not None and scan.decisions:
        counts["lore"] = f"{len(scan.fired):,} of {len(scan):,}"
    knowledge = trace.result.report(KnowledgeReport)
    if knowledge is not None:
        every = sum(len(result.decisions) for result in knowledge.results)
        counts[KNOWLEDGE] = f"{sum(len(result.sent) for result in knowledge.results):,} of {every:,}"
    if hits is not None and hits.hits:
        counts["rules"] = f"{len({hit.key for hit in hits.hits}):,}"
    return counts


def _asks_for_knowledge(trace: Trace) -> bool:
    return trace.result.report(KnowledgeReport) is not None


def _other_strategies(trace: Trace) -> list[str] | None:
    """Something to hold the run against, where it cuts at all."""
    report = trace.result.report(BudgetReport)
    return None if report is None else [name for name in COMPARED_STRATEGIES if name != report.strategy][:2]

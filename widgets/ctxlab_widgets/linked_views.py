"""All views of one run on a page: what is done in one of them is seen in the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import ipywidgets
import traitlets

import ctxlab
import ctxlab_widgets
from ctxlab.api.sources import AgentSource, SessionSource
from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import Session
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab_widgets.branch_tree import BranchTree

if TYPE_CHECKING:
    from ctxlab_widgets._shared.widget import Widget
    from ctxlab_widgets.compare import Compare
    from ctxlab_widgets.injection_map import InjectionMap
    from ctxlab_widgets.lore_view import LoreView
    from ctxlab_widgets.rule_view import RuleView
    from ctxlab_widgets.step_debugger import StepDebugger
    from ctxlab_widgets.token_budget import TokenBudget
    from ctxlab_widgets.token_view import TokenView

TABS: Mapping[str, str] = {
    "steps": "StepDebugger",
    "budget": "TokenBudget",
    "injections": "InjectionMap",
    "lore": "LoreView",
    "rules": "RuleView",
    "compare": "Compare",
    "tokens": "TokenView",
}
"""The views beside the tree, each a tab of this name."""
COMPARED_STRATEGIES = ("sliding", "whole-exchanges", "middle-out")
"""Strategies that the table of runs begins with: the first two that the run doesn't use itself."""


class LabPage(ipywidgets.VBox):
    """The tree of a conversation, and beside it a tab for each view of the run; below it where there is little room.

    A view is made when its tab is opened or when Python asks for it, and from then on follows the others.
    """

    trace = traitlets.Instance(Trace)
    """The run that all views show. Set it, and all show another one."""
    session = traitlets.Instance(Session)
    """The conversation as the tree has it; another one is built with what the run was built with."""
    selected = traitlets.Unicode("")
    """Key of the message in focus in all views, such as `node:a3`; empty when none."""

    def __init__(self, trace: Trace) -> None:
        tree = BranchTree(trace)
        places = [ipywidgets.Box() for _ in TABS]
        tabs = ipywidgets.Tab(places, titles=[name.capitalize() for name in TABS])
        self._views: dict[str, Widget] = {}
        self._tabs = tabs
        super().__init__([tree, tabs], trace=trace, session=tree.history.session)
        self._link("tree", tree)
        traitlets.link((self, "session"), (tree, "session"))
        # Side by side where both have room, else one above the other.
        self.layout.flex_flow = "row wrap"
        self.layout.align_items = "stretch"
        tree.layout.flex, tree.layout.min_width = "1 1 480px", "0"
        tabs.layout.flex, tabs.layout.min_width = "2 1 960px", "0"
        tabs.observe(self._on_tab, "selected_index")
        tabs.selected_index = 0
        self._open("steps")

    def __repr__(self) -> str:
        return f"LabPage({self.trace!r}, shows {', '.join(self._views)})"

    @property
    def tree(self) -> BranchTree:
        return cast("BranchTree", self._views["tree"])

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
    def rules(self) -> RuleView:
        return cast("RuleView", self._open("rules"))

    @property
    def compare(self) -> Compare:
        return cast("Compare", self._open("compare"))

    @property
    def tokens(self) -> TokenView:
        return cast("TokenView", self._open("tokens"))

    @property
    def opened(self) -> tuple[str, ...]:
        """Names of the views that are made."""
        return tuple(self._views)

    def show_tab(self, name: str) -> None:
        """Bring a tab to the front, such as `budget`."""
        if name not in TABS:
            raise CtxlabError(f"there is no tab {name!r}; there are: {', '.join(TABS)}")
        self._tabs.selected_index = list(TABS).index(name)

    def close(self) -> None:
        """Take the page away with all its views."""
        for view in self._views.values():
            view.close()
        super().close()

    # --- views come when they are wanted

    def _on_tab(self, change: Mapping[str, Any]) -> None:
        if change["new"] is not None:
            self._open(list(TABS)[change["new"]])

    def _open(self, name: str) -> Widget:
        if name not in self._views:
            view = _view_of(name, self.trace)
            view.layout.width = "100%"
            self._link(name, view)
            place = cast("ipywidgets.Box", self._tabs.children[list(TABS).index(name)])
            place.children = (view,)
        return self._views[name]

    def _link(self, name: str, view: Widget) -> None:
        self._views[name] = view
        for trait in ("trace", "selected"):
            traitlets.link((self, trait), (view, trait))


@checked_arguments
def lab(shown: SessionSource | Trace, agent: AgentSource | None = None, **options: Any) -> LabPage:
    """A page with all views of a run, which follow one another. `options` are those of `ctxlab.build`.

    Of a trace the page shows that very run, with an agent the run again with that one.
    """
    if not isinstance(shown, Trace):
        return LabPage(ctxlab.build(shown, agent, **options))
    if options:
        raise CtxlabError(f"lab(trace) takes no {', '.join(options)}: the run is built; use ctxlab.rebuild(trace, ...)")
    return LabPage(shown if agent is None else ctxlab.rebuild(shown, agent=agent))


def _view_of(name: str, trace: Trace) -> Widget:
    view = getattr(ctxlab_widgets, TABS[name])
    return view(trace, strategies=_other_strategies(trace)) if name == "compare" else view(trace)


def _other_strategies(trace: Trace) -> list[str] | None:
    """Something to hold the run against, where it cuts at all."""
    report = trace.result.report(BudgetReport)
    return None if report is None else [name for name in COMPARED_STRATEGIES if name != report.strategy][:2]

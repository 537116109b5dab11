"""Each widget with something to show, for tests of what all have in common and for the pictures of the README."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import ctxlab
import ctxlab_widgets
from ctxlab import RegexPreset, Session, Trace, Worldbook
from ctxlab_widgets._shared.widget import Widget

DATASETS = Path(__file__).parents[2] / "datasets"


@cache
def session() -> Session:
    return ctxlab.load(DATASETS / "harbour_roleplay.session.json")


@cache
def tree() -> Session:
    return ctxlab.load(DATASETS / "research_tree.session.json")


@cache
def book() -> Worldbook:
    return ctxlab.read(DATASETS / "harbour_lore.json").books[0]


@cache
def rules() -> tuple[RegexPreset, ...]:
    return tuple(ctxlab.read(DATASETS / "harbour_rules.json").rules)


@cache
def harbour() -> Trace:
    agent = ctxlab.load_agent(DATASETS / "harbour_roleplay.agent.json")
    return ctxlab.build(session(), agent, budget_tokens=1800, books=[book()], rules=rules())


def stepping() -> Widget:
    """A debugger that has come to the cut, with a breakpoint behind it."""
    debugger = ctxlab.debug(
        session(),
        ctxlab.load_agent(DATASETS / "harbour_roleplay.agent.json"),
        budget_tokens=1800,
        books=[book()],
        rules=rules(),
    )
    debugger.breakpoints.add("merge-system")
    debugger.run()
    return ctxlab_widgets.StepDebugger(debugger)


SAMPLES: Mapping[str, Callable[[], Widget]] = {
    "step_debugger": stepping,
    "token_budget": lambda: ctxlab_widgets.TokenBudget(harbour()),
    "branch_tree": lambda: ctxlab_widgets.BranchTree(tree()),
    "compare": lambda: ctxlab_widgets.Compare(harbour(), strategies=["middle-out", "block"]),
    "injection_map": lambda: ctxlab_widgets.InjectionMap(harbour()),
    "lore_view": lambda: ctxlab_widgets.LoreView(harbour()),
    "rule_view": lambda: ctxlab_widgets.RuleView(harbour()),
    "token_view": lambda: ctxlab_widgets.TokenView(harbour()),
}

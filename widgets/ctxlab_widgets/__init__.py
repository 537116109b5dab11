"""See a run: widgets for the notebook, and reports of one file for everywhere else.

Importing the package loads nothing; each name brings its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab_widgets.branch_tree import BranchTree
    from ctxlab_widgets.compare import Compare
    from ctxlab_widgets.injection_map import InjectionMap
    from ctxlab_widgets.lab_page import lab
    from ctxlab_widgets.lore_view import LoreView
    from ctxlab_widgets.reports import report
    from ctxlab_widgets.rule_view import RuleView
    from ctxlab_widgets.step_debugger import StepDebugger
    from ctxlab_widgets.token_budget import TokenBudget
    from ctxlab_widgets.token_view import TokenView

__all__ = [
    "BranchTree",
    "Compare",
    "InjectionMap",
    "LoreView",
    "RuleView",
    "StepDebugger",
    "TokenBudget",
    "TokenView",
    "lab",
    "report",
]

_HOMES = {
    "BranchTree": "ctxlab_widgets.branch_tree",
    "Compare": "ctxlab_widgets.compare",
    "InjectionMap": "ctxlab_widgets.injection_map",
    "LoreView": "ctxlab_widgets.lore_view",
    "RuleView": "ctxlab_widgets.rule_view",
    "StepDebugger": "ctxlab_widgets.step_debugger",
    "TokenBudget": "ctxlab_widgets.token_budget",
    "TokenView": "ctxlab_widgets.token_view",
    "lab": "ctxlab_widgets.lab_page",
    "report": "ctxlab_widgets.reports",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

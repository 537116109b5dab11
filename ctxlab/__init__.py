"""See what an LLM chat program builds before it sends: every character, every cut, every cause.

Importing the package loads nothing; each name brings its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab.api import analyze, build, debug, diff, load, load_agent, load_user, read, read_data
    from ctxlab.context import Cause, Context, Draft, Edit, Origin, Pending, Request, Span, Text
    from ctxlab.documents import Agent, History, MessageNode, ModelProfile, Note, Session, UserProfile
    from ctxlab.errors import (
        BudgetTooSmall,
        CtxlabError,
        ProcessorFailed,
        SeveralSessions,
        UnexplainedDrop,
        UnexplainedRewrite,
    )
    from ctxlab.pipeline import (
        Debugger,
        Diff,
        Pipeline,
        Processor,
        ProcessorSettings,
        Services,
        Trace,
        processor,
    )
    from ctxlab.processors import default_pipeline
    from ctxlab.studies import Comparison, budget_figure, compare, injection_figure

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "BudgetTooSmall",
    "Cause",
    "Comparison",
    "Context",
    "CtxlabError",
    "Debugger",
    "Diff",
    "Draft",
    "Edit",
    "History",
    "MessageNode",
    "ModelProfile",
    "Note",
    "Origin",
    "Pending",
    "Pipeline",
    "Processor",
    "ProcessorFailed",
    "ProcessorSettings",
    "Request",
    "Services",
    "Session",
    "SeveralSessions",
    "Span",
    "Text",
    "Trace",
    "UnexplainedDrop",
    "UnexplainedRewrite",
    "UserProfile",
    "analyze",
    "budget_figure",
    "build",
    "compare",
    "debug",
    "default_pipeline",
    "diff",
    "injection_figure",
    "load",
    "load_agent",
    "load_user",
    "processor",
    "read",
    "read_data",
]

_HOMES = {
    "api": ("analyze", "build", "debug", "diff", "load", "load_agent", "load_user", "read", "read_data"),
    "context": ("Cause", "Context", "Draft", "Edit", "Origin", "Pending", "Request", "Span", "Text"),
    "documents": ("Agent", "History", "MessageNode", "ModelProfile", "Note", "Session", "UserProfile"),
    "errors": (
        "BudgetTooSmall",
        "CtxlabError",
        "ProcessorFailed",
        "SeveralSessions",
        "UnexplainedDrop",
        "UnexplainedRewrite",
    ),
    "pipeline": (
        "Debugger",
        "Diff",
        "Pipeline",
        "Processor",
        "ProcessorSettings",
        "Services",
        "Trace",
        "processor",
    ),
    "processors": ("default_pipeline",),
    "studies": ("Comparison", "budget_figure", "compare", "injection_figure"),
}
_HOME = {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

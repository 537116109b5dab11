"""See what an LLM chat program builds before it sends: every character, every cut, every cause.

Importing the package loads nothing; each name brings its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab.api import (
        analyze,
        begin,
        build,
        debug,
        diff,
        expand_input,
        greeted,
        joined,
        load,
        load_agent,
        load_user,
        lore_scan,
        lore_timeline,
        macro_problems,
        read,
        read_data,
        rebuild,
        regex_steps,
        render,
    )
    from ctxlab.context import (
        BuildInput,
        Cause,
        Change,
        Context,
        Draft,
        Edit,
        Origin,
        Pending,
        Span,
        StepReport,
        Table,
        Text,
        Variables,
    )
    from ctxlab.documents import (
        Agent,
        History,
        LoreEntry,
        MessageNode,
        ModelProfile,
        Note,
        RegexConfig,
        RegexPreset,
        RegexRule,
        Session,
        UserProfile,
        VirtualTime,
        Worldbook,
    )
    from ctxlab.engines.truncation import BudgetReport
    from ctxlab.errors import (
        BudgetTooSmall,
        CtxlabError,
        ProcessorFailed,
        SeveralSessions,
        UnexplainedChange,
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
    from ctxlab.studies import Comparison, book_frame, book_from_frame, budget_figure, compare, injection_figure

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "BudgetReport",
    "BudgetTooSmall",
    "BuildInput",
    "Cause",
    "Change",
    "Comparison",
    "Context",
    "CtxlabError",
    "Debugger",
    "Diff",
    "Draft",
    "Edit",
    "History",
    "LoreEntry",
    "MessageNode",
    "ModelProfile",
    "Note",
    "Origin",
    "Pending",
    "Pipeline",
    "Processor",
    "ProcessorFailed",
    "ProcessorSettings",
    "RegexConfig",
    "RegexPreset",
    "RegexRule",
    "Services",
    "Session",
    "SeveralSessions",
    "Span",
    "StepReport",
    "Table",
    "Text",
    "Trace",
    "UnexplainedChange",
    "UnexplainedDrop",
    "UnexplainedRewrite",
    "UserProfile",
    "Variables",
    "VirtualTime",
    "Worldbook",
    "analyze",
    "begin",
    "book_frame",
    "book_from_frame",
    "budget_figure",
    "build",
    "compare",
    "debug",
    "default_pipeline",
    "diff",
    "expand_input",
    "greeted",
    "injection_figure",
    "joined",
    "load",
    "load_agent",
    "load_user",
    "lore_scan",
    "lore_timeline",
    "macro_problems",
    "processor",
    "read",
    "read_data",
    "rebuild",
    "regex_steps",
    "render",
]

_HOMES = {
    "api": (
        "analyze",
        "begin",
        "build",
        "debug",
        "diff",
        "render",
        "expand_input",
        "greeted",
        "joined",
        "load",
        "load_agent",
        "load_user",
        "lore_scan",
        "lore_timeline",
        "macro_problems",
        "read",
        "read_data",
        "rebuild",
        "regex_steps",
    ),
    "context": (
        "Cause",
        "Change",
        "Context",
        "Draft",
        "Edit",
        "Origin",
        "Pending",
        "BuildInput",
        "Span",
        "StepReport",
        "Table",
        "Text",
        "Variables",
    ),
    "documents": (
        "Agent",
        "History",
        "LoreEntry",
        "MessageNode",
        "ModelProfile",
        "Note",
        "RegexConfig",
        "RegexPreset",
        "RegexRule",
        "Session",
        "UserProfile",
        "VirtualTime",
        "Worldbook",
    ),
    "engines.truncation": ("BudgetReport",),
    "errors": (
        "BudgetTooSmall",
        "CtxlabError",
        "ProcessorFailed",
        "SeveralSessions",
        "UnexplainedChange",
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
    "studies": ("Comparison", "book_frame", "book_from_frame", "budget_figure", "compare", "injection_figure"),
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

"""See what an LLM chat program builds before it sends: every character, every cut, every cause."""

from ctxlab.api import build, debug, diff, load, load_agent, load_user, read, read_data
from ctxlab.context import Cause, Context, Draft, Edit, Origin, Pending, Request, Span, Text
from ctxlab.documents import Agent, MessageNode, ModelProfile, Note, Session, UserProfile
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

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "BudgetTooSmall",
    "Cause",
    "Context",
    "CtxlabError",
    "Debugger",
    "Diff",
    "Draft",
    "Edit",
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
    "build",
    "debug",
    "default_pipeline",
    "diff",
    "load",
    "load_agent",
    "load_user",
    "processor",
    "read",
    "read_data",
]

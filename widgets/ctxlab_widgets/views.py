"""Views that ctxlab finds under the entry points `ctxlab.views`: it knows these names and not this package."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab.chat.compression import Compression
    from ctxlab.documents import History, KnowledgeBase, Session
    from ctxlab.engines.worldbook import LoreScan
    from ctxlab.pipeline import Debugger, Trace
    from ctxlab.providers import Payload
    from ctxlab.recordings.recording import Recording
    from ctxlab.storage.workspace import Workspace
    from ctxlab.studies import Comparison
    from ctxlab.studies.study import StudyResult


def trace(value: Trace) -> Any | None:
    """The widget for a run, where a notebook can show one."""
    return _widget("StepDebugger", value)


def debugger(value: Debugger) -> Any | None:
    """The widget that drives this very debugger, where a notebook can show one."""
    return _widget("StepDebugger", value)


def session(value: Session | History) -> Any | None:
    """The tree of a conversation; of a history the widget drives that very history."""
    return _widget("BranchTree", value)


def comparison(value: Comparison) -> Any | None:
    """Runs side by side."""
    return _widget("Compare", value)


def compression(value: Compression) -> Any | None:
    """The messages that go, the summary to be edited, and what it keeps."""
    return _widget("CompressionView", value)


def lore(value: LoreScan) -> Any | None:
    """The decisions on every entry of a scan."""
    return _widget("LoreView", value)


def knowledge(value: Trace) -> Any | None:
    """Knowledge that a run looked up, and why each piece is sent or isn't."""
    return _widget("KnowledgeView", value)


def knowledge_base(value: KnowledgeBase) -> Any | None:
    """The entries of a base with their pieces, and below them what a query finds."""
    return _widget("KnowledgeBaseView", value)


def payload(value: Payload) -> Any | None:
    """The request, place by place, where a notebook can show it."""
    return _widget("RequestView", value)


def recording(value: Recording) -> Any | None:
    """The requests of a recording, and below them what is opened of one."""
    return _widget("RecordingView", value)


def study(value: StudyResult) -> Any | None:
    """The study, and below it the run of a case that is opened there."""
    return _widget("Study", value)


def workspace(value: Workspace) -> Any | None:
    """The list of what is kept, and below it the view in which a value is opened."""
    return _widget("WorkspaceView", value)


def report(value: Trace | Recording, path: Path) -> Path:
    """The run, or the recording, as an HTML file."""
    from ctxlab_widgets.html_report import report

    return report(value, path)


def _widget(name: str, value: object) -> Any | None:
    if not _in_a_notebook():
        return None
    import ctxlab_widgets

    return getattr(ctxlab_widgets, name)(value)


def _in_a_notebook() -> bool:
    """Whether a kernel runs this: a terminal shows no widget, and need not wait for its libraries."""
    core = sys.modules.get("IPython.core.getipython")
    shell = core.get_ipython() if core else None
    return getattr(shell, "kernel", None) is not None

"""What ctxlab finds under the entry points `ctxlab.views`: it knows these names and not this package."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab.pipeline import Debugger, Trace


def trace(value: Trace) -> Any | None:
    """The widget for a run, where a notebook can show one."""
    return _step_debugger(value)


def debugger(value: Debugger) -> Any | None:
    """The widget that drives this very debugger, where a notebook can show one."""
    return _step_debugger(value)


def report(value: Trace, path: Path) -> Path:
    """The run as an HTML file."""
    from ctxlab_widgets.reports import report

    return report(value, path)


def _step_debugger(value: Trace | Debugger) -> Any | None:
    if not _in_a_notebook():
        return None
    from ctxlab_widgets.step_debugger import StepDebugger

    return StepDebugger(value)


def _in_a_notebook() -> bool:
    """Whether a kernel runs this: a terminal shows no widget, and need not wait for its libraries."""
    core = sys.modules.get("IPython.core.getipython")
    shell = core.get_ipython() if core else None
    return getattr(shell, "kernel", None) is not None

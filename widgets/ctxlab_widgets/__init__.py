"""See a run: widgets for the notebook, and reports of one file for everywhere else.

Importing the package loads nothing; each name brings its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxlab_widgets.reports import report
    from ctxlab_widgets.step_debugger import StepDebugger

__all__ = ["StepDebugger", "report"]

_HOMES = {"StepDebugger": "ctxlab_widgets.step_debugger", "report": "ctxlab_widgets.reports"}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

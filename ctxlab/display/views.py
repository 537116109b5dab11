"""Views of values from installed packages: entry points `ctxlab.views`, looked up at first use."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from ctxlab.plugins import announced

GROUP = "ctxlab.views"


@cache
def view_for(name: str) -> Callable[..., Any] | None:
    """The view of this name; None when no package has one. A broken one earns a warning."""
    problems: list[str] = []
    found: Callable[..., Any] | None = None
    for plugin in announced(GROUP, problems, name=name):
        if not callable(plugin.value):
            problems.append(plugin.left_out(f"it is {type(plugin.value).__name__}, which can't be called"))
        elif found is None:
            found = plugin.value
    for problem in problems:
        warnings.warn(f"{GROUP}: {problem}", stacklevel=2)
    return found


def shown_as(name: str, value: object) -> Any:
    """The MIME bundle of the value's widget; None where there is no widget, so that the value's own HTML is shown."""
    view = view_for(name)
    widget = None if view is None else view(value)
    return None if widget is None else widget._repr_mimebundle_()

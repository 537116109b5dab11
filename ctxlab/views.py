"""How a value is shown where a package for that is installed: entry points `ctxlab.views`, looked up when asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

GROUP = "ctxlab.views"


@cache
def view_for(name: str) -> Callable[..., Any] | None:
    """What is announced under this name; None when no package announces it."""
    from importlib.metadata import entry_points

    found = next(iter(entry_points(group=GROUP, name=name)), None)
    return None if found is None else found.load()


def shown_as(name: str, value: object) -> Any:
    """What a notebook gets to show: that of a widget, else nothing, and it takes the value's own HTML."""
    view = view_for(name)
    widget = None if view is None else view(value)
    return None if widget is None else widget._repr_mimebundle_()

"""The public widgets and their pages."""

from __future__ import annotations

import inspect
import re

import ctxlab_widgets
from ctxlab_widgets._shared.widget import Widget


def public_widgets() -> dict[str, type[Widget]]:
    """All of them by name."""
    every = {name: getattr(ctxlab_widgets, name) for name in ctxlab_widgets.__all__}
    return {name: each for name, each in every.items() if inspect.isclass(each) and issubclass(each, Widget)}


def page_of(name: str) -> str:
    """The name of a widget's page."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()

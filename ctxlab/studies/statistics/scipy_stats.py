"""scipy's statistics, loaded at first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ctxlab.errors import MissingExtra


def scipy_stats() -> Any:
    """The module `scipy.stats`; raises MissingExtra with what to type where scipy isn't installed."""
    try:
        return import_module("scipy.stats")
    except ModuleNotFoundError as missing:
        raise MissingExtra("statistics need scipy, which is not installed: pip install 'ctxlab[studies]'") from missing

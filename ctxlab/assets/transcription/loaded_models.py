"""Models that engines load: once per process, however many threads ask."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Hashable
from importlib import metadata
from threading import Lock
from types import ModuleType
from typing import Any, TypeVar, cast

from ctxlab.errors import CtxlabError, MissingExtra

T = TypeVar("T")

MOST_KEPT = 4
"""Models that stay loaded; one of speech takes 75 MB and more."""

_loaded: dict[Hashable, Any] = {}
_loading = Lock()


def loaded(key: Hashable, load: Callable[[], T]) -> T:
    """The result of `load`, which is called once for each key; another process, a forked one too, loads its own."""
    key = (os.getpid(), key)
    with _loading:
        if key not in _loaded:
            while len(_loaded) >= MOST_KEPT:
                del _loaded[next(iter(_loaded))]
            _loaded[key] = load()
        return cast("T", _loaded[key])


def optional_module(name: str, *, extra: str, purpose: str) -> ModuleType:
    """A module of an optional dependency; raises MissingExtra with what to type where it isn't installed."""
    install = f"pip install 'ctxlab[{extra}]'"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        raise MissingExtra(f"{purpose} needs {missing.name}, which is not installed: {install}") from missing
    except (ImportError, OSError) as broken:
        reason = str(broken).splitlines()[0] if str(broken) else type(broken).__name__
        raise CtxlabError(f"{purpose} needs {name}, which is installed and can't be loaded: {reason}") from broken


def version_of(distribution: str) -> str:
    """The version of an installed package; empty where it isn't installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""

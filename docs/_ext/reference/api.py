"""Public names, by what they are for, with their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from _ext.reference.markdown import page

GROUPS = {
    "api": "Doors",
    "documents": "What is kept",
    "context": "What is built",
    "pipeline": "How it runs",
    "processors": "Steps",
    "engines": "Small languages and counts",
    "assets": "Files",
    "knowledge": "Knowledge",
    "providers": "Requests",
    "chat": "Sending, compressing, chatting",
    "formats": "Reading and writing",
    "storage": "Keeping",
    "studies": "Studies and comparisons",
    "recordings": "Recordings",
    "testing": "Tests",
    "errors": "Errors",
}
INTRO = """Every name of `import ctxlab` and `import ctxlab_widgets`. What begins with an underscore, and what only
a longer path reaches, may change at any time."""


def api() -> str:
    """The page."""
    package, widgets = import_module("ctxlab"), import_module("ctxlab_widgets")
    by_group: dict[str, list[str]] = {group: [] for group in GROUPS}
    others: list[str] = []
    for name in package.__all__:
        home = getattr(getattr(package, name), "__module__", "") or ""
        by_group.get([*home.split("."), ""][1], others).append(name)
    blocks = [INTRO]
    for group, names in by_group.items():
        if names:
            blocks += [f"## {GROUPS[group]}", *_entries(package, names)]
    blocks += ["## Values and modules", *_entries(package, others)] if others else []
    return page("API", *blocks, "## Widgets", *_entries(widgets, widgets.__all__))


def _entries(package: ModuleType, names: list[str]) -> Iterator[str]:
    for name in sorted(names, key=str.lower):
        value, full = getattr(package, name), f"{package.__name__}.{name}"
        if inspect.isclass(value):
            yield _directive("autoclass", full, members=True)
        elif inspect.isroutine(value):
            yield _directive("autofunction", full)
        else:
            yield f"### {name}\n\n`{full}`"


def _directive(kind: str, name: str, *, members: bool = False) -> str:
    options = "\n   :members:\n   :undoc-members: False" if members else ""
    return f"```{{eval-rst}}\n.. {kind}:: {name}{options.replace(chr(10) + '   :undoc-members: False', '')}\n```"

"""Public names, by what they are for, with their docstrings."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from _ext.reference.markdown import page, plain

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

CONTRACT = """What `ctxlab.engines.truncation` offers to a [strategy of your own](../extending/strategy.md)."""
TESTING = """What `ctxlab.testing` offers to [prompts under test](../prompts_under_test.md), with fakes and made-up
conversations."""
OF_STRATEGIES = ("Border", "Kept", "KeptRange", "Reason", "Strategy", "Traits", "Unit", "Verdict", "Window")
OF_SCORERS = ("ScoredRun", "Scorer", "ScoreValue")
SCORERS = """What `ctxlab.studies.study` offers to a [scorer of your own](../extending/scorer.md)."""


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
    testing, contract = import_module("ctxlab.testing"), import_module("ctxlab.engines.truncation")
    blocks += ["## Tests of prompts", TESTING, *_entries(testing, testing.__all__)]
    blocks += ["## The contract of a strategy", CONTRACT, *_entries(contract, list(OF_STRATEGIES))]
    scored = import_module("ctxlab.studies.study")
    blocks += ["## The contract of a scorer", SCORERS, *_entries(scored, list(OF_SCORERS))]
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
            if words := value_words(package.__name__, name):
                yield plain(words)


def value_words(module: str, name: str) -> str:
    """The docstring below the line that gives a module's name its value, wherever it was imported from."""
    tree = ast.parse(_source(module))
    for node, after in pairwise([*tree.body, ast.Pass()]):
        if isinstance(node, ast.ImportFrom) and any((each.asname or each.name) == name for each in node.names):
            original = next(each.name for each in node.names if (each.asname or each.name) == name)
            return value_words(node.module or "", original)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(each, ast.Name) and each.id == name for each in targets):
            words = after.value if isinstance(after, ast.Expr) else None
            return str(words.value) if isinstance(words, ast.Constant) and isinstance(words.value, str) else ""
    return ""


def _source(module: str) -> str:
    """The text of a module; of a package that imports its names at their first use, its stub."""
    path = Path(import_module(module).__file__ or "")
    stub = path.with_suffix(".pyi")
    return (stub if stub.exists() else path).read_text(encoding="utf-8")


def _directive(kind: str, name: str, *, members: bool = False) -> str:
    options = "\n   :members:\n   :undoc-members: False" if members else ""
    return f"```{{eval-rst}}\n.. {kind}:: {name}{options.replace(chr(10) + '   :undoc-members: False', '')}\n```"

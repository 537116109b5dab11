"""Every public name has its place: in the API page, and in a page that somebody wrote."""

from __future__ import annotations

import ast
import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import ctxlab
import ctxlab_widgets

DOCS = Path(__file__).parents[1] / "docs"
GENERATED = DOCS / "reference"
WITHOUT_A_PAGE: frozenset[str] = frozenset()
"""Public names that no written page speaks of; there are none."""


def written() -> str:
    """The pages as they were written; what a build makes of the code isn't among them."""
    pages = (path for path in sorted(DOCS.rglob("*.md")) if GENERATED not in path.parents)
    return "\n".join(path.read_text(encoding="utf-8") for path in pages)


@pytest.mark.parametrize("package", [ctxlab, ctxlab_widgets])
def test_every_public_name_is_in_a_written_page(package: ModuleType) -> None:
    words = set(re.findall(r"\w+", written()))

    assert [name for name in package.__all__ if name not in words and name not in WITHOUT_A_PAGE] == []


def test_the_api_page_has_every_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    without_sphinx = ModuleType("_ext.reference")
    without_sphinx.__path__ = [str(DOCS / "_ext/reference")]
    monkeypatch.setitem(sys.modules, "_ext.reference", without_sphinx)

    lines = set(import_module("_ext.reference.api").api().splitlines())

    for package in (ctxlab, ctxlab_widgets):
        full = [f"{package.__name__}.{name}" for name in package.__all__]
        ways = (".. autoclass:: {}", ".. autofunction:: {}", "`{}`")
        assert [name for name in full if not any(way.format(name) in lines for way in ways)] == []


@pytest.mark.parametrize("example", ["scorer/user_share.py", "strategy/user_first.py"])
def test_the_api_page_has_every_name_that_an_example_of_a_plugin_imports(
    example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    without_sphinx = ModuleType("_ext.reference")
    without_sphinx.__path__ = [str(DOCS / "_ext/reference")]
    monkeypatch.setitem(sys.modules, "_ext.reference", without_sphinx)
    imports = [
        node
        for node in ast.walk(ast.parse((DOCS / "extending" / example).read_text()))
        if isinstance(node, ast.ImportFrom)
    ]
    named = [
        f"{each.module}.{name.name}" for each in imports if str(each.module).startswith("ctxlab") for name in each.names
    ]

    page = import_module("_ext.reference.api").api()

    assert named
    assert [name for name in named if f":: {name}\n" not in page and f"`{name}`" not in page] == []

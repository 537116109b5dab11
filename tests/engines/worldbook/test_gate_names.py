"""Every gate that code asks for by its name is one that a decision can have."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from ctxlab.engines.worldbook.gates import GATES

ROOT = Path(__file__).parents[3]


def asked_for() -> Iterator[tuple[str, str]]:
    """Names that stand beside a `.gate`, or that a gate is closed by, with the place of each."""
    for package in (ROOT / "ctxlab", ROOT / "widgets" / "ctxlab_widgets"):
        for path in sorted(package.rglob("*.py")):
            text = path.read_text("utf-8")
            if ".gate" not in text and "ClosedGate(" not in text:
                continue
            module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
            for node in ast.walk(ast.parse(text)):
                for each in _beside(node):
                    place = f"{path.relative_to(ROOT)}:{each.lineno}"
                    yield from ((name, place) for name in _texts(each, module))


def _beside(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return sides if any(isinstance(side, ast.Attribute) and side.attr == "gate" for side in sides) else []
    is_gate = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ClosedGate"
    return node.args[:1] if is_gate and isinstance(node, ast.Call) else []


def _texts(node: ast.expr, module: str) -> list[str]:
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.Tuple | ast.Set | ast.List):
        return [text for each in node.elts for text in _texts(each, module)]
    if isinstance(node, ast.Name) and node.id.isupper():
        return list(getattr(import_module(module), node.id))
    return []


def test_every_gate_that_code_asks_for_is_a_gate() -> None:
    asked = list(asked_for())

    assert len(asked) > 20
    assert [(name, place) for name, place in asked if name not in GATES] == []

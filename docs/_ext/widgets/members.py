"""Traits and methods of a widget with what their docstrings say."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

import traitlets

from ctxlab_widgets._shared.widget import Widget

_SENTENCE = re.compile(r".+?\.(?=\s|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TraitRow:
    """A trait: its type in words, and its docstring."""

    name: str
    type: str
    about: str


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A method: how it is called, and the first sentence of its docstring."""

    call: str
    about: str


def traits_of(widget: type[Widget]) -> list[TraitRow]:
    """Own traits first, then those that all widgets have; ValueError where one has no docstring."""
    every = widget.class_traits()
    rows: dict[str, TraitRow] = {}
    for owner in _own_classes(widget):
        about = _docstrings(owner)
        for name in vars(owner):
            if name in every and name not in rows and not name.startswith("_"):
                if name not in about:
                    raise ValueError(f"{owner.__name__}.{name} has no docstring")
                rows[name] = TraitRow(name, _type(every[name]), about[name])
    return list(rows.values())


def methods_of(widget: type[Widget]) -> list[MethodRow]:
    """Public methods in the order of the code; one without a docstring is its own parts' business."""
    rows: dict[str, MethodRow] = {}
    for owner in _own_classes(widget):
        if owner is Widget:
            continue
        for name, method in vars(owner).items():
            about = inspect.getdoc(method) if inspect.isfunction(method) else None
            if about and not name.startswith("_") and not hasattr(Widget, name):
                first = _SENTENCE.match(about)
                rows.setdefault(name, MethodRow(f"{name}{_parameters(method)}", first[0] if first else about))
    return list(rows.values())


def _own_classes(widget: type[Widget]) -> list[type[Any]]:
    return [each for each in widget.__mro__ if each.__module__.startswith("ctxlab_widgets.")]


def _docstrings(owner: type[Any]) -> dict[str, str]:
    """By attribute the string below it."""
    tree = ast.parse(dedent(inspect.getsource(owner))).body[0]
    assert isinstance(tree, ast.ClassDef)
    return dict(_named_strings(tree))


def _named_strings(tree: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for before, after in zip(tree.body, tree.body[1:], strict=False):
        target = before.targets[0] if isinstance(before, ast.Assign) else getattr(before, "target", None)
        if isinstance(target, ast.Name) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            yield target.id, str(after.value.value)


def _type(trait: Any) -> str:
    match trait:
        case traitlets.Enum():
            words = " | ".join(repr(each) for each in trait.values or ())
        case traitlets.Instance(klass=type() as held) if type(trait) is traitlets.Instance:
            words = held.__name__
        case traitlets.Instance(klass=str() as held) if type(trait) is traitlets.Instance:
            words = held.rpartition(".")[2]
        case _:
            words = _NAMES.get(type(trait).__name__, type(trait).__name__.lower())
    return f"{words} | None" if trait.allow_none else words


_NAMES = {"Unicode": "str", "TraitType": "object", "Any": "object"}


def _parameters(method: Any) -> str:
    """Parameters without annotations."""
    signature = inspect.signature(method)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in list(signature.parameters.values())[1:]]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))

"""The public names of a package, imported when they are first used.

The package's stub, `__init__.pyi`, says each name once, with its module: type checkers read it, and so does
`names_of_stub`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from sys import modules
from types import ModuleType
from typing import Any


class _Package(ModuleType):
    """A package of which a public name may be that of the module that defines it."""

    def __setattr__(self, name: str, value: Any) -> None:
        # Python puts each module that is imported into its package, where it would hide the function.
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)


def names_of_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of the package whose `__init__` is `file`.

    A line of the stub is `from <module> import <name> as <name>`, the form in which a stub exports a name.
    """
    homes = _homes(f"{file.rpartition('.')[0]}.pyi")
    public = sorted(homes, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    modules[package].__class__ = _Package
    values = modules[package].__dict__

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{_near(package, name, public)}")
        values[name] = found = getattr(import_module(homes[name]), name)
        return found

    return get, lambda: listed(values, public), public


def _near(package: str, name: str, public: list[str]) -> str:
    """A clause on what a name may mean that isn't there; nothing for those that Python and tools ask for."""
    if name.startswith("_"):
        return ""
    from ctxlab.display.guessed_names import hint

    return hint(package, name, public)


def listed(values: Mapping[str, Any], public: Iterable[str]) -> list[str]:
    """Names that completion offers for a module: the public ones and those that Python gives every module."""
    return sorted({*public, *(name for name in values if name.startswith("__"))})


def _homes(stub: str) -> dict[str, str]:
    """By name, the module that defines it."""
    with open(stub, encoding="utf-8") as lines:  # noqa: PTH123  # importing pathlib takes longer than all of this
        words = [line.split() for line in lines if line.startswith("from ")]
    return {name: module for _, module, _, name, *_ in words}

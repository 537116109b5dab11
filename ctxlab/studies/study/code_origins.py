"""The origin of code: ctxlab, Python, an installed package, or somewhere that can change between two runs."""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType

from ctxlab.plugins import package_of_module

OURS = ("ctxlab", "ctxlab_widgets")


@cache
def installed_as(module: str) -> str | None:
    """The package of a module with its version, "numpy 2.1.0"; "" for Python and ctxlab, which are hashed apart.

    None for a module that is somebody's own: a notebook, a script, a file beside them, a package in development; or
    with a plugin of ctxlab, so that its code counts whether it is installed from a folder or from a wheel.
    """
    top = module.partition(".")[0]
    if top in OURS or module in sys.builtin_module_names:
        return ""
    if package_of_module(module) is not None:
        return None
    place = _place(module) or _place(top)
    if place is None:
        return None
    if any(place.is_relative_to(folder) for folder in _folders("purelib", "platlib")):
        return _distributions(top)
    return "" if any(place.is_relative_to(folder) for folder in _folders("stdlib", "platstdlib")) else None


def _place(module: str) -> Path | None:
    """The file or the folder of a module; None of a notebook's and of one that is nowhere."""
    loaded = sys.modules.get(module)
    spec: ModuleSpec | None = getattr(loaded, "__spec__", None)
    if loaded is None and "." not in module:
        try:
            spec = find_spec(module)
        except (ImportError, ValueError, AttributeError):  # of a module that names no place
            return None
    if spec is None:
        return None
    if spec.origin in ("built-in", "frozen"):
        return Path(_folders("stdlib")[0]) / module
    inside = list(spec.submodule_search_locations or ())
    found = spec.origin or (inside[0] if inside else None)
    return Path(found).resolve() if found is not None else None


@cache
def _folders(*names: str) -> tuple[Path, ...]:
    import site
    import sysconfig

    found = [sysconfig.get_path(name) for name in names]
    if "purelib" in names:
        found += [*site.getsitepackages(), site.getusersitepackages()]
    return tuple([Path(folder).resolve() for folder in found if folder])


@cache
def _distributions(top: str) -> str:
    names = sorted(set(_packages().get(top, ())))
    return " ".join([f"{name} {_version(name)}" for name in names]) or f"{top} {_version(top)}"


@cache
def needs_ctxlab(module: str) -> bool:
    """Whether a module is of an installed package that is made for ctxlab: one that requires it."""
    from importlib.metadata import requires

    if installed_as(module) in (None, ""):
        return False
    needed = [each for name in _packages().get(module.partition(".")[0], ()) for each in requires(name) or ()]
    return any(re.match(r"ctxlab\b", each) for each in needed)


@cache
def _packages() -> dict[str, list[str]]:
    from importlib.metadata import packages_distributions

    return dict(packages_distributions())


def _version(distribution: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


@cache
def global_names(code: CodeType) -> frozenset[str]:
    """Names of globals that a code reads, those of functions inside it too."""
    from dis import get_instructions

    found = {str(each.argval) for each in get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return frozenset(found.union(*map(global_names, _inner(code))))


@cache
def all_names(code: CodeType) -> frozenset[str]:
    """Names of globals and attributes in a code, those of functions inside it too."""
    return frozenset({*code.co_names}.union(*map(all_names, _inner(code))))


@cache
def imports_in(code: CodeType) -> frozenset[tuple[str, tuple[str, ...]]]:
    """Modules that a code imports when it runs, with the names that it takes from each; "." before relative ones."""
    from dis import get_instructions

    found: set[tuple[str, tuple[str, ...]]] = set()
    before: list[object] = [0, None]
    for each in get_instructions(code):
        if each.opname == "IMPORT_NAME":
            level, taken = before[-2:]
            names = tuple(taken) if isinstance(taken, tuple) else ()
            found.add(("." * (level if isinstance(level, int) else 0) + str(each.argval), names))
        before.append(each.argval)
    return frozenset(found.union(*map(imports_in, _inner(code))))


def _inner(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def modules_imported(code: CodeType, package: str) -> list[ModuleType]:
    """The modules of somebody's own that a code imports when it runs; those that can't be imported are left out."""
    from importlib import import_module
    from importlib.util import resolve_name

    found: dict[str, ModuleType] = {}
    for name, taken in sorted(imports_in(code)):
        try:
            whole = resolve_name(name, package)
        except ImportError:
            continue
        parts = whole.split(".")
        parents = [".".join(parts[: i + 1]) for i in range(len(parts))]
        for each in (*parents, *(f"{whole}.{one}" for one in taken)):
            if installed_as(each) is not None:
                continue
            try:
                found[each] = import_module(each)
            except Exception:  # what stands in a module may raise anything; names that are no modules are attributes
                continue
    return list(found.values())

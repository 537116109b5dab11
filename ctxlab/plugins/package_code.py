"""A hash of a plugin's code: of the text of its Python files, wherever they stand, and never of a path or a time."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from importlib.util import find_spec
from pathlib import Path

from ctxlab.lazy_pattern import lazy_pattern

OURS = "ctxlab"
SIZE = 16
"""Bytes of a hash."""
IMPORTED = lazy_pattern(r"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
"""Names of modules that a source imports; words of texts may be among them, the same ones wherever it stands."""

_LOADED: dict[str, str] = {}


def code_of_package(name: str) -> str:
    """A hash of the Python files of the package that announces plugins; empty where there are none to read.

    Those are the modules that its entry points `ctxlab.*` name, whole packages of them, and its other modules that
    these import. It is the same for an editable install and for its wheel.
    """
    digest = blake2b(digest_size=SIZE)
    try:
        modules = _modules(distribution(name))
    except PackageNotFoundError:
        return ""
    found = {place: text for files in modules.values() for place, text in files.items()}
    for place in sorted(found):
        for text in (place.encode(), found[place]):
            digest.update(len(text).to_bytes(8, "big"))
            digest.update(text)
    return digest.hexdigest() if found else ""


def note_loaded(name: str) -> None:
    """Remember the code of a package, one of whose plugins was loaded just now; the first time counts."""
    if name not in _LOADED and name != OURS:
        _LOADED[name] = code_of_package(name)


def has_changed(name: str) -> bool:
    """Whether the files of a package are others than when its plugins were loaded, so that other code runs."""
    return name in _LOADED and _LOADED[name] != code_of_package(name)


def package_of_module(module: str) -> str | None:
    """The package with plugins for ctxlab whose own module this is, or is in; None of any other's."""
    parts = module.split(".")
    if parts[0] == OURS:
        return None
    known = _packages()
    return next((known[name] for i in range(len(parts)) if (name := ".".join(parts[: i + 1])) in known), None)


@cache
def _packages() -> dict[str, str]:
    """Packages with plugins by their own modules."""
    found = [each for each in distributions() if each.name != OURS and _points(each)]
    return {module: each.name for each in found for module in _modules(each)}


def _points(package: Distribution) -> list[str]:
    """The modules in which a package has plugins."""
    return [point.module for point in package.entry_points if point.group.startswith("ctxlab.")]


def _modules(package: Distribution) -> dict[str, dict[str, bytes]]:
    """A package's own modules and packages of modules, with their files by place and the texts of these."""
    wanted = sorted({module for point in _points(package) if (module := _own_part(point))})
    found: dict[str, dict[str, bytes]] = {}
    recorded = {file.parts[0].partition(".")[0] for file in package.files or () if file.suffix == ".py"}
    while wanted:
        module = wanted.pop()
        if module in found:
            continue
        found[module] = dict(_files(module))
        named = {name for text in found[module].values() for name in IMPORTED.findall(text.decode("utf-8", "replace"))}
        wanted += [each for each in sorted(named - found.keys()) if _is_beside(each, module, recorded)]
    return found


def _own_part(module: str) -> str:
    """The module or package below the namespaces that several packages share; empty where there is none."""
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        spec = _spec(".".join(parts[:count]))
        if spec is None:
            return ""
        if spec.origin is not None:
            return spec.name
    return ""


def _files(module: str) -> Iterator[tuple[str, bytes]]:
    """Files of a module or a package by place, and their texts with one kind of end of line."""
    spec = _spec(module)
    if spec is None:
        return
    folders = [Path(each) for each in spec.submodule_search_locations or ()]
    if not folders and spec.origin is not None:
        yield from _read([Path(spec.origin)], Path(spec.origin).parent, module.rpartition(".")[0])
    for folder in folders:
        yield from _read(folder.rglob("*.py"), folder, module)


def _read(paths: Iterable[Path], folder: Path, module: str) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        try:
            text = path.read_bytes()
        except OSError:  # a folder of that name, or a file that went meanwhile
            continue
        yield f"{module}/{path.relative_to(folder).as_posix()}", text.replace(b"\r\n", b"\n")


def _is_beside(name: str, module: str, recorded: set[str]) -> bool:
    """Whether a module that is imported is the package's own: in the list of its files, or beside it in a checkout."""
    if name in recorded:
        return True
    spec, other = _spec(module.partition(".")[0]), _spec(name)
    if spec is None or other is None or spec.origin is None or other.origin is None:
        return False
    folder, beside = _root(spec), _root(other)
    return folder == beside and folder not in _installed_folders()


def _root(spec: ModuleSpec) -> Path:
    """The folder in which the first part of a module stands."""
    place = Path(spec.origin or "").resolve().parent
    return place.parent if spec.submodule_search_locations else place


def _spec(module: str) -> ModuleSpec | None:
    loaded = sys.modules.get(module)
    try:
        return loaded.__spec__ if loaded is not None else find_spec(module)
    except (ImportError, ValueError, AttributeError):  # of a module that names no place
        return None


@cache
def _installed_folders() -> frozenset[Path]:
    import site
    import sysconfig

    found = [sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib", "platstdlib")]
    found += [*site.getsitepackages(), site.getusersitepackages()]
    return frozenset(Path(folder).resolve() for folder in found if folder)

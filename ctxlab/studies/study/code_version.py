"""The version of what builds a context: Python, ctxlab's own code, plugins, and libraries that decide on it.

All of it is derived: code by what the code that makes a cell imports, libraries by what that imports of others, groups
of plugins by those that it loads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

from ctxlab.plugins import code_of_package
from ctxlab.studies.study.code_reached import OURS, ROOT, Reached, files_of, modules, packages_of, reached_from

MAKES_CELLS = (
    "ctxlab.api.build",
    "ctxlab.studies.scorers.registry",
    "ctxlab.studies.study.batches",
    "ctxlab.studies.study.cell_folder",
)
"""The modules that a cell is made by: what builds, what scores, what makes rows of both and keeps them.

Values of a study that are of other modules of ctxlab count by `code_of_module`.
"""
NAMED = ("rankers", "strategies")
"""Groups whose plugins take part where settings name them; `plugins_used` finds those of a cell."""
NOT_IN_BUILDS = ("formats", "forms", "scorers", "views")
"""Groups of plugins that no build goes through: they read files, whose content is hashed itself, and draw; scorers are
those of the study."""


@cache
def in_every_build() -> tuple[str, ...]:
    """Entry point groups `ctxlab.<name>` whose plugins may take part in any build, whatever its settings say."""
    return tuple(sorted(reached().groups.difference(NAMED, NOT_IN_BUILDS)))


def reached() -> Reached:
    """All that the code that makes cells may run."""
    return reached_from(*MAKES_CELLS)


@cache
def code_version() -> str:
    """A hash of the sources that make a cell, of versions of libraries, and of the plugins that may be in every build.

    Taken once per process. Plugins that are there and that settings have to name don't count in it.
    """
    return _hash_of(reached().modules, versions_of(libraries()) + code_of(packages_in(in_every_build())))


@cache
def whole_code_version() -> str:
    """A hash of all sources of ctxlab: code of somebody else's, such as a plugin's or a scorer's, may run any of it."""
    return _hash_of(modules(), "")


@cache
def installed_version() -> str:
    """The version of the code with the code of every plugin: processes of one run have the same."""
    return blake2b((code_version() + code_of(packages_in(NAMED))).encode(), digest_size=16).hexdigest()


@cache
def installed_stamp(installed: str) -> str:
    """A stamp of that version and of the files that it is of, by their times and sizes; empty where plugins have some.

    A process whose files have the stamp has the version, which would take it half a second to hash.
    """
    if set(packages_in((*in_every_build(), *NAMED))) - {OURS, f"{OURS}-widgets"}:
        return ""
    return stamp_here(installed)


def stamp_here(installed: str) -> str:
    """The stamp of a version with the files of this process: sources of ctxlab, and folders of packages."""
    files = [*modules().values(), *{Path(place) for place in sys.path if place.endswith("-packages")}]
    found = [(str(path), each.st_mtime_ns, each.st_size) for path in files if (each := path.stat())]
    return blake2b(repr((installed, sys.version, sorted(found))).encode(), digest_size=16).hexdigest()


def code_of_module(module: str) -> str:
    """The version of the code that something of a module of ctxlab may run; empty where `code_version` says it."""
    return "" if module in reached().modules else whole_code_version()


def _hash_of(names: Iterable[str], rest: str) -> str:
    digest = blake2b(".".join(map(str, sys.version_info[:2])).encode(), digest_size=16)
    for path in files_of(names):
        for text in (path.relative_to(ROOT).as_posix().encode(), path.read_bytes().replace(b"\r\n", b"\n")):
            digest.update(len(text).to_bytes(8, "big"))
            digest.update(text)
    digest.update(rest.encode())
    return digest.hexdigest()


@cache
def libraries() -> tuple[str, ...]:
    """Packages that split, match, count, read, draw lots and price, by what the code that makes cells imports."""
    return tuple(packages_of(reached().imported))


def packages_in(groups: Iterable[str]) -> list[str]:
    """Names of the packages that announce plugins in these groups."""
    points = [point for group in groups for point in entry_points(group=f"{OURS}.{group}")]
    return sorted({point.dist.name for point in points if point.dist is not None})


def versions_of(packages: Iterable[str]) -> str:
    """Packages with their versions, a line each; without a version where one isn't installed."""
    return "".join([f"\n{name} {_version(name)}" for name in packages])


def code_of(packages: Iterable[str]) -> str:
    """Packages of plugins with their versions and hashes of their code, a line each; with them, all of ctxlab."""
    lines = [f"\n{name} {_version(name)} {code_of_package(name)}" for name in packages]
    return "".join([*lines, f"\n{whole_code_version()}"]) if lines else ""


def records_of(packages: Iterable[str]) -> dict[str, dict[str, str]]:
    """The version of each package of plugins and the hash of its code, by name."""
    return {name: {"version": _version(name), "code": code_of_package(name)} for name in packages}


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""

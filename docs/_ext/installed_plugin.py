"""A plugin of `docs/extending` as an installer would leave it, for as long as a block of code runs."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PLUGINS = Path(__file__).parents[1] / "extending"


@contextlib.contextmanager
def installed_plugin(name: str) -> Iterator[None]:
    """The plugin of this folder on the path, with the entry points of its `pyproject.toml`; gone afterwards."""
    folder = PLUGINS / name
    with tempfile.TemporaryDirectory(prefix="ctxlab-plugin-") as about:
        _write_about(Path(about), tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"])
        before = list(sys.path)
        sys.path[:0] = [about, str(folder)]
        _forget()
        try:
            yield
        finally:
            sys.path[:] = before
            _forget()


def _write_about(folder: Path, project: dict[str, Any]) -> None:
    name, version = project["name"], project["version"]
    place = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{point} = {value}" for point, value in points.items()))
    ]
    (place / "entry_points.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _forget() -> None:
    """What is scanned once per process is scanned again."""
    from ctxlab.display.views import view_for
    from ctxlab.engines.truncation import strategies
    from ctxlab.pipeline import plugin_processors
    from ctxlab.processors.injection.anchor_plugins import plugin_anchors
    from ctxlab.recordings.findings.registry import finding_rules
    from ctxlab.studies.scorers.registry import scorers

    for scanned in (view_for, strategies, plugin_processors, plugin_anchors, scorers, finding_rules):
        scanned.cache_clear()

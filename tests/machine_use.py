"""What tests took from the machine beyond what the project's files install: one line at the end of a run.

A run that is green only because a machine happens to have something says so here.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FONT_ENDINGS = (".ttf", ".ttc", ".otf", ".woff", ".woff2", ".pfb")
KEY = "machine_use"
_used: set[tuple[str, str]] = set()


def used(kind: str, path: str | Path) -> None:
    """Note a program or a font; those that lie in the project or its environment are its own."""
    found = Path(path)
    if not any(found.is_relative_to(own) for own in (ROOT, *_own())):
        _used.add((kind, str(found)))


def _own() -> Iterator[Path]:
    yield Path(sys.prefix)
    yield Path(sys.base_prefix)
    if temporary := os.environ.get("TMPDIR", "/tmp"):
        yield Path(temporary)


def _heard(event: str, words: tuple[Any, ...]) -> None:
    """Hears which programs are started and which fonts are opened."""
    if event == "subprocess.Popen":
        program = os.fsdecode(words[0]) if isinstance(words[0], str | bytes | os.PathLike) else ""
        found = shutil.which(program)
        if found:
            used("tools", found)
    elif event == "open" and isinstance(words[0], str) and words[0].lower().endswith(FONT_ENDINGS):
        used("fonts", words[0])


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(sys, "_ctxlab_machine_use"):
        sys.addaudithook(_heard)
        sys._ctxlab_machine_use = True  # type: ignore[attr-defined]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands what it noted to the run that started it."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[KEY] = sorted(_used)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _used.update((kind, path) for kind, path in getattr(node, "workeroutput", {}).get(KEY, ()))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(machine_line(_used))


def machine_line(found: set[tuple[str, str]]) -> str:
    """By kind what the machine gave.

    >>> machine_line({("tools", "/usr/bin/git"), ("browsers", "/usr/bin/chromium")})
    'of this machine: browsers /usr/bin/chromium; fonts none; tools /usr/bin/git'
    """
    kinds = {kind: sorted(path for each, path in found if each == kind) for kind in ("browsers", "fonts", "tools")}
    return "of this machine: " + "; ".join(f"{kind} {', '.join(paths) or 'none'}" for kind, paths in kinds.items())

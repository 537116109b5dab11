"""Pages that are made of the code at each build, so that they can't say otherwise."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from _ext.reference.api import api
from _ext.reference.command_line import command_line
from _ext.reference.errors import errors
from _ext.reference.formats import formats
from _ext.reference.gates import gates
from _ext.reference.macros import macros
from _ext.reference.scorers import scorers
from _ext.reference.steps import steps
from _ext.reference.study_file import study_file
from _ext.reference.vendors import vendors

PAGES = {
    "steps": steps,
    "formats": formats,
    "macros": macros,
    "lorebook_gates": gates,
    "errors": errors,
    "command_line": command_line,
    "vendors": vendors,
    "study_file": study_file,
    "scorers": scorers,
    "api": api,
}


def write_pages(app: Sphinx) -> None:
    """Write each page that differs from what is there."""
    folder = Path(app.srcdir) / "reference"
    folder.mkdir(exist_ok=True)
    for name, made in PAGES.items():
        path, text = folder / f"{name}.md", made()
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def api_last(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    """Read the API after all pages.

    Autodoc writes annotations of base classes into pydantic's models, and code of a later page that builds on one
    fails.
    """
    names.sort(key=lambda name: name == "reference/api")


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the pages before the sources are looked for."""
    app.connect("builder-inited", write_pages)
    app.connect("env-before-read-docs", api_last)
    return {"parallel_read_safe": True}

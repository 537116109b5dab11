"""`ctxlab report`: the run as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.errors import CtxlabError, MissingExtra

if TYPE_CHECKING:
    from ctxlab.cli.inputs.files import Inputs
    from ctxlab.pipeline import Trace


def print_report(inputs: Inputs, out: Path) -> None:
    """Write the page and say where it is."""
    from ctxlab.cli.output.terminal import Screen

    path = write_report(inputs.trace(), out)
    Screen().line((str(path), "command"), f", {path.stat().st_size / 1000:,.0f} kB; open it in a browser")


def write_report(trace: Trace, out: Path) -> Path:
    """Write the report with the package that draws it; raises MissingExtra without one."""
    from ctxlab.display.views import view_for

    write = view_for("report")
    if not out.parent.is_dir():
        raise CtxlabError(f"there is no folder {str(out.parent)!r} to write {out.name} to")
    if write is None:
        raise MissingExtra("no package here writes reports; pip install ctxlab brings ctxlab_widgets, which does")
    return write(trace, out)

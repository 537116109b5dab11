"""`ctxlab report`: the run as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli.inputs.read_file import is_pipe
from ctxlab.errors import CtxlabError, MissingExtra
from ctxlab.formats import refuse_overwriting

if TYPE_CHECKING:
    from ctxlab.cli.inputs.files import Inputs
    from ctxlab.pipeline import Trace


def print_report(inputs: Inputs, out: Path) -> None:
    """Write the page and say where it is."""
    from ctxlab.cli.output.terminal import Screen

    _refuse(inputs, out)
    replaced = out.is_file()
    path = write_report(inputs.trace(), out)
    inputs.announce()
    kb = f"{path.stat().st_size / 1000:,.0f} kB"
    Screen().line((str(path), "command"), f", {kb}{', replaced' if replaced else ''}; open it in a browser")


def _refuse(inputs: Inputs, out: Path) -> None:
    """Raise before the run where the page could not be written, or would overwrite a file that is read."""
    typed = inputs.options
    for read in filter(None, (typed.file, typed.agent, typed.user, *(typed.books or ()), *(typed.rules or ()))):
        refuse_overwriting(read, out)
    _refuse_without_folder(out)
    if out.is_dir():
        raise CtxlabError(f"{out} is a folder; give a file name inside it, such as {out / 'page.html'}")
    if is_pipe(out):
        raise CtxlabError("- is no name of a file to write; give one, such as page.html")
    if out.suffix.lower() not in ("", ".html", ".htm"):
        page = out.with_suffix(".html").name
        raise CtxlabError(f"a report is HTML, and {out.name} ends in {out.suffix}; give a name such as {page}")


def write_report(trace: Trace, out: Path) -> Path:
    """Write the report with the package that draws it; raises MissingExtra without one."""
    from ctxlab.display.views import view_for

    write = view_for("report")
    _refuse_without_folder(out)
    if write is None:
        raise MissingExtra("no package here writes reports; pip install ctxlab brings ctxlab_widgets, which does")
    return write(trace, out)


def _refuse_without_folder(out: Path) -> None:
    if not out.parent.is_dir():
        raise CtxlabError(f"there is no folder {str(out.parent)!r} to write {out.name} to")

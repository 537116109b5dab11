"""`ctxlab report`: the run as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli.inputs.read_file import is_pipe
from ctxlab.documents.atomic_file import refuse_overwriting
from ctxlab.errors import CtxlabError, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxlab.cli.inputs.options import CommandOptions
    from ctxlab.pipeline import Trace
    from ctxlab.recordings.recording import Recording


def print_report(options: CommandOptions, out: Path, reading: str | None = None) -> None:
    """Write the page of a run, or of a recording, and say where it is; `reading` is which of the two a log is read as.

    A file that `ctxlab record` made is a recording without being asked; of another log the other reading is named.
    """
    from ctxlab.cli.inputs.files import load
    from ctxlab.cli.inputs.recording_file import read_recording_file
    from ctxlab.cli.notebook_files import is_recording

    if reading == "recording" or (reading is None and is_recording(options.file)):
        _refuse(options, out)
        _write_and_tell(read_recording_file(options.file), out)
        return
    inputs = load(options)
    _refuse(options, out)
    _write_and_tell(inputs.trace(), out, inputs.announce)
    if reading is None:
        _name_the_other_reading(options.file)


def _name_the_other_reading(file: Path) -> None:
    from ctxlab.cli.output.terminal import Screen
    from ctxlab.recordings.read import program_of_log

    program = program_of_log(file)
    if program:
        said = f"this is the conversation in a log of {program}; --as recording writes its requests, one by one"
        Screen().line((said, "dim"), hang=2)


def _write_and_tell(value: Trace | Recording, out: Path, announce: Callable[[], None] | None = None) -> None:
    from ctxlab.cli.output.terminal import Screen

    replaced = out.is_file()
    path = write_report(value, out)
    if announce is not None:
        announce()
    kb = f"{path.stat().st_size / 1000:,.0f} kB"
    Screen().line((str(path), "command"), f", {kb}{', replaced' if replaced else ''}; open it in a browser")


def _refuse(typed: CommandOptions, out: Path) -> None:
    """Raise before the run where the page could not be written, or would overwrite a file that is read."""
    for read in filter(None, typed.files):
        refuse_overwriting(read, out)
    _refuse_without_folder(out)
    if out.is_dir():
        raise CtxlabError(f"{out} is a folder; give a file name inside it, such as {out / 'page.html'}")
    if is_pipe(out):
        raise CtxlabError("- is no name of a file to write; give one, such as page.html")
    if out.suffix.lower() not in ("", ".html", ".htm"):
        page = out.with_suffix(".html").name
        raise CtxlabError(f"a report is HTML, and {out.name} ends in {out.suffix}; give a name such as {page}")


def write_report(value: Trace | Recording, out: Path) -> Path:
    """Write the report with the package that draws it; raises MissingExtra without one."""
    from ctxlab.display.views import view_for

    write = view_for("report")
    _refuse_without_folder(out)
    if write is None:
        raise MissingExtra("no package here writes reports; pip install ctxlab brings ctxlab_widgets, which does")
    return write(value, out)


def _refuse_without_folder(out: Path) -> None:
    if not out.parent.is_dir():
        raise CtxlabError(f"there is no folder {str(out.parent)!r} to write {out.name} to")

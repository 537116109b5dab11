"""`ctxlab convert`: from any format that is read to any that is written."""

from __future__ import annotations

from pathlib import Path

from ctxlab.cli.output.progress import progress
from ctxlab.cli.output.run_text import losses
from ctxlab.cli.output.terminal import Screen


def print_conversion(source: Path, target: Path, *, pick: str | None, form: str | None) -> None:
    """Write the file and say what could not be carried."""
    from ctxlab.formats import convert

    with progress(f"reading {source.name}", file=source):
        export = convert(source, target, pick=_picked(pick), format=form)
    screen = Screen()
    screen.line(("wrote ", "label"), str(target))
    losses(screen, [str(loss) for loss in export.losses])


def _picked(pick: str | None) -> str | int | None:
    return int(pick) if pick is not None and pick.removeprefix("-").isdecimal() else pick

"""`ctxlab convert`: from any format that is read to any that is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli.inputs.read_file import is_pipe, read
from ctxlab.cli.output.progress import progress
from ctxlab.cli.output.run_text import MOST_LOSSES, losses
from ctxlab.cli.output.terminal import Screen, harmless
from ctxlab.display.short_texts import counted
from ctxlab.errors import WriteError

if TYPE_CHECKING:
    from ctxlab.formats import Conversion


def print_conversion(source: Path, target: Path, *, pick: str | None, form: str | None, repair: bool = False) -> None:
    """Write the file and say what was replaced, what was mended and what could not be carried."""
    export = _converted(source, target, pick=_picked(pick), form=form, repair=repair)
    screen = Screen()
    replaced = ("; replaced the file that was there", "label") if export.replaced else ""
    screen.line(("wrote ", "label"), harmless(str(target)), replaced)
    if repair:
        _repairs(screen, export.repairs)
    losses(screen, [str(loss) for loss in export.lost_in_reading])
    losses(screen, [str(loss) for loss in export.lost_in_writing], during="writing")


def _converted(source: Path, target: Path, *, pick: str | int | None, form: str | None, repair: bool) -> Conversion:
    from ctxlab.formats import convert, convert_import

    if is_pipe(target):
        raise WriteError("- is no name of a file to write; give one, such as out.json")
    if is_pipe(source):
        return convert_import(read(source), target, pick=pick, format=form, repair=repair)
    with progress(f"reading {source.name}", file=source):
        return convert(source, target, pick=pick, format=form, repair=repair)


def _repairs(screen: Screen, found: tuple[str, ...]) -> None:
    screen.line((f"mended: {counted(len(found), 'change')}" if found else "nothing to mend", "label"))
    for text in found[:MOST_LOSSES]:
        screen.line(("· ", "dim"), (harmless(text), "dim"), hang=2)
    if len(found) > MOST_LOSSES:
        screen.line((f"· and {len(found) - MOST_LOSSES:,} more", "dim"))


def _picked(pick: str | None) -> str | int | None:
    return int(pick) if pick is not None and pick.removeprefix("-").isdecimal() else pick

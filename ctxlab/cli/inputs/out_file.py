"""Places that a command writes to, refused before anything is done where they can't be had."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ctxlab.cli.inputs.options import CommandOptions
from ctxlab.cli.inputs.read_file import is_pipe
from ctxlab.documents.atomic_file import refuse_overwriting
from ctxlab.errors import WriteError
from ctxlab.lazy_pattern import lazy_pattern

ENDINGS = lazy_pattern(r"(?:\.session|\.openai|\.branch|\.chat(?:-\d+)?)?\.\w+$")


def refuse_place(options: CommandOptions, out: Path, *, example: str) -> None:
    """Raise WriteError for standard output, for a folder, and for a file that the command reads."""
    if is_pipe(out):
        raise WriteError(f"- is no name of a file to write; give one, such as {example}")
    if out.is_dir():
        raise WriteError(f"{out} is a folder; give a file name inside it, such as {out / example}")
    for read in filter(None, options.files):
        refuse_overwriting(read, out)


def free_place(file: Path) -> Path:
    """A file beside one that isn't there yet: `trip.chat.json` beside `trip.session.json`, then `trip.chat-2.json`."""
    return next(path for path in _places(file.expanduser()) if not path.exists())


def _places(file: Path) -> Iterator[Path]:
    file = file.resolve() if file.name in ("", "..") else file
    stem = ENDINGS.sub("", file.name) or file.name or "conversation"
    number = 1
    while True:
        yield file.with_name(f"{stem}.chat{f'-{number}' if number > 1 else ''}.json")
        number += 1

"""The conversation that a file or a folder holds, read as far as it is asked for."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from ctxlab.cli.inputs.read_file import is_pipe, read
from ctxlab.display.short_texts import counted
from ctxlab.documents import Library, Session
from ctxlab.errors import ReadError, UnknownFormat

if TYPE_CHECKING:
    from ctxlab.formats import Import


def conversation(file: Path, pick: str | None) -> tuple[Import, str | None]:
    """Everything in a file, and what is still to be picked of it; of a recording it is said what takes it.

    Of a folder that is more than is held at once it is the conversation that is picked, and what is for all of them.
    """
    if pick is not None and file.is_dir() and (found := _picked_of_large_folder(file, pick)) is not None:
        return found, None
    try:
        return read(file), pick
    except UnknownFormat:
        count = _recorded_requests(file)
        if not count:
            raise
        name = quote(str(file))
        raise ReadError(
            f"{file} is a recording of {counted(count, 'request')}, which are not built again; ctxlab explain {name} "
            f"--request {count} asks what was sent with one, ctxlab check, prefix and report take all of them"
        ) from None


def _picked_of_large_folder(folder: Path, pick: str) -> Import | None:
    """The last conversation of this id, else the one of this index, with what lies beside it; None where it is not
    there, or the folder is not too large to be read at once."""
    from ctxlab import formats
    from ctxlab.cli.output.progress import progress
    from ctxlab.formats.folder import is_too_much

    if not is_too_much(folder):
        return None
    index = int(pick) if pick.isdecimal() else -1
    named: tuple[str, Session, Import] | None = None
    numbered: tuple[str, Session, Import] | None = None
    with progress(f"looking through {folder.name}"):
        parts = formats.folder_parts(folder)
        count = 0
        for place, part in parts:
            if isinstance(part, ReadError):
                continue
            for session in part.sessions:
                own = replace(part, sessions=(session,))
                if session.id == pick:
                    named = (place, session, own)
                elif count == index:
                    numbered = (place, session, own)
                count += 1
    found = named or numbered
    if found is None:
        return None
    place, session, own = found
    beside = parts.for_sessions(own)
    given: dict[str, Any] = {each.name: getattr(beside, each.name) for each in fields(Library)}
    given["sessions"] = (session,)
    return formats.Import(**given, losses=own.losses, source=f"{folder}/{place}", format=own.format)


def _recorded_requests(file: Path) -> int:
    """The number of requests in a file; 0 where it is no recording."""
    from ctxlab.recordings.read import read_recording

    if is_pipe(file) or not file.is_file() or file.suffix.lower() in (".txt", ".md", ".prompt"):
        return 0
    with suppress(ReadError):
        return len(read_recording(file).requests)
    return 0

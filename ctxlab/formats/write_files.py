"""Files out: a value in the format that is asked for, and a file in another format."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, cast

from ctxlab.documents.atomic_file import refuse_overwriting, replace_file
from ctxlab.errors import WriteError
from ctxlab.formats.all_formats import FORMATS
from ctxlab.formats.format import Format, Kind, Pick
from ctxlab.formats.format_to_write import form_as_read, format_to_write, why_not_written
from ctxlab.formats.known_formats import plugins
from ctxlab.formats.read_files import read
from ctxlab.formats.repair_sessions import Repair, repaired_sessions
from ctxlab.formats.results import Conversion, Export, Import, Loss, Losses
from ctxlab.formats.sillytavern.chats.own_texts import note_of_chat
from ctxlab.formats.values_to_export import import_of, kinds_in, left_out


def write(
    value: object, path: str | os.PathLike[str], *, format: str | None = None, pick: Pick = None
) -> Export[bytes]:
    """Write a value to a file, replaced in one step, and return what was written with its losses.

    The value is a session, an agent, a user profile, a book, rules, quick actions, a knowledge base, a list of these or
    a Library, such as an Import; an Export is written as it is. The format is `format`, a name in FORMATS, or the one
    that the path's ending asks for. A file that holds one of several things needs `pick`, an index, id or name. Raises
    WriteError, naming the endings that would do, when the format isn't known or holds nothing of the value.
    """
    if isinstance(value, Export):
        export = cast("Export[Any]", value).as_bytes()
    else:
        found = import_of(value)
        kinds = kinds_in(found)
        form = _format_to_write(os.fspath(path), format, kinds)
        if form.write is None or (form.holds and set(kinds).isdisjoint(form.holds)):
            raise WriteError(why_not_written(form, found, os.fspath(path), kinds, FORMATS))
        lost = left_out(found, ("models", "presets"), "no format holds it; left out")
        export = form.write(found, pick).after([*lost, *_notes_left_out(found, form)])
    replace_file(path, export.data)
    return export


KEEPING: Final = frozenset({"native", "zip", "sillytavern-chat"})
"""Formats of conversations that keep what a file brought along."""


def _notes_left_out(found: Import, form: Format) -> list[Loss]:
    """A loss for the author's note of each chat, in a format that doesn't keep what a file brought along."""
    if form.name in KEEPING or "sessions" not in form.holds:
        return []
    notes = [session.name or session.id for session in found.sessions if note_of_chat(session) is not None]
    return [Loss(f"session {name!r}", "its author's note has no place here; left out") for name in notes]


def convert(
    in_path: str | os.PathLike[str],
    out_path: str | os.PathLike[str],
    *,
    pick: Pick = None,
    format: str | None = None,
    repair: bool = False,
) -> Conversion:
    """Read a file, write what it holds in another format, and return it with what was lost on either way.

    `format` and `pick` are as for `write`: JSON and zip take all sessions, `.rules.json` all sets of rules,
    `.quickactions.json` and `.quickactions.zip` all sets of quick actions, `.knowledge.json` all knowledge bases, the
    others one. A book, a card, a preset, rules, quick actions or a knowledge base that go to plain `.json` are
    written in the form in which they were read. A card's picture is kept. With `repair` broken trees are mended, as
    `session.repaired()` does.
    """
    _format_to_write(os.fspath(out_path), format, ())
    refuse_overwriting(in_path, out_path)
    return convert_import(read(in_path), out_path, pick=pick, format=format, repair=repair)


def convert_import(
    found: Import,
    out_path: str | os.PathLike[str],
    *,
    pick: Pick = None,
    format: str | None = None,
    repair: bool = False,
) -> Conversion:
    """`convert` of what was read already."""
    mended = repaired_sessions(found) if repair else Repair(found)
    found = mended.found
    replaced = Path(out_path).expanduser().is_file()
    name = format
    if name is None and _format_to_write(os.fspath(out_path), None, ()).name == "native":
        name = form_as_read(found, os.fspath(out_path))
    export = write(found, out_path, format=name, pick=pick)
    losses = Losses((*found.losses, *export.losses))
    return Conversion(export.data, losses, len(found.losses), replaced, mended.notes)


def _format_to_write(path: str, name: str | None, kinds: Iterable[Kind]) -> Format:
    return format_to_write(path, name, kinds, FORMATS, plugins)

"""Files in: what is in one is told by its content, not by its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ctxlab.errors import BrokenFile, UnknownFormat
from ctxlab.formats.decode import source_at, source_of_file
from ctxlab.formats.files.attached import Files
from ctxlab.formats.files.shelf import FolderShelf
from ctxlab.formats.folder import FolderParts, read_folder
from ctxlab.formats.known_formats import known_formats, names, plugins, recognised
from ctxlab.formats.results import Import, counted_by_field
from ctxlab.formats.sanitize_json import sanitized
from ctxlab.formats.source import Source, described


def read(path: str | os.PathLike[str], *, keep_prompts: bool = False) -> Import:
    """Everything in a file, whatever its format, or in all files of a folder.

    Files that its sessions and agents name by a path come along: those in an archive, in its folder, or in the folders
    below that. System messages at the head of a list become presets of an agent; with `keep_prompts` they stay in the
    tree. Raises ReadError when there is nothing that can be read.
    """
    name = os.fspath(path)
    place = Path(name).expanduser()
    if place.is_dir():
        return read_folder(place, name, partial(_read_at, keep_prompts=keep_prompts))
    found = _read_at(place, name, keep_prompts=keep_prompts)
    return Files(FolderShelf(place.absolute().parent)).along_with(found)


def folder_parts(
    path: str | os.PathLike[str], *, keep_prompts: bool = False, step: Callable[[float], object] | None = None
) -> FolderParts:
    """The conversations of a folder file by file, and what lies beside them; `step` is told the share of bytes that was
    looked at.

    However large it is, one file of it is held at a time. Only what is beside conversations is read at once.
    """
    name = os.fspath(path)
    read_file = partial(_read_at, keep_prompts=keep_prompts)
    return FolderParts.of(Path(name).expanduser(), name, read_file, _beside_at, step or (lambda share: None))


def _beside_at(path: Path, name: str) -> Import | None:
    source = source_at(path, name)
    form = recognised(known_formats(), source.data)
    return None if form is not None and form.only_conversations(source.data) else read_source(source)


def _read_at(path: Path, name: str, *, keep_prompts: bool) -> Import:
    return read_source(replace(source_at(path, name), keep_prompts=keep_prompts))


def read_bytes(raw: bytes, name: str, *, keep_prompts: bool = False) -> Import:
    """Everything in the content of a file, such as what came through a pipe; `name` is used in messages and ids."""
    return read_source(replace(source_of_file(raw, name), keep_prompts=keep_prompts))


def read_data(data: Any, *, source: str = "data") -> Import:
    """Everything in parsed JSON, such as a list of message dicts; the data is copied, not kept."""
    try:
        plain, losses = sanitized(data)
    except RecursionError as error:
        raise BrokenFile(f"{source} is {error}, or holds itself") from None
    return read_source(Source(plain, source, losses=tuple(losses)))


def read_source(source: Source) -> Import:
    """Everything in a parsed file, read by the first format that recognises it; ours come before plugins'."""
    problems: list[str] = []
    form = recognised(known_formats(), source.data) or recognised(plugins(problems), source.data)
    if form is None or form.read is None:
        raise UnknownFormat("; ".join([_unknown(source), *problems]))
    try:
        found = form.read(source)
    except RecursionError:
        raise BrokenFile(f"{source.name} is nested too deeply to be read") from None
    return replace(
        found,
        losses=counted_by_field(found.losses),
        format=found.format or form.name,
        source=found.source or source.name,
        picture=source.picture,
        agents_of_sessions=_agents_of_sessions(found) if form.only_conversations(source.data) else frozenset(),
    )


def _agents_of_sessions(found: Import) -> frozenset[str]:
    """Ids of agents that some session names, where a file has nothing for other conversations."""
    ids = {agent.id for agent in found.agents}
    named = (node.agent_id for session in found.sessions for node in session.nodes.values()) if ids else ()
    return frozenset(ids.intersection(id for id in named if id))


def _unknown(source: Source) -> str:
    from ctxlab.formats.known_but_unread import name_of
    from ctxlab.formats.openai.conversation import ROLES, unknown_role

    known = ", ".join(names())
    name = name_of(source.data)
    if name is not None:
        return f"{source.name} is {name}, which is not read yet; formats: {known}"
    role = unknown_role(source.data)
    hint = "" if role is None else f", with the role {role!r:.40}; known are {', '.join(sorted(ROLES))}"
    found = f"it is {described(source.data)}{hint}"
    return f"{source.name} is in no known format: {found}; formats: {known}"

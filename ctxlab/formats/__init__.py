"""File formats, in and out; what a file can't give or hold is named in losses.

A file's content says what it is, not its name. A format is one `Format`: one file here and its line in FORMATS, or an
entry point in the group `ctxlab.formats` of another package.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import BrokenFile, UnknownFormat, WriteError
from ctxlab.formats.apps.chatbot_ui import CHATBOT_UI
from ctxlab.formats.apps.chatgpt import CHATGPT
from ctxlab.formats.apps.claude_ai import CLAUDE_AI
from ctxlab.formats.apps.claude_code import CLAUDE_CODE
from ctxlab.formats.apps.librechat import LIBRECHAT
from ctxlab.formats.apps.loom import LOOM
from ctxlab.formats.apps.open_webui import OPEN_WEBUI
from ctxlab.formats.corpora.beam import BEAM
from ctxlab.formats.corpora.locomo import LOCOMO
from ctxlab.formats.corpora.memorybank import MEMORYBANK
from ctxlab.formats.corpora.oasst import OASST
from ctxlab.formats.corpora.sharegpt import SHAREGPT
from ctxlab.formats.corpora.swe_agent import SWE_AGENT
from ctxlab.formats.corpora.tau_bench import TAU_BENCH
from ctxlab.formats.decode import source_at, source_of_file
from ctxlab.formats.files.attached import Files
from ctxlab.formats.files.shelf import FolderShelf
from ctxlab.formats.folder import FolderParts, read_folder
from ctxlab.formats.format import Format, Kind, Pick
from ctxlab.formats.format_to_write import form_as_read, format_to_write, why_not_written
from ctxlab.formats.known_but_unread import name_of
from ctxlab.formats.markdown.branch import branch_markdown, path_markdown, payload_markdown
from ctxlab.formats.markdown.format import MARKDOWN, MARKDOWN_PATH, MARKDOWN_TREE
from ctxlab.formats.markdown.message import DETAILS, Detail, How
from ctxlab.formats.markdown.translations import CHINESE, ENGLISH, Labels
from ctxlab.formats.markdown.tree import tree_markdown
from ctxlab.formats.merge_sessions import ImportedSessions, merged_sessions
from ctxlab.formats.native.agent_zip import AGENTS_ZIP, agents_zip
from ctxlab.formats.native.agents import AGENTS, AGENTS_YAML, agents_data, agents_json, agents_yaml
from ctxlab.formats.native.branch import BRANCH, branch_data, branch_session
from ctxlab.formats.native.format import NATIVE
from ctxlab.formats.native.knowledge_bases import KNOWLEDGE, knowledge_json
from ctxlab.formats.native.quick_actions import (
    QUICK_ACTIONS,
    QUICK_ACTIONS_ZIP,
    quick_actions_json,
    quick_actions_zip,
)
from ctxlab.formats.native.rules import RULES, rules_json
from ctxlab.formats.native.session import session_json
from ctxlab.formats.native.sessions_zip import ZIP, sessions_zip
from ctxlab.formats.native.worldbooks import WORLDBOOK
from ctxlab.formats.openai.conversation import ROLES, unknown_role
from ctxlab.formats.openai.format import OPENAI
from ctxlab.formats.openai.writer import openai_messages
from ctxlab.formats.repair_sessions import Repair, repaired_sessions
from ctxlab.formats.requests.anthropic import ANTHROPIC
from ctxlab.formats.requests.gemini import GEMINI
from ctxlab.formats.requests.recordings import RECORDINGS
from ctxlab.formats.requests.responses import RESPONSES
from ctxlab.formats.results import Conversion, Export, Import, Loss, Losses, counted_by_field
from ctxlab.formats.sanitize_json import sanitized
from ctxlab.formats.sillytavern.cards.charx import CHARX, charx
from ctxlab.formats.sillytavern.cards.combine_with_preset import joined
from ctxlab.formats.sillytavern.cards.format import CARD, CARD_PNG
from ctxlab.formats.sillytavern.cards.writer import card_data, card_json, card_png
from ctxlab.formats.sillytavern.chats.format import CHAT
from ctxlab.formats.sillytavern.chats.own_texts import note_of_chat
from ctxlab.formats.sillytavern.chats.writer import chat_jsonl, chat_lines
from ctxlab.formats.sillytavern.lorebooks.format import CHARACTER_BOOK, LOREBOOK, lorebook_json
from ctxlab.formats.sillytavern.presets.format import PRESET, TEXT_PRESET
from ctxlab.formats.sillytavern.presets.writer import preset_data, preset_json
from ctxlab.formats.sillytavern.quick_replies import QUICK_REPLIES, quick_replies_json
from ctxlab.formats.sillytavern.regex_scripts import REGEX_SCRIPTS, scripts_json
from ctxlab.formats.source import Archive, Source, described
from ctxlab.formats.values_to_export import import_of, kinds_in, left_out
from ctxlab.plugins import announced
from ctxlab.public_names import listed

__all__ = [
    "CHINESE",
    "DETAILS",
    "ENGLISH",
    "FORMATS",
    "Archive",
    "Conversion",
    "Detail",
    "Export",
    "Format",
    "How",
    "Import",
    "ImportedSessions",
    "Kind",
    "Labels",
    "Loss",
    "Pick",
    "Source",
    "agents_data",
    "agents_json",
    "agents_yaml",
    "agents_zip",
    "branch_data",
    "branch_markdown",
    "branch_session",
    "card_data",
    "card_json",
    "card_png",
    "charx",
    "chat_jsonl",
    "chat_lines",
    "convert",
    "convert_import",
    "folder_parts",
    "joined",
    "knowledge_json",
    "lorebook_json",
    "merged_sessions",
    "names",
    "openai_messages",
    "path_markdown",
    "payload_markdown",
    "preset_data",
    "preset_json",
    "quick_actions_json",
    "quick_actions_zip",
    "quick_replies_json",
    "read",
    "read_bytes",
    "read_data",
    "refuse_overwriting",
    "rules_json",
    "scripts_json",
    "session_json",
    "sessions_zip",
    "tree_markdown",
    "write",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)


FORMATS: Final[tuple[Format, ...]] = (
    AGENTS,
    NATIVE,
    BRANCH,
    TAU_BENCH,
    SWE_AGENT,
    OASST,
    CHATGPT,
    CLAUDE_CODE,
    OPEN_WEBUI,
    LIBRECHAT,
    CLAUDE_AI,
    CHATBOT_UI,
    LOOM,
    BEAM,
    LOCOMO,
    SHAREGPT,
    MEMORYBANK,
    KNOWLEDGE,
    WORLDBOOK,
    LOREBOOK,
    CARD,
    PRESET,
    TEXT_PRESET,
    CHAT,
    REGEX_SCRIPTS,
    RULES,
    QUICK_REPLIES,
    QUICK_ACTIONS,
    ANTHROPIC,
    RESPONSES,
    GEMINI,
    RECORDINGS,
    OPENAI,
    AGENTS_ZIP,
    CHARX,
    ZIP,
    QUICK_ACTIONS_ZIP,
    AGENTS_YAML,
    CARD_PNG,
    CHARACTER_BOOK,
    MARKDOWN,
    MARKDOWN_PATH,
    MARKDOWN_TREE,
)
"""All formats. Data is read by the first that recognises it, so the one with the most telling keys comes first."""

GROUP: Final = "ctxlab.formats"


def names() -> tuple[str, ...]:
    """Names of the formats that are read."""
    return tuple(form.name for form in FORMATS if form.read is not None)


# --- reading


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
    form = _recognised(FORMATS, source.data)
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
    form = _recognised(FORMATS, source.data) or _recognised(_plugins(problems), source.data)
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


def _recognised(formats: Iterable[Format], data: Any) -> Format | None:
    return next(
        (form for form in formats if form.read is not None and form.sniff is not None and form.sniff(data)), None
    )


def _unknown(source: Source) -> str:
    known = ", ".join(names())
    name = name_of(source.data)
    if name is not None:
        return f"{source.name} is {name}, which is not read yet; formats: {known}"
    role = unknown_role(source.data)
    hint = "" if role is None else f", with the role {role!r:.40}; known are {', '.join(sorted(ROLES))}"
    found = f"it is {described(source.data)}{hint}"
    return f"{source.name} is in no known format: {found}; formats: {known}"


def _plugins(problems: list[str]) -> Iterator[Format]:
    """Formats of other packages, by entry point; `problems` gets a line for each that can't be loaded."""
    for plugin in announced(GROUP, problems):
        if isinstance(plugin.value, Format):
            yield plugin.value
        else:
            problems.append(plugin.left_out(f"it is {type(plugin.value).__name__}, not a Format"))


# --- writing


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


def refuse_overwriting(in_path: str | os.PathLike[str], out_path: str | os.PathLike[str]) -> None:
    """Raise WriteError when both paths are one file."""
    source, target = Path(in_path).expanduser(), Path(out_path).expanduser()
    if target.exists() and source.exists() and target.samefile(source):
        raise WriteError(f"{os.fspath(out_path)} is the file that is read; give another name")


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
    if name is None and _format_to_write(os.fspath(out_path), None, ()) is NATIVE:
        name = form_as_read(found, os.fspath(out_path))
    export = write(found, out_path, format=name, pick=pick)
    losses = Losses((*found.losses, *export.losses))
    return Conversion(export.data, losses, len(found.losses), replaced, mended.notes)


def _format_to_write(path: str, name: str | None, kinds: Iterable[Kind]) -> Format:
    return format_to_write(path, name, kinds, FORMATS, _plugins)

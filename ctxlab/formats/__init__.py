"""Coming and going: readers and writers, each of which says what it could not carry.

What a file is, is told by its content, not by its name. A format is one file with a `READER`, and one line here, or a
`Reader` under the entry point group `ctxlab.formats` of another package.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import BrokenFile, UnknownFormat
from ctxlab.formats.apps import chatgpt, claude_code
from ctxlab.formats.converting import WRITERS, refuse_same, writer_for
from ctxlab.formats.corpora import locomo, memorybank, oasst, sharegpt, swe_agent, tau_bench
from ctxlab.formats.decode import bytes_of, material_of
from ctxlab.formats.exported import Export
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss, counted_by_field
from ctxlab.formats.markdown.branch import branch_markdown, path_markdown, payload_markdown
from ctxlab.formats.markdown.message import DETAILS, Detail, How
from ctxlab.formats.markdown.translations import CHINESE, ENGLISH, Labels
from ctxlab.formats.markdown.tree import tree_markdown
from ctxlab.formats.merge_sessions import ImportedSessions, merged_sessions
from ctxlab.formats.native import agent_zip, agents, branch, rules, session_zip, worldbooks
from ctxlab.formats.native import reader as seed
from ctxlab.formats.native.agent_zip import agent_zip_bytes, write_agent_zip
from ctxlab.formats.native.agents import agents_json, agents_yaml, exported_agents
from ctxlab.formats.native.branch import branch_json, branch_session
from ctxlab.formats.native.rules import rules_json, write_rules
from ctxlab.formats.native.session_file import session_json, write_session
from ctxlab.formats.native.session_zip import write_zip
from ctxlab.formats.openai import reader as openai
from ctxlab.formats.openai.writer import openai_messages, write_openai
from ctxlab.formats.plugins import plugin_readers
from ctxlab.formats.sanitize import cleaned
from ctxlab.formats.sillytavern.cards import reader as cards
from ctxlab.formats.sillytavern.cards.combine_with_preset import joined
from ctxlab.formats.sillytavern.cards.writer import card_data, card_json, card_png, write_card
from ctxlab.formats.sillytavern.chats import reader as chats
from ctxlab.formats.sillytavern.chats.writer import chat_jsonl, chat_lines, write_chat
from ctxlab.formats.sillytavern.lorebooks import format as lorebooks
from ctxlab.formats.sillytavern.lorebooks.format import lorebook_json, write_lorebook
from ctxlab.formats.sillytavern.presets import chat_completion, text_completion
from ctxlab.formats.sillytavern.presets.writer import preset_data, preset_json, write_preset
from ctxlab.formats.sillytavern.rules import regex_scripts
from ctxlab.formats.sillytavern.rules.regex_scripts import scripts_json, write_scripts
from ctxlab.formats.source import Material, Reader, described
from ctxlab.formats.unsupported import name_of

__all__ = [
    "CHINESE",
    "DETAILS",
    "ENGLISH",
    "READERS",
    "WRITERS",
    "Detail",
    "Export",
    "How",
    "Import",
    "ImportedSessions",
    "Labels",
    "Loss",
    "Material",
    "Reader",
    "agent_zip_bytes",
    "agents_json",
    "agents_yaml",
    "branch_json",
    "branch_markdown",
    "branch_session",
    "card_data",
    "card_json",
    "card_png",
    "chat_jsonl",
    "chat_lines",
    "convert",
    "exported_agents",
    "joined",
    "lorebook_json",
    "merged_sessions",
    "names",
    "openai_messages",
    "path_markdown",
    "payload_markdown",
    "preset_data",
    "preset_json",
    "read",
    "read_data",
    "rules_json",
    "scripts_json",
    "session_json",
    "tree_markdown",
    "write_agent_zip",
    "write_card",
    "write_chat",
    "write_lorebook",
    "write_openai",
    "write_preset",
    "write_rules",
    "write_scripts",
    "write_session",
    "write_zip",
]

READERS: tuple[Reader, ...] = (
    agents.READER,
    seed.READER,
    branch.READER,
    tau_bench.READER,
    swe_agent.READER,
    oasst.READER,
    chatgpt.READER,
    claude_code.READER,
    locomo.READER,
    sharegpt.READER,
    memorybank.READER,
    worldbooks.READER,
    lorebooks.READER,
    cards.READER,
    chat_completion.READER,
    text_completion.READER,
    chats.READER,
    regex_scripts.READER,
    rules.READER,
    openai.READER,
)
"""Formats in the order they are tried: the one with the most telling keys first."""


def names() -> tuple[str, ...]:
    """Names of the formats that are read."""
    return (*(reader.name for reader in READERS), session_zip.FORMAT)


def read(path: str | os.PathLike[str], *, keep_prompts: bool = False) -> Import:
    """Everything in a file, whatever its format; raises ReadError when there is nothing that can be read.

    System messages at the head of a list become presets of an agent; with `keep_prompts` they stay in the tree.
    """
    source = os.fspath(path)
    raw = bytes_of(Path(source).expanduser(), source)
    if session_zip.is_zip(raw):
        if agent_zip.is_agent_zip(raw):
            return agent_zip.read_agent_zip(raw, source)
        return session_zip.read_zip(raw, source, lambda inner: _read(replace(inner, keep_prompts=keep_prompts)))
    return _read(replace(material_of(raw, source), keep_prompts=keep_prompts))


def read_data(data: Any, *, source: str = "data") -> Import:
    """The same for parsed JSON, such as a list of message dicts; the data is copied, not kept."""
    try:
        plain, losses = cleaned(data)
    except RecursionError as error:
        raise BrokenFile(f"{source} is {error}, or holds itself") from None
    return _read(Material(plain, source, losses=tuple(losses)))


def convert(
    in_path: str | os.PathLike[str],
    out_path: str | os.PathLike[str],
    *,
    pick: int | str | None = None,
    format: str | None = None,
) -> tuple[Loss, ...]:
    """Read a file, write what it holds in another form, and return what was lost on either way.

    The form is `format`, one of WRITERS, or what `out_path` ends in: `.json`, `.md`, `.zip`, and `.openai.json`,
    `.branch.json`, `.path.md`, `.tree.md`, `.jsonl` (a SillyTavern chat), for agents `.agent.json`, `.agent.yaml`,
    `.agent.zip`, `.card.json`, `.png` (a card), `.preset.json`, for books `.lorebook.json`, `.character_book.json`,
    `.worldbook.json`, and for rules `.rules.json` and `.regex.json` (SillyTavern's scripts).
    JSON and zip take all sessions and `.rules.json` all sets of rules, the others one: `pick` says which.
    """
    write = writer_for(os.fspath(out_path), format)
    refuse_same(in_path, out_path)
    found = read(in_path)
    data, losses = write(found, pick)
    replace_file(out_path, data)
    return (*found.losses, *losses)


def _read(material: Material) -> Import:
    reader = next((reader for reader in READERS if reader.sniff(material.data)), None)
    problems: list[str] = []
    if reader is None:
        reader = next((reader for reader in plugin_readers(problems) if reader.sniff(material.data)), None)
    if reader is None:
        raise UnknownFormat("; ".join([_unknown(material), *problems]))
    try:
        found = reader.read(material)
    except RecursionError:
        raise BrokenFile(f"{material.source} is nested too deeply to be read") from None
    losses = counted_by_field(found.losses)
    return found if len(losses) == len(found.losses) else replace(found, losses=losses)


def _unknown(material: Material) -> str:
    name = name_of(material.data)
    if name is not None:
        return f"{material.source} is {name}, which is not read yet; formats: {_known()}"
    return f"{material.source} is in no known format: it is {described(material.data)}; formats: {_known()}"


def _known() -> str:
    return ", ".join(names())

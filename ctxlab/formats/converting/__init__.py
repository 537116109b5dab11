"""From a file of any format that is read to one of any that is written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from ctxlab.errors import WriteError, did_you_mean
from ctxlab.formats.converting import agents, books, cards, markdown, rules, sessions
from ctxlab.formats.converting.written import Writer, Written

__all__ = ["ENDINGS", "WRITERS", "Writer", "Written", "refuse_same", "writer_for"]

ENDINGS: tuple[tuple[str, str], ...] = (
    (".agent.json", "agents"),
    (".agent.yaml", "agents-yaml"),
    (".agent.yml", "agents-yaml"),
    (".agent.zip", "agents-zip"),
    (".card.json", "card"),
    (".preset.json", "preset"),
    (".png", "card-png"),
    (".rules.json", "rules"),
    (".regex.json", "regex-scripts"),
    (".tree.md", "markdown-tree"),
    (".path.md", "markdown-path"),
    (".openai.json", "openai"),
    (".branch.json", "branch"),
    (".character_book.json", "character-book"),
    (".lorebook.json", "lorebook"),
    (".worldbook.json", "worldbook"),
    (".json", "seed"),
    (".md", "markdown"),
    (".markdown", "markdown"),
    (".zip", "zip"),
    (".jsonl", "sillytavern-chat"),
)
"""Ends of file names, the longest first, with the format that they ask for."""


def writer_for(name: str, format: str | None) -> Writer:
    """The writer of a format, or of what a file's name asks for."""
    if format is None:
        format = next((found for ending, found in ENDINGS if name.lower().endswith(ending)), None)
        if format is None:
            known = ", ".join(ending for ending, _ in ENDINGS)
            raise WriteError(f"{name!r} doesn't say what to write; end it in one of {known}, or say format=")
    if format not in WRITERS:
        raise WriteError(f"nothing is written as {format!r}{did_you_mean(format, list(WRITERS))}")
    return WRITERS[format]


def refuse_same(in_path: str | os.PathLike[str], out_path: str | os.PathLike[str]) -> None:
    source, target = Path(in_path).expanduser(), Path(out_path).expanduser()
    if target.exists() and source.exists() and target.samefile(source):
        raise WriteError(f"{os.fspath(out_path)} is the file that is read; give another name")


WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        "seed": sessions.write_seed,
        "openai": sessions.write_openai,
        "markdown": markdown.write_branch,
        "markdown-path": markdown.write_path,
        "markdown-tree": markdown.write_tree,
        "branch": sessions.write_branch,
        "zip": sessions.write_zip,
        "agents": agents.write_json,
        "agents-yaml": agents.write_yaml,
        "agents-zip": agents.write_zip,
        "card": cards.write_card,
        "card-png": cards.write_png,
        "preset": cards.write_preset,
        "worldbook": books.write_worldbook,
        "lorebook": partial(books.write_lorebook, form="native"),
        "character-book": partial(books.write_lorebook, form="character_book"),
        "rules": rules.write_rules,
        "regex-scripts": rules.write_scripts,
        "sillytavern-chat": sessions.write_chat,
    }
)

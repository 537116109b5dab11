"""The commands of `ctxlab workspace`; each does its work in a module that is loaded when it runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

WORKSPACE = """\b
Examples:
  ctxlab workspace create my-chats
  ctxlab workspace import my-chats datasets
  ctxlab workspace import my-chats datasets/harbour_files --knowledge Papers
"""

SEARCH = """\b
Examples:
  ctxlab search my-chats "lamp keeper"
  ctxlab search my-chats 潮汐 --mode exact --role assistant --limit 5
  ctxlab search my-chats "tide ledger" --mode or --order best --since 2026-01-01 --json
"""

MOST_LOSSES = 1_000
"""Losses of an import that are known one by one."""

workspace = typer.Typer(rich_markup_mode=None, add_completion=False)

Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="The workspace: a folder, or an address as s3://b/n.")]


class Kind(StrEnum):
    sessions = "sessions"
    agents = "agents"
    users = "users"
    models = "models"
    books = "books"
    rules = "rules"
    presets = "presets"
    quick_actions = "quick_actions"
    knowledge_bases = "knowledge_bases"


class Mode(StrEnum):
    exact = "exact"
    all_words = "and"
    any_word = "or"


class SearchOrder(StrEnum):
    newest = "newest"
    best = "best"


class Duplicate(StrEnum):
    keep = "keep"
    overwrite = "overwrite"
    skip = "skip"


@workspace.callback()
def about() -> None:
    """Keep conversations, agents, books and all else in a folder, safely: list, import, check, back up."""


@workspace.command(short_help="Begin a workspace in a new or empty folder.")
def create(folder: Folder) -> None:
    """Begin a workspace in a folder that isn't there or is empty."""
    from ctxlab.cli.commands.workspace import create_workspace

    create_workspace(folder)


@workspace.command("list", short_help="The sessions, or another kind of values.")
def list_(
    folder: Folder,
    kind: Annotated[Kind, typer.Option("--kind", help="The kind of values to list.")] = Kind.sessions,
    program: Annotated[
        str | None, typer.Option("--program", metavar="P", help="Only sessions of this program, such as chatgpt.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The rows as JSON.")] = False,
) -> None:
    """List what is in a workspace, the newest session first, with the program and the file that each came from."""
    from ctxlab.cli.commands.workspace import print_list

    if program is not None and kind is not Kind.sessions:
        raise typer.BadParameter("--program goes with the sessions")
    print_list(folder, kind.value, as_json=as_json, program=program)


@workspace.command("import", short_help="Files and whole folders of other programs.")
def import_(
    folder: Folder,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files, or folders of them.")],
    on_duplicate: Annotated[
        Duplicate, typer.Option("--on-duplicate", help="Where an id has other content already.")
    ] = Duplicate.keep,
    knowledge: Annotated[
        str | None, typer.Option("--knowledge", metavar="NAME", help="Keep the texts as a knowledge base instead.")
    ] = None,
    losses: Annotated[bool, typer.Option("--losses", help="Every loss and new id, not the first ones alone.")] = False,
) -> None:
    """Take in SillyTavern's data folder, exports of ChatGPT, ~/.claude/projects, and all else that is read.

    FOLDER becomes a workspace if it is new. What is there already is counted and not kept twice. With --knowledge the
    words of PDF, DOCX, Markdown, code and conversations become the entries of a base of this name.
    """
    from ctxlab.cli.commands.workspace import import_into

    import_into(folder, paths, on_duplicate=on_duplicate.value, knowledge=knowledge, most=MOST_LOSSES if losses else 0)


@workspace.command(short_help="Everything that is wrong.")
def check(folder: Folder) -> int:
    """Read every value and every file, and say what is wrong. The exit code is 3 where something is."""
    from ctxlab.cli.commands.workspace import print_check

    return print_check(folder)


@workspace.command(short_help="Mend what can be mended; nothing is lost.")
def repair(folder: Folder) -> None:
    """Make the indexes anew and mend broken trees. What is replaced goes to the trash."""
    from ctxlab.cli.commands.workspace import print_repair

    print_repair(folder)


@workspace.command(short_help="Everything as one zip archive.")
def backup(
    folder: Folder, target: Annotated[Path, typer.Argument(metavar="OUT", help="The archive to write.")]
) -> None:
    """Write everything that is in a workspace, the trash too, into one archive."""
    from ctxlab.cli.commands.workspace import write_archive

    write_archive(folder, target)


@workspace.command(short_help="A backup, or a value from the trash, put back.")
def restore(
    folder: Folder,
    backup: Annotated[Path | None, typer.Option("--backup", metavar="ZIP", help="An archive of `backup`.")] = None,
    id: Annotated[str | None, typer.Option("--id", metavar="ID", help="A value that was deleted.")] = None,
) -> None:
    """Put back what is in a backup, or what was deleted last under an id."""
    from ctxlab.cli.commands.workspace import put_back

    if (backup is None) == (id is None):
        raise typer.BadParameter("restore takes --backup ZIP or --id ID; give one of them")
    put_back(folder, backup, id)


@workspace.command(short_help="What was deleted or replaced.")
def trash(
    folder: Folder,
    empty: Annotated[bool, typer.Option("--empty", help="Remove it for good.")] = False,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="DAY", help="With --empty: only from before a day.")
    ] = None,
) -> None:
    """List the trash, or empty it."""
    from ctxlab.cli.commands.workspace import print_trash

    if older_than is not None and not empty:
        raise typer.BadParameter("--older-than goes with --empty")
    print_trash(folder, empty=empty, older_than=older_than)


def search(
    folder: Folder,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The words, or with --mode exact the text.")],
    mode: Annotated[
        Mode, typer.Option("--mode", help="The text as it is, all words in one message, or any of them.")
    ] = Mode.all_words,
    kind: Annotated[
        list[Kind] | None, typer.Option("--kind", help="Only in values of this kind; may be given again.")
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option("--session", metavar="ID", help="Only in this session; may be given again.")
    ] = None,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", metavar="ID", help="Only of this agent; may be given again.")
    ] = None,
    role: Annotated[
        list[str] | None, typer.Option("--role", metavar="R", help="Only in this role, such as user.")
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", metavar="M", help="Only by this model.")] = None,
    program: Annotated[
        list[str] | None, typer.Option("--program", metavar="P", help="Only in sessions of this program: chatgpt.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="T", help="Only with this tag.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Not before a day or a time, ISO 8601.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Only before a day or a time, ISO 8601.")
    ] = None,
    order: Annotated[SearchOrder, typer.Option("--order", help="Newest first, or best first.")] = SearchOrder.newest,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1_000_000, help="Most hits to show.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="The hits as JSON.")] = False,
) -> int:
    """Find words in messages, presets, entries and names of a workspace; the exit code is 1 where there are none.

    Chinese words are found wherever they stand, other words where they are whole; --mode exact finds parts of words.
    """
    from ctxlab.cli.commands.search import print_hits

    names = {"session": session, "agent": agent, "role": role, "model": model, "program": program, "tag": tag}
    return print_hits(
        folder,
        query,
        mode=mode.value,
        kinds=[each.value for each in kind] if kind else None,
        since=since,
        until=until,
        order=order.value,
        limit=limit,
        as_json=as_json,
        **{name: value or None for name, value in names.items()},
    )

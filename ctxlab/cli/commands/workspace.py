"""`ctxlab workspace`: a workspace from the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from ctxlab.cli.output.terminal import Column, Screen, columns, one_line
from ctxlab.display.short_texts import counted
from ctxlab.documents import KnowledgeBase, Library, Note
from ctxlab.errors import ReadError
from ctxlab.formats import Loss
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.secrets import masked_data
from ctxlab.storage.workspace import Workspace, open_workspace

PROBLEMS_LEFT = 3
SHOWN = 12
NAME_CELLS = 60
"""Cells of a name in a list, which one long name would make wide for all."""
DAY = lazy_pattern(r"\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|\+00:00)?)?")


def create_workspace(folder: str) -> None:
    """Begin one, and say so."""
    with open_workspace(folder) as workspace:
        Screen().line(f"{workspace.place} is a workspace")


def print_list(folder: str, kind: str, *, as_json: bool, program: str | None = None) -> None:
    """One row a value."""
    with _opened(folder) as workspace:
        named: Any = kind
        rows = cast(
            "Sequence[Any]",
            workspace.sessions(program=program, progress=True) if kind == "sessions" else workspace.values(named),
        )
        if as_json:
            json.dump(masked_data([asdict(row) for row in rows]), sys.stdout, ensure_ascii=False, indent=2)
            print()  # noqa: T201
            return
        screen = Screen()
        if kind == "sessions":
            titles = (
                *(Column("id"), Column("name"), Column("program"), Column("file")),
                *(Column("messages", right=True), Column("branches", right=True)),
            )
            cells = [
                [
                    row.id,
                    one_line(row.name, cells=NAME_CELLS),
                    row.program,
                    one_line(row.file, cells=NAME_CELLS),
                    f"{row.messages:,}",
                    f"{row.branches:,}",
                    _day(row.updated),
                ]
                for row in rows
            ]
        else:
            titles = (Column("id"), Column("name"), Column("category"), Column("parts", right=True))
            cells = [
                [row.id, one_line(row.name, cells=NAME_CELLS), row.category, str(row.parts or ""), _day(row.updated)]
                for row in rows
            ]
        if cells:
            columns(screen, (*titles, Column("updated")), [[one_line(cell) for cell in row] for row in cells])
        else:
            screen.line(f"no {kind.replace('_', ' ')} in {workspace.place}")
        _print_notes(screen, workspace.notes)


def import_into(
    folder: str, paths: Sequence[Path], *, on_duplicate: Any, knowledge: str | None = None, most: int = 0
) -> None:
    """Take files and folders in, or keep their texts as a knowledge base; say what came, and what was lost."""
    for path in paths:
        if not path.expanduser().exists():
            raise ReadError(f"{path} does not exist")
    base = None if knowledge is None else _base_of(knowledge, paths)
    with open_workspace(folder) as workspace:
        screen = Screen()
        if base is None:
            added = workspace.import_files(*paths, on_duplicate=on_duplicate, progress=True)
            screen.line(", ".join(added.in_words()))
            for (kind, old), new in [*added.renamed.items()][: most or SHOWN]:
                screen.line(f"  {one_line(new)}: another of the {kind} has the id {one_line(repr(old))}")
            if len(added.renamed) > (most or SHOWN):
                screen.line(f"  and {len(added.renamed) - SHOWN:,} more new ids; --losses prints all")
            _print_losses(screen, added.losses, added.lost, most)
            return
        added = workspace.add(Library(knowledge_bases=(base,)), on_duplicate=on_duplicate)
        entries = counted(len(base.entries), "entry", "entries")
        screen.line(f"{', '.join(added.in_words())}: {base.shown_name}, {entries}")
        _print_losses(screen, base.losses, len(base.losses), most)


def _base_of(name: str, paths: Sequence[Path]) -> KnowledgeBase:
    from ctxlab.api.knowledge_base import knowledge_base

    if not name.strip():
        raise ReadError("--knowledge takes the name of the base, such as Papers")
    return knowledge_base(name.strip(), list(paths))


def print_check(folder: str) -> int:
    """One line a problem; gives the exit code."""
    with _opened(folder) as workspace:
        notes = workspace.check(progress=True)
        screen = Screen()
        _print_notes(screen, notes)
        wrong = [note for note in notes if note.level != "info"]
        screen.line(f"{counted(len(wrong), 'problem')} in {workspace.place}")
        return PROBLEMS_LEFT if wrong else 0


def print_repair(folder: str) -> None:
    """One line a thing that was done."""
    with _opened(folder) as workspace:
        done = workspace.repair(progress=True)
        screen = Screen()
        _print_notes(screen, done)
        screen.line(f"{counted(len(done), 'thing')} done in {workspace.place}")


def write_archive(folder: str, target: Path) -> None:
    """Write a backup, and say where and how large it is."""
    with _opened(folder) as workspace:
        written = workspace.backup(target, progress=True)
        Screen().line(f"{target}: {written.stat().st_size:,} bytes")


def put_back(folder: str, backup: Path | None, id: str | None) -> None:
    """Put back a backup or a value, and say what came."""
    if backup is not None and not backup.is_file():
        raise ReadError(f"{backup} does not exist")
    with open_workspace(folder, create=backup is not None) as workspace:
        screen = Screen()
        if backup is None:
            value = workspace.restore(cast("str", id))
            screen.line(f"{value!r} is back")
            return
        result = workspace.restore_backup(backup, progress=True)
        screen.line(
            f"{result.restored:,} files came in, {result.replaced:,} replaced others, {result.same:,} were the same"
        )
        if result.in_trash:
            screen.line((f"{counted(len(result.in_trash), 'file')} of its trash stayed in the archive", "dim"))
        _print_losses(
            screen, [Loss(name, "no file of a workspace; left out") for name in result.left_out], len(result.left_out)
        )


def print_trash(folder: str, *, empty: bool, older_than: str | None) -> None:
    """One row an entry; or empty it and say how much went."""
    if older_than is not None and not DAY.fullmatch(older_than):
        raise ReadError(f"--older-than takes a day such as 2026-01-31, got {older_than[:40]!r}")
    with _opened(folder) as workspace:
        screen = Screen()
        if empty:
            screen.line(f"{counted(workspace.empty_trash(older_than=older_than), 'entry', 'entries')} removed for good")
            return
        entries = workspace.trash()
        rows = [[entry.kind, entry.id, entry.name, _day(entry.at), entry.why] for entry in entries]
        if rows:
            titles = (Column("kind"), Column("id"), Column("name"), Column("at"), Column("why"))
            columns(screen, titles, [[one_line(cell) for cell in row] for row in rows])
        else:
            screen.line("the trash is empty")


def _opened(folder: str) -> Workspace:
    return open_workspace(folder, create=False)


def _day(time: str) -> str:
    return time[:10]


def _print_notes(screen: Screen, notes: Iterable[Note]) -> None:
    for note in notes:
        screen.line(f"{note.level}: {one_line(note.text)}")


def _print_losses(screen: Screen, losses: Sequence[Loss | str], count: int, most: int | None = None) -> None:
    """The first losses, or `most`; 0 is the first few with the option that prints all, None the first few alone."""
    shown = losses[: most or SHOWN]
    for loss in shown:
        screen.line(f"  {one_line(str(loss))}")
    if count > len(shown):
        screen.line(f"  and {count - len(shown):,} more{'; --losses prints them' if most == 0 else ''}")

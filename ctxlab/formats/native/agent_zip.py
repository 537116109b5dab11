"""Archives of agents: `agents.json` (or `.yaml`), `worldbooks/<id>.json`, and the agents' own files under `assets/`.

Nothing is unpacked to the disk: files come along as bytes under the names that the agents call them by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, cast

from ctxlab.documents import Agent, Worldbook
from ctxlab.documents.agent.agent import PRIVATE
from ctxlab.documents.stored import as_json
from ctxlab.errors import BrokenFile
from ctxlab.formats.decode import source_of
from ctxlab.formats.files.attached import Files
from ctxlab.formats.files.paths import is_inside
from ctxlab.formats.files.shelf import ZipShelf
from ctxlab.formats.files.zip_archive import Zipped, file_name, members, names_in, newest, opened, packed_files
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.native.agents import (
    agents_to_write,
    all_but_agents_left_out,
    books_not_contained,
    export_data,
    read_book,
    read_export,
)
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Archive, Source
from ctxlab.formats.values_to_export import books_of

Data = dict[str, Any]

LISTS = ("agents.json", "agents.yaml", "agents.yml", "agent.json", "agent.yaml", "agent.yml")
ASSETS, BOOKS = "assets", "worldbooks"


# --- writing


def agents_zip(
    agents: Sequence[Agent], *, books: Sequence[Worldbook] = (), files: Mapping[str, bytes] | None = None
) -> Export[bytes]:
    """An archive of agents, the books that they name and their files; `files` are by the paths that agents name."""
    held_files = dict(files or {})
    agents = [_with_icon_inside(agent, held_files) for agent in agents]
    losses = [
        Loss(f"agent {agent.shown_name!r}", f"its file {path!r} is not at hand; it is named, not contained")
        for agent in agents
        for path in agent.private_files()
        if path not in held_files
    ]
    losses += [Loss(name, "is no path inside an archive; left out") for name in held_files if not _has_a_place(name)]
    held_files = {name: data for name, data in held_files.items() if _has_a_place(name)}
    names = Names()
    packed = {LISTS[0]: as_json(export_data(agents), indent=2)}
    held = books_of(agents, books)
    losses += books_not_contained(agents, held)
    for book in held:
        packed[file_name(BOOKS, book.book_id, names)] = as_json({"id": book.book_id, **book.to_data()}, indent=2)
    losses += [Loss(name, "a book has this name in the archive; left out") for name in held_files if name in packed]
    return Export(packed_files({**held_files, **packed}), tuple(losses))


def _has_a_place(name: str) -> bool:
    return is_inside(name) and not _is_list(name)


def _with_icon_inside(agent: Agent, held_files: dict[str, bytes]) -> Agent:
    """The agent with its private icon under a name that it can have in an archive, if `held_files` has it."""
    icon = agent.icon or ""
    if not icon.startswith(PRIVATE) or icon not in held_files:
        return agent
    name = PurePosixPath(icon.removeprefix(PRIVATE).replace("\\", "/")).name or "icon"
    data, path = held_files.pop(icon), f"{ASSETS}/{name}"
    while held_files.get(path, data) != data:
        path = f"{ASSETS}/_{path.rpartition('/')[2]}"
    held_files[path] = data
    return agent.with_(icon=path)


# --- reading


def is_agent_zip(raw: Zipped) -> bool:
    """Whether an archive has a list of agents at its top, or in the one folder that it is in."""
    names = [name for name in names_in(raw) if not name.startswith(("__MACOSX", "."))]
    return any(_is_list(name, names) for name in names)


def read_agent_zip(raw: Zipped, source: str) -> Import:
    """Agents with their books and files; raises BrokenFile for what is no archive, is too large, or lists no agents."""
    losses: list[Loss] = []
    with opened(raw, source) as archive:
        names = list(_safe((name for name in dict.fromkeys(archive.namelist()) if _is_wanted(name)), losses))
        listed = next((name for name in sorted(names, key=len) if _is_list(name, names)), "")
        top = listed.rpartition("/")[0]
        inside = {name: name.removeprefix(f"{top}/") if top else name for name in names}
        parsed = {name for name in names if name == listed or _is_book(inside[name])}
        held = dict(members(archive, source, losses, wanted=parsed.__contains__))
        if listed not in held:
            raise BrokenFile(f"{source} is an archive without a list of agents ({LISTS[0]}){_why(losses)}")
        files = Files(ZipShelf(archive))
        others = [entry for entry in archive.infolist() if entry.filename in inside.keys() - parsed]
        for entry in newest(others, losses):
            files.take_as(inside[entry.filename], entry.filename, losses)
    agents = source_of(held.pop(listed), listed)
    losses += agents.losses
    books = [book for name, data in held.items() for book in _book(data, inside[name], losses)]
    return read_export(_as_export(agents.data), source, losses=losses, books=books, files=files.held)


def _is_book(inside: str) -> bool:
    return inside.startswith(f"{BOOKS}/") and inside.endswith(".json")


def _as_export(data: Any) -> Data:
    """An export; one agent, or a list of them, is as good."""
    if isinstance(data, dict) and isinstance(cast("Data", data).get("agents"), list):
        return cast("Data", data)
    return {"agents": data if isinstance(data, list) else [data]}


def _book(data: bytes, name: str, losses: list[Loss]) -> Iterator[Worldbook]:
    try:
        source = source_of(data, name)
    except BrokenFile as error:
        losses.append(Loss(name, f"left out: {error}"))
        return
    losses += source.losses
    if isinstance(source.data, dict):
        yield read_book(cast("Data", source.data), name, losses, id=PurePosixPath(name).stem)
    else:
        losses.append(Loss(name, "is no worldbook; left out"))


def _is_list(name: str, names: Sequence[str] = ()) -> bool:
    """Whether a file lists agents: at the top, or in the folder that all other files are in too."""
    top, _, last = name.rpartition("/")
    return last.lower() in LISTS and (not top or ("/" not in top and all(n.startswith(f"{top}/") for n in names)))


def _is_wanted(name: str) -> bool:
    hidden = any(part != ".." and part.startswith((".", "__MACOSX")) for part in name.split("/"))
    return not name.endswith("/") and not hidden


def _safe(names: Iterable[str], losses: list[Loss]) -> Iterator[str]:
    for name in names:
        if is_inside(name):
            yield name
        else:
            losses.append(Loss(name, "its path leads out of the archive; left out"))


def _why(losses: Sequence[Loss]) -> str:
    return f": {losses[0]}" if losses else ""


# --- the format


def sniff(data: Any) -> bool:
    return isinstance(data, Archive) and is_agent_zip(data.raw)


def read(source: Source) -> Import:
    return read_agent_zip(source.data.raw, source.name)


def write(found: Import, pick: Pick) -> Export[bytes]:
    """The agents with their books and files; `pick` is a session whose agents are written."""
    agents = agents_to_write(found, pick)
    return agents_zip(agents, books=found.books, files=found.files).after(all_but_agents_left_out(found))


AGENTS_ZIP = Format("agents-zip", "agent", (".agent.zip",), sniff=sniff, read=read, write=write, holds=("agents",))

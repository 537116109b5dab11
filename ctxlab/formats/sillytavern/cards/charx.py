"""CHARX: zip archives with a character card of version 3 (`card.json`) and the files that it addresses."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from typing import Any, Final, cast

from ctxlab.documents import Agent, Worldbook
from ctxlab.documents.stored import as_json
from ctxlab.errors import BrokenFile, WriteError
from ctxlab.formats.decode import source_of
from ctxlab.formats.files.attached import Files
from ctxlab.formats.files.paths import is_inside
from ctxlab.formats.files.shelf import ZipShelf
from ctxlab.formats.files.zip_archive import Zipped, file_name, is_json, members, names_in, opened, packed_files
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern.card_fields import inner
from ctxlab.formats.sillytavern.cards.assets import EMBEDDED, ICON, folder_of_agent
from ctxlab.formats.sillytavern.cards.format import first_book, others_left_out, read_card
from ctxlab.formats.sillytavern.cards.reader import is_card
from ctxlab.formats.sillytavern.cards.writer import card_data
from ctxlab.formats.source import Archive, Source
from ctxlab.formats.values_to_export import pick_agent

Data = dict[str, Any]

CARD: Final = "card.json"
SPEC: Final = {"spec": "chara_card_v3", "spec_version": "3.0"}
OF_OTHER_PROGRAMS: Final = ("x_meta/", "module.risum")
"""Files of RisuAI, which are about the card's files and scripts."""


def sniff(data: Any) -> bool:
    """Whether an archive has a card at its top, and no other JSON but about files."""
    names = names_in(data.raw) if isinstance(data, Archive) else []
    about_files = ("assets/", *OF_OTHER_PROGRAMS)
    return CARD in names and not any(
        is_json(name) and name != CARD and not name.startswith(about_files) for name in names
    )


def read(source: Source) -> Import:
    return read_charx(source.data.raw, source.name)


def read_charx(raw: Zipped, name: str) -> Import:
    """The agent in a CHARX archive with its book and its files; raises BrokenFile where there is no card in it."""
    losses: list[Loss] = []
    with opened(raw, name) as archive:
        held = dict(members(archive, name, losses, wanted=lambda member: member == CARD))
        parsed = source_of(held[CARD], CARD) if CARD in held else None
        if parsed is None or not is_card(parsed.data):
            raise BrokenFile(f"{name} is an archive whose {CARD} is no character card")
        files = Files(ZipShelf(archive))

        def embedded(path: str) -> bytes | None:
            if files.shelf.size_of(path) is not None:
                files.take_as(path, path, losses)
            return files.held.get(path)

        found = read_card(parsed, stem=Source(None, name).stem, embedded=embedded)
        losses += [*found.losses, *_passed_over(archive, files)]
    return Import(agents=found.agents, books=found.books, files=found.files, losses=tuple(losses))


def _passed_over(archive: zipfile.ZipFile, files: Files) -> list[Loss]:
    others = [name for name in archive.namelist() if not name.endswith("/") and name not in (CARD, *files.taken)]
    known = [name for name in others if name.startswith(OF_OTHER_PROGRAMS)]
    unnamed = [name for name in others if name not in known]
    return [
        *([Loss("the archive", f"{known[0]} is for another program; left out")] if known else []),
        *(
            [Loss("the archive", f"{len(unnamed)} files, such as {unnamed[0]!r:.80}, are none of the card's; left out")]
            if unnamed
            else []
        ),
    ]


# --- writing


def charx(agent: Agent, *, book: Worldbook | None = None, files: Mapping[str, bytes] | None = None) -> Export[bytes]:
    """The agent as a CHARX archive: a card of version 3, and its files, which `files` has by path."""
    export = card_data(agent, book=book, takes_files=True)
    card = export.data if isinstance(export.data.get("data"), dict) else {"data": export.data}
    losses = list(export.losses)
    packed, entries = _packed(agent, files or {}, losses)
    data: Data = {**cast("Data", card["data"]), "assets": [*entries, *_others(inner(card))]}
    try:
        about = as_json({**card, **SPEC, "data": data}, indent=2)
    except (WriteError, RecursionError) as error:
        raise WriteError(f"the card of {agent.shown_name!r} holds data nested too deeply to be written") from error
    return Export(packed_files({CARD: about, **packed}), tuple(losses))


def _packed(agent: Agent, files: Mapping[str, bytes], losses: list[Loss]) -> tuple[dict[str, bytes], list[Data]]:
    """The files by their names in the archive, and the entries that address them."""
    packed: dict[str, bytes] = {}
    entries: list[Data] = []
    names = Names()
    icon: list[Data] = [{"id": "main", "path": agent.icon, "group": ICON}] if agent.icon in files else []
    known = {asset.get("path") for asset in agent.assets}
    for asset in (*(each for each in icon if each["path"] not in known), *agent.assets):
        path = str(asset.get("path") or "")
        if path not in files:
            losses.append(Loss(f"agent {agent.shown_name!r}", f"its file {path!r} is not at hand; left out"))
            continue
        kind = str(asset.get("group") or "x-file")
        member = _member(path, kind, agent.id, names)
        packed[member] = files[path]
        ending = path.rpartition(".")[2].lower() if "." in path.rpartition("/")[2] else ""
        entries.append({"type": kind, "uri": f"embeded://{member}", "name": str(asset.get("id") or ""), "ext": ending})
    return packed, entries


def _member(path: str, kind: str, agent_id: str, names: Names) -> str:
    """The name in the archive; files of a card that was read have the one that gives their path again."""
    top = f"{folder_of_agent(agent_id)}/"
    inside = f"assets/{path.removeprefix(top)}" if path.startswith(top) else path
    if is_inside(inside) and inside.startswith("assets/") and names.take(inside) == inside:
        return inside
    return file_name(f"assets/{kind if kind.isalnum() else 'other'}", path.rpartition("/")[2], names, ending="")


def _others(data: Mapping[str, Any]) -> list[Any]:
    """Entries of the card that was read which address no file of the agent, such as links."""
    held = data.get("assets")
    listed = cast("list[Any]", held) if isinstance(held, list) else []
    uris = [str(cast("Data", entry).get("uri")) if isinstance(entry, dict) else "" for entry in listed]
    taken = ("data:", "__asset:")
    return [
        entry
        for entry, uri in zip(listed, uris, strict=True)
        if not uri.lower().startswith(taken) and not EMBEDDED.match(uri)
    ]


def write(found: Import, pick: Pick) -> Export[bytes]:
    """The only agent, or the picked one, with the first of its books and its files inside."""
    agent = pick_agent(found, pick)
    export = charx(agent, book=first_book(agent, found), files=found.files)
    return export.after(others_left_out(found))


CHARX = Format("charx", "character card", (".charx",), sniff=sniff, read=read, write=write, holds=("agents",))

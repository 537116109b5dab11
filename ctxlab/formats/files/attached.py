"""The bytes of files that what was read names: taken from beside it, under the paths that it names them by."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from ctxlab.assets.zip_members import BROKEN_ZIP
from ctxlab.documents import Session
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.named_files import attached_to, named_paths, with_paths
from ctxlab.documents.session.asset_source import LibraryFile
from ctxlab.documents.session.message import Asset
from ctxlab.formats.files.paths import in_folder, is_inside, leads_out, upwards
from ctxlab.formats.files.shelf import Shelf, by_id
from ctxlab.formats.results import Import, Loss
from ctxlab.lazy_dataclass import dataclass

MOST_BYTES = 256 * 2**20
"""Of all files together that come along with one file, archive or folder."""
BY_ID = frozenset({"chatgpt"})
"""Formats whose files are found by the id that their names begin with."""


@dataclass(slots=True)
class Files:
    """Files as they are taken from one shelf: their bytes by the path that they are named by, within `MOST_BYTES`.

    `taken` are their paths on the shelf, `seen` those that were taken by these and by `of_another` of them.
    """

    shelf: Shelf
    held: dict[str, bytes] = field(default_factory=dict[str, bytes])
    taken: dict[str, str] = field(default_factory=dict[str, str])
    refused: set[str] = field(default_factory=set[str])
    room: int = MOST_BYTES
    listed: set[str] = field(default_factory=set[str])
    seen: set[str] = field(default_factory=set[str])
    _ids: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """Paths by the ids that names begin with, once they are listed; shared by all that are of one shelf."""

    def of_another(self) -> Files:
        """Files of the same shelf for another import: with those that are held, and room of its own."""
        held, taken, listed = dict(self.held), dict(self.taken), set(self.listed)
        return Files(self.shelf, held, taken, listed=listed, seen=self.seen, _ids=self._ids)

    def take_as(self, path: str, place: str, losses: list[Loss]) -> None:
        """Take the file at a place on the shelf under a path, as an index says; a path that leads out is refused."""
        if leads_out(path) or not path:
            self._refuse(path, "its path leads out of the archive; left out", losses)
        elif self.shelf.size_of(place) is None:
            self._refuse(path, f"the archive lists it as {place!r}, which is not there", losses)
        elif (data := self._read(place, losses)) is not None:
            self.held[path], self.taken[place] = data, path
            self.seen.add(place)
            self.listed.add(path)

    def along_with(self, found: Import, folder: str = "") -> Import:
        """The import with the bytes of the files that its sessions and agents name.

        A path is looked for from `folder`, where the file that was read is, then from the folders above it. Of
        different files with one path, each but the first is named by its path from the top.
        """
        losses: list[Loss] = []
        files: dict[str, bytes] = {}
        sessions = tuple(self._with_files(one, found, folder, files, losses) for one in found.sessions)
        agents = tuple(self._with_files(one, found, folder, files, losses) for one in found.agents)
        if not files and not losses:
            return found
        joined = FrozenDict({**files, **found.files})
        return replace(found, sessions=sessions, agents=agents, files=joined, losses=(*found.losses, *losses))

    def _with_files(self, value: Any, found: Import, folder: str, files: dict[str, bytes], losses: list[Loss]) -> Any:
        if found.format in BY_ID and isinstance(value, Session):
            value = self._found_by_id(value, folder)
        moved: dict[str, str] = {}
        for path in named_paths(value):
            if path in found.files:
                continue
            key = path if path in self.listed else self._take(path, folder, losses)
            if key is not None:
                files[key] = self.held[key]
                if key != path:
                    moved[path] = key
        return with_paths(value, moved)

    def _take(self, path: str, folder: str, losses: list[Loss]) -> str | None:
        """Read a file; the path that it has in the library, None where there is none."""
        if leads_out(path):
            self._refuse(path, "its path leads out of the folder; not read", losses)
        if not is_inside(path):
            return None
        places = [in_folder(above, path) for above in upwards(folder)]
        if any(map(self.shelf.is_link, places)):
            return self._refuse(path, "it is a link, which is not followed; it is named only", losses)
        place = next((place for place in places if self.shelf.size_of(place) is not None), None)
        if place is None:
            return None
        if place in self.taken:
            return self.taken[place]
        data = self._read(place, losses)
        if data is None:
            return None
        key = path if self.held.get(path, data) == data else place
        self.held[key], self.taken[place] = data, key
        self.seen.add(place)
        return key

    def _read(self, place: str, losses: list[Loss]) -> bytes | None:
        size = self.shelf.size_of(place) or 0
        if size > self.room:
            text = f"its {_megabytes(size)} are too much; {_megabytes(MOST_BYTES)} of files come along in all"
            return self._refuse(place, f"{text}; it is named only", losses)
        try:
            data = self.shelf.read(place)
        except BROKEN_ZIP as error:
            return self._refuse(place, f"it can't be read ({error}); it is named only", losses)
        self.room -= len(data)
        return data

    def _refuse(self, place: str, text: str, losses: list[Loss]) -> None:
        if place not in self.refused:
            self.refused.add(place)
            losses.append(Loss(place, text))

    # --- files that are named by an id alone

    def _found_by_id(self, session: Session, folder: str) -> Session:
        if not any(_has_no_path(asset) for asset in attached_to(session)):
            return session
        if not self._ids:
            self._ids.append(dict(reversed([*by_id(self.shelf.names())])))
        ids = self._ids[0]
        nodes = {
            key: node.with_(attachments=tuple(_at(asset, ids, folder) for asset in node.attachments))
            if node.attachments and any(_has_no_path(asset) for asset in node.attachments)
            else node
            for key, node in session.nodes.items()
        }
        return session.model_copy(update={"nodes": nodes})


def _has_no_path(asset: Asset) -> bool:
    return bool(asset.id) and asset.source == LibraryFile(None)


def _at(asset: Asset, ids: dict[str, str], folder: str) -> Asset:
    """The file with the path at which its bytes lie."""
    place = ids.get(asset.id.partition("#")[0].partition("?")[0]) if _has_no_path(asset) else None
    return asset if place is None else asset.with_(path=place.removeprefix(f"{folder}/") if folder else place)


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:,.0f} MB"

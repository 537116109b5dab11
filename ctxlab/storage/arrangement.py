"""Folders, favourites, tags, sort orders and the current session, which files can't give, in `workspace.json`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from ctxlab.documents.stored import Note, as_json, from_json
from ctxlab.errors import ReadError
from ctxlab.storage.files import Files
from ctxlab.storage.kinds import KINDS

Data = dict[str, Any]
PATH = "workspace.json"
VERSION = 1
"""The version of a workspace's form; a newer one isn't touched."""


class Arrangement:
    """The places of values in the lists of a workspace. A change reads the file, changes one thing and writes it."""

    def __init__(self, files: Files, note: Callable[[Note], None], set_aside: Callable[[str, str], None]) -> None:
        self._files, self._note, self._set_aside = files, note, set_aside
        self._stamp: str | None = None
        self._data: Data = {}
        self._is_broken = False

    def read(self) -> Data:
        """The whole of it. Raises ReadError where a newer ctxlab wrote it."""
        stamp = self._files.stamp(PATH)
        if stamp is None:
            return {}
        if stamp != self._stamp:
            self._data = self._parsed()
            self._stamp = stamp
        return self._data

    def _parsed(self) -> Data:
        self._is_broken = False
        try:
            data: object = from_json(self._files.read(PATH))
        except (OSError, ValueError) as error:
            data = error
        if not isinstance(data, dict):
            self._is_broken = True
            self._note(
                Note("warning", f"{PATH} can't be read: folders, favourites and tags of the lists are not known")
            )
            return {}
        found = cast("Data", data)
        version = found.get("version")
        if isinstance(version, int) and version > VERSION:
            raise ReadError(
                f"{self._files.place} is a workspace of version {version}, and this ctxlab knows {VERSION}: "
                "it is left as it is; install a newer ctxlab"
            )
        return found

    def change(self, change: Callable[[Data], None]) -> None:
        """Change it; nobody else does meanwhile. One that can't be read is kept in the trash."""
        with self._files.lock(PATH):
            data = _copied(self.read())
            if self._is_broken:
                self._set_aside(PATH, "it couldn't be read")
                self._is_broken = False
            change(data)
            data = {"version": VERSION, **{name: value for name, value in data.items() if name != "version"}}
            self._stamp = self._files.write_whole(PATH, as_json(data, indent=2))
            self._data = data

    # --- places of values

    def places(self, kind: str) -> Mapping[str, Mapping[str, Any]]:
        """By id, the folder, the tags and whether it is a favourite."""
        held = _object(self.read().get("places")).get(kind)
        return {id: place for id, place in _object(held).items() if isinstance(place, dict)}

    def place(self, kind: str, id: str, fields: Mapping[str, Any]) -> None:
        """Set fields of a value's place; None takes one out."""

        def change(data: Data) -> None:
            places = _inner(_inner(data, "places"), kind)
            place = {**_object(places.get(id)), **fields}
            places[id] = {name: value for name, value in place.items() if value not in (None, False, "", [])}
            if not places[id]:
                del places[id]

        self.change(change)

    def came_from(self, kind: str, origins: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep the program and the file that values came from, by id, in one write."""
        known = self.places(kind)
        new = {id: fields for id, fields in origins.items() if {**known.get(id, {}), **fields} != known.get(id)}

        def change(data: Data) -> None:
            places = _inner(_inner(data, "places"), kind)
            for id, fields in new.items():
                places[id] = {**_object(places.get(id)), **fields}

        if new:
            self.change(change)

    def forget(self, kind: str, id: str) -> Mapping[str, Any]:
        """Take a value out of all lists; gives the place that it had."""
        place = self.places(kind).get(id, {})
        is_current = kind == "sessions" and self.read().get("currentSessionId") == id

        def change(data: Data) -> None:
            _inner(_inner(data, "places"), kind).pop(id, None)
            if is_current:
                data.pop("currentSessionId", None)

        if place or is_current:
            self.change(change)
        return place

    def set_sort(self, kind: str, order: str) -> None:
        """Keep the order in which a kind is listed."""
        self.change(lambda data: _inner(data, "sort").update({kind: order}))

    def set_current(self, session_id: str) -> None:
        """Make a session the current one."""
        if self.read().get("currentSessionId") != session_id:
            self.change(lambda data: data.update(currentSessionId=session_id))

    def sort(self, kind: str) -> str:
        """The order in which a kind is listed; empty for the default."""
        found = _object(self.read().get("sort")).get(kind)
        return found if isinstance(found, str) and kind in KINDS else ""


def _copied(data: Data) -> Data:
    return cast("Data", from_json(as_json(data)))


def _object(value: object) -> Data:
    return cast("Data", value) if isinstance(value, dict) else {}


def _inner(data: Data, name: str) -> Data:
    """The object under a name, made where there is none."""
    if not isinstance(data.get(name), dict):
        data[name] = {}
    return cast("Data", data[name])

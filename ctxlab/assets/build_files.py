"""The files of a build: everything that its messages may attach, by the places that they name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from ctxlab.argument_checks import checked_arguments
from ctxlab.assets.asset_folder import ABOUT, AssetFolder
from ctxlab.assets.file_types import facts_of
from ctxlab.assets.references import (
    bytes_of_base64,
    bytes_of_data_url,
    find_agent_asset,
    parse_reference,
    records,
)
from ctxlab.assets.safe_path import open_inside, relative_path
from ctxlab.assets.type_table import BINARY
from ctxlab.context import AssetRef, FileFacts
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.documents import Agent, AgentFile, AssetSource, InlineFile, LibraryFile, LinkedFile
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.inline_bytes import is_data_url
from ctxlab.errors import CtxlabError

NO_FILES: Mapping[str, bytes] = FrozenDict()
MOST_REMEMBERED = 4_096


class BuildFiles:
    """The store of files for a build (`services.assets`).

    It opens bytes that are in a message (base64, data URLs), `files` by their paths (`Library.files`), files of a
    folder, of a store of files (`artifact:<id>`), and an agent's files, also as `agent-asset://group/id.png`. Nothing
    else is reached: no path leads out of the folder, and no link is followed.
    """

    @checked_arguments
    def __init__(
        self,
        files: Mapping[str, bytes] = NO_FILES,
        *,
        folder: str | os.PathLike[str] | AssetFolder | None = None,
        agents: Sequence[Agent] = (),
    ) -> None:
        self.files = files
        self.folder = folder if isinstance(folder, AssetFolder) or folder is None else Path(folder).expanduser()
        self.agents = tuple(agents)
        self._known: dict[tuple[Any, ...], FileFacts] = {}

    def __repr__(self) -> str:
        parts = [counted(len(self.files), "file")]
        parts += [f"folder={str(getattr(self.folder, 'folder', self.folder))!r}"] if self.folder else []
        parts += [counted(len(self.agents), "agent")] if self.agents else []
        return f"BuildFiles({', '.join(parts)})"

    def _repr_html_(self) -> str:
        rows = ((path, f"{len(data):,} bytes") for path, data in self.files.items())
        return heading(self) + (html_table(("path", "size"), rows, of="files") if self.files else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_parts, (dict(self.files), self.folder, self.agents)

    def __deepcopy__(self, memo: object) -> BuildFiles:
        return self

    # --- the AssetStore of a build

    def open(self, source: AssetSource) -> BinaryIO | None:
        """The bytes of a file as a stream that the caller closes; None where there is no such file, or broken base64.

        A link to another machine is never followed: None.
        """
        try:
            return self._open(source)
        except CtxlabError:
            return None

    def facts(self, asset: AssetRef) -> FileFacts | None:
        """The type and the measures of a file, from its first bytes; None where there is no such file.

        Bytes in the message that can't be decoded give facts with a `problem`.
        """
        store = self.store
        if store and (found := store.facts(asset)):
            return found
        try:
            file = self._open(asset.source)
        except CtxlabError as error:
            return FileFacts("other", asset.mime_type or BINARY, problem=str(error))
        if file is None:
            return None
        with file:
            return self._facts(asset, file)

    def _facts(self, asset: AssetRef, file: BinaryIO) -> FileFacts:
        """The facts, looked up where the same bytes were asked for under the same names before."""
        key = (hash(asset.source), _stamp(file), asset.name, asset.mime_type, asset.kind)
        if (known := self._known.get(key)) is None:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            mime_type = asset.mime_type or (asset.source.mime_type if isinstance(asset.source, InlineFile) else "")
            name = asset.name or _last_name(asset.source)
            known = self._known[key] = facts_of(file, name=name, mime_type=mime_type, kind=asset.kind)
        return known

    # --- places

    def _open(self, source: AssetSource) -> BinaryIO | None:
        """The bytes at a place; raises CtxlabError where bytes in the message are broken."""
        match source:
            case InlineFile():
                return BytesIO(bytes_of_base64(source.base64))
            case LinkedFile():
                return self._open_reference(source.url, is_link=True)
            case LibraryFile():
                return self._open_reference(source.path) if source.path else None
            case AgentFile():
                return self._open_of_agent(source.agent_id, source.path)
            case _:
                return None

    def _open_reference(self, words: str, *, is_link: bool = False) -> BinaryIO | None:
        found = parse_reference(words)
        if found.kind == "data":
            return BytesIO(bytes_of_data_url(found.value)[0])
        if found.kind == "artifact":
            store = self.store
            return (store.open(words) if store else None) or self._open_path(words)
        if found.kind == "agent-asset":
            return self._open_agent_asset(words)
        if is_link:
            return None
        return self._open_path(words) or (self.store.open(words) if self.store else None)

    def _open_agent_asset(self, words: str, agent_id: str = "") -> BinaryIO | None:
        """The file of the first agent that has one by this reference; with an id of that agent alone."""
        reference = parse_reference(words)
        for agent in self.agents:
            if agent_id and agent.id != agent_id:
                continue
            asset = find_agent_asset(reference, records(agent.assets))
            path = asset.get("path") if asset else None
            if isinstance(path, str) and (file := self._open_of_agent(agent.id, path)):
                return file
        return None

    def _open_of_agent(self, agent_id: str, path: str) -> BinaryIO | None:
        if parse_reference(path).kind == "agent-asset":
            return self._open_agent_asset(path, agent_id)
        if parse_reference(path).kind == "data":
            return self._open_reference(path)
        for place in (path, f"{agent_id}/{path}", f"agents/{agent_id}/{path}"):
            if file := self._open_path(place):
                return file
        return None

    def _open_path(self, path: str) -> BinaryIO | None:
        """The file of this path, as it is written or percent-decoded."""
        for words in dict.fromkeys((path, unquote(path))):
            if words in self.files:
                return BytesIO(self.files[words])
            relative = relative_path(words)
            if relative is None:
                continue
            if relative in self.files:
                return BytesIO(self.files[relative])
            if isinstance(self.folder, Path) and (file := open_inside(self.folder, relative)):
                return file
        return None

    @property
    def store(self) -> AssetFolder | None:
        """The store by content, where the folder is one."""
        if isinstance(self.folder, Path):
            return AssetFolder(self.folder) if (self.folder / ABOUT).is_dir() else None
        return self.folder

    def paths(self) -> Iterator[str]:
        """The paths of the files that are in memory."""
        return iter(self.files)


def _of_parts(files: Mapping[str, bytes], folder: Path | AssetFolder | None, agents: Sequence[Agent]) -> BuildFiles:
    return BuildFiles(files, folder=folder, agents=agents)


def _stamp(file: BinaryIO) -> tuple[int, ...]:
    """A mark that differs when the bytes do: of a file on the disk its time and size, of bytes in memory the number."""
    if isinstance(file, BytesIO):
        return (file.getbuffer().nbytes,)
    state = os.fstat(file.fileno())
    return state.st_ino, state.st_mtime_ns, state.st_size


def _last_name(source: AssetSource) -> str:
    """The file name at the end of a path; empty for bytes that have no path."""
    path = source.path if isinstance(source, LibraryFile | AgentFile) else None
    return "" if not path or is_data_url(path) else path.replace("\\", "/").rpartition("/")[2]

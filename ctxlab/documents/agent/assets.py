"""An agent's own files, typed: what the JSON in `agent.assets` and `assetGroups` says of each, and who names it."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, cast

from ctxlab.display.short_texts import nearest
from ctxlab.documents.agent.asset_references import (
    DEFAULT_GROUP,
    AssetReference,
    address_of,
    parse_asset_reference,
    without_ending,
)
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import UnknownName
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.documents.agent.agent import Agent
    from ctxlab.documents.library import Library

KINDS: Final = ("image", "audio", "video", "file")
NO_OPTIONS: Final = FrozenDict()
BEFORE_OTHERS: Final = -1.0
"""The place of the files in no group, before those of the groups."""


@dataclass(frozen=True, slots=True)
class AgentAsset:
    """A file of an agent. `data` is its JSON, which may say more.

    `type` is one of image, audio, video and file; `usage` is inline or background; `path` is relative to the agent's
    folder.
    """

    id: str
    path: str = ""
    filename: str = ""
    type: str = "file"
    description: str = ""
    group: str = DEFAULT_GROUP
    usage: str = "inline"
    options: Mapping[str, Any] = field(default_factory=lambda: NO_OPTIONS)
    size_bytes: int | None = None
    mime_type: str = ""
    thumbnail_path: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> AgentAsset:
        """The file that this JSON describes; values of another type than a field's count as missing."""
        path, filename = _text(data, "path"), _text(data, "filename")
        size, options = data.get("size"), data.get("options")
        return cls(
            id=str(data["id"]) if isinstance(data.get("id"), str | int) else "",
            path=path,
            filename=filename or path.replace("\\", "/").rpartition("/")[2],
            type=kind if (kind := _text(data, "type")) in KINDS else "file",
            description=_text(data, "description"),
            group=_text(data, "group") or DEFAULT_GROUP,
            usage=_text(data, "usage") or "inline",
            options=cast("Mapping[str, Any]", options) if isinstance(options, Mapping) else NO_OPTIONS,
            size_bytes=size if isinstance(size, int) and not isinstance(size, bool) else None,
            mime_type=_text(data, "mimeType") or mimetypes.guess_type(filename or path)[0] or "",
            thumbnail_path=_text(data, "thumbnailPath"),
            data=data,
        )

    @property
    def kind(self) -> str:
        """The kind that a message's attachment has: a file is a document."""
        return "document" if self.type == "file" else self.type

    @property
    def address(self) -> str:
        """The address by which texts show it, such as `agent-asset://stickers/wave.png`."""
        return address_of(self.group, self.id, without_ending(self.filename)[1])


@dataclass(frozen=True, slots=True)
class AssetGroup:
    """A group of an agent's files; `data` is its JSON. Groups without `sort_order` come after those with one."""

    id: str
    display_name: str = ""
    description: str = ""
    icon: str = ""
    sort_order: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any], compare=False, repr=False)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> AssetGroup:
        """The group that this JSON describes."""
        order = data.get("sortOrder")
        return cls(
            id=_text(data, "id"),
            display_name=_text(data, "displayName"),
            description=_text(data, "description"),
            icon=_text(data, "icon"),
            sort_order=float(order) if isinstance(order, int | float) and not isinstance(order, bool) else None,
            data=data,
        )


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def own_assets(agent: Agent) -> tuple[AgentAsset, ...]:
    """The agent's own files: those in no group first, then group by group, each by id."""
    groups = {group.id: n for n, group in enumerate(asset_groups(agent))}
    found = [AgentAsset.of(data) for data in agent.assets]
    places = {id(asset): groups.get(asset.group, BEFORE_OTHERS) for asset in found}
    return tuple(sorted(found, key=lambda asset: (places[id(asset)], asset.group != DEFAULT_GROUP, *_names(asset))))


def _names(asset: AgentAsset) -> tuple[str, str, str]:
    return asset.group, asset.id, asset.filename


def asset_groups(agent: Agent) -> tuple[AssetGroup, ...]:
    """The groups of the agent's files, by their order, then by id."""
    stored = (agent.model_extra or {}).get("assetGroups")
    listed = cast("Iterable[object]", stored) if isinstance(stored, list | tuple) else ()
    groups = [AssetGroup.of(cast("Mapping[str, Any]", each)) for each in listed if isinstance(each, Mapping)]
    last = float("inf")
    return tuple(sorted(groups, key=lambda each: (last if each.sort_order is None else each.sort_order, each.id)))


def find_asset(assets: Sequence[AgentAsset], address: AssetReference) -> AgentAsset | None:
    """The file that an address names: by group and id, group and name, id alone, name alone; None where none fits.

    A name counts without its ending, and so does the address. Nothing that is merely similar is taken.
    """
    inside = [asset for asset in assets if asset.group == address.group]
    for among, of in ((inside, _id), (inside, _stem), (assets, _id), (assets, _stem)):
        found = next((asset for asset in among if address.id and of(asset) == address.id), None)
        if found is not None:
            return found
    return None


def _id(asset: AgentAsset) -> str:
    return asset.id


def _stem(asset: AgentAsset) -> str:
    return without_ending(asset.filename)[0]


def asset(agent: Agent, address: str) -> AgentAsset:
    """The agent's file of this address, such as `agent-asset://stickers/wave.png`, `stickers/wave.png` or `wave`.

    Raises UnknownName, naming addresses that are near, where it has none.
    """
    found = find_asset([AgentAsset.of(data) for data in agent.assets], parse_asset_reference(address))
    if found is None:
        near = nearest(address, [each.address for each in own_assets(agent)])
        raise UnknownName(f"agent {agent.id!r} has no file {address!r}{near}", near=near)
    return found


# --- the bytes, and who names them


def files_missing(agent: Agent, library: Library) -> tuple[str, ...]:
    """Paths of the agent's files whose bytes aren't in the library."""
    return tuple(path for path in agent.private_files() if path not in library.files)


def files_shared(agent: Agent, library: Library) -> dict[str, tuple[str, ...]]:
    """The agent's files that others of the library name too, with who does, in words.

    Where the agent is deleted these stay; where one of the others changes a file, it changes for all.
    """
    others = [(f"agent {each.id!r}", each) for each in library.agents if each.id != agent.id]
    others += [(f"session {each.id!r}", each) for each in library.sessions]
    own, named = set(agent.private_files()), dict[str, list[str]]()
    for who, other in others:
        for path in _paths_of(other):
            if path in own:
                named.setdefault(path, []).append(who)
    return {path: tuple(who) for path, who in named.items()}


def _paths_of(value: Any) -> Iterator[str]:
    from ctxlab.documents.named_files import named_paths

    return named_paths(value)

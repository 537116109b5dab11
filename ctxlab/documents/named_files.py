"""Files that sessions and agents name by a path: which they are, and the same values with other paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ctxlab.documents.agent.agent import Agent, Greeting
from ctxlab.documents.session.asset_source import LibraryFile
from ctxlab.documents.session.message import Asset, MessageNode
from ctxlab.documents.session.session import Session

OF_AN_ASSET = ("path", "thumbnailPath")
"""Fields of an agent's asset that are paths."""


def attached_to(value: Session | Agent) -> Iterator[Asset]:
    """The files that are attached to messages, presets and greetings."""
    if isinstance(value, Session):
        holders: Iterable[MessageNode | Greeting] = value.nodes.values()
    else:
        holders = (*value.preset_messages, *value.greetings)
    return (asset for holder in holders for asset in holder.attachments or ())


def named_paths(value: Session | Agent) -> Iterator[str]:
    """The paths of files that a session or an agent names, each once; files with bytes or a URL have none."""
    paths = [*(asset.path for asset in attached_to(value) if isinstance(asset.source, LibraryFile))]
    own = value.private_files() if isinstance(value, Agent) else ()
    return iter(dict.fromkeys([*(path for path in paths if path), *own]))


def with_paths(value: Any, new: Mapping[str, str]) -> Any:
    """The session or agent with these paths in the place of theirs; the same object where it names none of them."""
    if not any(path in new for path in named_paths(value)):
        return value
    if isinstance(value, Session):
        return value.model_copy(update={"nodes": {id: _holder(node, new) for id, node in value.nodes.items()}})
    assert isinstance(value, Agent)
    fields: dict[str, Any] = {
        "preset_messages": tuple(_holder(preset, new) for preset in value.preset_messages),
        "greetings": tuple(_holder(greeting, new) for greeting in value.greetings),
        "assets": tuple(_renamed(asset, new) for asset in value.assets),
    }
    changed = {name: held for name, held in fields.items() if held != getattr(value, name)}
    if value.icon and value.icon in new:
        changed["icon"] = new[value.icon]
    return value.with_(**changed)


def _holder(holder: Any, new: Mapping[str, str]) -> Any:
    attached: tuple[Asset, ...] = holder.attachments or ()
    if not any(asset.path in new for asset in attached):
        return holder
    moved = (asset.with_(path=new[asset.path]) if asset.path and asset.path in new else asset for asset in attached)
    return holder.with_(attachments=tuple(moved))


def _renamed(asset: Mapping[str, Any], new: Mapping[str, str]) -> Mapping[str, Any]:
    paths = {name: new[asset[name]] for name in OF_AN_ASSET if asset.get(name) in new}
    return {**asset, **paths} if paths else asset

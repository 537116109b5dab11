"""Files of a character card: its picture, and what its `assets` point to, as the agent's own files.

The forms of an address are those of https://github.com/kwaroran/character-card-spec-v3: a data URL, `embeded://` for a
file of the archive, `__asset:` for a text of the PNG picture, `ccdefault:` for the card's own picture, and links, which
stay in the card's JSON and are never fetched.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, cast

from ctxlab.documents import Agent
from ctxlab.errors import BrokenFile
from ctxlab.formats.files.links import data_of
from ctxlab.formats.results import Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.card_fields import inner
from ctxlab.formats.sillytavern.cards.png import CARRIERS, decoded, read_chunks, with_chunks
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Data = dict[str, Any]

CARD_URI: Final = "cardUri"
"""Field of an agent's file: how the card that it is from addresses it; of a data URL its scheme."""
EMBEDDED: Final = lazy_pattern(r"embed(?:d)?ed://", re.IGNORECASE)
OF_PICTURE, DEFAULT, INLINE = "__asset:", "ccdefault:", "data:"
CHUNK: Final = "chara-ext-asset_"
ICON: Final = "icon"
UNSAFE: Final = lazy_pattern(r"[^\w.-]+")
Embedded = Callable[[str], bytes | None]
"""The bytes of a file beside the card, by its path there."""
MOST: Final = 5_000
"""Files of one card that are read."""


@dataclass(slots=True)
class CardFiles:
    """The files of one card by their paths in the agent, the agent's `assets`, and what couldn't be taken."""

    agent_id: str
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    assets: list[Data] = field(default_factory=list[Data])
    icon: str | None = None
    losses: list[Loss] = field(default_factory=list[Loss])
    names: Names = field(default_factory=Names)

    def add(self, data: bytes, folder: str, name: str, ending: str) -> str:
        """Keep a file; the path that it has now."""
        plain = f"{folder_of_agent(self.agent_id)}/{_plain(folder)}/{_plain(name)}"
        ending = f".{_plain(ending)}" if ending else ""
        path = f"{self.names.take(plain)}{ending}"
        self.files[path] = data
        return path

    def with_agent(self, agent: Agent) -> Agent:
        """The agent with these files as its own."""
        changed: Data = {
            **({"icon": self.icon} if self.icon else {}),
            **({"assets": self.assets} if self.assets else {}),
        }
        return agent.with_(**changed) if changed else agent


def folder_of_agent(agent_id: str) -> str:
    """The folder of an agent's files among those of a library."""
    return f"assets/{_plain(agent_id)}"


def files_of_card(
    agent_id: str,
    raw: Mapping[str, Any],
    *,
    picture: bytes = b"",
    embedded: Embedded | None = None,
) -> CardFiles:
    """The card's picture, and the files that its `assets` address; `embedded` gives the bytes of a file beside it."""
    found = CardFiles(agent_id)
    texts = _texts_of(picture)
    if picture:
        found.icon = found.add(without_texts(picture, texts), ICON, "picture", "png")
    for place, entry in _entries(raw, found.losses):
        _take(entry, place, found, texts, embedded)
    return found


def without_texts(picture: bytes, texts: Mapping[str, str] | None = None) -> bytes:
    """The picture without the card and the files in it."""
    texts = _texts_of(picture) if texts is None else texts
    gone = [keyword for keyword in texts if keyword in CARRIERS or keyword.startswith(CHUNK)]
    return with_chunks(picture, dict.fromkeys(gone))


def _texts_of(picture: bytes) -> dict[str, str]:
    return read_chunks(picture, "the picture") if picture else {}


def _entries(raw: Mapping[str, Any], losses: list[Loss]) -> Iterator[tuple[str, Data]]:
    held = inner(raw).get("assets")
    if held is None:
        return
    if not isinstance(held, list):
        losses.append(Loss("assets", f"{coerce.shown(held)} is no list; left out"))
        return
    listed = cast("list[Any]", held)
    if len(listed) > MOST:
        losses.append(Loss("assets", f"{len(listed) - MOST:,} beyond the first {MOST:,} are not read"))
    for number, entry in enumerate(listed[:MOST]):
        if isinstance(entry, dict) and isinstance(cast("Data", entry).get("uri"), str):
            yield f"assets[{number}]", cast("Data", entry)
        else:
            losses.append(Loss(f"assets[{number}]", f"{coerce.shown(entry):.80} has no address; left out"))


def _take(entry: Data, place: str, found: CardFiles, texts: Mapping[str, str], embedded: Embedded | None) -> None:
    uri = cast("str", entry["uri"])
    name, kind = str(entry.get("name") or "file"), str(entry.get("type") or "other")
    data, how = _bytes_at(uri, place, found.losses, texts, embedded)
    if data is None:
        return
    ending = str(entry.get("ext") or "").lstrip(".").lower()
    ending = "" if ending == "unknown" else ending
    path = found.add(data, kind, name, ending)
    mime_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    own_kind = mime_type.partition("/")[0]
    asset: Data = {
        "id": found.names.take(f"id {name}").removeprefix("id "),
        "path": path,
        "filename": path.rpartition("/")[2],
        "type": own_kind if own_kind in ("image", "audio", "video") else "file",
        "group": kind,
        "size": len(data),
        "mimeType": mime_type,
        CARD_URI: how,
    }
    found.assets.append(asset)
    if kind == ICON and (found.icon is None or name == "main") and not texts:
        found.icon = path


def _bytes_at(
    uri: str, place: str, losses: list[Loss], texts: Mapping[str, str], embedded: Embedded | None
) -> tuple[bytes | None, str]:
    """The bytes at an address, and the address as the agent keeps it; None for a link and for what isn't there."""
    if uri[:5].lower() == INLINE:
        found = data_of(uri)
        if found is None:
            losses.append(Loss(place, "its data URL is broken or too long; kept in the card, not read"))
        return (found[0], INLINE) if found else (None, "")
    if uri.lower().startswith(OF_PICTURE):
        return _in_picture(uri, place, losses, texts), uri
    if head := EMBEDDED.match(uri):
        data = embedded(uri[head.end() :]) if embedded else None
        if data is None:
            losses.append(Loss(place, f"{uri!r:.100} is not beside the card; named only"))
        return data, uri
    return None, ""


def _in_picture(uri: str, place: str, losses: list[Loss], texts: Mapping[str, str]) -> bytes | None:
    wanted = uri[len(OF_PICTURE) :].lower()
    text = next((texts[key] for key in (f"{CHUNK}:{wanted}", f"{CHUNK}{wanted}") if key in texts), None)
    try:
        if text is not None:
            return decoded(text, uri)
        losses.append(Loss(place, f"{uri!r:.100} is not in the picture; named only"))
    except BrokenFile as error:
        losses.append(Loss(place, f"{error}; named only"))
    return None


def _plain(text: str) -> str:
    """A part of a path that every system can have."""
    return UNSAFE.sub("_", text).strip("._")[:60] or "file"

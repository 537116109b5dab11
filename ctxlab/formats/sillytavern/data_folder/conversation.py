"""Which chat of a data folder is meant, and who speaks in it: one character, or the members of a group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ctxlab.errors import ReadError, did_you_mean
from ctxlab.formats.sillytavern.chats.turns import header_of
from ctxlab.formats.sillytavern.coerce import as_object
from ctxlab.formats.sillytavern.data_folder.cards import CardFile, card_file, card_files
from ctxlab.formats.sillytavern.data_folder.folder import CHATS, GROUP_CHATS, GROUPS, DataFolder
from ctxlab.formats.sillytavern.data_folder.program_settings import ProgramSettings
from ctxlab.lazy_dataclass import dataclass

JSONL: Final = ".jsonl"
NARRATOR: Final = "narrator"
TURN: Final = "gen_id"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat: the place of its file, its lines, and the cards of those who speak. `group` is its file's, if any."""

    place: str
    lines: tuple[Any, ...]
    cards: tuple[CardFile, ...]
    group: Mapping[str, Any] | None = None

    @property
    def metadata(self) -> Mapping[str, Any]:
        return as_object(header_of(self.lines).get("chat_metadata"))

    def without_newest_replies(self) -> Conversation:
        """The chat as it was before the newest replies, which a group writes anew together: those that came at once."""
        lines = list(self.lines)
        newest = _turn_of(lines[-1]) if lines else None
        while lines and _is_reply_of(newest, lines[-1]):
            lines.pop()
        return replace(self, lines=tuple(lines))

    def bias(self, kind: str) -> str:
        """The words with which the newest message of the user, or one that is hidden, asks a reply to begin."""
        lines = [as_object(line) for line in self.lines if "mes" in as_object(line)]
        for line in reversed(lines[:-1] if kind == "swipe" else lines):
            if line.get("is_user") or line.get("is_system") or as_object(line.get("extra")).get("type") == NARRATOR:
                return str(as_object(line.get("extra")).get("bias") or "")
        return ""


def _turn_of(line: Any) -> Any:
    """The number that all replies of one turn of a group have; None of those that older versions wrote."""
    return as_object(as_object(line).get("extra")).get(TURN)


def _is_reply_of(turn: Any, line: Any) -> bool:
    message, own = as_object(line), _turn_of(line)
    is_reply = "mes" in message and not (message.get("is_user") or message.get("is_system"))
    return is_reply and not (turn and own and turn != own)


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a chat: its folder below the data folder, its file, and whose it is."""

    folder: str
    file: str
    owner: str

    def is_called(self, name: str) -> bool:
        stem = self.file.removesuffix(JSONL)
        return name in (stem, self.file, f"{self.owner}/{stem}", f"{self.owner}/{self.file}", self.path)

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.file}"


def conversation_of(folder: DataFolder, settings: ProgramSettings, chat: str | None, who: str | None) -> Conversation:
    """The chat of this name, else the one that the program has open; `who` is a card or a group, by name or file.

    Raises ReadError where there is none, or where several have the name.
    """
    places = [place for place in _places(folder) if who is None or who in _owners_names(folder, place)]
    if chat is None:
        found = _open_one(folder, settings, places, who)
    else:
        found = [place for place in places if place.is_called(chat)]
    if len(found) != 1:
        raise ReadError(_which(folder, chat, found or places, several=bool(found)))
    return _conversation(folder, found[0])


def _conversation(folder: DataFolder, place: _Place) -> Conversation:
    lines = tuple(folder.lines(place.folder, place.file))
    if place.folder != GROUP_CHATS:
        return Conversation(place.path, lines, (card_file(folder, place.owner),))
    group = folder.data(GROUPS, f"{place.owner}.json")
    members = [str(member) for member in group.get("members") or () if isinstance(member, str)]
    there = [card_file(folder, member) for member in members]
    return Conversation(place.path, lines, tuple(there), group)


def _places(folder: DataFolder) -> Iterator[_Place]:
    for owner in folder.names(CHATS):
        for file in folder.names(f"{CHATS}/{owner}", JSONL):
            yield _Place(f"{CHATS}/{owner}", file, owner)
    owners = {chat: file.removesuffix(".json") for file, group in _groups(folder) for chat in group.get("chats") or ()}
    for file in folder.names(GROUP_CHATS, JSONL):
        owner = owners.get(file.removesuffix(JSONL))
        if owner is not None:
            yield _Place(GROUP_CHATS, file, owner)


def _groups(folder: DataFolder) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for file in folder.names(GROUPS, ".json"):
        yield file, folder.data(GROUPS, file)


def _owners_names(folder: DataFolder, place: _Place) -> tuple[str, ...]:
    """The names by which the owner of a chat may be called."""
    if place.folder == GROUP_CHATS:
        return place.owner, str(folder.data(GROUPS, f"{place.owner}.json").get("name", ""))
    card = card_file(folder, place.owner)
    return place.owner, card.file, card.name


def _open_one(folder: DataFolder, settings: ProgramSettings, places: Sequence[_Place], who: str | None) -> list[_Place]:
    """The chat that the program would open: the newest one of whom was spoken to last, else the only one there is."""
    group = settings.at("active_group")
    if who is None and isinstance(group, str) and group:
        current = folder.data(GROUPS, f"{group}.json").get("chat_id") if folder.has(GROUPS, f"{group}.json") else None
        return [place for place in places if place.folder == GROUP_CHATS and place.is_called(str(current))]
    active = settings.at("active_character")
    for card in card_files(folder):
        is_meant = who in (card.stem, card.file, card.name) if who is not None else card.file == active
        current = card.data.get("chat")
        if is_meant and isinstance(current, str):
            found = [place for place in places if place.owner == card.stem and place.is_called(current)]
            if found:
                return found
    return list(places)


def _which(folder: DataFolder, chat: str | None, places: Sequence[_Place], *, several: bool) -> str:
    known = [f"{place.owner}/{place.file.removesuffix(JSONL)}" for place in places]
    shown = ", ".join(map(repr, known[:8])) + (f" and {len(known) - 8} more" if len(known) > 8 else "")
    if not known:
        return f"{folder.path} has no chat"
    if several and chat is not None:
        return f"{len(places)} chats are called {chat!r}: {shown}; say whose with character="
    if chat is None:
        return f"say which chat with chat=: {shown}"
    near = did_you_mean(chat, known)
    return f"{folder.path} has no chat {chat!r}{near if 'did you mean' in near else f'; there are: {shown}'}"

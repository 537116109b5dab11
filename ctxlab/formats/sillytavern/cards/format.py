"""Character cards as files: JSON, and PNG pictures with the card inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from ctxlab.documents import Agent, Worldbook
from ctxlab.errors import BrokenFile
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern.card_fields import Data, converted, inner, text_at, unused_texts
from ctxlab.formats.sillytavern.cards.assets import Embedded, files_of_card, without_texts
from ctxlab.formats.sillytavern.cards.png import is_png
from ctxlab.formats.sillytavern.cards.reader import FIRST, TEXTS, card_from, is_card
from ctxlab.formats.sillytavern.cards.writer import card_json, card_png
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.formats.values_to_export import books_of, left_out, pick_agent

BOOKKEEPING: Final = frozenset({"spec", "spec_version", "creator", "character_version", "avatar", "chat", "assets"}) | {
    "create_date", "creation_date", "modification_date", "date_added", "date_last_chat", "source", "json_data", "world",
    "position", "findRegex",
}  # fmt: skip
"""Fields that no model reads, what regular expressions are made of, and files, which are told of one by one."""


def sniff(data: Any) -> bool:
    return one_or_mostly(data, is_card)


def read(source: Source) -> Import:
    return read_card(source, stem=source.stem)


def read_card(source: Source, *, stem: str, embedded: Embedded | None = None) -> Import:
    """The agents of one or several cards with their books and files; `stem` names what has no name.

    `embedded` gives the bytes of a file beside the card. The picture that a card was in is the agent's icon.
    """
    losses = list(source.losses)
    agents: list[Agent] = []
    books: list[Worldbook] = []
    files: dict[str, bytes] = {}
    names = Names()
    for place, item in source.items():
        if not is_card(item):
            losses.append(Loss(place, "no character card; it is left out"))
            continue
        raw = cast("Data", item)
        card = card_from(raw, name=stem, id=names.take(f"card-{_name(raw) or stem}"))
        own = files_of_card(card.agent.id, raw, picture=source.picture, embedded=embedded)
        agents.append(own.with_agent(card.agent))
        files |= own.files
        books += [card.book] if card.book else []
        missing = _missing(raw, source.name)
        losses += [loss.inside(place) for loss in (*missing, *unused_texts(raw), *card.losses, *own.losses)]
    found = Import(agents=tuple(agents), books=tuple(books), losses=tuple(losses), files=files)
    return with_unsent_texts(found, source, BOOKKEEPING, converted)


def _name(raw: Mapping[str, Any]) -> str:
    return text_at(inner(raw), "name", []).strip()


def _missing(raw: Mapping[str, Any], source: str) -> list[Loss]:
    """A loss for the texts that every card has and this one hasn't; raises BrokenFile when there is nothing at all."""
    data = inner(raw)
    if not _name(raw) and not any(text_at(data, key, []) for key in TEXTS):
        raise BrokenFile(f"{source} is a character card with neither a name nor a text")
    absent = [key for key in ("description", FIRST) if key not in data]
    return [Loss("", f"the card says nothing of {' and '.join(absent)}")] if absent else []


def write_json(found: Import, pick: Pick) -> Export[bytes]:
    """The only agent, or the picked one, with the first of its books inside."""
    agent = pick_agent(found, pick)
    return card_json(agent, book=first_book(agent, found)).after(others_left_out(found))


def write_png(found: Import, pick: Pick) -> Export[bytes]:
    """The card inside the picture that it was read from, or inside the agent's icon, else inside a plain one."""
    agent = pick_agent(found, pick)
    picture = _picture_for(agent, found)
    export = card_png(agent, picture or None, book=first_book(agent, found))
    plain = Loss("picture", "it came with none, so a plain one is made; card_png(agent, picture=...) takes yours")
    return export.after([*([] if picture else [plain]), *others_left_out(found)])


def _picture_for(agent: Agent, found: Import) -> bytes:
    """The PNG of an agent: the one that it was read from as long as that is its icon, with the files in it."""
    icon = found.files.get(agent.icon or "", b"")
    read_from = found.picture if len(found.agents) == 1 else b""
    if is_png(icon) and not (read_from and without_texts(read_from) == icon):
        return icon
    return read_from


def first_book(agent: Agent, found: Import) -> Worldbook | None:
    """The first of the books that the agent names."""
    return next(iter(books_of([agent], found.books)), None)


def others_left_out(found: Import) -> list[Loss]:
    """A loss for everything that has no place in a card."""
    return left_out(found, ("sessions", "users", "rules", "quick_actions", "knowledge_bases"), "no agent; left out")


CARD = Format("card", "character card", (".card.json",), sniff=sniff, read=read, write=write_json, holds=("agents",))
CARD_PNG = Format("card-png", "character card", (".png",), write=write_png, holds=("agents",))
"""A picture is parsed to the card in it, so `CARD` reads it."""

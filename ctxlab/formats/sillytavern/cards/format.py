"""Character cards as files: JSON, and PNG pictures with the card inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.documents import Agent, Worldbook
from ctxlab.errors import BrokenFile
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern.card_fields import Data, inner, text_at, unused_texts
from ctxlab.formats.sillytavern.cards.reader import FIRST, TEXTS, card_from, is_card
from ctxlab.formats.sillytavern.cards.writer import card_json, card_png
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.values_to_export import books_of, left_out, pick_agent


def sniff(data: Any) -> bool:
    return one_or_mostly(data, is_card)


def read(source: Source) -> Import:
    losses = list(source.losses)
    agents: list[Agent] = []
    books: list[Worldbook] = []
    names = Names()
    for place, item in source.items():
        if not is_card(item):
            losses.append(Loss(place, "no character card; it is left out"))
            continue
        raw = cast("Data", item)
        card = card_from(raw, name=source.stem, id=names.take(f"card-{_name(raw) or source.stem}"))
        agents.append(card.agent)
        books += [card.book] if card.book else []
        losses += [loss.inside(place) for loss in (*_missing(raw, source.name), *unused_texts(raw), *card.losses)]
    return Import(agents=tuple(agents), books=tuple(books), losses=tuple(losses))


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
    return card_json(agent, book=_first_book(agent, found)).after(_others_left_out(found))


def write_png(found: Import, pick: Pick) -> Export[bytes]:
    """The card inside the picture that it was read from, else inside a plain one."""
    agent = pick_agent(found, pick)
    picture = found.picture if len(found.agents) == 1 else b""
    export = card_png(agent, picture or None, book=_first_book(agent, found))
    plain = Loss("picture", "it came with none, so a plain one is made; card_png(agent, picture=...) takes yours")
    return export.after([*([] if picture else [plain]), *_others_left_out(found)])


def _first_book(agent: Agent, found: Import) -> Worldbook | None:
    return next(iter(books_of([agent], found.books)), None)


def _others_left_out(found: Import) -> list[Loss]:
    return left_out(found, ("sessions", "users", "rules"), "no agent; left out")


CARD = Format("card", "character card", (".card.json",), sniff=sniff, read=read, write=write_json, holds=("agents",))
CARD_PNG = Format("card-png", "character card", (".png",), write=write_png, holds=("agents",))
"""A picture is parsed to the card in it, so `CARD` reads it."""

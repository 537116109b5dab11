"""SillyTavern's cards and presets: one agent of a file."""

from __future__ import annotations

from ctxlab.documents import Agent, Worldbook
from ctxlab.formats.converting.written import Written, one_of
from ctxlab.formats.imported import Import
from ctxlab.formats.loss import Loss
from ctxlab.formats.native.agents import books_of
from ctxlab.formats.sillytavern.cards.writer import card_data, card_json, card_png
from ctxlab.formats.sillytavern.presets.writer import preset_data, preset_json


def write_card(found: Import, pick: int | str | None) -> Written:
    agent = _one_agent(found, pick)
    book = _book_of(agent, found)
    return card_json(agent, book=book), [*_beside(found), *card_data(agent, book=book).losses]


def write_png(found: Import, pick: int | str | None) -> Written:
    agent = _one_agent(found, pick)
    book = _book_of(agent, found)
    plain = Loss("picture", "a plain one is made; write_card(agent, path, picture=...) puts the card into yours")
    return card_png(agent, book=book), [plain, *_beside(found), *card_data(agent, book=book).losses]


def write_preset(found: Import, pick: int | str | None) -> Written:
    agent = _one_agent(found, pick)
    return preset_json(agent), [*_beside(found), *preset_data(agent).losses]


def _book_of(agent: Agent, found: Import) -> Worldbook | None:
    return next(iter(books_of([agent], found.books)), None)


def _beside(found: Import) -> list[Loss]:
    """What else was there; other agents are left out because one was asked for."""
    held = {"session": found.sessions, "user": found.users, "set of rules": found.rules}
    return [Loss(f"{one} {value.id!r}", "no agent; left out") for one, values in held.items() for value in values]


def _one_agent(found: Import, pick: int | str | None) -> Agent:
    return one_of(
        found.agents, pick, source=found.source, names=lambda agent: (agent.id, agent.shown_name), noun="agent"
    )

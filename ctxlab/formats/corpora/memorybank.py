"""MemoryBank's daily chats: one object by person, with questions and answers by date; one session a person.

A message's timestamp is its date alone, as `2023-05-06`: the file has no times of day. Its place gives the order.
"""

from __future__ import annotations

from datetime import date
from typing import Any, cast

from ctxlab.documents import Session
from ctxlab.formats.format import Format, always
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree
from ctxlab.formats.source import Source, mostly
from ctxlab.formats.unsent_texts import with_unsent_texts

Data = dict[str, Any]

SPEAKERS = (("query", "user"), ("response", "assistant"))


def sniff(data: Any) -> bool:
    return isinstance(data, dict) and mostly(list(cast("Data", data).values()), _is_person)


def _is_person(value: Any) -> bool:
    history = cast("Data", value).get("history") if isinstance(value, dict) else None
    if not isinstance(history, dict):
        return False
    days = list(cast("Data", history).values())
    return mostly(days, lambda day: day == [] or mostly(day, _is_exchange))


def _is_exchange(value: Any) -> bool:
    return isinstance(value, dict) and "query" in value and "response" in value


def read(source: Source) -> Import:
    losses = list(source.losses)
    names = Names()
    sessions: list[Session] = []
    for key, person in source.data.items():
        if _is_person(person):
            found: list[Loss] = []
            sessions.append(_session(person, names.take(key.strip() or "nameless"), found))
            losses += [loss.inside(repr(key)) for loss in found]
        else:
            losses.append(Loss(repr(key), "no chats by date; it is left out"))
    return with_unsent_texts(Import(tuple(sessions), losses=tuple(losses)), source)


def _session(person: Data, session_id: str, losses: list[Loss]) -> Session:
    tree = Tree()
    leaf = ROOT
    for day, exchanges in person["history"].items():
        of_day = _date(day, losses)
        for index, exchange in enumerate(cast("list[Any]", exchanges) if isinstance(exchanges, list) else [exchanges]):
            if not _is_exchange(exchange):
                losses.append(Loss(f"{day}[{index}]", "no question with an answer; it is left out"))
                continue
            rest = {key: value for key, value in exchange.items() if key not in ("query", "response")}
            for key, role in SPEAKERS:
                fields: Data = {"role": role, "content": _text(exchange[key], f"{day}[{index}].{key}", losses)}
                if of_day is not None:
                    fields["timestamp"] = of_day
                if rest and role == "assistant":
                    fields["metadata"] = {"memoryBank": rest}
                leaf = tree.add(f"{day}-{index}-{key}", leaf, fields)
    about = {key: value for key, value in person.items() if key != "history" and value}
    return tree.session(session_id, leaf=leaf, memoryBank=about or None)


def _date(day: str, losses: list[Loss]) -> str | None:
    try:
        return date.fromisoformat(day.strip()).isoformat()
    except ValueError:
        losses.append(Loss(day, "no date; its messages have no timestamps"))
        return None


def _text(value: Any, place: str, losses: list[Loss]) -> str:
    if isinstance(value, str):
        return value
    losses.append(Loss(place, f"is {type(value).__name__}, not text; its text is used"))
    return "" if value is None else str(value)


MEMORYBANK = Format("memorybank", "person's memories", sniff=sniff, read=read, only_conversations=always)

"""Knowledge bases as ctxlab and programs of its kind store them: `{"id", "name", "entries": [{"key", "content"}]}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard, cast

from ctxlab.documents import KnowledgeBase, read_stored
from ctxlab.documents.stored import as_json
from ctxlab.errors import ReadError
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss, losses_of
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.formats.values_to_export import left_out, pick_knowledge_base

Data = dict[str, Any]

OF_BASES = frozenset({"id", "name", "description", "entries", "settings", "losses"})
OF_OTHERS = frozenset({"role", "uid", "keys", "keysecondary", "secondary_keys", "insertion_order", "constant"})
"""Keys of lore entries and of messages."""
OTHERS = ("sessions", "agents", "users", "books", "rules", "quick_actions")


def knowledge_json(bases: Sequence[KnowledgeBase]) -> Export[bytes]:
    """Knowledge bases in UTF-8, indented: one as it is, several as a list."""
    data = [base_data(each) for each in bases]
    return Export(as_json(data[0] if len(data) == 1 else data, indent=2))


def base_data(base: KnowledgeBase) -> Data:
    """A base's JSON with the fields by which it is recognised, also those with their defaults."""
    entries = [{"id": entry.id, "key": entry.key, "content": "", **entry.to_data()} for entry in base.entries]
    return {"id": base.id, "name": base.name, **base.to_data(), "entries": entries}


# --- what it is


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_base)


def _is_base(value: Any) -> TypeGuard[Data]:
    """Recognised by entries in a list with a `key` and a `content` each; without any, by having no other key."""
    if not isinstance(value, dict) or not isinstance(value.get("entries"), list):
        return False
    held = cast("Data", value)
    if held["entries"]:
        return mostly(held["entries"], _is_entry)
    return "id" in held and "name" in held and held.keys() <= OF_BASES


def _is_entry(value: Any) -> bool:
    """A text under a title, with nothing that only lore and messages have."""
    if not isinstance(value, dict) or not OF_OTHERS.isdisjoint(cast("Data", value)):
        return False
    held = cast("Data", value)
    return isinstance(held.get("key"), str) and isinstance(held.get("content"), str)


# --- what is in it


def read(source: Source) -> Import:
    losses, names = list(source.losses), Names()
    bases: list[KnowledgeBase] = []
    for place, item in source.items():
        if not _is_base(item):
            losses.append(Loss(place, "no knowledge base; it is left out"))
            continue
        found, notes = read_stored(KnowledgeBase, item, place="the base")
        losses += [loss.inside(place) for loss in losses_of(notes)]
        wanted = found.id or found.name or source.stem
        own = names.take(wanted)
        if own != wanted:
            losses.append(Loss(place, f"base {wanted!r} is there twice; this one is {own!r} now"))
        bases.append(found if own == found.id else found.with_(id=own))
    return Import(knowledge_bases=tuple(bases), losses=tuple(losses))


# --- the format


def write(found: Import, pick: Pick) -> Export[bytes]:
    """All knowledge bases, or the picked one."""
    if not found.knowledge_bases:
        raise ReadError(f"{found.source} holds no knowledge base")
    bases = found.knowledge_bases if pick is None else (pick_knowledge_base(found, pick),)
    return knowledge_json(bases).after(left_out(found, OTHERS, "no knowledge base; left out"))


KNOWLEDGE = Format(
    "knowledge",
    "knowledge base",
    (".knowledge.json",),
    sniff=sniff,
    read=read,
    write=write,
    holds=("knowledge_bases",),
)

"""Conversations of cases as ctxlab's values: a session, an agent with presets, a book."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.documents import Agent, ModelProfile, Session, Worldbook
from ctxlab.documents.lore import LOGICS, POSITIONS, ROLES

Json = Mapping[str, Any]
BOOK = "book"
"""Id of the book that a case's entries are in."""


def session_of(given: Json) -> Session:
    """The tree of a case: `nodes` with their parents, or `messages` in a row."""
    nodes: Sequence[Json] | None = given.get("nodes")
    if nodes is None:
        row: Sequence[Json] = given.get("messages", ())
        ids: list[str | None] = [None, *(each["id"] for each in row)]
        nodes = [{**each, "parent": parent} for each, parent in zip(row, ids, strict=False)]
    children: dict[str, list[str]] = {each["id"]: [] for each in nodes}
    for each in nodes:
        if each.get("parent") in children:
            children[each["parent"]].append(each["id"])
    root = next((each["id"] for each in nodes if each.get("parent") is None), None)
    stored = {each["id"]: _node(each, children[each["id"]]) for each in nodes}
    leaf = given.get("leaf") or (nodes[-1]["id"] if nodes else None)
    session_id = given.get("conversation", "s")
    return Session.model_validate({"id": session_id, "rootNodeId": root, "activeLeafId": leaf, "nodes": stored})


def _node(given: Json, children: Sequence[str]) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if "calls" in given:
        metadata["toolCallsRequested"] = [
            {"requestId": call["id"], "toolName": call["name"], "args": call["arguments"]} for call in given["calls"]
        ]
    if "answers" in given:
        metadata["toolCall"] = {"requestId": given["answers"]}
    if "priority" in given:
        metadata["priority"] = given["priority"]
    if "summarises" in given:
        metadata |= {"isCompressionNode": True, "compressedNodeIds": given["summarises"]}
    node = {
        "id": given["id"],
        "parentId": given.get("parent"),
        "childrenIds": list(children),
        "role": given["role"],
        "content": given.get("content", ""),
        "speaker": given.get("name"),
        "isEnabled": given.get("enabled", True),
        "timestamp": given.get("at"),
        "metadata": metadata or None,
    }
    if "models" in given:
        node["modelMatch"] = _models(given["models"], exclude=False)
    if "notModels" in given:
        node["modelMatch"] = _models(given["notModels"], exclude=True)
    return node


def _models(patterns: Sequence[str], *, exclude: bool) -> dict[str, Any]:
    return {"enabled": True, "exclude": exclude, "patterns": list(patterns)}


def agent_of(given: Json, entries: Sequence[Json] = ()) -> Agent:
    """The agent of a case: its name, its presets, its tools, and the book of the entries."""
    presets = [_preset(each) for each in given.get("presets", ())]
    return Agent.model_validate(
        {
            "id": "agent",
            "name": given.get("character", ""),
            "presetMessages": presets,
            "worldbookIds": [BOOK] if entries else [],
            "tools": list(given.get("tools", ())),
        }
    )


def _preset(given: Json) -> dict[str, Any]:
    node = _node(given, ())
    anchor = given.get("marks")
    if anchor is not None:
        node |= {"id": anchor, "type": anchor}
    place: Json | None = given.get("place")
    if place is not None:
        node["injectionStrategy"] = _strategy(place)
    return node


def _strategy(place: Json) -> dict[str, Any]:
    found: dict[str, Any] = {"order": place.get("order")}
    if "depths" in place:
        return {**found, "type": "advanced_depth", "depthConfig": place["depths"]}
    if "depth" in place:
        return {**found, "type": "depth", "depth": place["depth"]}
    side = place.get("side", "after")
    return {**found, "type": "anchor", "anchorTarget": place["anchor"], "anchorPosition": side}


def model_of(given: Json) -> ModelProfile | None:
    return ModelProfile(id=given["model"]) if "model" in given else None


NAMES = {
    "keys": "key",
    "secondary": "keysecondary",
    "weight": "groupWeight",
    "override": "groupOverride",
    "scoring": "useGroupScoring",
    "wholeWords": "matchWholeWords",
    "outlet": "outletName",
    "persona": "matchPersonaDescription",
}
"""Fields of an entry that a case names otherwise."""
WORDS = {"position": POSITIONS, "role": ROLES, "selectiveLogic": LOGICS}
"""Fields that a case names by words and a book by numbers."""


def book_of(entries: Sequence[Json], budget: int | None = None) -> Worldbook:
    """The entries of a case as a book, in their order."""
    made = {str(i): _entry(each) for i, each in enumerate(entries)}
    return Worldbook.model_validate({"id": BOOK, "entries": made, "tokenBudget": budget})


def _entry(given: Json) -> dict[str, Any]:
    entry = {NAMES.get(name, name): value for name, value in given.items()}
    if "logic" in entry:
        entry["selectiveLogic"] = entry.pop("logic")
    if "only" in entry or "except" in entry:
        names = entry.pop("only", None)
        left_out = entry.pop("except", None)
        entry["characterFilter"] = {"isExclude": left_out is not None, "names": left_out or names}
    return {name: WORDS[name].index(value) if name in WORDS else value for name, value in entry.items()}

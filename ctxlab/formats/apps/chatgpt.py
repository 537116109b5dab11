"""ChatGPT's exported conversations (`conversations.json`): trees of messages under `mapping`, alone or in a list.

The whole tree is kept; the active leaf is `current_node`. Places without a message vanish, what hangs on them hangs on
the message above. A message with the weight 0 is switched off, and so is a call whose results all have it; the export
doesn't say whether the model read them, and a loss says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.documents.session.message import DISABLED_REASON
from ctxlab.formats.apps.chatgpt_message import (
    BOOKKEEPING,
    PLACE,
    UNWEIGHTED,
    WITHOUT_RESULT,
    OpenCall,
    answered_call,
    fields_of,
)
from ctxlab.formats.apps.exported_chats import others
from ctxlab.formats.format import Format, always
from ctxlab.formats.results import Import, Loss, texts_aside, unused_fields
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree, newest_end, parents_first
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts

Data = dict[str, Any]

OWN = frozenset({"id", "conversation_id", "title", "create_time", "update_time", "mapping", "current_node"})
OF_A_PLACE = frozenset({"id", "message", "parent", "children"})
LATEST_SECONDS = 253_402_300_799
"""The end of the year 9999."""


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_conversation)


def _is_conversation(value: Any) -> bool:
    mapping = cast("Data", value).get("mapping") if isinstance(value, dict) else None
    if not isinstance(mapping, dict):
        return False
    places = list(cast("Data", mapping).values())
    return mostly(places, _is_place) or (not places and "current_node" in value)


def _is_place(value: Any) -> bool:
    return isinstance(value, dict) and not {"message", "parent", "children"}.isdisjoint(cast("Data", value))


def read(source: Source) -> Import:
    losses = list(source.losses)
    names = Names()
    sessions: list[Session] = []
    for number, (place, item) in enumerate(source.items(), start=1):
        if not _is_conversation(item):
            losses.append(Loss(place, "no conversation; it is left out"))
            continue
        wanted = str(item.get("conversation_id") or item.get("id") or f"{source.stem}-{number}")
        session_id = names.take(wanted)
        found: list[Loss] = []
        if session_id != wanted:
            found.append(Loss("id", f"{wanted!r} is there twice; this one is {session_id!r} now"))
        sessions.append(_session(item, session_id, found))
        losses += [loss.inside(place) for loss in found]
    read = Import(tuple(sessions), losses=tuple(losses))
    return with_unsent_texts(read, source, BOOKKEEPING - {"metadata"}, tells_of_kept=True)


def _session(item: Data, session_id: str, losses: list[Loss]) -> Session:
    places = _places(item["mapping"], losses)
    tree = Tree()
    at: dict[str | None, str] = {None: ROOT}
    calls: dict[str, tuple[OpenCall, ...]] = {ROOT: ()}
    links: list[tuple[str, str | None]] = []
    for key, parent in parents_first(_links(places, losses), losses):
        links.append((key, parent))
        message = places[key].get("message")
        if isinstance(message, dict):
            around = {name: value for name, value in places[key].items() if name not in OF_A_PLACE}
            if around:
                message = {**cast("Data", message), PLACE if PLACE not in message else f"{PLACE}~2": around}
            at[key], calls[at[key]] = _grow(tree, key, at[parent], message, calls[at[parent]], losses)
        else:
            at[key] = at[parent]
            losses += unused_fields(f"message {key!r}", others(places[key], OF_A_PLACE), "a place without a message")
            if message is not None:
                losses.append(Loss(f"message {key!r}", f"is {type(message).__name__}, no message; it is left out"))
    _switch_off(tree, losses)
    leaf = at[_current(item, places, links, losses)]
    current = item.get("current_node")
    if (isinstance(current, str) and current in places) or not tree.is_forked:
        tree.select(leaf)
    about = {key: value for key, value in item.items() if key not in OWN and value not in (None, [], {})}
    losses += texts_aside("", about, BOOKKEEPING)
    return tree.session(
        session_id,
        leaf=leaf,
        name=item["title"] if isinstance(item.get("title"), str) else None,
        createdAt=iso_time(item.get("create_time")),
        updatedAt=iso_time(item.get("update_time")),
        chatgpt=about or None,
    )


def _grow(
    tree: Tree, key: str, parent: str, message: Data, calls: tuple[OpenCall, ...], losses: list[Loss]
) -> tuple[str, tuple[OpenCall, ...]]:
    """Hang a message into the tree; its id, and the calls that wait for a result after it."""
    answered = answered_call(message, calls)
    fields, requested = fields_of(message, key, answered, losses)
    if (time := iso_time(message.get("create_time"))) is not None:
        fields["timestamp"] = time
    elif message.get("create_time") is not None:
        _keep(fields, "create_time", message["create_time"])
    if message.get("id") not in (None, key):
        _keep(fields, "id", message["id"])
    node_id = tree.add(key, parent, fields)
    if node_id != key:
        losses.append(Loss(f"message {key!r}", f"its id is taken; it is {node_id!r} now"))
    unanswered = tuple(call for call in calls if call is not answered)
    return node_id, unanswered if requested is None else (*unanswered, requested)


def _switch_off(tree: Tree, losses: list[Loss]) -> None:
    """Switch off the calls that only messages with the weight 0 answer; a loss says what was switched off, if it says
    something."""
    nodes = list(tree.nodes())
    unweighted = [node for node in nodes if _reason(node) == UNWEIGHTED]
    answers: dict[str, list[bool]] = {}
    for node in nodes:
        if (call := _metadata(node).get("toolCall", {}).get("requestId")) is not None:
            answers.setdefault(call, []).append(_reason(node) == UNWEIGHTED)
    calls = [node for node in nodes if _reason(node) is None and _is_answered_by_none(node, answers)]
    for node in calls:
        node["isEnabled"] = False
        node["metadata"][DISABLED_REASON] = WITHOUT_RESULT
    filled = sum(bool(node["content"].strip() or node.get("attachments")) for node in unweighted)
    if filled or calls:
        marked = f"{counted(filled, 'message')} marked weight 0 by ChatGPT"
        both = f"{marked}, with {counted(len(calls), 'call')} that only these answer" if calls else marked
        losses.append(Loss("", f"kept switched off, for nothing says whether the model read them: {both}"))


def _is_answered_by_none(node: Data, answers: dict[str, list[bool]]) -> bool:
    """Whether the message is a call that has answers, all of them with the weight 0."""
    calls = _metadata(node).get("toolCallsRequested", ())
    found = [answers.get(call["requestId"], []) for call in calls]
    return bool(found) and all(each and all(each) for each in found)


def _metadata(node: Data) -> Data:
    return node.get("metadata") or {}


def _reason(node: Data) -> str | None:
    return _metadata(node).get(DISABLED_REASON)


def _keep(fields: Data, name: str, value: Any) -> None:
    metadata = fields.setdefault("metadata", {})
    metadata["chatgpt"] = {**metadata.get("chatgpt", {}), name: value}


def _places(mapping: Data, losses: list[Loss]) -> dict[str, Data]:
    for key, place in mapping.items():
        if not isinstance(place, dict):
            losses.append(Loss(f"message {key!r}", f"is {type(place).__name__}, not an object; it is left out"))
    return {key: cast("Data", place) for key, place in mapping.items() if isinstance(place, dict)}


def _links(places: dict[str, Data], losses: list[Loss]) -> dict[str, str | None]:
    """Every message's parent; siblings as their parent lists them, those it doesn't list after them."""
    rank: dict[str, int] = {}
    listed_by: dict[str, str] = {}
    for key, place in places.items():
        children = place.get("children")
        for child in cast("list[Any]", children) if isinstance(children, list) else []:
            if isinstance(child, str) and child in places:
                rank.setdefault(child, len(rank))
                listed_by.setdefault(child, key)
            else:
                losses.append(Loss(f"message {key!r}", f"its child {child!r} is not there"))
    last = len(rank)
    keys = sorted(places, key=lambda key: rank.get(key, last))
    return {key: _parent(places, key, listed_by.get(key)) for key in keys}


def _parent(places: dict[str, Data], key: str, listed_by: str | None) -> str | None:
    """The parent that a message names; the one that lists it where that isn't there."""
    named = places[key].get("parent")
    is_named = isinstance(named, str)
    return named if is_named and (named in places or listed_by is None) else listed_by


def _current(
    item: Data, places: dict[str, Data], links: Sequence[tuple[str, str | None]], losses: list[Loss]
) -> str | None:
    """Id of the active message: `current_node`, else the newest one that ends a branch."""
    current = item.get("current_node")
    if isinstance(current, str) and current in places:
        return current
    newest = newest_end(links, {key: _written(place) for key, place in places.items()})
    if newest is not None:
        losses.append(
            Loss("current_node", f"{current!r} is not there; the newest message, {newest!r}, is the leaf now")
        )
    return newest


def _written(place: Data) -> float | None:
    message = place.get("message")
    time = cast("Data", message).get("create_time") if isinstance(message, dict) else None
    return time if isinstance(time, int | float) and not isinstance(time, bool) else None


def iso_time(seconds: Any) -> str | None:
    """A time since 1970 in ISO's form, in UTC; None when it is no such time."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= LATEST_SECONDS:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


CHATGPT = Format("chatgpt", "conversation", sniff=sniff, read=read, only_conversations=always)

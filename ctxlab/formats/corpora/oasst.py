"""OpenAssistant's conversation trees (JSON lines, one tree each): the whole tree.

Children stay in the file's order; a tree names no active leaf: the best ranked replies lead to it, and a loss
says so. What a message says beyond its text (rank, language, labels, emojis, reviews, ...) is kept as written in
`metadata.oasst`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.formats.format import Format, always
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree, unnamed_leaf
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts

Data = dict[str, Any]

ROLES = {"prompter": "user", "assistant": "assistant", "system": "system"}
STRUCTURE = frozenset({"message_id", "parent_id", "text", "role", "replies", "created_date"})
LAST = float("inf")
BOOKKEEPING: Final = frozenset({"message_id", "parent_id", "message_tree_id", "tree_state", "user_id", "created_date"})
"""Fields that no model reads."""


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_tree)


def _is_tree(value: Any) -> bool:
    return isinstance(value, dict) and "message_tree_id" in value and isinstance(value.get("prompt"), dict)


def read(source: Source) -> Import:
    losses = list(source.losses)
    names = Names()
    sessions: list[Session] = []
    for place, item in source.items():
        if not _is_tree(item):
            losses.append(Loss(place, "no conversation tree; it is left out"))
            continue
        wanted = str(item["message_tree_id"])
        session_id = names.take(wanted)
        if session_id != wanted:
            losses.append(Loss(place, f"tree {wanted!r} is there twice; this one is {session_id!r} now"))
        found: list[Loss] = []
        sessions.append(_session(item, session_id, found))
        losses += [loss.inside(place) for loss in found]
    return with_unsent_texts(Import(tuple(sessions), losses=tuple(losses)), source, BOOKKEEPING)


def _session(item: Data, session_id: str, losses: list[Loss]) -> Session:
    tree = Tree()
    best: dict[str, str] = {}
    stack: list[tuple[Data, str]] = [(item["prompt"], ROOT)]
    ranked: dict[str, float] = {}
    order: list[tuple[str, str]] = []
    while stack:
        message, parent = stack.pop()
        node_id = _grow(tree, message, parent, losses)
        ranked[node_id] = _rank(message)
        order.append((parent, node_id))
        stack.extend((reply, node_id) for reply in reversed(_replies(message, node_id, losses)))
    for parent, node_id in order:
        if parent not in best or ranked[node_id] < ranked[best[parent]]:
            best[parent] = node_id
    leaf = ROOT
    while leaf in best:
        leaf = best[leaf]
    if tree.is_forked:
        losses.append(unnamed_leaf("that of the best ranked replies"))
    about = {key: value for key, value in item.items() if key not in ("message_tree_id", "prompt")}
    return tree.session(session_id, leaf=leaf, oasst=about or None)


def _grow(tree: Tree, message: Data, parent: str, losses: list[Loss]) -> str:
    stored = message.get("message_id")
    wanted = str(stored) if stored is not None else f"message-under-{parent}"
    rest = {key: value for key, value in message.items() if key not in STRUCTURE}
    fields: Data = {
        "role": _role(message.get("role"), wanted, rest, losses),
        "content": _text(message, wanted, rest, losses),
    }
    if isinstance(message.get("created_date"), str):
        fields["timestamp"] = message["created_date"]
    elif message.get("created_date") is not None:
        rest["created_date"] = message["created_date"]
    if message.get("parent_id") not in (None, parent):
        rest["parent_id"] = message["parent_id"]
    if rest:
        fields["metadata"] = {"oasst": rest}
    node_id = tree.add(wanted, parent, fields)
    if node_id != wanted:
        losses.append(Loss(f"message {wanted!r}", f"its id is there twice; this one is {node_id!r} now"))
    return node_id


def _role(stored: Any, wanted: str, rest: Data, losses: list[Loss]) -> str:
    if isinstance(stored, str) and stored in ROLES:
        return ROLES[stored]
    losses.append(Loss(f"message {wanted!r}", f"role {stored!r} is not known; it is a user message now"))
    rest["role"] = stored
    return "user"


def _text(message: Data, wanted: str, rest: Data, losses: list[Loss]) -> str:
    text = message.get("text")
    if isinstance(text, str):
        return text
    losses.append(Loss(f"message {wanted!r}", "it has no text; it is empty now"))
    if text is not None:
        rest["text"] = text
    return ""


def _replies(message: Data, node_id: str, losses: list[Loss]) -> Sequence[Data]:
    replies = message.get("replies") or []
    stored = cast("list[Any]", replies) if isinstance(replies, list) else [replies]
    found = [cast("Data", reply) for reply in stored if isinstance(reply, dict)]
    if len(found) < len(stored):
        others = counted(len(stored) - len(found), "of its replies is no message", "of its replies are no messages")
        losses.append(Loss(f"message {node_id!r}", others, "replies"))
    return found


def _rank(message: Data) -> float:
    rank = message.get("rank")
    return rank if isinstance(rank, int | float) and not isinstance(rank, bool) else LAST


OASST = Format("oasst", "conversation tree", sniff=sniff, read=read, only_conversations=always)

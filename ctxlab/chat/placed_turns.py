"""Turns of a log in a session: the place where each belongs, under ids that are free there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from ctxlab.chat.events import Compressed, ReplyFinished, TextAdded, TurnEvent, TurnStarted
from ctxlab.chat.fold import folded
from ctxlab.documents import MessageNode, Session
from ctxlab.errors import CtxlabError


def words_above(session: Session, parent: str | None) -> str:
    """A fingerprint of the words of a message and of the one above it; empty where there is no message."""
    node = session.nodes.get(parent) if parent is not None else None
    if node is None:
        return ""
    above = session.nodes.get(node.parent_id) if node.parent_id is not None else None
    words = [[each.role, each.content] for each in (above, node) if each is not None]
    return sha256(repr(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def split_turns(events: Sequence[TurnEvent]) -> list[list[TurnEvent]]:
    """The events of each turn; those before the first start, if there are any, are a turn of their own."""
    found: list[list[TurnEvent]] = []
    for event in events:
        if isinstance(event, TurnStarted) or not found:
            found.append([])
        found[-1].append(event)
    return found


def placed(session: Session, started: TurnStarted, events: Sequence[TurnEvent], parent: str | None) -> Session:
    """The session with a turn under `parent`; its messages get other ids where theirs are taken."""
    if parent is None and session.nodes:
        parent = session.root_node_id
    taken = {*session.nodes, parent}
    question = _free(started.question_id, taken) if started.question_id is not None else None
    reply = _free(started.reply_id, {*taken, question})
    start = replace(started, parent=parent, question_id=question, reply_id=reply)
    return folded(session, [start, *events[1:]])


class Moved(NamedTuple):
    """A session with turns that ran on an earlier state of it.

    `names` are the ids of their messages there by those that they had. `whole` is whether all summaries are there: one
    that replaces messages which aren't as they were is left out. `notes` say where a turn went whose parent is gone,
    and that messages above it are others than those of its request.
    """

    session: Session
    names: dict[str, str]
    whole: bool
    notes: tuple[str, ...]


def moved(session: Session, before: Session, events: Sequence[TurnEvent]) -> Moved:
    """The session with turns that ran on `before`, an earlier state of it.

    A turn whose parent is gone goes under the nearest message above it that is left.
    """
    names: dict[str, str] = {}
    whole = True
    notes: list[str] = []
    for turn in split_turns(events):
        started = turn[0]
        if not isinstance(started, TurnStarted):
            continue
        after = folded(before, turn)
        parent = _left(session, before, started.parent, names)
        notes += _changes_above(session, before, started.parent, parent, names)
        try:
            if _has_summary(turn) and parent != started.parent:
                raise CtxlabError("the messages that the summary replaces are others here")
            if any(key in session.nodes for key in after.nodes if key not in before.nodes):
                turn, whole = _without_summaries(turn), whole and not _has_summary(turn)
            now = placed(session, started, turn, parent)
        except CtxlabError:
            turn, whole = _without_summaries(turn), whole and not _has_summary(turn)
            now = placed(session, started, turn, parent)
        old, new = _came(before, after), _came(session, now)
        names |= {node.id: other.id for node, other in zip(reversed(old), reversed(new), strict=False)}
        before, session = after, now
    return Moved(session, names, whole, tuple(dict.fromkeys(notes)))


def _changes_above(
    session: Session, before: Session, wanted: str | None, parent: str | None, names: dict[str, str]
) -> list[str]:
    """A sentence where a turn's parent is gone, or where the messages above it are others than it was asked about."""
    if wanted is not None and parent != names.get(wanted, wanted):
        place = parent if parent is not None else session.root_node_id
        goes = f"the turn is under {place!r} now, and its request had other messages"
        return [f"the message {wanted!r} was taken away while the turn ran: {goes}"]
    if parent is None or wanted is None:
        return []
    asked = [(node.role, node.content, node.enabled) for node in before.path(wanted)]
    here = [(node.role, node.content, node.enabled) for node in session.path(parent)]
    if asked == here:
        return []
    return [f"messages above {parent!r} were changed while the turn ran: its request had them as they were"]


def find_turn(session: Session, parent: str | None, turn: Sequence[TurnEvent], used: set[str]) -> str | None:
    """The id of the reply under `parent` that is the one of this turn, and none of those that are `used`."""
    above = parent if parent is not None else session.root_node_id
    started = turn[0]
    if above is None or not isinstance(started, TurnStarted):
        return None
    questions = [above] if started.question_id is None else session.children(above)
    found = (reply for question in questions for reply in session.children(question))
    return next((key for key in found if key not in used and is_turn(session, key, turn)), None)


def is_turn(session: Session, reply_id: str, turn: Sequence[TurnEvent]) -> bool:
    """Whether a message is the first reply of a turn: when and what was asked and answered are the same."""
    started, reply = turn[0], session.nodes.get(reply_id)
    if not isinstance(started, TurnStarted) or reply is None or reply.timestamp != started.timestamp:
        return False
    if started.question_id is not None:
        question = session.nodes.get(reply.parent_id) if reply.parent_id is not None else None
        if question is None or question.role != "user" or question.content != (started.question or {}).get("content"):
            return False
    return reply.content == _first_words(started, turn)


def _first_words(started: TurnStarted, turn: Sequence[TurnEvent]) -> str:
    """The words of a turn's first reply, as far as they came."""
    texts = [str(started.reply.get("content") or "")]
    for event in turn:
        if isinstance(event, TextAdded):
            texts.append(event.text)
        if isinstance(event, ReplyFinished):
            first = event.nodes[0] if event.nodes else {}
            return str(first.get("content", "".join(texts)))
    return "".join(texts)


def _free(wanted: str, taken: set[str | None]) -> str:
    """The id that is wanted, or the next one behind it that is free."""
    free, n = wanted, 2
    while free in taken:
        free, n = f"{wanted}-{n}", n + 1
    return free


def _left(session: Session, before: Session, parent: str | None, names: dict[str, str]) -> str | None:
    while parent is not None:
        if names.get(parent, parent) in session.nodes:
            return names.get(parent, parent)
        node = before.nodes.get(parent)
        parent = node.parent_id if node is not None else None
    return None


def _has_summary(turn: Sequence[TurnEvent]) -> bool:
    return any(isinstance(event, Compressed) for event in turn)


def _without_summaries(turn: Sequence[TurnEvent]) -> list[TurnEvent]:
    return [event for event in turn if not isinstance(event, Compressed)]


def _came(before: Session, after: Session) -> list[MessageNode]:
    return [node for key, node in after.nodes.items() if key not in before.nodes and not node.is_summary]

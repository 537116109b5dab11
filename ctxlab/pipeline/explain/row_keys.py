"""Which of several runs are of one conversation, and the keys of their messages side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from ctxlab.context import BuildInput
from ctxlab.documents import Session

SHARED = ("preset:", "lore:", "kb:")
"""Keys of messages that are of no conversation: of an agent, a user, a book, a collection."""


def row_keys(requests: Sequence[BuildInput]) -> list[Callable[[str], str]]:
    """For each run, the key of the row that a message has when the runs are put side by side.

    Runs of one conversation keep their keys. Where there are several, equal ids of nodes mean nothing: the id of its
    session goes before the key of a message, of what is typed and of what steps made for it too. Presets, lore and
    knowledge are the same message in all of them; an agent's presets only where the agent's id is the same.
    """
    numbers = conversations([build_input.session for build_input in requests])
    if len(set(numbers)) < 2:
        return [_as_it_is] * len(requests)
    labels = _labels([build_input.session.id or "session" for build_input in requests], numbers)
    agents = [build_input.agent.id if build_input.agent else "" for build_input in requests]
    several = len({agent for agent in agents if agent}) > 1
    return [_in_scope(label, agent if several else "") for label, agent in zip(labels, agents, strict=True)]


def conversations(sessions: Sequence[Session]) -> list[int]:
    """A number for each session, the same one for versions of one conversation.

    They are versions when they hold the very same message, as verbs leave all but what they change; or, loaded from
    files, when they have the same id, and of the messages whose ids are in both at most half have other words, or one.
    """
    numbers: list[int] = []
    of_session: dict[int, int] = {}
    of_node: dict[int, int] = {}
    of_id: dict[str, list[tuple[Session, int]]] = {}
    for session in sessions:
        number = of_session.get(id(session))
        if number is None:
            nodes = [id(node) for node in session.nodes.values() if node.content]
            found = (of_node[node] for node in nodes if node in of_node)
            alike = (number for other, number in of_id.get(session.id, ()) if _are_versions(session, other))
            number = next(found, None)
            number = next(alike, len(numbers)) if number is None else number
            of_session[id(session)] = number
            of_node.update(dict.fromkeys(nodes, number))
            of_id.setdefault(session.id, []).append((session, number))
        numbers.append(number)
    return numbers


def _are_versions(a: Session, b: Session) -> bool:
    """Whether two sessions with the same id are versions of one conversation."""
    pairs = [(node, b.nodes[id_]) for id_, node in a.nodes.items() if id_ in b.nodes]
    if any(ours is theirs for ours, theirs in pairs):
        return True
    spoken = [(ours, theirs) for ours, theirs in pairs if ours.content or theirs.content]
    other = sum(ours.role != theirs.role or ours.content != theirs.content for ours, theirs in spoken)
    # Readers number messages and name sessions after files: the id alone is no proof. Who edits leaves most as it was.
    return other <= max(1, len(spoken) // 2)


def _labels(wanted: Sequence[str], numbers: Sequence[int]) -> list[str]:
    """A name for each conversation, its session's id where that is free."""
    found: dict[int, str] = {}
    for name, number in zip(wanted, numbers, strict=True):
        if number not in found:
            names = (name if n == 1 else f"{name}~{n}" for n in count(1))
            found[number] = next(each for each in names if each not in found.values())
    return [found[number] for number in numbers]


def _as_it_is(key: str) -> str:
    return key


def _in_scope(session: str, agent: str) -> Callable[[str], str]:
    def row_key(key: str) -> str:
        if not key.startswith(SHARED):
            return f"{session}/{key}"
        is_agents = key.startswith("preset:") and "/" not in key  # those of everyone and of the user name their level
        return f"{agent}/{key}" if agent and is_agents else key

    return row_key

"""Which of several runs are of one conversation, and the keys of their messages side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from ctxlab.context import BuildInput
from ctxlab.documents import Session
from ctxlab.pipeline.explain.matched_nodes import NODE, are_of_one_conversation, matched_keys, path_of

SHARED = ("preset:", "lore:", "kb:")
"""Keys of messages that are of no conversation: of an agent, a user, a book, a collection."""


def row_keys(requests: Sequence[BuildInput], *, by_content: bool = False) -> list[Callable[[str], str]]:
    """For each run, the key of the row that a message has when the runs are put side by side.

    Runs of one conversation have the keys of the first one's messages, by id, or by what they say where ids differ, and
    for others those of the run before. Where there are several, equal ids of nodes mean nothing: the id of its session
    goes before the key of a message, of what is typed and of what steps made for it too. Presets, lore and knowledge
    are the same message in all of them; an agent's presets only where the agent's id is the same. With `by_content`
    all are taken for runs of one conversation.
    """
    numbers = [0] * len(requests) if by_content else conversations(requests)
    matched = _matched(requests, numbers)
    if len(set(numbers)) < 2:
        return matched
    labels = _labels([build_input.session.id or "session" for build_input in requests], numbers)
    agents = [build_input.agent.id if build_input.agent else "" for build_input in requests]
    several = len({agent for agent in agents if agent}) > 1
    scopes = [_in_scope(label, agent if several else "") for label, agent in zip(labels, agents, strict=True)]
    return [_one_after_other(name, scope) for name, scope in zip(matched, scopes, strict=True)]


def conversations(requests: Sequence[BuildInput]) -> list[int]:
    """A number for the session of each run, the same one for versions of one conversation.

    They are versions when they hold the very same message, as verbs leave all but what they change; or, loaded from
    files, when they have the same id, and of the messages whose ids are in both at most half have other words, or one,
    or most messages of the shorter path say the same, whatever their ids.
    """
    numbers: list[int] = []
    of_session: dict[int, int] = {}
    of_node: dict[int, int] = {}
    of_id: dict[str, list[tuple[BuildInput, int]]] = {}
    for request in requests:
        session = request.session
        number = of_session.get(id(session))
        if number is None:
            nodes = [id(node) for node in session.nodes.values() if node.content]
            found = (of_node[node] for node in nodes if node in of_node)
            alike = (number for other, number in of_id.get(session.id, ()) if _are_versions(request, other))
            number = next(found, None)
            number = next(alike, len(numbers)) if number is None else number
            of_session[id(session)] = number
            of_node.update(dict.fromkeys(nodes, number))
            of_id.setdefault(session.id, []).append((request, number))
        numbers.append(number)
    return numbers


def _are_versions(one: BuildInput, other: BuildInput) -> bool:
    """Whether the sessions of two runs, which have the same id, are versions of one conversation."""
    return _have_common_ids(one.session, other.session) or are_of_one_conversation(one, other)


def _have_common_ids(a: Session, b: Session) -> bool:
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


def _matched(requests: Sequence[BuildInput], numbers: Sequence[int]) -> list[Callable[[str], str]]:
    """For each run, the key that a message has in the first run of its conversation, else in the one before it."""
    found: list[Callable[[str], str]] = []
    runs: dict[int, list[int]] = {}
    for place, (request, number) in enumerate(zip(requests, numbers, strict=True)):
        before = runs.setdefault(number, [])
        if before:
            first, last = requests[before[0]], requests[before[-1]]
            own = matched_keys(first, request)
            key = (
                own
                if len(before) < 2
                else _first_or_last(own, _keys(first), matched_keys(last, request), _keys(last), found[before[-1]])
            )
        else:
            key = str
        found.append(key)
        before.append(place)
    return found


def _keys(request: BuildInput) -> frozenset[str]:
    return frozenset(f"{NODE}{node.id}" for node in path_of(request))


def _first_or_last(
    in_first: Callable[[str], str],
    first: frozenset[str],
    in_last: Callable[[str], str],
    last: frozenset[str],
    row_of_last: Callable[[str], str],
) -> Callable[[str], str]:
    def row_key(key: str) -> str:
        found = in_first(key)
        if found in first or (before := in_last(key)) not in last:
            return found
        return row_of_last(before)

    return row_key


def _one_after_other(first: Callable[[str], str], second: Callable[[str], str]) -> Callable[[str], str]:
    return lambda key: second(first(key))


def _in_scope(session: str, agent: str) -> Callable[[str], str]:
    def row_key(key: str) -> str:
        if not key.startswith(SHARED):
            return f"{session}/{key}"
        is_agents = key.startswith("preset:") and "/" not in key  # those of everyone and of the user name their level
        return f"{agent}/{key}" if agent and is_agents else key

    return row_key

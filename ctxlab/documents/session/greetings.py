"""Greetings: an agent's first messages from which a conversation can begin, as siblings below the root.

As long as nothing was said they are live: they follow the agent, and another agent brings its own. Sending, editing or
branching settles them; then they are messages like any others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.agent.agent import Agent, Greeting
from ctxlab.documents.session.message import MessageNode
from ctxlab.documents.session.session_builder import SessionBuilder
from ctxlab.errors import Refused

if TYPE_CHECKING:
    from ctxlab.documents.session.session import Session

IS_GREETING, GREETING_ID, LIVE = "isGreeting", "greetingId", "greetingLive"


@checked_arguments
def greet(
    session: Session,
    agent: Agent,
    *,
    expand: Callable[[Greeting], str] | None = None,
    timestamp: str | None = None,
) -> Session:
    """The session with the greetings of this agent, which replace live ones; the same if it has begun already.

    `expand` gives a greeting's words with its macros' values; without it they are as they are written. The greeting
    that was looked at stays chosen where the agent still has it, else the agent's default one, else the first.
    """
    if not can_be_greeted(session):
        return session
    wanted = [
        _fields(greeting, agent, greeting.content if expand is None else expand(greeting))
        for greeting in agent.greetings
        if greeting.id and greeting.content.strip()
    ]
    old = live_greetings(session)
    if wanted == [_fields_of(node) for node in old]:
        return session
    chosen = _id(session.leaf_node) or agent.default_greeting_id
    for node in old:
        session = session.delete(node.id)
    if session.root_node_id is None:
        session = session.append("", role="system")
    first = len(session.nodes)
    root = session.root_node_id
    times: dict[str, Any] = {} if timestamp is None else {"timestamp": timestamp}
    for fields in wanted:
        session = session.append(parent=root, **_with(fields, live=False), **times)
    revision = SessionBuilder(session)
    made = list(session.nodes.values())[first:]
    for node, fields in zip(made, wanted, strict=True):
        revision.put(node.id, metadata=fields["metadata"])
    named = (*(node for node in made if _id(node) == chosen), *_default(made, agent), *made)
    if named:
        revision.move_leaf(named[0].id)
    return revision.session()


@checked_arguments
def choose_greeting(session: Session, greeting_id: str) -> Session:
    """The session with the greeting of this id as its active branch."""
    found = next((node for node in _greetings(session) if _id(node) == greeting_id), None)
    if found is None:
        known = ", ".join(repr(_id(node)) for node in _greetings(session)) or "none"
        raise Refused(f"session {session.id!r} has no greeting {greeting_id!r}; there are: {known}")
    return session.switched(found.id)


def settle_greetings(session: Session) -> Session:
    """The session whose greetings no longer follow their agent."""
    revision = SessionBuilder(session)
    settle(revision)
    return revision.session()


def settle(revision: SessionBuilder) -> None:
    """Settle the live greetings as part of another change; they come first below the root, so looking is cheap."""
    session = revision.before
    siblings = session.children(session.root_node_id) if session.root_node_id else ()
    if not siblings or siblings[0] not in session.nodes or not is_live(session.nodes[siblings[0]]):
        return
    for key in revision.children(session.root_node_id or ""):
        node = revision.changes.get(key) or session.nodes.get(key)
        if node is not None and is_live(node):
            revision.put(key, metadata={**(node.metadata or {}), LIVE: False})


def is_live(node: MessageNode) -> bool:
    """Whether this is a greeting that still follows its agent."""
    return is_greeting(node) and node.meta(LIVE) is True


def is_greeting(node: MessageNode) -> bool:
    """Whether this is an agent's greeting, also one that no longer follows its agent."""
    return node.metadata is not None and node.meta(IS_GREETING) is True


def live_greetings(session: Session) -> tuple[MessageNode, ...]:
    return tuple(node for node in _greetings(session) if is_live(node))


def can_be_greeted(session: Session) -> bool:
    """Whether the session is still empty: at most an empty root, and below it only live greetings."""
    root = session.root
    if root is None:
        return not session.nodes
    below = [session.nodes.get(key) for key in session.children(root.id)]
    silent = all(node is not None and is_live(node) and not session.children(node.id) for node in below)
    return silent and len(session.nodes) == len(below) + 1 and not root.content.strip() and root.role == "system"


def greetings_are_settled(session: Session) -> bool:
    """Whether the conversation has gone on from its greetings."""
    return any(not is_live(node) or session.children(node.id) for node in _greetings(session))


def message_count(session: Session) -> int:
    """Messages of all branches, without an empty root and without greetings that are live."""
    return sum(not node.is_empty_root and not is_live(node) for node in session.nodes.values())


def _greetings(session: Session) -> Iterable[MessageNode]:
    keys = session.children(session.root_node_id) if session.root_node_id else ()
    nodes = (session.nodes.get(key) for key in keys)
    return [node for node in nodes if node is not None and node.meta(IS_GREETING) is True]


def _id(node: MessageNode | None) -> str | None:
    found = node.meta(GREETING_ID) if node is not None else None
    return found if isinstance(found, str) else None


def _default(made: Iterable[MessageNode], agent: Agent) -> Iterable[MessageNode]:
    return (node for node in made if _id(node) == agent.default_greeting_id)


def _fields(greeting: Greeting, agent: Agent, content: str) -> dict[str, Any]:
    """A greeting as fields of a message, with the agent's names and ids in its metadata."""
    metadata = {
        IS_GREETING: True,
        GREETING_ID: greeting.id,
        LIVE: True,
        "agentId": agent.id,
        "agentName": agent.name,
        "agentDisplayName": agent.shown_name,
        "agentIcon": agent.icon,
        "profileId": agent.profile_id,
        "modelId": agent.model_id,
    }
    own: dict[str, Any] = {"name": greeting.name, "attachments": greeting.attachments or None}
    return {
        "content": content,
        "role": greeting.role,
        **{name: value for name, value in own.items() if value is not None},
        "metadata": {name: value for name, value in metadata.items() if value not in (None, "")},
    }


def _with(fields: dict[str, Any], *, live: bool) -> dict[str, Any]:
    return {**fields, "metadata": {**fields["metadata"], LIVE: live}}


def _fields_of(node: MessageNode) -> dict[str, Any]:
    """Fields of a greeting as `_fields` gives them, read from a message that exists."""
    own: dict[str, Any] = {"name": node.name, "attachments": node.attachments or None}
    return {
        "content": node.content,
        "role": node.role,
        **{name: value for name, value in own.items() if value is not None},
        "metadata": node.metadata,
    }

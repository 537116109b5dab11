"""Greetings and migrations of agents: the cases through ctxlab's public API.

What is done with the greetings of a case is told by its name alone; messages are compared by their greeting.
"""

from __future__ import annotations

from typing import Any

import ctxlab
from ctxlab.documents import Agent, Session, UserProfile
from ctxlab.formats.native.agent_migrations import migrated
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.materials import stored

OTHER: Data = {"id": "ag2", "name": "Zed", "profileId": "p", "modelId": "m"}
OTHERS_WORDS = {"id": "z1", "role": "assistant", "content": "Zed says hi {{user}}"}

# --- agent_migration


def _migrate(data: Data) -> Any:
    before = data["agent"]
    found = migrated(before)
    assert bool(found.applied) == (found.data is not before)
    return _migrated_form({"changed": bool(found.applied), "agent": found.data})


def _migrated_form(result: Data) -> Data:
    """Ids of new greetings are anybody's."""
    agent = {**result["agent"]}
    if agent.get("greetings"):
        agent["greetings"] = [{**greeting, "id": ""} for greeting in agent["greetings"]]
    return {"changed": result["changed"], "agent": agent}


# --- greetings


def _greet(case: Case) -> Any:
    agent, user = stored(Agent, case.input["agent"]), stored(UserProfile, case.input["userProfile"])
    second = agent.greetings[1].id if len(agent.greetings) > 1 else None
    if "default" in case.name:
        agent = agent.with_(default_greeting_id=second)
    empty = Session(id="s").append("", role="system", id="root")
    session = ctxlab.greeted(empty, agent, user=user)
    result = session is not empty
    if "solidify" in case.name or "solidified" in case.name:
        session = session.settle_greetings()
    if "refresh" in case.name and second is not None:
        session = session.choose_greeting(second)
        changed = [g.with_(content="Changed") if g.id == second else g for g in agent.greetings]
        after = ctxlab.greeted(session, agent.with_(greetings=changed), user=user)
        session, result = after, after is not session
    if "switch" in case.name:
        after = ctxlab.greeted(session, stored(Agent, {**OTHER, "greetings": [OTHERS_WORDS]}), user=user)
        session, result = after, after is not session
    nodes = {key: node.to_data() for key, node in session.nodes.items()}
    tree = {"activeLeafId": session.active_leaf_id, "nodes": nodes}
    memory = session["root"].last_selected_child_id or next(iter(session.children("root")), None)
    count, settled = session.message_count, session.greetings_are_settled
    return _greeted_form(
        {"result": result, "tree": tree, "rootMemory": memory, "messageCount": count, "solidified": settled}
    )


def _greeted_form(result: Data) -> Data:
    """Messages by their greetings, in the order in which they hang below the root."""
    nodes = result["tree"]["nodes"]
    names = {key: (node.get("metadata") or {}).get("greetingId", key) for key, node in nodes.items()}
    order = [key for root in nodes.values() if root.get("parentId") is None for key in root["childrenIds"]]
    return {
        **result,
        "rootMemory": names.get(result["rootMemory"]),
        "tree": {
            "leaf": names[result["tree"]["activeLeafId"]],
            "messages": [{"greeting": names[key], **_message(nodes[key])} for key in order],
        },
    }


def _message(node: Data) -> Data:
    said = {name: node.get(name) for name in ("role", "content", "metadata")}
    return {**said, "children": len(node.get("childrenIds") or ()), "enabled": node.get("isEnabled") is not False}


ADAPTERS: dict[str, Adapter] = {
    "agent_migration": Adapter(_migrate, lambda case: _migrated_form(case.expected)),
    "greetings": Adapter(lambda data: None, lambda case: _greeted_form(case.expected), whole=_greet),
}

"""The run behind one answer of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from ctxlab.api.options import BuildOptions, listed
from ctxlab.api.resolve import resolve, start_of
from ctxlab.api.session_builds import start_with_tools
from ctxlab.api.sources import AgentSource, NodeSource, SessionSource, ToolSources, node_id_of
from ctxlab.chat.tools import tools_of
from ctxlab.documents import MessageNode
from ctxlab.errors import WrongArgument

if TYPE_CHECKING:
    from ctxlab.studies.answer_run import AnswerRun


@listed(BuildOptions)
def answer_run(
    session: SessionSource,
    node: NodeSource,
    agent: AgentSource | None = None,
    *,
    tools: ToolSources = (),
    **options: Unpack[BuildOptions],
) -> AnswerRun:
    """The run that gave one answer its prompt, rebuilt from what the messages keep: agent, model, user and time.

    The agent is the one of the library or of `agents` that the answer names, else `agent`; so are model and user. What
    messages don't keep (the agent's presets, lore, settings, budget) is that of now, and summaries that are younger
    than the answer are left out; `sentence` and `notes` of the result say so. `tools` are those of the turn, besides
    those that the agent describes. `options` are those of `build`.
    """
    from ctxlab.studies.answer_run import later_summaries, rebuilt_run

    found = resolve(session, agent, options)
    held, reply = found.input.session, found.input.session.node(node_id_of(node))
    parent = held.nodes.get(reply.parent_id) if reply.parent_id is not None else None
    if reply.role != "assistant" or parent is None:
        raise WrongArgument(f"node {reply.id!r} is no answer to a message: name a reply of the model")
    younger = later_summaries(held, reply)
    for summary in younger:
        held = held.disable(summary)
    given: dict[str, Any] = {**options, "leaf": parent.id, "library": found.library}
    given.pop("pick", None)
    named = next((each for each in reversed(found.library.agents) if each.id == reply.agent_id), None)
    model = reply.meta("modelId")
    given |= {"model": model} if isinstance(model, str) and model else {}
    asked = _asked(held.path(parent.id))
    user_id = asked.meta("userProfileId") if asked is not None else None
    user = next((each for each in reversed(found.library.users) if each.id == user_id), None)
    given |= {"user": user} if user is not None else {}
    start = start_of(held, named if named is not None else agent, **given)
    trace = start_with_tools(start, tools_of(tools)).finished()
    own = trace.start.input.user
    return rebuilt_run(
        held, reply, trace, switched_off=younger, user_named=own is not None and bool(user_id) and own.id == user_id
    )


def _asked(path: tuple[MessageNode, ...]) -> MessageNode | None:
    return next((node for node in reversed(path) if node.role == "user"), None)

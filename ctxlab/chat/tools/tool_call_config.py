"""The settings of an agent's tools, and the agent to which tools are given."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.chat.tools.tool import Tool
from ctxlab.documents import Agent
from ctxlab.documents.agent.tool_call_config import ToolCallConfig, tool_name

__all__ = ["ToolCallConfig", "agent_with_tools"]


def agent_with_tools(agent: Agent | None, tools: Sequence[Tool]) -> Agent | None:
    """The agent with the definitions of these tools besides its own, switched on; of two of one name the given counts.

    An agent without a toolCallConfig calls them without asking: they were given by whoever sends. Calls in the text
    have their results as the user's words, unless the agent says otherwise.
    """
    if not tools:
        return agent
    known = agent or Agent.model_validate({})
    names = {tool.name for tool in tools}
    own = [each for each in known.tools if tool_name(each) not in names]
    given = [tool.as_data() for tool in tools]
    config = dict(known.tool_call_config or {"defaultAutoApprove": True})
    config["enabled"] = True
    if ToolCallConfig.of(config).in_text:
        config.setdefault("convertToolRoleToUser", True)
    return known.with_(tools=(*own, *given), tool_call_config=config)

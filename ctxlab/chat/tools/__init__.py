"""Tools: functions that a model may call, how their calls are asked for, approved and run."""

from ctxlab.chat.tools.approval import Approve
from ctxlab.chat.tools.artifact_tool import artifact_tool
from ctxlab.chat.tools.background_tasks import BackgroundTasks
from ctxlab.chat.tools.calls_of_reply import calls_of_reply, requested
from ctxlab.chat.tools.from_function import tool, tools_of
from ctxlab.chat.tools.results import ToolResult
from ctxlab.chat.tools.runner import Runner
from ctxlab.chat.tools.tool import Tool, ToolRunner
from ctxlab.chat.tools.tool_call_config import ToolCallConfig, agent_with_tools

__all__ = [
    "Approve",
    "BackgroundTasks",
    "Runner",
    "Tool",
    "ToolCallConfig",
    "ToolResult",
    "ToolRunner",
    "agent_with_tools",
    "artifact_tool",
    "calls_of_reply",
    "requested",
    "tool",
    "tools_of",
]

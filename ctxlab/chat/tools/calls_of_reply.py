"""The calls that a reply asks for: native ones, and those that stand in its text where the agent's tools are there."""

from __future__ import annotations

import json

from ctxlab.documents import MessageNode, ToolCall
from ctxlab.documents.agent.tool_call_config import ToolCallConfig
from ctxlab.engines.tool_text import calls_in_text


def calls_of_reply(
    node: MessageNode, config: ToolCallConfig, *, id_prefix: str = "", after: int = 0
) -> tuple[ToolCall, ...]:
    """The calls of a reply; the vendor's own form goes before the text, which is read with protocol `vcp` only.

    A call in the text has an id of the node's and its number; one that can't be read has its words as arguments, and
    the runner answers with what is wrong. Calls in the text that end within its first `after` characters are left out.
    """
    if node.role != "assistant":
        return ()
    if node.tool_calls or not config.in_text:
        return node.tool_calls
    prefix = id_prefix or node.id or "text"
    return tuple(
        ToolCall(
            f"{prefix}-call-{number}",
            call.name,
            node.content[call.start : call.end]
            if call.broken
            else json.dumps(dict(call.arguments), ensure_ascii=False),
        )
        for number, call in enumerate(calls_in_text(node.content), start=1)
        if call.end > after
    )


def requested(calls: tuple[ToolCall, ...]) -> list[dict[str, str]]:
    """Calls as `metadata.toolCallsRequested` holds them."""
    return [{"requestId": call.id, "toolName": call.name, "args": call.arguments} for call in calls]

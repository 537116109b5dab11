"""Shorter copies that stand for old messages, made without a model: without reasoning, or without a tool's result.

A copy is a node of its own below the message that it hides, so that the message can be had back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from ctxlab.chat.compression.language import is_chinese
from ctxlab.chat.compression.settings import CompressionSettings, Tier
from ctxlab.chat.compression.summary_node import Data, node_fields
from ctxlab.chat.compression.visible_path import VisiblePath
from ctxlab.display.short_texts import counted, cut_off
from ctxlab.documents import MessageNode
from ctxlab.documents.session.replay_artifacts import ARTIFACTS

FIRST_LINE = 100
"""Characters of a result that its stand-in shows."""
OF_REASONING = ("reasoningContent", ARTIFACTS, "reasoningStartTime", "reasoningEndTime")
STALE = ("tokenCount", "contentTokens", "lastCalcHash", "tokenCountEstimated", "usage", "translation")


def stand_ins(
    path: VisiblePath, tiers: Collection[Tier], settings: CompressionSettings, *, before: int, ids: Callable[[], str]
) -> Iterator[Data]:
    """The nodes that stand for old reasoning and old tool results, for messages in front of position `before`.

    Of the newest results `keep_tool_results` stay, wherever they are; so does the reasoning of the newest exchange,
    which vendors want back as it was.
    """
    results = [i for i, node in enumerate(path.nodes) if node.role == "tool" and not node.is_summary]
    kept = set(results[max(0, len(results) - settings.keep_tool_results) :] if settings.keep_tool_results else ())
    asked = max((i for i, node in enumerate(path.nodes) if node.role == "user"), default=len(path.nodes))
    names = _names_of_results(path)
    for i, node in enumerate(path.nodes[:before]):
        made: tuple[str, dict[str, Any], str] | None = None
        if "tool-results" in tiers and node.role == "tool" and i not in kept and not node.is_summary:
            made = _without_result(node, names.get(i, ""))
        elif "reasoning" in tiers and i < asked and _has_sent_reasoning(node):
            made = node.content, _without(node, *OF_REASONING), "reasoning"
        if made is not None:
            content, metadata, kind = made
            marks: dict[str, Any] = {"isCompressionNode": True, "compressedNodeIds": [node.id], "compressionKind": kind}
            marks["compressedFingerprints"] = {node.id: node.fingerprint}
            fields = {**node_fields(ids(), node.id, node.role, content, {**metadata, **marks})}
            yield {**fields, **_other_fields(node, kind)}


def _has_sent_reasoning(node: MessageNode) -> bool:
    """Whether a message has reasoning that is sent again: that of a message with tool calls, and vendors' blocks."""
    if node.role != "assistant" or node.is_summary:
        return False
    return bool(node.meta(ARTIFACTS)) or (bool(node.tool_calls) and node.reasoning is not None)


def _without_result(node: MessageNode, name: str) -> tuple[str, dict[str, Any], str] | None:
    """A line in place of a result, unless it would be no shorter."""
    text = node.content
    first = cut_off(text.strip().partition("\n")[0].strip(), FIRST_LINE)
    if is_chinese(text):
        line = f"[工具 {name or '未知'} 的结果已省略，共 {len(text):,} 个字符。开头：{first}]"
    else:
        of = f" of {name}" if name else ""
        line = f"[The result{of} was left out to save room: {counted(len(text), 'character')}. It began: {first}]"
    return (line, _without(node), "tool-result") if 2 * len(line) < len(text) else None


def _names_of_results(path: VisiblePath) -> dict[int, str]:
    """The names of the tools whose results stand at these positions."""
    found: dict[int, str] = {}
    for unit in path.units:
        called = {call.id: call.name for call in path.nodes[unit.at[0]].tool_calls}
        found |= {at: called.get(path.nodes[at].result_of or "", "") for at in unit.at[1:]}
    return found


def _without(node: MessageNode, *names: str) -> dict[str, Any]:
    return {name: value for name, value in (node.metadata or {}).items() if name not in (*names, *STALE)}


def _other_fields(node: MessageNode, kind: str) -> dict[str, Any]:
    """Further fields that a copy has: files of an assistant's message, who speaks, calls in another program's form."""
    data = node.to_data()
    names = ("name", "speaker", "modelMatch", "toolCalls", "toolCallId")
    kept = {name: data[name] for name in names if name in data}
    return kept | ({"attachments": data["attachments"]} if kind == "reasoning" and "attachments" in data else {})

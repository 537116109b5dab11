"""From the tree to messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.golden.cases import Case
from tests.golden.forms import HISTORY, Data, Form, form_of_message
from tests.golden.rules.models import fits, model_of
from tests.golden.rules.rule import Rule

LIST_MARKER = re.compile(r"^ *([*+-]|\d+\.) +", re.MULTILINE)
BLANK_LINE_IN_LIST = re.compile(r"\n\s*\n(?=([*+-]|\d+\.) )")


def _path(case: Case) -> Iterator[Data]:
    """Nodes from the leaf that is asked for up to the root."""
    detail = case.input.get("detail") or {}
    shared = case.input.get("shared") or {}
    nodes = detail.get("nodes") or {}
    node = nodes.get(shared.get("contextPreviewTargetNodeId") or detail.get("activeLeafId"))
    while node:
        yield node
        node = nodes.get(node.get("parentId"))


def _is_disabled(node: Data) -> bool:
    return node.get("isEnabled") is False


def _without_disabled(case: Case) -> list[Form]:
    gone = {node["id"] for node in _path(case) if _is_disabled(node)}
    return [form for form in case.expected if form["source"][1] not in gone]


def _as_nodes_go(case: Case) -> list[Form]:
    """The reference's messages without those for other models, and with the empty halves of tool calls."""
    forms = {form["source"][1]: form for form in case.expected}
    pending = [form for form in case.expected if form["source"][1] == "pending"]
    history = [
        forms.get(node["id"]) or form_of_message(_message(node))
        for node in reversed(list(_path(case)))
        if not _is_for_another_model(case, node) and (node["id"] in forms or _is_empty_half(case, node))
    ]
    return [*history, *pending]


def _is_for_another_model(case: Case, node: Data) -> bool:
    return not fits(node.get("modelMatch"), model_of(case.input))


def _is_empty_half(case: Case, node: Data) -> bool:
    """A call or a result without a word, where results are sent under the role tool."""
    tools = (case.input.get("agentConfig") or {}).get("toolCallConfig") or {}
    metadata = node.get("metadata") or {}
    half = node["role"] == "tool" or (node["role"] == "assistant" and metadata.get("toolCallsRequested"))
    sent = tools.get("convertToolRoleToUser") is False and node.get("parentId") and not _is_disabled(node)
    return bool(half and sent and not (node.get("content") or "").strip() and node["id"] not in _hidden(case))


def _hidden(case: Case) -> set[str]:
    said = [node.get("metadata") or {} for node in _path(case) if not _is_disabled(node)]
    return {
        id for metadata in said if metadata.get("isCompressionNode") for id in metadata.get("compressedNodeIds") or ()
    }


def _message(node: Data) -> Data:
    metadata = node.get("metadata") or {}
    source = {"sourceType": HISTORY, "sourceId": node["id"]}
    reasoning = {name: metadata[name] for name in ("reasoningContent", "reasoningArtifacts") if name in metadata}
    return {"role": node["role"], "content": "", "metadata": metadata, **source, **reasoning}


def _has_such_nodes(case: Case) -> bool:
    return any(_is_for_another_model(case, node) or _is_empty_half(case, node) for node in _path(case))


def _converts_html(case: Case) -> bool:
    optimization = (case.input.get("settings") or {}).get("contextOptimization") or {}
    return bool(optimization.get("convertHtmlToMd")) and any("<" in (node.get("content") or "") for node in _path(case))


def _one_blank_after_markers(case: Case) -> list[Form]:
    return [{**form, "text": LIST_MARKER.sub(r"\1 ", form["text"])} for form in case.expected]


def _paragraphs(result: list[Form]) -> list[Form]:
    return [{**form, "text": _squeezed(form["text"])} for form in result]


def _squeezed(text: str) -> str:
    paragraphs = re.split(r"\n\s*\n", BLANK_LINE_IN_LIST.sub("\n", LIST_MARKER.sub(r"\1 ", text)))
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


FILES = ("session_loader",)
RULES = (
    Rule(
        "D4",
        "A message that is switched off isn't sent; a summary that is switched off isn't either.",
        FILES,
        lambda case: any(map(_is_disabled, _path(case))),
        _without_disabled,
    ),
    Rule(
        "decisions, Nodes: other models",
        "A message of the history that is for other models isn't sent, as a preset isn't; "
        "a call and its result are sent both, also if one of them has no words.",
        FILES,
        _has_such_nodes,
        _as_nodes_go,
    ),
    Rule(
        "decisions, Nodes: HTML",
        "Markdown means the same with one blank after a list marker, and the conversion is there to make it short.",
        FILES,
        _converts_html,
        _one_blank_after_markers,
        _paragraphs,
    ),
)

"""From the tree to messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from golden.cases import Case
from golden.forms import Data, Form
from golden.rules.models import fits, model_of
from golden.rules.rule import Rule

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


def _without(unwanted: Callable[[Case, Data], bool]) -> tuple[Callable[[Case], bool], Callable[[Case], Any]]:
    """Whether there are such nodes on the path, and the reference's messages without them."""

    def applies(case: Case) -> bool:
        return any(unwanted(case, node) for node in _path(case))

    def ours(case: Case) -> list[Form]:
        gone = {node["id"] for node in _path(case) if unwanted(case, node)}
        return [form for form in case.expected if form["source"][1] not in gone]

    return applies, ours


def _is_disabled(case: Case, node: Data) -> bool:
    return node.get("isEnabled") is False


def _is_for_another_model(case: Case, node: Data) -> bool:
    return not fits(node.get("modelMatch"), model_of(case.input))


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
        *_without(_is_disabled),
    ),
    Rule(
        "decisions, Nodes",
        "A message of the history that is for other models isn't sent, as a preset isn't.",
        FILES,
        *_without(_is_for_another_model),
    ),
    Rule(
        "HTML white space",
        "Markdown means the same with one blank after a list marker, and the conversion is there to make it short.",
        FILES,
        _converts_html,
        _one_blank_after_markers,
        _paragraphs,
    ),
)

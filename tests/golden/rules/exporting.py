"""What an export holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.golden.cases import Case
from tests.golden.exporting import RawNode
from tests.golden.forms import Data
from tests.golden.rules.rule import Rule


def _path(case: Case) -> Iterator[Data]:
    """Nodes from the root to the leaf that the session looks at."""
    nodes = case.input["detail"]["nodes"]
    way: list[Data] = []
    node = nodes.get(case.input["detail"]["activeLeafId"])
    while node:
        way.append(node)
        node = nodes.get(node["parentId"])
    return reversed(way)


# --- summaries


def _stands(node: Data) -> bool:
    return bool(node["metadata"].get("isCompressionNode")) and node["isEnabled"] is not False


def _has_summary(case: Case) -> bool:
    return case.input["function"] == "exportSessionAsMarkdown" and any(map(_stands, _path(case)))


def _with_summary(case: Case) -> Any:
    """The messages, with each summary before the first message after it on the path."""
    messages: list[Data] = list(case.expected["messages"])
    place = len(messages)
    for node in reversed(list(_path(case))):
        if _stands(node):
            time = node["timestamp"][11:19]
            messages.insert(
                place, {"who": "system", "time": time, "off": False, "text": " ".join(node["content"].split())}
            )
        elif place and messages[place - 1]["text"] == " ".join(node["content"].split()):
            place -= 1
    return {**case.expected, "messages": messages}


# --- branch points


def _tops(case: Case) -> list[Data]:
    return [form for form in case.expected["tree"] if form["depth"] == 0 and "text" in form]


def _forks_at_root(case: Case) -> bool:
    if case.input["function"] != "exportSessionAsMarkdownTree":
        return False
    detail = case.input["detail"]
    return len(detail["nodes"][detail["rootNodeId"]]["childrenIds"]) > 1


def _numbered(case: Case) -> Any:
    tops = _tops(case)
    tree: list[Data] = [{"depth": 0, "ways": len(tops)}]
    for form in case.expected["tree"]:
        if any(form is top for top in tops):
            tree.append({"depth": 0, "way": sum("way" in it and it["depth"] == 0 for it in tree) + 1})
        tree.append(form)
    return {**case.expected, "tree": tree}


# --- raw branches


def _is_raw(case: Case) -> bool:
    return case.input["function"] == "exportBranchAsRaw"


def _sound(case: Case) -> Any:
    """The same messages in a chain of their own under the root."""
    keys = [node["id"] for node in _path_to(case)]
    root = case.input["detail"]["rootNodeId"]
    stored: dict[str, RawNode] = case.expected["nodes"]
    linked = {
        key: stored[key]._replace(parent=above, children=[below] if below else [])
        for above, key, below in zip([root, *keys], keys, [*keys[1:], None], strict=False)
    }
    return {"leaf": keys[-1], "nodes": linked}


def _path_to(case: Case) -> list[Data]:
    """The exported nodes from the top."""
    nodes = case.input["detail"]["nodes"]
    way: list[Data] = []
    node = nodes.get(case.input["nodeId"])
    while node:
        way.append(node)
        node = nodes.get(node["parentId"])
    return [node for node in reversed(way) if node["id"] in case.expected["nodes"]]


FILES = ("export",)
RULES = (
    Rule(
        "decisions, Compression",
        "A shortened conversation keeps its summary in every export; without it a part would vanish.",
        FILES,
        _has_summary,
        _with_summary,
    ),
    Rule(
        "export, branches at the root",
        "The root is a branch point like any other: its ways are numbered too.",
        FILES,
        _forks_at_root,
        _numbered,
    ),
    Rule(
        "export, raw",
        "A branch on its own is a sound session: it names no message that didn't come along.",
        FILES,
        _is_raw,
        _sound,
    ),
)

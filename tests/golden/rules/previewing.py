"""What a preview counts, and what it leaves out."""

from __future__ import annotations

from typing import Any

from ctxlab.context.tool_pairs import NO_ID
from tests.golden.cases import Case
from tests.golden.forms import Data, Form
from tests.golden.rules.rule import Rule

SEPARATOR = "\n\n---\n\n"


def _nodes(case: Case) -> dict[str, Data]:
    return (case.input.get("detail") or {}).get("nodes") or {}


# --- messages that are switched off


def _disabled(case: Case) -> set[str]:
    return {key for key, node in _nodes(case).items() if node.get("isEnabled") is False}


def _without_disabled(case: Case) -> Any:
    return _without(case, _disabled(case))


def _without(case: Case, off: set[str]) -> Any:
    """What is left, neighbours of one role joined anew."""
    found = case.expected
    pieces = [
        {**part, "role": form["role"]}
        for form in found["messages"]
        for part in form.get("parts", [form])
        if part.get("source", ("", ""))[1] not in off
    ]
    history = [said for said in found["history"] if said["id"] not in off]
    messages = _joined(pieces)
    gone = [said for said in found["history"] if said["id"] in off]
    said = {**found["statistics"], "messages": len(messages)}
    for name in ("tokens", "characters"):
        lost = sum(each[name] for each in gone)
        said |= {name: said[name] - lost, f"history_{name}": said[f"history_{name}"] - lost}
    return {**found, "history": history, "messages": messages, "statistics": said}


def _sent_without_disabled(case: Case) -> Any:
    off = _disabled(case)
    parts = [{**part, "role": form["role"]} for form in case.expected for part in form.get("parts", [form])]
    return _joined([part for part in parts if part.get("source", ("", ""))[1] not in off])


# --- results that no call asks for


def _orphans(case: Case) -> set[str]:
    """Results on the path whose call isn't there, where they are sent as results."""
    tools = (case.input.get("agentConfig") or {}).get("toolCallConfig") or {}
    nodes = _nodes(case)
    node = nodes.get((case.input.get("detail") or {}).get("activeLeafId") or "")
    results: list[Data] = []
    asked: set[str] = set()
    while node and tools.get("convertToolRoleToUser") is False:
        metadata = node.get("metadata") or {}
        asked |= {call.get("requestId") for call in metadata.get("toolCallsRequested") or ()}
        results += [node] if node["role"] == "tool" else []
        node = nodes.get(node.get("parentId") or "")
    return {result["id"] for result in results if _answered(result) not in asked}


def _answered(result: Data) -> str | None:
    """The id of the call that a result answers; the golden previews count characters as tokens."""
    return ((result.get("metadata") or {}).get("toolCall") or {}).get("requestId")


def _without_orphans(case: Case) -> Any:
    gone = _orphans(case)
    found = _without(case, gone)
    saved = sum(said["tokens"] for said in case.expected["history"] if said["id"] in gone)
    saved += sum(len(NO_ID) for id in gone if _answered(_nodes(case)[id]) is None)  # they count with one
    said = found["statistics"]
    return {**found, "statistics": {**said, "saved_tokens": said["saved_tokens"] + saved}}


def _joined(pieces: list[Form]) -> list[Form]:
    runs: list[list[Form]] = []
    for piece in pieces:
        if runs and runs[-1][-1]["role"] == piece["role"]:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return [run[0] if len(run) == 1 else _whole(run) for run in runs]


def _whole(run: list[Form]) -> Form:
    return {"role": run[0]["role"], "text": SEPARATOR.join(part["text"] for part in run), "parts": run}


# --- tool results


def _results(case: Case) -> dict[str, Data]:
    """Results by id, where they go under the role of a tool."""
    tools = (case.input.get("agentConfig") or {}).get("toolCallConfig") or {}
    if tools.get("convertToolRoleToUser") is not False:
        return {}
    return {key: node for key, node in _nodes(case).items() if node["role"] == "tool"}


def _with_results(case: Case) -> Any:
    """The messages as they are sent: each result after what stands before it in the history."""
    results, found = _results(case), case.expected
    messages = list(found["messages"])
    above = ""
    for said in found["history"]:
        if said["id"] in results:
            at = next((i for i, form in enumerate(messages) if above in _ids(form)), len(messages) - 1) + 1
            messages.insert(at, {"role": "tool", "text": said["text"], "source": ("session_history", said["id"])})
        above = said["id"]
    return {**found, "messages": messages}


def _ids(form: Form) -> list[str]:
    return [part.get("source", ("", ""))[1] for part in form.get("parts", [form])]


# --- variables


def _without_snapshots(case: Case) -> Any:
    return [_bare(form) for form in case.expected]


def _bare(form: Form) -> Form:
    said = {name: value for name, value in form.get("metadata", {}).items() if name != "sessionVariableSnapshot"}
    bare = {name: value for name, value in form.items() if name not in ("metadata", "parts")}
    parts = {"parts": [_bare(part) for part in form["parts"]]} if "parts" in form else {}
    return {**bare, **parts, **({"metadata": said} if said else {})}


# --- lore


def _entries(case: Case) -> dict[str, Data]:
    books = (case.input.get("shared") or {}).get("loadedWorldbooks") or []
    return {str(entry["uid"]): entry for book in books for entry in (book.get("entries") or {}).values()}


def _is_lore_first(case: Case) -> bool:
    """Whether the reference placed lore before there was any preset to place it at."""
    return bool(_entries(case)) and case.input.get("order") != "array"


def _beside_character(case: Case, messages: list[Form]) -> list[Form]:
    """Lore of the positions 0 and 1 before and after the first system preset, the rest as it stands."""
    pieces = [{**part, "role": form["role"]} for form in messages for part in form.get("parts", [form])]
    entries = _entries(case)
    moved: dict[int, list[Form]] = {0: [], 1: []}
    rest: list[Form] = []
    for piece in pieces:
        kind, id = piece.get("source", ("", ""))
        position = entries.get(id, {}).get("position") if kind == "anchor_injection" else None
        moved.get(position, rest).append(piece)
    at = next((i for i, p in enumerate(rest) if p["role"] == "system" and p.get("index") is not None), None)
    if at is None:
        return messages
    return _joined([*rest[:at], *moved[0], rest[at], *moved[1], *rest[at + 1 :]])


def _placed(case: Case) -> Any:
    if case.file == "pipeline_full":
        return _beside_character(case, case.expected)
    messages = _beside_character(case, case.expected["messages"])
    order = [part["text"] for form in messages for part in form.get("parts", [form])]
    presets = sorted(case.expected["presets"], key=lambda preset: order.index(preset["text"]))
    return {**case.expected, "messages": messages, "presets": presets}


def _counted_once(case: Case) -> Any:
    """Lore is a part of what is sent like any other, and counted as such."""
    found = case.expected
    said = dict(found["statistics"])
    lore = [preset for preset in found["presets"] if preset["index"] == -1]
    for name in ("tokens", "characters"):
        said[name] -= sum(each[name] for each in lore)
    return {**found, "statistics": said}


FILES = ("preview_builder",)
RULES = (
    Rule(
        "D4 in a preview",
        "A message that is switched off isn't sent, so a preview doesn't have it either.",
        FILES,
        lambda case: bool(_disabled(case)),
        _without_disabled,
    ),
    Rule(
        "D4 in all steps",
        "A message that is switched off isn't sent; what stood around it is joined.",
        ("pipeline_full",),
        lambda case: bool(_disabled(case)),
        _sent_without_disabled,
    ),
    Rule(
        "D17 in all steps",
        "Lore is decided before the presets are placed and put among them, so that it stands at the character.",
        ("preview_builder", "pipeline_full"),
        _is_lore_first,
        _placed,
    ),
    Rule(
        "D28",
        "Every word of what is sent is counted once; the reference adds lore a second time.",
        FILES,
        lambda case: bool(_entries(case)),
        _counted_once,
    ),
    Rule(
        "D25 in all steps",
        "Building writes nothing into the messages: what variables became is a table of the trace.",
        ("pipeline_full",),
        lambda case: bool(((case.input.get("agentConfig") or {}).get("variableConfig") or {}).get("enabled")),
        _without_snapshots,
    ),
    Rule(
        "systems 22: raw request",
        "What is shown as the request is what is sent: the tools' results are in it.",
        FILES,
        lambda case: bool(_results(case)),
        _with_results,
    ),
    Rule(
        "A9",
        "A result that no call asks for isn't sent: vendors refuse it.",
        FILES,
        lambda case: bool(_orphans(case)),
        _without_orphans,
    ),
)

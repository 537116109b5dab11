"""What a preview counts, and what it leaves out."""

from __future__ import annotations

from typing import Any

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
    """What is left, neighbours of one role joined anew."""
    off, found = _disabled(case), case.expected
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
        "systems 22: raw request",
        "What is shown as the request is what is sent: the tools' results are in it.",
        FILES,
        lambda case: bool(_results(case)),
        _with_results,
    ),
)

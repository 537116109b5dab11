"""Exports and imports of sessions: what the reference writes and what ours writes, both taken apart into one form.

Ours is written with the reference's words (`labels=`), so that one reader takes both apart. Not compared are icons,
participants' names and the lines that say something about a message (model, tokens, errors, attachments).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ctxlab.documents import Session, read_stored
from ctxlab.documents.session.message import MessageNode
from ctxlab.formats import (
    branch_data,
    branch_markdown,
    branch_session,
    merged_sessions,
    path_markdown,
    payload_markdown,
    read_data,
    tree_markdown,
)
from tests.golden.cases import Case
from tests.golden.forms import Data

NOW = "2026-01-01T12:00:00Z"
SHOWN = {
    "includeUserProfile": "user",
    "includeAgentInfo": "agent",
    "includeModelInfo": "model",
    "includeTokenUsage": "tokens",
    "includeAttachments": "attachments",
    "includeErrors": "errors",
}
ROLES = {"用户": "user", "助手": "assistant", "系统": "system", "系统提示": "system", "工具": "tool"}
WORDS = {
    "user": "用户",
    "assistant": "助手",
    "system": "系统",
    "tool": "系统",  # the reference's word for results, but for a path's
    "summary": "系统",
    "disabled": "已禁用",
    "presets": "智能体预设消息",
    "messages": "会话消息",
    "count": "共 {n} 条",
    "ways": "此处产生了 {n} 条不同的对话路径",
    "way": "路径 {n}:",
    "copy": "{name} (导入副本)",
}

HEADING = re.compile(r"#{2,3} (?P<who>.*?)(?: \((?P<when>[^()]*)\))?(?P<off> \[已禁用\])?")
ITEM = re.compile(r"(?P<pad> *)- \*\*(?P<who>.*?)\*\*(?: \((?P<when>[^()]*)\))?(?P<off> \[已禁用\])?")
WAYS = re.compile(r"(?P<pad> *)\*\[此处产生了 (?P<n>\d+) 条不同的对话路径\]\*")
WAY = re.compile(r"(?P<pad> *)\*\*路径 (?P<n>\d+):\*\*")
COUNT = re.compile(r"(?:共|总消息数\W*) *(\d+) 条")
TIME = re.compile(r"\d\d:\d\d:\d\d")
DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
BESIDE = re.compile(r"[*>].*|```.*|---|\W*附件.*")
FILE = re.compile(r"【file::[^】]*】|\[text of [^\]]*\]")
TITLE_END = re.compile(r" - .*| \[[^\]]*\]| \([A-Z][a-z]+\)")
ICON = re.compile(r"^\W+")


# --- export


def export(data: Data) -> Any:
    """Our result of a case, taken apart."""
    session = _session(data)
    options = data.get("options") or {}
    how: Data = {"labels": WORDS, "show": [name for key, name in SHOWN.items() if options.get(key) is not False]}
    span = tuple(options["range"]) if options.get("range") else None
    leaf = data.get("nodeId")
    match data["function"]:
        case "exportSessionAsMarkdown":
            return _path(str(path_markdown(session, labels={**WORDS, "tool": "助手"})), data)
        case "exportSessionAsMarkdownTree":
            return _tree(str(tree_markdown(session, indent="messages", exported_at=NOW, **how)), data)
        case "exportBranchAsMarkdown" if options.get("useContextPipeline"):
            return _document(str(payload_markdown(options["processedMessages"], exported_at=NOW, labels=WORDS)), data)
        case "exportBranchAsMarkdown":
            text = branch_markdown(
                session,
                leaf,
                span=span,
                presets=_presets(data),
                presets_apart=options.get("mergePresetIntoMessages") is False,
                exported_at=NOW,
                **how,
            )
            return _document(str(text), data)
        case "exportBranchAsJson":
            return _messages(branch_data(session, leaf, span=span, exported_at=NOW).data)
        case _:
            return _raw(branch_session(session, leaf, span=span).to_data())


def exported(case: Case) -> Any:
    """The reference's result of a case, taken apart."""
    match case.input["function"]:
        case "exportSessionAsMarkdownTree":
            return _tree(case.expected, case.input)
        case "exportSessionAsMarkdown":
            return _path(case.expected, case.input)
        case "exportBranchAsJson":
            return _messages(case.expected)
        case "exportBranchAsRaw":
            return _raw(case.expected["detail"])
        case _:
            return _document(case.expected, case.input)


def _session(data: Data) -> Session:
    return read_data({"index": data["index"], "detail": data["detail"]}).pick()


def _presets(data: Data) -> list[MessageNode]:
    stored = data.get("preset") or [] if data.get("includePreset") else []
    return [read_stored(MessageNode, preset, place="preset")[0] for preset in stored]


def _document(text: str, data: Data) -> Data:
    """Head and messages of a Markdown with headings."""
    head, *lines = _split(text)
    messages: list[Data] = []
    apart = False
    for line in lines:
        found = HEADING.fullmatch(line)
        if found is None:
            if messages:
                messages[-1]["text"] += f"\n{line}"
            continue
        who = _who(found["who"], data)
        apart = who == WORDS["presets"] or (apart and who != WORDS["messages"])
        messages.append(
            {"who": who, "time": "" if apart else _time(found["when"]), "off": bool(found["off"]), "text": ""}
        )
    return {"count": _count(head), "dates": DATE.findall(head), "messages": [_squeezed(one, data) for one in messages]}


def _path(text: str, data: Data) -> Data:
    """The same of a path, in which the reference doesn't say what is disabled."""
    document = _document(text, data)
    return {**document, "messages": [{**message, "off": False} for message in document["messages"]]}


def _tree(text: str, data: Data) -> Data:
    """Head, messages with their depth, and branch points of a Markdown list."""
    head, *lines = _split(text)
    found: list[Data] = []
    for line in lines:
        if item := ITEM.fullmatch(line):
            who = {"who": _who(item["who"], data), "time": _time(item["when"]), "off": bool(item["off"]), "text": ""}
            found.append({"depth": len(item["pad"]) // 2, **who})
        elif mark := WAYS.fullmatch(line) or WAY.fullmatch(line):
            kind = "ways" if mark.re is WAYS else "way"
            found.append({"depth": len(mark["pad"]) // 2, kind: int(mark["n"])})
        elif match := COUNT.search(line.replace("*", "")):
            head += match[0]
        elif found and "text" in found[-1]:
            found[-1]["text"] += f"\n{line}"
    return {"count": _count(head), "dates": DATE.findall(head), "tree": [_squeezed(one, data) for one in found]}


def _split(text: str) -> Iterator[str]:
    """The head as one text, then the lines after it."""
    head, _, rest = text.partition("\n---\n")
    return iter([head, *(line for line in rest.splitlines() if _is_text(line))])


def _is_text(line: str) -> bool:
    mark = WAYS.fullmatch(line) or WAY.fullmatch(line) or COUNT.search(line)
    return bool(mark) or not BESIDE.fullmatch(line.strip())


def _count(head: str) -> int | None:
    found = COUNT.search(head)
    return int(found[1]) if found else None


def _time(when: str | None) -> str:
    found = TIME.search(when or "")
    return found[0] if found else ""


def _who(title: str, data: Data) -> str:
    """The role of who speaks: by its word, or by the names that a case knows."""
    name = TITLE_END.sub("", ICON.sub("", title)).strip()
    nodes = data["detail"]["nodes"].values()
    users = {node["metadata"].get(key) for node in nodes for key in ("userProfileName", "userProfileDisplayName")}
    users |= {value for profile in (data.get("userProfiles") or {}).values() for value in profile.values()}
    agents = {node["metadata"].get(key) for node in nodes for key in ("agentName", "agentDisplayName")}
    return ROLES.get(name) or ("user" if name in users else "assistant" if name in agents else name)


def _squeezed(form: Data, data: Data) -> Data:
    """The words of a message's text, without the lines and places that speak of its files."""
    if "text" not in form:
        return form
    names = [file["name"] for node in data["detail"]["nodes"].values() for file in node.get("attachments") or ()]
    lines = [
        FILE.sub(" ", line)
        for line in form["text"].split("\n")
        if FILE.search(line) or not any(name in line for name in names)
    ]
    return {**form, "text": " ".join(" ".join(lines).split())}


def _messages(data: Data) -> Data:
    messages = [(message["role"], message["content"]) for message in data["messages"]]
    return {"count": data["messageCount"], "messages": messages}


class RawNode(NamedTuple):
    parent: str | None
    children: list[str]
    role: str
    text: str


def _raw(detail: Data) -> Data:
    """Nodes by id, without the root, which ours always has."""
    nodes = {
        key: RawNode(node["parentId"], list(node["childrenIds"]), node["role"], node["content"])
        for key, node in detail["nodes"].items()
        if node["parentId"] is not None
    }
    return {"leaf": detail["activeLeafId"], "nodes": nodes}


# --- session_import

NAMES = ("one", "two", "three")
"""How the reference's imported sessions are called; the input has only their ids."""


def import_(data: Data) -> Any:
    coming = [Session(id=one, name=name) for one, name in zip(data["imported"], NAMES, strict=False)]
    there = [Session(id=one, name="existing") for one in data["existing"]]
    found = merged_sessions(there, coming, on_conflict=data["strategy"], labels=WORDS)
    by_id = {session.id: session for session in found.sessions}
    return {
        "sessions": [("new" if key in found.renamed else key, by_id[key].name) for key in found.imported],
        "counts": [len(found.imported), len(found.skipped), len(found.renamed), len(found.overwritten)],
    }


def imported(case: Case) -> Any:
    counts = [case.expected[f"{what}Count"] for what in ("imported", "skipped", "renamed", "overwritten")]
    sessions = [("new" if "<" in one["id"] else one["id"], one["name"]) for one in case.expected["sessions"]]
    return {"sessions": sessions, "counts": counts}

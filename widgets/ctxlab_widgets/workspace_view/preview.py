"""One value at the side of the list: its facts, its tree with the hits in it, and the hits."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Agent, KnowledgeBase, QuickActionSet, RegexPreset, Session, UserProfile, Worldbook
from ctxlab.errors import CtxlabError
from ctxlab.storage.workspace import Workspace
from ctxlab_widgets.branch_tree.payload import ACTIVE, LEAF, ROOT, drawing_of
from ctxlab_widgets.workspace_view.files_out import endings_of, on_disk
from ctxlab_widgets.workspace_view.found import snippet_json
from ctxlab_widgets.workspace_view.listing import Row

MOST_SIGNS = 800
"""Signs of a tree that are drawn; the sentence says how many there are."""
UNFOLDED_MOST = 150
"""Messages of a tree whose chains are unfolded where something was found in them."""
MOST_HITS = 50
LINES = 8
"""Lines about a value that is no session."""
LINE = 160
OPENS: dict[str, tuple[str, ...]] = {
    "sessions": ("chat", "tree", "steps", "budget", "tokens"),
    "agents": ("agent",),
    "books": ("table", "lore"),
    "rules": ("rules",),
    "knowledge_bases": ("base",),
}
"""Views that a value can be opened in, by its kind; Enter takes the first."""


def preview_of(workspace: Workspace, kind: str, row: Row) -> dict[str, Any]:
    """The side of a row; a value that can't be read is said to be so."""
    found: dict[str, Any] = {
        "id": row.id,
        "kind": kind,
        "name": row.name,
        "trash": bool(row.why),
        "opens": () if row.why else OPENS.get(kind, ()),
        "favourite": row.favourite,
        "folder": row.folder,
        "tags": list(row.tags),
        "hits": [snippet_json(hit) for hit in row.hits[:MOST_HITS]],
        "hit_count": len(row.hits),
    }
    if row.why:
        return {**found, "facts": f"{row.why} {row.updated[:16].replace('T', ' ')}".strip(), "lines": []}
    try:
        value = workspace.load(row.id, kind=kind)  # pyright: ignore[reportArgumentType]
        found["disk"] = on_disk(workspace, kind, row.id, value)  # pyright: ignore[reportArgumentType]
    except CtxlabError as problem:
        return {**found, "facts": "", "lines": [], "problem": str(problem), "opens": ()}
    found["exports"] = list(endings_of(kind).items())
    if isinstance(value, Session):
        return {**found, **_session_facts(value, row)}
    return {**found, "facts": _facts(value), "lines": [short(line, LINE) for line in _lines(value) if line][:LINES]}


def _session_facts(session: Session, row: Row) -> dict[str, Any]:
    problems = [str(note) for note in session.check()]
    facts = [counted(row.parts or 0, "message"), counted(row.branches, "leaf", "leaves")]
    if row.tokens is not None:
        facts.append(counted(row.tokens, "counted token"))
    if row.program or row.file:
        facts.append(f"from {', '.join(filter(None, (row.program, short(row.file, LINE))))}")
    path = [node for node in session.path() if node.content]
    last = [short(" ".join(node.content.split()), LINE) for node in path[-2:]]
    return {
        "facts": ", ".join(facts),
        "lines": last,
        "roles": [node.role for node in path[-2:]],
        "problem": "; ".join(problems[:3]),
        "tree": tree_of(session, [hit.node for hit in row.hits if hit.node]),
    }


def tree_of(session: Session, hits: Sequence[str]) -> dict[str, Any]:
    """`x`, `y`, `parent`, `role`, `active` and `hit` of each sign, and the message that it begins with.

    Straight chains are one sign, but in a small tree those with hits.
    """
    unfolded = [id for id in hits if id in session.nodes] if len(session.nodes) <= UNFOLDED_MOST else []
    drawing = drawing_of(session, unfolded)
    flags = array("H", drawing.flags)
    count = len(flags)
    # As `Drawing.places` says: x and y of all signs, then parents and numbers of messages.
    numbers = array("f", drawing.places[: 8 * count])
    whole = array("i", drawing.places[8 * count :])
    parents, sizes = whole[:count], whole[count : 2 * count]
    found, first = set(hits), 0
    is_hit: list[int] = []
    nodes: list[str] = []
    for size in sizes:
        keys = drawing.keys[first : first + size]
        nodes.append(next((key for key in keys if key in found), keys[-1]))
        is_hit.append(int(not found.isdisjoint(keys)))
        first += size
    shown = min(count, MOST_SIGNS)
    return {
        "x": [round(x, 2) for x in numbers[:shown]],
        "y": [round(y, 2) for y in numbers[count : count + shown]],
        "parent": list(parents[:shown]),
        "size": list(sizes[:shown]),
        "role": [-1 if flag & ROOT else flag & 7 for flag in flags[:shown]],
        "active": [int(bool(flag & (ACTIVE | LEAF))) for flag in flags[:shown]],
        "hit": is_hit[:shown],
        "node": nodes[:shown],
        "messages": drawing.messages,
        "leaves": drawing.leaves,
        "missing": count - shown,
    }


def _facts(value: object) -> str:
    match value:
        case Worldbook():
            off = sum(entry.disable for entry in value.entries.values())
            return counted(len(value.entries), "entry", "entries") + (f", {off:,} off" if off else "")
        case KnowledgeBase():
            off = sum(not entry.enabled for entry in value.entries)
            return counted(len(value.entries), "entry", "entries") + (f", {off:,} off" if off else "")
        case Agent():
            return f"{counted(len(value.preset_messages), 'preset')}, {counted(len(value.greetings), 'greeting')}"
        case RegexPreset():
            return counted(len(value.rules), "rule")
        case QuickActionSet():
            return counted(len(value.actions), "quick action")
        case _:
            return ""


def _lines(value: object) -> list[str]:
    match value:
        case Worldbook():
            return [f"{entry.title}: {entry.content}" for entry in list(value.entries.values())[:LINES]]
        case KnowledgeBase():
            return [value.description or "", *(f"{each.key}: {each.content}" for each in value.entries[:LINES])]
        case Agent():
            presets = [preset.name or preset.content for preset in value.preset_messages]
            return [value.description or value.character_description or "", *presets]
        case UserProfile():
            return [value.content, *(preset.name or preset.content for preset in value.preset_messages)]
        case RegexPreset():
            return [rule.name or "" for rule in value.rules]
        case QuickActionSet():
            return [action.label or "" for action in value.actions]
        case _:
            return [str(getattr(value, "content", "") or "")]

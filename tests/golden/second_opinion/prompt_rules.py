"""Why the prompt around the lore differs, and what a chat file comes to."""

from __future__ import annotations

from collections import defaultdict

from tests.golden.second_opinion.case import Data, entries, said, say
from tests.golden.second_opinion.rule import Rule

PROMPT = ("prompt",)
DEPTH = 4
ROLES = ("system", "user", "assistant")


def _order(data: Data) -> list[Data]:
    return data["preset"]["prompt_order"][-1]["order"]


LORE_MARKERS = ("worldInfoBefore", "worldInfoAfter")


def _lacks_markers(data: Data) -> bool:
    return not {entry["identifier"] for entry in _order(data)}.issuperset(LORE_MARKERS)


def _with_markers(data: Data) -> None:
    there = {entry["identifier"] for entry in _order(data)}
    _order(data)[:0] = [{"identifier": name, "enabled": True} for name in LORE_MARKERS if name not in there]


def _absolute(data: Data) -> list[Data]:
    return [one for one in data["preset"]["prompts"] if one.get("injection_position") == 1]


def _deep_lore(data: Data) -> list[Data]:
    return [entry for entry in entries(data) if said(entry, "position", 0) == DEPTH]


def _mixes_roles(data: Data) -> bool:
    roles: dict[tuple[float, float], set[str]] = defaultdict(set)
    for one in _absolute(data):
        roles[one.get("injection_depth", DEPTH), one.get("injection_order", 100)].add(one.get("role", "system"))
    for entry in _deep_lore(data):
        role = ROLES[said(entry, "role", 0)]
        roles[said(entry, "depth", DEPTH), said(entry, "order", 100)].add(role)
    return any(len(there) > 1 for there in roles.values())


def _one_role(data: Data) -> None:
    for one in _absolute(data):
        one["role"] = "system"
    for entry in _deep_lore(data):
        say(entry, "role", 0)


def _say_depths(data: Data) -> None:
    for one in _absolute(data):
        one.setdefault("injection_depth", DEPTH)


def _plain_history(data: Data) -> None:
    for one in data["chat"]:
        one["text"] = one["text"].replace("{{", "((").replace("}}", "))")


def _without_card(data: Data) -> None:
    """The card goes; its book stays."""
    book = data.pop("card")["data"].get("character_book")
    data["books"] += [book] if book else []


PROMPTS = (
    Rule("lore without a marker", PROMPT, "a choice", _lacks_markers, _with_markers),
    Rule("roles at one depth", PROMPT, "ctxlab", _mixes_roles, _one_role),
    Rule(
        "a depth that isn't said",
        PROMPT,
        "ctxlab",
        lambda data: any("injection_depth" not in one for one in _absolute(data)),
        _say_depths,
    ),
    Rule(
        "what opens the history",
        PROMPT,
        "ctxlab",
        lambda data: bool(data["preset"].get("new_chat_prompt")),
        lambda data: data["preset"].pop("new_chat_prompt"),
    ),
    Rule(
        "the card's own texts",
        PROMPT,
        "ctxlab",
        lambda data: data.get("card") is not None,
        _without_card,
    ),
    Rule(
        "macros in the history",
        PROMPT,
        "a choice",
        lambda data: any("{{" in one["text"] for one in data["chat"]),
        _plain_history,
    ),
    Rule(
        "scripts for lore",
        PROMPT,
        "fast-tavern",
        lambda data: any(5 in one["placement"] for one in data.get("scripts") or []),
        lambda data: data.update(scripts=[one for one in data["scripts"] if 5 not in one["placement"]]),
    ),
)


# --- chats

CHATS = (
    Rule(
        "hidden messages",
        ("chat",),
        "ctxlab",
        lambda data: any(line.get("is_system") for line in data["lines"]),
        lambda data: data.update(lines=[line for line in data["lines"] if not line.get("is_system")]),
    ),
    Rule(
        "the head of the file",
        ("chat",),
        "ctxlab",
        lambda data: any("mes" not in line for line in data["lines"]),
        lambda data: data.update(lines=[line for line in data["lines"] if "mes" in line]),
    ),
)

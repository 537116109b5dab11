"""SillyTavern's chats: JSON lines, the first about the chat, the others its messages.

The swipes of a message become siblings; what follows hangs below the one that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ctxlab.documents import Session
from ctxlab.formats.results import Loss
from ctxlab.formats.session_tree_builder import ROOT, Tree
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.chats.dates import iso
from ctxlab.formats.sillytavern.chats.turns import Turn, Undated, header_of, node_of, results_of, turns_of

CARRIED: Final = "sillytavern"
LINES: Final = "lines"
KEPT = {
    "timedWorldInfo": "the timed effects of lorebook entries",
    "variables": "the chat's variables",
    "scenario": "the chat's own scenario",
    "mes_example": "the chat's own examples",
    "system_prompt": "the chat's own system prompt",
}
"""Fields of `chat_metadata` that have an effect in SillyTavern and none here."""


def chat_from(
    lines: Sequence[Any], *, id: str = "", places: Sequence[str] = (), uses_metadata: bool = False
) -> tuple[Session, list[Loss]]:
    """The conversation that the parsed lines of a chat hold; `places` name them in losses.

    With `uses_metadata` the caller takes the variables and the texts of `chat_metadata`: they are no losses.
    """
    places = places or [f"line {number}" for number in range(1, len(lines) + 1)]
    losses: list[Loss] = []
    header = header_of(lines)
    turns = list(turns_of(lines, places, losses))
    losses += [
        Loss(f"{places[0]}, chat_metadata.{key}", f"{KEPT[key]}: kept, but not used")
        for key in ([] if uses_metadata else _kept(header))
    ]
    tree = Tree()
    undated: list[Undated] = []
    leaf = _grow(tree, turns, names_of(header, turns), undated)
    if undated:
        at, field, value = undated[0]
        others = f", nor in {len(undated) - 1} others" if len(undated) > 1 else ""
        losses.append(Loss(f"{places[at]}, {field}", f"no time can be read in {coerce.shown(value)}{others}"))
    tree.select(leaf)
    session = tree.session(
        id, leaf=leaf, createdAt=iso(header.get("create_date")), carried={CARRIED: {LINES: list(lines)}}
    )
    return session, losses


def _kept(header: Any) -> list[str]:
    about = coerce.as_object(header.get("chat_metadata"))
    return [key for key in KEPT if about.get(key)]


def names_of(header: Any, turns: Sequence[Turn]) -> tuple[str, str]:
    """The user and the character, by the first line, else by their first messages."""

    def name(key: str, role: str) -> str:
        value = header.get(key)
        by_turns = (turn.name for turn in turns if turn.role == role and turn.name)
        return value if isinstance(value, str) and value not in ("", "unused") else next(by_turns, "")

    return name("user_name", "user"), name("character_name", "assistant")


def _grow(tree: Tree, turns: Sequence[Turn], names: tuple[str, str], undated: list[Undated]) -> str:
    """The messages, in a tree; the id of the newest that is shown."""
    is_group = len({turn.name for turn in turns if turn.role == "assistant"}) > 1
    leaf = ROOT
    for number, turn in enumerate(turns):
        is_greeting = number == 0 and turn.role == "assistant" and len(turn.texts) > 1
        for swipe, node_id in enumerate(turn.ids):
            with_name = is_group and turn.role == "assistant"
            fields = node_of(turn, swipe, names=names, undated=undated, with_name=with_name)
            if is_greeting:
                marks = {"isGreeting": True, "greetingLive": False}
                fields["metadata"] = {**fields.get("metadata", {}), **marks}
            tree.add(node_id, leaf, fields)
        leaf = turn.ids[turn.chosen]
        for number, fields in enumerate(results_of(turn), start=1):
            tree.add(f"{leaf}.result{number}", leaf, fields)
            leaf = f"{leaf}.result{number}"
    return leaf

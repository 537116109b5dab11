"""A chat's author's note and its character's name, which a build of the chat alone takes from its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, cast

from ctxlab.documents import MessageNode, Session
from ctxlab.documents.agent.authors_note import authors_note
from ctxlab.formats.sillytavern.chats.reader import CARRIED, LINES, names_of
from ctxlab.formats.sillytavern.chats.turns import header_of, turns_of
from ctxlab.formats.sillytavern.coerce import as_object
from ctxlab.lazy_pattern import lazy_pattern

POSITIONS: Final = ("after_main", "in_chat", "before_main")
"""Places of a note by their numbers."""
ROLES: Final = ("system", "user", "assistant")
USUAL: Final[Mapping[str, int]] = {"position": 1, "depth": 4, "role": 0, "interval": 1}
RETURNS: Final = lazy_pattern(r"\r\n?")
NOTE_OF_CHAT: Final = "chat-note"
"""Id of the note of a chat that is built alone."""


def as_in_a_field(text: str) -> str:
    """The text as a field of the program's page holds it, such as that of the note: all line ends are of one kind."""
    return RETURNS.sub("\n", text)


def role_by_number(number: int) -> Literal["system", "user", "assistant"]:
    """The role that a number names; system for any other number."""
    return ROLES[number] if 0 <= number < len(ROLES) else ROLES[0]


def note_from(
    text: str, about: Mapping[str, Any], *, usual: Mapping[str, Any] = USUAL, id: str = "authors-note"
) -> MessageNode:
    """The note with these words at the place that a chat's `chat_metadata` says, or else that of new chats."""

    def number(name: str) -> int:
        found = next((value for value in (about.get(f"note_{name}"), usual.get(name)) if value is not None), None)
        return int(str(found)) if str(found).lstrip("-").isdecimal() else USUAL[name]

    position = number("position")
    note = authors_note(
        text,
        position=POSITIONS[position] if 0 <= position < len(POSITIONS) else "in_chat",
        depth=max(0, number("depth")),
        role=role_by_number(number("role")),
        interval=max(0, number("interval")),
        id=id,
    )
    return note.with_(name="Author's note")


def note_of_chat(session: Session) -> MessageNode | None:
    """The note of a chat that was read from a file of its own; None where it has none, and for any other session."""
    about = as_object(header_of(lines_of(session)).get("chat_metadata"))
    text = about.get("note_prompt")
    return note_from(as_in_a_field(text), about, id=NOTE_OF_CHAT) if isinstance(text, str) and text else None


def character_of_chat(session: Session) -> str:
    """The character's name by the chat's file; empty for a session that is no such chat."""
    lines = lines_of(session)
    named = names_of(header_of(lines), ())[1]
    others = (turn.name for turn in turns_of(lines, [""] * len(lines), []) if turn.role == "assistant" and turn.name)
    return named or next(others, "")


def lines_of(session: Session) -> list[Any]:
    """The lines that a session was read from; none for one that was read from another file."""
    carried = as_object(as_object((session.model_extra or {}).get("carried")).get(CARRIED))
    lines = carried.get(LINES)
    return cast("list[Any]", lines) if isinstance(lines, list) else []

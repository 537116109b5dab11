"""SillyTavern's chats as files: JSON lines, the first about the chat, the others its messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from ctxlab.documents import UserProfile
from ctxlab.formats.format import Format, Pick, always
from ctxlab.formats.results import Export, Import
from ctxlab.formats.sillytavern.chats.attached_files import KINDS
from ctxlab.formats.sillytavern.chats.reader import chat_from, names_of
from ctxlab.formats.sillytavern.chats.turns import header_of, is_header, is_message, turns_of
from ctxlab.formats.sillytavern.chats.writer import chat_jsonl
from ctxlab.formats.source import Source, mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.formats.values_to_export import agent_of, agents_left_out

BOOKKEEPING: Final = frozenset({"user_name", "character_name", "name", "create_date", "send_date", "gen_started"}) | {
    "gen_finished", "api", "model", "force_avatar", "original_avatar", "integrity", "chat_id_hash", "main_chat",
}  # fmt: skip
"""Fields that no model reads; names are the messages' where they aren't the usual ones."""


def sniff(data: Any) -> bool:
    if is_header(data):
        return {"chat_metadata", "user_name"} & data.keys() != set() and "nodes" not in data
    if not isinstance(data, list):
        return is_message(data) and "is_user" in data
    lines = cast("list[Any]", data)
    return mostly(lines[1:] if lines and is_header(lines[0]) else lines, is_message) or (
        len(lines) == 1 and is_header(lines[0])
    )


def read(source: Source) -> Import:
    lines: list[Any] = source.data if isinstance(source.data, list) else [source.data]
    places = [place or "line 1" for place, _ in source.items()]
    session, losses = chat_from(lines, id=source.stem, places=places)
    found = Import(
        (session,),
        users=_users_of(lines),
        losses=(*source.losses, *losses),
    )
    return with_unsent_texts(found, source, BOOKKEEPING, taken=(*KINDS, "url", "note_prompt"))


def _users_of(lines: Sequence[Any]) -> tuple[UserProfile, ...]:
    """The user under the name that they have in the chat; a chat holds no persona."""
    name, _ = names_of(header_of(lines), list(turns_of(lines, [""] * len(lines), [])))
    return (UserProfile(id=f"user-{name}", name=name),) if name else ()


def write(found: Import, pick: Pick) -> Export[bytes]:
    """The active path of the only session, or of the picked one, with other answers beside it as swipes."""
    session = found.pick(pick)
    agent = agent_of(session, found.agents)
    names = {
        "character_name": agent.shown_name if agent else "",
        "user_name": found.users[0].shown_name if found.users else "",
    }
    export = chat_jsonl(session, **{key: name for key, name in names.items() if name})
    return export.after(agents_left_out(session, found))


CHAT = Format(
    "sillytavern-chat",
    "chat",
    (".jsonl",),
    sniff=sniff,
    read=read,
    write=write,
    holds=("sessions",),
    only_conversations=always,
)

"""ShareGPT conversations: `{"id", "conversations": [{"from", "value"}, ...]}`, in a list or as JSON lines."""

from __future__ import annotations

from typing import Any, Final, cast

from ctxlab.documents import Session
from ctxlab.formats.format import Format, always
from ctxlab.formats.openai.conversation import Conversation, Shelf
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts

Data = dict[str, Any]

ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "model": "assistant",
    "function_call": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
    "function_response": "tool",
    "observation": "tool",
}
PLAIN = frozenset({"human", "gpt", "system", "tool"})
"""Speakers whose name is clear from the role; the names of the others are kept."""

BOOKKEEPING: Final = frozenset({"from"})
"""Names of speakers, which become roles."""


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_conversation)


def _is_conversation(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    turns = cast("Data", value).get("conversations")
    return mostly(turns, _is_turn) or (turns == [] and "id" in value)


def _is_turn(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("from"), str) and "value" in value


def read(source: Source) -> Import:
    losses = list(source.losses)
    shelf = Shelf(f"agent-{source.stem}", keep_prompts=source.keep_prompts)
    names = Names()
    sessions: list[Session] = []
    for number, (place, item) in enumerate(source.items(), start=1):
        if not _is_conversation(item):
            losses.append(Loss(place, "no conversation; it is left out"))
            continue
        wanted = str(item["id"]) if item.get("id") not in (None, "") else f"{source.stem}-{number}"
        session_id = names.take(wanted)
        found: list[Loss] = []
        if session_id != wanted:
            found.append(Loss("id", f"{wanted!r} is there twice; this one is {session_id!r} now"))
        messages = [_message(turn, index, found) for index, turn in enumerate(item["conversations"])]
        talk = Conversation(messages, shelf=shelf, group="shareGpt", losses=found, turns="conversations")
        about = {key: value for key, value in item.items() if key not in ("id", "conversations")}
        sessions.append(talk.session(session_id, shareGpt=about or None))
        losses += [loss.inside(place) for loss in talk.losses]
    return with_unsent_texts(Import(tuple(sessions), shelf.agents, losses=tuple(losses)), source, BOOKKEEPING)


def _message(turn: Any, index: int, losses: list[Loss]) -> Any:
    """The turn in OpenAI's form; what is no turn is left for the reader of that to name."""
    if not _is_turn(turn):
        return turn
    speaker = turn["from"]
    role = ROLES.get(speaker.strip().lower())
    if role is None:
        place = f"conversations[{index}]"
        losses.append(Loss(place, f"speaker {speaker!r} is not known; it is a user message now"))
    rest = {key: value for key, value in turn.items() if key not in ("from", "value")}
    kept: Data = {} if speaker in PLAIN else {"from": speaker}
    if taken := {key: rest.pop(key) for key in ("role", "content") if key in rest}:
        kept["turn" if "turn" not in rest else "turn~2"] = taken
    return {**rest, **kept, "role": role or "user", "content": turn["value"]}


SHAREGPT = Format("sharegpt", "conversation", sniff=sniff, read=read, only_conversations=always)

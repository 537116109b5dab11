"""Chats that programs export for people, in one form for all of them, and the sessions that they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from ctxlab.documents import Session
from ctxlab.formats.openai.conversation import Conversation, Shelf
from ctxlab.formats.requests.blocks import Data
from ctxlab.formats.requests.chat import chat_parameters
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree, parents_first, unnamed_leaf
from ctxlab.formats.source import Source

ASSISTANT: Final = "assistant"
PROMPT: Final[Data] = {"id": "prompt-0", "name": "System", "role": "system"}
LATEST_SECONDS: Final = 1e11


@dataclass(frozen=True, slots=True)
class ExportedMessage:
    """A message of an export; `parent` is the id of the one above, None at the beginning.

    `said` are the messages in OpenAI's form that it stands for: one, or several where calls and their results are
    inside. `usage` is in OpenAI's names, `rest` what the program keeps besides.
    """

    id: str
    parent: str | None
    said: tuple[Data, ...]
    model: str = ""
    time: str | None = None
    usage: Data = field(default_factory=dict[str, Any])
    error: str = ""
    rest: Data = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class ExportedChat:
    """One chat of an export: its system text, its messages in the order of the file, and where it stands.

    `leaf` is the id of the message at which the chat stands, None where the export doesn't say it; `parameters` are
    fields of a request's body, `about` what the program keeps of the chat besides.
    """

    id: str
    name: str
    messages: tuple[ExportedMessage, ...]
    system: str = ""
    leaf: str | None = None
    parameters: Data = field(default_factory=dict[str, Any])
    created: str | None = None
    updated: str | None = None
    about: Data = field(default_factory=dict[str, Any])

    def in_order(self, losses: list[Loss]) -> Iterator[tuple[ExportedMessage, str | None]]:
        """The messages with the ids of those above them, parents first."""
        found = {message.id: message for message in self.messages}
        if len(found) < len(self.messages):
            losses.append(Loss("messages", "several have the same id; the last is read"))
        for id, parent in parents_first({id: message.parent for id, message in found.items()}, losses):
            yield found[id], parent


def import_of(chats: Sequence[ExportedChat], source: Source, group: str, losses: Sequence[Loss]) -> Import:
    """A session for each chat, its whole tree; what has no field of its own is kept in the metadata under `group`."""
    shelf = Shelf(f"agent-{source.stem}", keep_prompts=source.keep_prompts)
    found, names = [*source.losses, *losses], Names()
    sessions: list[Session] = []
    for number, chat in enumerate(chats, start=1):
        wanted = chat.id or (source.stem if len(chats) == 1 else f"{source.stem}-{number}")
        session_id = names.take(wanted)
        if session_id != wanted:
            found.append(Loss(f"chat {number}", f"id {wanted!r} is there twice; this one is {session_id!r} now"))
        own: list[Loss] = []
        sessions.append(_session(chat, session_id, shelf, group, own))
        found += [loss.inside(f"chat {number}" if len(chats) > 1 else "") for loss in own]
    return Import(tuple(sessions), shelf.agents, losses=tuple(found))


def _session(chat: ExportedChat, session_id: str, shelf: Shelf, group: str, losses: list[Loss]) -> Session:
    prompt = {**PROMPT, "content": chat.system}
    presets = [prompt] if chat.system and not shelf.keep_prompts else []
    model = next((message.model for message in reversed(chat.messages) if message.model), None)
    parameters = chat_parameters(chat.parameters).data()
    tree = Tree(agent_id=shelf.agent_for(presets, parameters=parameters, model=model))
    top = ROOT
    if chat.system and shelf.keep_prompts:
        top = tree.add(prompt["id"], ROOT, {"role": "system", "content": chat.system})
    at: dict[str | None, str] = {None: top}
    nodes = Conversation([], shelf, group=group)
    for message, parent in chat.in_order(losses):
        at[message.id] = _grow(tree, message, at[parent], nodes, losses)
    named = chat.leaf if chat.leaf is not None and chat.leaf in at else None
    leaf = at[named if named is not None else _newest(chat)]
    if named is not None or not tree.is_forked:
        tree.select(leaf)
    else:
        losses.append(unnamed_leaf("the newest message's"))
    about = {key: value for key, value in chat.about.items() if value not in (None, "", [], {})}
    return tree.session(
        session_id,
        leaf=leaf,
        name=chat.name or None,
        createdAt=chat.created,
        updatedAt=chat.updated,
        **{group: about or None},
    )


def _grow(tree: Tree, message: ExportedMessage, parent: str, nodes: Conversation, losses: list[Loss]) -> str:
    """Hang a message into the tree; the id of the last node that it became."""
    place, leaf = f"message {message.id!r}", parent
    for number, said in enumerate(message.said):
        nodes.losses.clear()
        fields = nodes.node_of(said, number) or {"role": "user", "content": ""}
        own = f"{nodes.turns}[{number}]"
        losses += [Loss(place + loss.place.removeprefix(own), loss.text, loss.field) for loss in nodes.losses]
        metadata: Data = fields.get("metadata", {})
        if message.model and fields["role"] == ASSISTANT:
            metadata = {"modelId": message.model, **metadata}
        if number == 0 and (rest := _rest(message)):
            metadata = {**metadata, nodes.group: {**metadata.get(nodes.group, {}), **rest}}
        more: Data = {"timestamp": message.time} if message.time else {}
        more |= {"metadata": metadata} if metadata else {}
        wanted = f"{message.id}-{number + 1}" if number else message.id
        leaf = tree.add(wanted, leaf, {**fields, **more})
        if leaf != wanted:
            losses.append(Loss(place, f"its id is taken; it is {leaf!r} now"))
    return leaf


def _rest(message: ExportedMessage) -> Data:
    about = {"usage": message.usage, "error": message.error, **message.rest}
    return {key: value for key, value in about.items() if value not in (None, "", [], {}, False)}


def _newest(chat: ExportedChat) -> str | None:
    """The newest message without another below it, by its time, else the last of the file."""
    above = {message.parent for message in chat.messages}
    ends = [message for message in chat.messages if message.id not in above] or [*chat.messages]
    times = all(message.time for message in ends)
    newest = max(enumerate(ends), key=lambda item: (item[1].time if times else "", item[0]), default=None)
    return newest[1].id if newest is not None else None


def text_in(fields: Data, name: str) -> str:
    """The text of a field; "" for anything else."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def time_of(seconds: Any) -> str | None:
    """A time since 1970, in seconds or in finer parts of them, in ISO's form; None when it is no such time."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < 1e20:
        return None
    while seconds >= LATEST_SECONDS:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def others(fields: Data, known: frozenset[str]) -> Data:
    """The fields beyond the known ones that say something."""
    return {key: value for key, value in fields.items() if key not in known and value not in (None, "", [], {}, False)}

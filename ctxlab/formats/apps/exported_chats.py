"""Chats that programs export for people, in one form for all of them, and the sessions that they become."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import Any, Final

from ctxlab.documents import Session
from ctxlab.documents.moments import seconds_of
from ctxlab.formats.apps.answer_in_a_row import ASSISTANT
from ctxlab.formats.openai.conversation import Conversation, Shelf
from ctxlab.formats.requests.blocks import Data
from ctxlab.formats.requests.chat import chat_parameters
from ctxlab.formats.results import Import, Loss, texts_aside
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree, newest_end, parents_first, unnamed_leaf
from ctxlab.formats.source import Source
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

PROMPT: Final[Data] = {"id": "prompt-0", "name": "System", "role": "system"}
LINKS: Final = frozenset({"parent_message_uuid", "parentMessageId", "parentId", "childrenIds", "selected_node_id"}) | {
    "current_leaf_message_uuid", "currentId", "account",
}  # fmt: skip
"""Fields that link messages, and whose chat it is."""
LATEST_SECONDS: Final = 1e11
NOTHING: Final = lazy_pattern(r"0{8}[0-]*(?:-4[0-]*-8[0-]*)?")
"""Ids of no message, such as those that Claude's and LibreChat's first messages name as their parents."""


@dataclass(frozen=True, slots=True)
class ExportedMessage:
    """A message of an export; `parent` is the id of the one above, None at the beginning, "" where it isn't named.

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

    @property
    def is_answer(self) -> bool:
        """Whether a model wrote it."""
        return bool(self.said) and self.said[0].get("role") == ASSISTANT


@dataclass(frozen=True, slots=True)
class ExportedChat:
    """One chat of an export: its system text, its messages in the order of the file, and where it stands.

    `leaf` is the id of the message at which the chat stands, None where the export doesn't say it; `parameters` are
    fields of a request's body, `about` what the program keeps of the chat besides; `bookkeeping` names the fields that
    have no text for a model, of the chat and of its messages.
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
    bookkeeping: frozenset[str] = frozenset()

    @property
    def oldest_first(self) -> Sequence[ExportedMessage]:
        """The messages from the oldest, where all have a time; else in the order of the file."""
        return _in_time(self.messages)

    def in_order(self, losses: list[Loss]) -> Iterator[tuple[ExportedMessage, str | None]]:
        """The messages with the ids of those above them, parents first, siblings from the oldest."""
        found = {message.id: message for message in self.oldest_first}
        if len(found) < len(self.messages):
            losses.append(Loss("messages", "several have the same id; the last is read"))
        for id, parent in parents_first(_links(found, losses), losses):
            yield found[id], parent


def _in_time(messages: Sequence[ExportedMessage]) -> Sequence[ExportedMessage]:
    """The messages from the oldest; of those of one time, questions and answers take turns."""
    times = {id(message): seconds_of(message.time) for message in messages}
    if None in times.values():
        return messages
    left = sorted(messages, key=lambda message: times[id(message)] or 0.0)
    found: list[ExportedMessage] = []
    start = 0
    while start < len(left):
        end = start
        while end < len(left) and times[id(left[end])] == times[id(left[start])]:
            end += 1
        waiting = {kind: deque(each for each in left[start:end] if each.is_answer == kind) for kind in (True, False)}
        for _ in range(start, end):
            wanted = not (found[-1].is_answer if found else True)
            found.append((waiting[wanted] or waiting[not wanted]).popleft())
        start = end
    return found


def _links(messages: Mapping[str, ExportedMessage], losses: list[Loss]) -> dict[str, str | None]:
    """The parents of messages; one that names none follows the message before it."""
    links: dict[str, str | None] = {}
    before: str | None = None
    is_row = not any(message.parent for message in messages.values())
    for id, message in messages.items():
        links[id] = before if message.parent == "" else message.parent
        if message.parent == "" and before is not None and not is_row:
            losses.append(Loss(f"message {id!r}", "it names no parent; it follows the message before it now"))
        before = id
    return links


def import_of(
    chats: Sequence[ExportedChat], source: Source, group: str, losses: Sequence[Loss], *, shown: Collection[str] = ()
) -> Import:
    """A session for each chat, its whole tree; what has no field of its own is kept in the metadata under `group`.

    `shown` are fields whose text is for the screen, and is sent in parts.
    """
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
    read = Import(tuple(sessions), shelf.agents, losses=tuple(found))
    notes = LINKS.union(*(chat.bookkeeping for chat in chats))
    return with_unsent_texts(read, source, notes, taken=shown, tells_of_kept=True)


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
    links = [*chat.in_order(losses)]
    for message, parent in links:
        at[message.id] = _grow(tree, message, at[parent], nodes, chat.bookkeeping, losses)
    named = chat.leaf if chat.leaf is not None and chat.leaf in at else None
    newest = newest_end(
        [(message.id, parent) for message, parent in links],
        {message.id: seconds_of(message.time) for message, _ in links},
    )
    leaf = at[named if named is not None else newest]
    if named is not None or not tree.is_forked:
        tree.select(leaf)
    else:
        losses.append(unnamed_leaf("the newest message's"))
    about = {key: value for key, value in chat.about.items() if value not in (None, "", [], {})}
    losses += texts_aside("", about, chat.bookkeeping)
    return tree.session(
        session_id,
        leaf=leaf,
        name=chat.name or None,
        createdAt=chat.created,
        updatedAt=chat.updated,
        **{group: about or None},
    )


def _grow(
    tree: Tree,
    message: ExportedMessage,
    parent: str,
    nodes: Conversation,
    bookkeeping: frozenset[str],
    losses: list[Loss],
) -> str:
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
            losses += texts_aside(place, rest, bookkeeping)
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


def parent_in(fields: Data, name: str) -> str | None:
    """The id that a field names; None for the id of nothing, all of zeros, and "" where there is no such field."""
    value = fields.get(name)
    if value is None:
        return "" if name not in fields else None
    return None if not isinstance(value, str) or NOTHING.fullmatch(value) else value


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

"""A session's active path as a SillyTavern chat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Path, Session
from ctxlab.documents.stored import as_json
from ctxlab.formats.results import Export, Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.chats.own_texts import lines_of
from ctxlab.formats.sillytavern.chats.reader import chat_from
from ctxlab.formats.sillytavern.chats.turns import Data, Turn, is_header, turns_of
from ctxlab.formats.sillytavern.roundtrip import patched


def chat_lines(
    session: Session, *, leaf: str | None = None, user_name: str = "User", character_name: str = "Assistant"
) -> Export[list[Any]]:
    """The lines of a chat: the path to `leaf` (default: the active leaf), with other answers beside it as swipes.

    A chat that was read gives what was read, with what changed since. The names are for messages that have none.
    """
    if leaf is not None:
        session.node(leaf)
    writer = _Writer(session, lines_of(session), user_name, character_name)
    lines = writer.written(session.walk(leaf))
    return Export(lines, tuple(writer.losses))


def chat_jsonl(
    session: Session, *, leaf: str | None = None, user_name: str = "User", character_name: str = "Assistant"
) -> Export[bytes]:
    """The chat as a file: a JSON value in each line, in UTF-8."""
    export = chat_lines(session, leaf=leaf, user_name=user_name, character_name=character_name)
    return Export(b"\n".join(map(as_json, export.data)), export.losses)


OF_SWIPE = ("send_date", "gen_started", "gen_finished", "extra")
"""Keys of a message that belong to the swipe which is shown."""


class _Writer:
    """Writes a path; `written_ids` are the messages of it that are in the chat, also as swipes."""

    def __init__(self, session: Session, lines: list[Any], user_name: str, character_name: str) -> None:
        self.losses: list[Loss] = []
        self.written_ids: set[str] = set()
        self._session = session
        self._names = {"user": user_name, "assistant": character_name}
        self._lines = lines
        self._before, _ = chat_from(lines)
        self._turns = list(turns_of(lines, [""] * len(lines), []))
        self._origins = {key: (turn, swipe) for turn in self._turns for swipe, key in enumerate(turn.ids)}

    def lose(self, place: str, text: str) -> None:
        self.losses.append(Loss(place, text))

    def written(self, path: Path) -> list[Any]:
        """The lines, in the order of the path; what was no message stays before the message that followed it."""
        if path.broken:
            self.lose("the path", f"it breaks off: {path.broken}")
        messages = {turn.at for turn in self._turns}
        strangers = [at for at in range(len(self._lines) - 1, -1, -1) if at not in messages]
        out: list[Any] = [] if self._lines else [self._header(path.nodes)]
        if strangers and strangers[-1] == 0 and is_header(self._lines[0]):
            out.append(self._lines[strangers.pop()])
        for node in path.nodes:
            if not self._has_a_place(node):
                continue
            group = self._group(node)
            self.written_ids.update(one.id for one in group)
            turn = self._turn(node, group)
            while turn is not None and strangers and strangers[-1] < turn.at:
                out.append(self._lines[strangers.pop()])
            out.append(self._new(node, group) if turn is None else self._changed(node, group, turn))
        left = len(self._session) - len(self.written_ids.union(node.id for node in path.nodes))
        if left > 0:
            self.lose("the tree", f"{counted(left, 'message is', 'messages are')} on other branches; left out")
        return out + [self._lines[at] for at in reversed(strangers)]

    def _has_a_place(self, node: MessageNode) -> bool:
        place = f"node {node.id!r}"
        if node.is_empty_root:
            return False
        if node.is_summary:
            self.lose(place, "a summary; chats have none, and what it stands for is there")
        elif node.role == "tool":
            self.lose(place, "the result of a tool; left out")
        else:
            if node.tool_calls:
                self.lose(place, f"its tool calls ({len(node.tool_calls)}) are left out")
            self._lose_files(node, place)
            return True
        return False

    def _lose_files(self, node: MessageNode, place: str) -> None:
        """A loss for files that the message hasn't in the chat that was read, and for those that it has there alone."""
        was = self._before.nodes.get(node.id)
        before = [asset.id for asset in was.attachments or ()] if was else []
        now = [asset.id for asset in node.attachments or ()]
        if new := [asset for asset in node.attachments or () if asset.id not in before]:
            self.lose(place, f"its attachments ({len(new)}) are left out, such as {new[0].name or new[0].id!r}")
        if gone := [id for id in before if id not in now]:
            self.lose(place, f"{len(gone)} of its files were taken out, and stay in the chat's own fields")

    def _header(self, path: Sequence[MessageNode]) -> Data:
        names = {node.role: self._name(node) for node in reversed(path) if not node.is_empty_root}
        return {
            "user_name": names.get("user", self._names["user"]),
            "character_name": names.get("assistant", self._names["assistant"]),
            "create_date": self._session.created_at or "",
            "chat_metadata": {},
        }

    # --- one message with its swipes

    def _group(self, node: MessageNode) -> list[MessageNode]:
        """The swipes of one message of the chat: the message, answers beside it, and what was read as its swipes."""
        if node.parent_id is None:
            return [node]
        turn = self._origins[node.id][0] if node.id in self._origins else None
        return [
            one
            for key in self._session.children(node.parent_id)
            if (one := self._session.nodes[key]).id == node.id
            or (one.role == node.role == "assistant" and not one.is_summary)
            or (turn is not None and one.id in self._origins and self._origins[one.id][0] is turn)
        ]

    def _turn(self, node: MessageNode, group: Sequence[MessageNode]) -> Turn | None:
        """The message of the file that this is, or is one more swipe of."""
        return next((self._origins[one.id][0] for one in (node, *group) if one.id in self._origins), None)

    def _new(self, node: MessageNode, group: Sequence[MessageNode]) -> Data:
        message = self._fields(node)
        if node.role == "system":
            message["extra"]["type"] = "narrator"
        return message if len(group) == 1 else {**message, **self._swipes(node, group)}

    def _changed(self, node: MessageNode, group: Sequence[MessageNode], turn: Turn) -> Data:
        shown = turn.ids[turn.chosen]
        if node.id == shown:
            message = patched(turn.raw, self._fields(self._before.nodes[shown]), self._fields(node))
        else:  # fields beside the text are those of the swipe which was shown
            kept = {key: value for key, value in turn.raw.items() if key not in OF_SWIPE}
            message = {**kept, **self._fields(node), **_of_kind(self._info(node), turn)}
        if node.id == shown and [one.id for one in group] == list(turn.ids) and all(map(self._is_as_read, group)):
            return message
        return {**message, **self._swipes(node, group)} if len(group) > 1 or "swipes" in turn.raw else message

    def _is_as_read(self, node: MessageNode) -> bool:
        was = self._before.nodes[node.id]
        return (node.content, _sent(node)) == (was.content, _sent(was))

    def _swipes(self, node: MessageNode, group: Sequence[MessageNode]) -> Data:
        ids = [one.id for one in group]
        return {
            "swipes": [one.content for one in group],
            "swipe_id": ids.index(node.id),
            "swipe_info": [self._info(one) for one in group],
        }

    def _info(self, node: MessageNode) -> Data:
        """Fields of a swipe beside its text."""
        if node.id not in self._origins:
            return _sent(node)
        turn, swipe = self._origins[node.id]
        info = turn.info(swipe)
        known = {key: info[key] for key in OF_SWIPE if key in info}
        return patched(known, _sent(self._before.nodes[node.id]), _sent(node))

    def _fields(self, node: MessageNode) -> Data:
        return {
            "name": self._name(node),
            "is_user": node.role == "user",
            "is_system": not node.enabled,
            "mes": node.content,
            **_sent(node),
        }

    def _name(self, node: MessageNode) -> str:
        kept = node.meta("userProfileName") if node.role == "user" else node.meta("agentName")
        return node.name or (kept if isinstance(kept, str) else "") or self._names.get(node.role, "System")


def _of_kind(info: Data, turn: Turn) -> Data:
    """Fields of a swipe, for a message of the kind (such as a narrator's) that it was."""
    kind = turn.extra(turn.chosen).get("type")
    extra = {key: value for key, value in coerce.as_object(info.get("extra")).items() if key != "type"}
    return {**info, "extra": extra if kind is None else {**extra, "type": kind}}


def _sent(node: MessageNode) -> Data:
    """When a message was sent, by which model, and what was thought."""
    extra: Data = {}
    if node.reasoning:
        extra["reasoning"] = node.reasoning
    if node.role == "assistant" and isinstance(model := node.meta("modelId"), str):
        extra["model"] = model
    return {**({"send_date": node.timestamp} if node.timestamp else {}), "extra": extra}

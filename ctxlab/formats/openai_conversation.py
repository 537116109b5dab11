"""One list of messages in OpenAI's form on its way to a session; other formats put theirs into it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import orjson

from ctxlab.documents import Agent, Session
from ctxlab.formats.loss import Loss
from ctxlab.formats.openai_parts import attachment, is_text, text_of
from ctxlab.formats.tree import ROOT, Tree

Data = dict[str, Any]

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
FIELDS = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "reasoning_content"})
SPEECH = ("content", "tool_calls", "function_call")


def is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    message = cast("Data", value)
    role = message.get("role")
    linked = "parentId" in message or "parentUuid" in message  # a tree or a log: not for this reader
    return isinstance(role, str) and role in ROLES and not linked and any(key in message for key in SPEECH)


class Shelf:
    """Agents made while reading; the same presets and tools make the same agent."""

    def __init__(self, stem: str) -> None:
        self._stem = stem
        self._agents: dict[bytes, Agent] = {}

    @property
    def agents(self) -> tuple[Agent, ...]:
        return tuple(self._agents.values())

    def agent_for(self, presets: Sequence[Data], tools: Sequence[Data] = ()) -> str | None:
        """Id of the agent with these presets and tools; None when there are neither."""
        if not presets and not tools:
            return None
        likeness = _likeness([*presets], [*tools]) or str(len(self._agents)).encode()
        if likeness not in self._agents:
            count = len(self._agents) + 1
            data: Data = {
                "id": self._stem if count == 1 else f"{self._stem}-{count}",
                "name": "Assistant",
                "presetMessages": list(presets),
            }
            self._agents[likeness] = Agent.model_validate({**data, "tools": list(tools)} if tools else data)
        return self._agents[likeness].id


def _likeness(*parts: list[Data]) -> bytes | None:
    try:
        return orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # nested too deeply, or integers of more than 64 bits: then it is like no other
        return None


@dataclass(slots=True)
class Conversation:
    """One list of messages on its way to a session.

    `group` is where a node's metadata keeps what is not its own, `turns` what losses call the list.
    """

    messages: list[Any]
    shelf: Shelf
    tools: Sequence[Data] = ()
    group: str = "openai"
    turns: str = "messages"
    losses: list[Loss] = field(default_factory=list[Loss])
    _called: str | None = None

    def session(self, session_id: str, **fields: Any) -> Session:
        """The messages in a row, under an empty root."""
        nodes = [self._node(message, index) for index, message in enumerate(self.messages)]
        leading = next((i for i, node in enumerate(nodes) if node is None or node["role"] != "system"), len(nodes))
        presets = [{"id": f"m{index}", "name": "System", **(node or {})} for index, node in enumerate(nodes[:leading])]
        tree = Tree(agent_id=self.shelf.agent_for(presets, self.tools))
        leaf = ROOT
        for index, node in enumerate(nodes):
            if index >= leading and node is not None:
                leaf = tree.add(f"m{index}", leaf, node)
        return tree.session(session_id, leaf=leaf, **fields)

    def _node(self, message: Any, index: int) -> Data | None:
        """The fields of a node but for its place in the tree."""
        where = f"{self.turns}[{index}]"
        if not isinstance(message, dict) or "role" not in message:
            self.losses.append(Loss(where, "not a message with a role; it is left out"))
            return None
        fields = cast("Data", message)
        rest = {key: value for key, value in fields.items() if key not in FIELDS and value is not None}
        metadata: Data = {}
        role = self._role(fields["role"], where, rest)
        content, attachments = self._content(fields.get("content"), index, rest)
        if calls := [*self._calls(fields, where), *self._old_call(fields, index)]:
            metadata["toolCallsRequested"] = calls
        if role == "tool":
            metadata["toolCall"] = self._answered(fields)
        if isinstance(fields.get("reasoning_content"), str):
            metadata["reasoningContent"] = fields["reasoning_content"]
        if rest:
            metadata[self.group] = rest
        node: Data = {"role": role, "content": content}
        if fields.get("name") is not None:
            node["name"] = str(fields["name"])
        if attachments:
            node["attachments"] = attachments
        if metadata:
            node["metadata"] = metadata
        return node

    def _role(self, stored: Any, where: str, rest: Data) -> str:
        role = ROLES.get(stored) if isinstance(stored, str) else None
        if role is None:
            self.losses.append(Loss(where, f"role {stored!r} is not known; it is a user message now"))
        if role != stored:
            rest["role"] = stored
        return role or "user"

    # --- content

    def _content(self, content: Any, index: int, rest: Data) -> tuple[str, list[Data]]:
        if isinstance(content, str):
            return content, []
        if content is None:
            return "", []
        if not isinstance(content, list):
            self.losses.append(Loss(f"{self.turns}[{index}]", "content is no text; its JSON is used"))
            return json.dumps(content, ensure_ascii=False), []
        texts: list[str] = []
        files: list[Data] = []
        strange: list[Any] = []
        for number, part in enumerate(cast("list[Any]", content)):
            where = f"{self.turns}[{index}].content[{number}]"
            if is_text(part):
                if files:
                    self.losses.append(Loss(where, "text after a file; text comes first now"))
                texts.append(self._text(part, where))
            elif (file := attachment(part, f"m{index}-part-{number}")) is not None:
                files.append(file)
            else:
                strange.append(part)
                shown = cast("Data", part).get("type") if isinstance(part, dict) else part
                self.losses.append(Loss(where, f"a part of type {shown!r:.40} is kept in the metadata only"))
        if strange:
            rest["parts"] = strange
        return "\n".join(texts), files

    def _text(self, part: Any, where: str) -> str:
        if isinstance(part, str):
            return part
        if more := [key for key in part if key not in ("type", "text")]:
            self.losses.append(Loss(where, f"{', '.join(more)}: not part of a message's text; left out"))
        return text_of(part)

    # --- tool calls

    def _calls(self, message: Data, where: str) -> Iterator[Data]:
        calls = message.get("tool_calls")
        if not isinstance(calls, list):
            if calls is not None:
                self.losses.append(Loss(where, "tool_calls is no list; it is left out"))
            return
        for number, call in enumerate(cast("list[Any]", calls)):
            if isinstance(call, dict):
                yield _requested(cast("Data", call))
            else:
                self.losses.append(Loss(f"{where}.tool_calls[{number}]", "is no object; it is left out"))

    def _old_call(self, message: Data, index: int) -> Iterator[Data]:
        """The one call of the form before tools; it had no id, so it gets one."""
        call = message.get("function_call")
        if isinstance(call, dict):
            self._called = f"call-m{index}"
            yield _requested({"id": self._called, "function": call})

    def _answered(self, message: Data) -> Data:
        answered: Data = {}
        if message.get("tool_call_id") is not None:
            answered["requestId"] = str(message["tool_call_id"])
        elif message["role"] == "function" and self._called is not None:
            answered["requestId"] = self._called
            self._called = None
        if message.get("name") is not None:
            answered["toolName"] = str(message["name"])
        return answered


def _requested(call: Data) -> Data:
    """A call as the seeds keep it; arguments stay the text that the model wrote, for their tokens are counted."""
    inner: Any = call.get("function", call.get("custom"))
    inner = cast("Data", inner) if isinstance(inner, dict) else call
    arguments = inner.get("arguments", inner.get("input"))
    rest = {key: value for key, value in call.items() if key not in ("id", "function", "custom")}
    if rest.get("type") == "function":
        del rest["type"]
    return {
        "requestId": str(call.get("id") or ""),
        "toolName": str(inner.get("name") or ""),
        "args": "" if arguments is None else arguments,
        **rest,
    }

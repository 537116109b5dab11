"""One list of messages in OpenAI's form on its way to a session; other formats put theirs into it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

import orjson

from ctxlab.documents import Agent, Asset, Session, read_stored
from ctxlab.formats.openai.chat_app_messages import (
    ALIASES,
    StoredSummary,
    id_of,
    message_in,
    newest_active,
    placed,
    places_of,
    summary_in,
)
from ctxlab.formats.openai.content_parts import attachment, is_text, text_of
from ctxlab.formats.results import Loss, texts_aside, texts_in, unused_fields
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree
from ctxlab.formats.source import SAMPLE
from ctxlab.lazy_dataclass import dataclass

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
CALL = frozenset({"requestId", "toolName", "args", "function"})
CALL_FIELDS = "functionFields"
"""Key of a function's fields beyond name and arguments, in a call."""
SPEECH = ("content", "tool_calls", "function_call", *ALIASES, "segments")


def is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    message = message_in(value)
    role = message.get("role")
    linked = "parentId" in message or "parentUuid" in message  # a tree or a log: not for this reader
    return isinstance(role, str) and role in ROLES and not linked and any(key in message for key in SPEECH)


def unknown_role(data: Any) -> str | None:
    """The first role because of which a list of messages isn't recognised; None where that isn't the reason."""
    items = cast("Data", data).get("messages") if isinstance(data, dict) else data
    for item in cast("list[Any]", items)[:SAMPLE] if isinstance(items, list) else []:
        role = cast("Data", item).get("role") if isinstance(item, dict) else None
        if isinstance(role, str) and role not in ROLES and is_message({**cast("Data", item), "role": "user"}):
            return role
    return None


class Shelf:
    """Agents made while reading; the same presets, tools, parameters and model make the same agent.

    With `keep_prompts` leading system messages stay in their trees, and agents are made for tools alone.
    """

    def __init__(self, stem: str, *, keep_prompts: bool = False) -> None:
        self.keep_prompts = keep_prompts
        self._stem = stem
        self._agents: dict[bytes, Agent] = {}

    @property
    def agents(self) -> tuple[Agent, ...]:
        return tuple(self._agents.values())

    def agent_for(
        self,
        presets: Sequence[Data],
        tools: Sequence[Data] = (),
        *,
        parameters: Data | None = None,
        model: str | None = None,
    ) -> str | None:
        """Id of the agent with these presets, tools and parameters; None when there are none of them."""
        if not presets and not tools and not parameters:
            return None
        about = {"parameters": parameters, "modelId": model} if parameters else {}
        likeness = _likeness([*presets], [*tools], [about]) or str(len(self._agents)).encode()
        if likeness not in self._agents:
            count = len(self._agents) + 1
            data: Data = {
                "id": self._stem if count == 1 else f"{self._stem}-{count}",
                "name": "Assistant",
                "presetMessages": list(presets),
                **{key: value for key, value in about.items() if value},
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

    `group` is where a node's metadata keeps what is not its own, `turns` what losses call the list; `summaries` are
    those that stand beside the list, `prompts` system prompts that do, `model` the model that is to answer, and
    `parameters` are the agent's.
    """

    messages: list[Any]
    shelf: Shelf
    tools: Sequence[Data] = ()
    group: str = "openai"
    turns: str = "messages"
    losses: list[Loss] = field(default_factory=list[Loss])
    summaries: Sequence[StoredSummary] = ()
    prompts: Sequence[str] = ()
    model: str | None = None
    parameters: Data = field(default_factory=dict[str, Any])
    _called: str | None = None
    _ids: dict[int, str] = field(default_factory=dict[int, str])

    def session(self, session_id: str, **fields: Any) -> Session:
        """The messages in a row, under an empty root."""
        stored = [(index, message_in(message)) for index, message in enumerate(self.messages)]
        among = [summary_in(message) for _, message in stored]
        stored = [item for item, summary in zip(stored, among, strict=True) if summary is None]
        self._ids = self._ids_of(stored)
        nodes = [(index, self.node_of(message, index)) for index, message in stored]
        is_prompt = [node is not None and node["role"] == "system" for _, node in nodes]
        leading = next((n for n, leads in enumerate(is_prompt) if not leads), len(nodes))
        beside = [*map(_prompt, enumerate(self.prompts))]
        heads = ({"id": self._ids[index], "name": "System", **(node or {})} for index, node in nodes[:leading])
        presets = [*beside, *heads]
        if self.shelf.keep_prompts:
            presets, leading = [], 0
        tree = Tree(agent_id=self.shelf.agent_for(presets, self.tools, parameters=self.parameters, model=self.model))
        history = {index: node for index, node in nodes[leading:] if node is not None}
        if self.model is not None and history:
            newest = history[max(history)]
            newest["metadata"] = {"modelId": self.model, **newest.get("metadata", {})}
        summaries = [*filter(None, among), *self.summaries]
        summary_at = self._summary_nodes(summaries, places_of(stored), list(history)) if summaries else {}
        leaf = ROOT
        for prompt in beside if self.shelf.keep_prompts else ():
            leaf = tree.add(prompt["id"], leaf, {"role": "system", "content": prompt["content"]})
        for index, node in history.items():
            for n, summary in summary_at.pop(index, ()):
                leaf = tree.add(f"summary-{n}", leaf, summary)
            leaf = tree.add(self._ids[index], leaf, node)
        for n, summary in (it for those in summary_at.values() for it in those):  # of a list without messages
            leaf = tree.add(f"summary-{n}", leaf, summary)
        return tree.session(session_id, leaf=leaf, **fields)

    def _ids_of(self, stored: Sequence[tuple[int, Any]]) -> dict[int, str]:
        """Ids of nodes by place: the message's own, else `m<index>`. One that can't be kept is a loss."""
        names = Names()
        prompts = [f"prompt-{n}" for n, _ in enumerate(self.prompts)]
        summaries = [f"summary-{n + 1}" for n in range(len(self.messages) - len(stored) + len(self.summaries))]
        for taken in (ROOT, *prompts, *summaries):
            names.take(taken)
        found: dict[int, str] = {}
        for index, message in stored:
            own = id_of(message)
            if own is None:
                continue
            where = f"{self.turns}[{index}]"
            if not isinstance(own, str) or not own:
                self.losses.append(Loss(where, "its id is no text, so nothing can name it; it is named by its place"))
                continue
            found[index] = names.take(own)
            if found[index] != own:
                self.losses.append(Loss(where, f"id {own!r} is taken by another message; it is {found[index]!r} now"))
        return {index: found[index] if index in found else names.take(f"m{index}") for index, _ in stored}

    def _summary_nodes(
        self, summaries: Sequence[StoredSummary], places: Mapping[str, int], history: Sequence[int]
    ) -> dict[int, list[tuple[int, Data]]]:
        """Compression nodes with their numbers, by the place of the message before which they stand."""
        found: dict[int, list[tuple[int, Data]]] = {}
        newest = newest_active(summaries)
        for number, summary in enumerate(summaries, start=1):
            before, hidden = placed(summary, places, history, f"summary {number}", self.losses)
            metadata: Data = {"isCompressionNode": True, "compressedNodeIds": [self._ids[index] for index in hidden]}
            if summary.rest:
                metadata[self.group] = dict(summary.rest)
            node: Data = {"role": "system", "content": summary.headed_text, "metadata": metadata}
            if summary is not newest:
                node["isEnabled"] = False
            found.setdefault(before, []).append((number, node))
        return found

    def node_of(self, message: Any, index: int) -> Data | None:
        """The fields of a node but for its place in the tree."""
        where = f"{self.turns}[{index}]"
        if not isinstance(message, dict) or "role" not in message:
            self.losses.append(Loss(where, "not a message with a role; it is left out"))
            return None
        fields = cast("Data", message)
        rest = {key: value for key, value in fields.items() if key not in FIELDS}
        metadata: Data = {}
        role = self._role(fields["role"], where, rest)
        content, attachments = self._content(fields.get("content"), index, rest)
        attachments += _attachments(rest)
        if calls := [*self._calls(fields, where), *self._old_call(fields, index, rest)]:
            metadata["toolCallsRequested"] = calls
        if role == "tool":
            metadata["toolCall"] = self._answered(fields)
        elif fields.get("tool_call_id") is not None:
            rest["tool_call_id"] = fields["tool_call_id"]
        if isinstance(thoughts := fields.get("reasoning_content"), str):
            metadata["reasoningContent"] = thoughts
        elif thoughts is not None:
            rest["reasoning_content"] = thoughts
        if rest:
            metadata[self.group] = rest
        if segments := rest.get("segments"):
            words = f"{content}\n{metadata.get('reasoningContent', '')}"
            left = [text for text in texts_in(segments) if text not in words]
            self.losses += texts_aside(where, {"segments": left})
        node: Data = {"role": role, "content": content}
        if fields.get("name") is not None:
            node["name" if role == "tool" else "speaker"] = str(fields["name"])  # of a result it is the tool's
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
            if "parts" in rest:
                self.losses += unused_fields(f"{self.turns}[{index}]", ["parts"], "a message whose content has parts")
            rest["parts"] = strange
        return "\n".join(texts), files

    def _text(self, part: Any, where: str) -> str:
        if isinstance(part, str):
            return part
        self.losses += unused_fields(where, [key for key in part if key not in ("type", "text")])
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

    def _old_call(self, message: Data, index: int, rest: Data) -> Iterator[Data]:
        """The one call of the form before tools; it had no id, so it gets one."""
        call = message.get("function_call")
        if isinstance(call, dict):
            self._called = f"call-m{index}"
            yield _requested({"id": self._called, "function": call})
        elif call is not None:
            rest["function_call"] = call

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
    """A call in ctxlab's own form; arguments stay the text that the model wrote, for their tokens are counted."""
    kind = next((kind for kind in ("function", "custom") if isinstance(call.get(kind), dict)), None)
    inner = cast("Data", call[kind]) if kind is not None else call
    given = next((key for key in ("arguments", "input") if key in inner), None)
    used = {"name", given} | ({"id"} if kind is None else set())
    more = {key: value for key, value in inner.items() if key not in used}
    around = {key: value for key, value in call.items() if key not in ("id", kind)} if kind is not None else more
    if around.get("type") == "function":
        del around["type"]
    if kind is not None and more:
        around[CALL_FIELDS] = more
    arguments = None if given is None else inner[given]
    return {
        **{f"{key}~2" if key in CALL else key: value for key, value in around.items()},
        "requestId": str(call.get("id") or ""),
        "toolName": str(inner.get("name") or ""),
        "args": "" if arguments is None else arguments,
    }


def _prompt(numbered: tuple[int, str]) -> Data:
    number, text = numbered
    return {"id": f"prompt-{number}", "name": "System", "role": "system", "content": text}


def _attachments(rest: Data) -> list[Data]:
    """The files that a message lists beside its content, taken out of the rest where they can be read."""
    stored = rest.get("attachments")
    if not isinstance(stored, list) or not stored:
        return []
    files = cast("list[Any]", stored)
    if not all(isinstance(file, dict) and not read_stored(Asset, file, place="")[1] for file in files):
        return []
    del rest["attachments"]
    return [cast("Data", file) for file in files]

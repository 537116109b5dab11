"""A path of a session, or finished messages, as a list in OpenAI's chat form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, cast

from ctxlab.display.short_texts import counted
from ctxlab.documents import Agent, MessageNode, Session
from ctxlab.formats.openai.content_parts import part_of
from ctxlab.formats.results import Export, Loss
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Data = dict[str, Any]

NAME = lazy_pattern(r"[^\s<|\\/>]{1,64}")
BOOKKEEPING = frozenset({"source", "tokens"})


def openai_messages(
    what: Session | Sequence[Mapping[str, Any]], *, leaf: str | None = None, agent: Agent | None = None
) -> Export[list[Data]]:
    """The messages from the root to `leaf` (default: the active leaf), with the presets of `agent`.

    Nothing is built here: macros stay as they are and no budget is kept. Finished messages, as `trace.messages` are,
    only lose `source` and `tokens`, and with a loss files whose bytes aren't in them. Disabled
    nodes and those that an enabled summary hides are left out with a loss.
    """
    if not isinstance(what, Session):
        losses: list[Loss] = []
        return Export([_sendable(message, f"messages[{i}]", losses) for i, message in enumerate(what)], tuple(losses))
    if leaf is not None:
        what.node(leaf)
    writer = _Writer()
    path = what.walk(leaf)
    if path.broken:
        writer.lose("the path", f"it breaks off: {path.broken}")
    before, after = writer.presets(agent, path.nodes)
    history = [writer.message(node, f"node {node.id!r}") for node in writer.shown(path.nodes)]
    if writer.labels:
        shown = ", ".join(repr(label) for label in list(dict.fromkeys(writer.labels))[:3])
        writer.lose("labels", f"{len(writer.labels)} (such as {shown}): a name in this form is a speaker's; left out")
    return Export([*before, *history, *after], tuple(writer.losses))


def _sendable(message: Mapping[str, Any], place: str, losses: list[Loss]) -> Data:
    """A finished message without what is ours, and without files that can't be sent."""
    data = {key: value for key, value in message.items() if key not in BOOKKEEPING}
    content = data.get("content")
    if not isinstance(content, list):
        return data
    parts: list[Any] = []
    for number, part in enumerate(cast("list[Any]", content)):
        if isinstance(part, dict) and cast("Data", part).get("type") == "asset":
            losses.append(Loss(f"{place}.content[{number}]", _why_not_sent(cast("Data", part))))
        else:
            parts.append(part)
    return {**data, "content": parts or ""}


def _why_not_sent(part: Data) -> str:
    source = cast("Data", part["source"]) if isinstance(part.get("source"), dict) else {}
    where = next((source[key] for key in ("path", "relativePath", "url") if source.get(key)), None)
    kept = f" at {where!r}" if where is not None else ""
    name = part.get("name") or part.get("id")
    return f"{part.get('kind', 'file')} {name!r} is not in the message but elsewhere{kept}; it is left out"


@dataclass(slots=True)
class _Writer:
    losses: list[Loss] = field(default_factory=list[Loss])
    labels: list[str] = field(default_factory=list[str])

    def lose(self, place: str, text: str) -> None:
        self.losses.append(Loss(place, text))

    def shown(self, nodes: Sequence[MessageNode]) -> list[MessageNode]:
        """The nodes that are part of the conversation: not an empty root, not disabled, not hidden by a summary."""
        hidden = {node_id for node in nodes if node.enabled and node.is_summary for node_id in node.hides}
        found: list[MessageNode] = []
        for node in nodes:
            place = f"node {node.id!r}"
            if node.is_empty_root:
                continue
            if not node.enabled:
                self.lose(place, "it is disabled and left out")
            elif node.id in hidden:
                self.lose(place, "a summary stands for it; it is left out")
            else:
                found.append(node)
        return found

    def presets(self, agent: Agent | None, nodes: Sequence[MessageNode]) -> tuple[list[Data], list[Data]]:
        """The plain presets, before and after the history."""
        if agent is None:
            named = next((node.agent_id for node in reversed(nodes) if node.agent_id), None)
            if named is not None:
                self.lose(f"agent {named!r}", "its presets are not in the list; give agent= to have them")
            return [], []
        before: list[Data] = []
        after: list[Data] = []
        into = before
        for preset in agent.preset_messages:
            place = f"preset {preset.id!r}"
            if preset.type == "chat_history":
                into = after
            elif preset.type not in (None, "message") or preset.injection_strategy is not None:
                self.lose(place, "only a pipeline knows its place; it is left out")
            elif preset.enabled:
                into.append(self.message(preset, place, named=False))
        if agent.tools:
            tools = counted(len(agent.tools), "tool definition is no message", "tool definitions are no messages")
            self.lose(f"agent {agent.id!r}", f"its {tools}; left out")
        return before, after

    def message(self, node: MessageNode, place: str, *, named: bool = True) -> Data:
        kept = (node.metadata or {}).get("openai")
        rest: Data = dict(cast("Data", kept)) if isinstance(kept, dict) else {}
        role = "developer" if node.role == "system" and rest.get("role") == "developer" else node.role
        message: Data = {"role": role, "content": self._content(node, place, rest)}
        if calls := node.tool_calls:
            message["tool_calls"] = [call.as_data() for call in calls]
        if node.role == "tool":
            if node.result_of is None:
                self.lose(place, "a tool's result that names no call")
            else:
                message["tool_call_id"] = node.result_of
        if node.reasoning:
            message["reasoning_content"] = node.reasoning
        name = node.name if node.role == "tool" else node.speaker
        if name and NAME.fullmatch(name):
            message["name"] = name
        elif name:
            self.lose(place, f"name {name!r} is none that the form allows; it is left out")
        if named and node.name and name != node.name:
            self.labels.append(node.name)
        return {**message, **{key: value for key, value in rest.items() if key not in (*message, "parts")}}

    def _content(self, node: MessageNode, place: str, rest: Data) -> str | list[Any] | None:
        parts: list[Any] = []
        for asset in node.attachments or ():
            part = part_of(asset)
            if part is None:
                self.lose(place, f"attachment {asset.name or asset.id!r} is not in the file; it is left out")
            else:
                parts.append(part)
        strange = rest.get("parts")
        if isinstance(strange, list):
            parts += cast("list[Any]", strange)
        if parts:
            return [{"type": "text", "text": node.content}, *parts] if node.content else parts
        return None if node.tool_calls and not node.content else node.content

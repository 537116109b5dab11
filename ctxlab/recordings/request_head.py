"""The head of a request: system texts, tools and parameters, shared by all requests that have the same."""

from __future__ import annotations

from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.documents import Agent
from ctxlab.formats.openai.content_parts import is_text, text_of
from ctxlab.formats.openai.conversation import Shelf
from ctxlab.formats.requests import anthropic, gemini, responses
from ctxlab.formats.requests.blocks import Data, items_of
from ctxlab.formats.requests.chat import chat_parameters
from ctxlab.formats.requests.message_nodes import MessageNodes
from ctxlab.formats.requests.request_session import ReadRequest
from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.json_copy import copy_of
from ctxlab.recordings.wire_bodies import Shape
from ctxlab.wires import RESPONSES, WIRES, WireName

SYSTEM: Final = ("system", "instructions", "systemInstruction", "system_instruction")
"""Fields of system texts in bodies."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RequestHead:
    """All of a body but its messages; requests that have the same share one.

    `fields` are those of the body in their order, without the messages, which stood at `place` among them and had a
    `shape`: a list, one bare value, or nothing. `leading` are system messages that stood before all others.
    """

    id: str
    wire: WireName
    fields: tuple[tuple[str, Any], ...] = ()
    place: int = 0
    shape: Shape = "list"
    leading: tuple[Any, ...] = ()

    @property
    def system(self) -> tuple[str, ...]:
        """The system texts, in the order in which they were sent."""
        return tuple(preset["content"] for preset in self._read().presets)

    @property
    def tools(self) -> list[Data]:
        """The tools as they were sent."""
        found = next((value for name, value in self.fields if name == "tools"), None)
        return copy_of(items_of(found) if isinstance(found, list) else [found] if found else [])

    @property
    def parameters(self) -> Data:
        """The other fields of the body, such as model and temperature."""
        return copy_of({name: value for name, value in self.fields if name != "tools" and name not in SYSTEM})

    @property
    def agent(self) -> Agent | None:
        """An agent with these system texts as presets, these tools and parameters; None where there are none."""
        read, shelf = self._read(), Shelf(f"agent-{self.id}")
        shelf.agent_for(read.presets, read.tools, parameters=read.parameters.data(), model=read.model)
        return next(iter(shelf.agents), None)

    def _read(self) -> ReadRequest:
        return read_head(dict(self.fields), self.leading, self.wire)

    def __repr__(self) -> str:
        tools, texts = len(self.tools), len(self.system)
        parts = [counted(texts, "system text"), counted(tools, "tool")]
        return f"RequestHead({self.id!r}, {self.wire!r}, {', '.join(parts)})"


def read_head(fields: Data, leading: tuple[Any, ...], wire: WireName) -> ReadRequest:
    """System texts, tools and parameters in ctxlab's words, with what they have no room for."""
    key = WIRES[wire].messages
    if wire == "anthropic":
        return anthropic.read_body({**fields, key: []})
    if wire == "gemini":
        return gemini.read_body({**fields, key: []})
    if wire == RESPONSES.name:
        return responses.read_body({**fields, key: [*leading]})
    found = ReadRequest(MessageNodes(wire, "openai"))
    found.take_model(fields)
    found.parameters = chat_parameters(fields)
    for message in leading:
        found.preset(_text_of(message.get("content"), found.losses))
    for index, tool in enumerate(items_of(fields.get("tools"))):
        if isinstance(tool, dict):
            found.tools.append(tool)
        else:
            found.losses.append(Loss(f"tools[{index}]", "no tool; it is left out"))
    return found


def _text_of(content: Any, losses: list[Loss]) -> str:
    """The text of a system message, its parts as lines."""
    parts = items_of(content) if isinstance(content, list) else [content] if content is not None else []
    losses += [
        Loss("messages", "a part of a system message that is no text; left out") for p in parts if not is_text(p)
    ]
    return "\n".join(text_of(part) for part in parts if is_text(part))

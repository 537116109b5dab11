"""The messages of requests as the nodes of a session, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ctxlab.formats.openai.conversation import Conversation, Shelf
from ctxlab.formats.requests import anthropic, gemini, responses
from ctxlab.formats.requests.blocks import Data, fields_of, kind_of, others
from ctxlab.formats.requests.message_nodes import MessageNodes
from ctxlab.formats.requests.request_session import ReadRequest
from ctxlab.formats.results import Loss
from ctxlab.wires import WIRES, WireName

CUSTOM: Final = {"custom_tool_call": "function_call", "custom_tool_call_output": "function_call_output"}
"""Calls with a text in place of arguments: of Responses, as calls of functions are named there."""


class NodeReader:
    """Reads units of messages as nodes; remembers calls without ids, which results answer by name or in order."""

    def __init__(self) -> None:
        self._chat = Conversation([], Shelf("recording", keep_prompts=True))
        self._calls = gemini.Calls()

    def nodes_of(
        self, items: Sequence[Any], wire: WireName, name: str, place: str
    ) -> tuple[list[Data], tuple[Loss, ...]]:
        """The fields of the nodes of a unit, at least one, and what they have no room for.

        `name` is what its files and calls are named after, `place` where the unit stands.
        """
        if wire == "openai-chat":
            return self._of_chat(items[0], name, place)
        found = ReadRequest(MessageNodes(wire, WIRES[wire].vendor))
        for number, item in enumerate(items):
            at = f"{place}, item {number + 1}" if len(items) > 1 else place
            if wire == "anthropic":
                anthropic.read_message(item, name, at, found)
            elif wire == "gemini":
                gemini.read_turn(_turn(item), name, at, found, self._calls)
            else:
                responses.read_item(_item(item), name, at, found)
        return [node for _, node in found.nodes] or [LEFT_OUT], tuple(found.losses)

    def _of_chat(self, message: Any, name: str, place: str) -> tuple[list[Data], tuple[Loss, ...]]:
        fields = fields_of(message) if not isinstance(message, str) else {"role": "user", "content": message}
        self._chat.losses.clear()
        number = int(name) if name.isdecimal() else 0
        node = self._chat.node_of(fields, number)
        own = f"{self._chat.turns}[{number}]"
        losses = (Loss(place + loss.place.removeprefix(own), loss.text, loss.field) for loss in self._chat.losses)
        return [node or LEFT_OUT], tuple(losses)


LEFT_OUT: Final[Data] = {"role": "user", "content": "", "isEnabled": False}
"""A node in the place of what is no message; a loss names it."""


def _turn(item: Any) -> Any:
    """A turn of Gemini, which may be its words alone."""
    return {"role": "user", "parts": [{"text": item}]} if isinstance(item, str) else item


def _item(item: Any) -> Any:
    if isinstance(item, str):
        return {"role": "user", "content": item}
    kind = CUSTOM.get(kind_of(item))
    if kind is None:
        return item
    fields = {**others(fields_of(item), "input"), "type": kind}
    return {**fields, "arguments": item["input"]} if "input" in item else fields

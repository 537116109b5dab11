"""Replies of vendors that came in one piece, as messages of a session: words, thoughts, calls, usage, and the blocks
that the vendor wants back with the next request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import short
from ctxlab.errors import ReadError, WrongArgument, did_you_mean
from ctxlab.formats.openai.conversation import Conversation, Shelf
from ctxlab.formats.requests import anthropic, gemini, responses
from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kept_fields, others
from ctxlab.formats.requests.message_nodes import MessageNodes
from ctxlab.formats.requests.reply_usage import usage_of
from ctxlab.formats.requests.request_session import ReadRequest
from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass
from ctxlab.wires import RESPONSES

CHAT: Final = frozenset({"openai", "deepseek", "openai-compatible", "openai-chat"})


@dataclass(frozen=True, slots=True)
class ReplyMessage:
    """A reply as messages: `nodes` are the fields of each, in order; one but for blocks that would get out of order.

    `usage` is also in the metadata of the last one. `finish_reason` and `model` are as the vendor says, `refusal` is
    what the model said instead of an answer, `stop_sequence` the text at which it ended; `losses` are what is kept
    beside the message and not sent again.
    """

    nodes: tuple[Data, ...]
    finish_reason: str = ""
    usage: Data | None = None
    model: str = ""
    id: str = ""
    refusal: str | None = None
    stop_sequence: str | None = None
    losses: tuple[Loss, ...] = ()

    @property
    def content(self) -> str:
        """The words of the reply."""
        return "".join(node["content"] for node in self.nodes)

    @property
    def reasoning(self) -> str:
        """The thoughts that people can read."""
        thoughts = (fields_of(node.get("metadata")).get("reasoningContent") for node in self.nodes)
        return "\n\n".join(thought for thought in thoughts if thought)

    @property
    def calls(self) -> tuple[Data, ...]:
        """The tool calls, as the messages' metadata have them."""
        return tuple(
            call for node in self.nodes for call in items_of(fields_of(node.get("metadata")).get("toolCallsRequested"))
        )


@checked_arguments
def reply_message(reply: dict[str, Any], vendor: str) -> ReplyMessage:
    """The messages that a reply of a vendor becomes; `vendor` is a provider's name, such as "anthropic".

    Raises ReadError for what is no reply, such as an error, and WrongArgument for an unknown vendor.
    """
    reader = READERS.get("openai" if vendor in CHAT else vendor)
    if reader is None:
        known = [*READERS, "deepseek", "openai-compatible"]
        raise WrongArgument(f"there is no vendor {short(vendor)!r}{did_you_mean(vendor, known)}")
    if reply.get("error"):
        error = reply["error"]
        said = fields_of(error).get("message") or error
        raise ReadError(f"this is an error of the vendor, no reply: {short(str(said), 200)}")
    return reader(reply)


def _chat(reply: Data) -> ReplyMessage:
    choices = items_of(reply.get("choices"))
    choice = fields_of(choices[0]) if choices else {}
    message = fields_of(choice.get("message"))
    if not message:
        raise ReadError("the reply has no choice with a message")
    talk = Conversation([{"content": None, "role": "assistant", **_chat_fields(message)}], Shelf("agent"))
    session = talk.session("reply")
    node = session.path()[-1].to_data()
    refusal = message.get("refusal")
    refusal = refusal if isinstance(refusal, str) and refusal else None
    fields: Data = {key: node[key] for key in ("role", "content", "attachments", "metadata") if node.get(key)}
    fields = {"role": "assistant", **fields, "content": fields.get("content") or refusal or ""}
    losses = list(talk.losses)
    if len(choices) > 1:
        losses.append(Loss("choices", f"{len(choices)} answers; the first is read"))
    losses += kept_fields("choices[0].message", others(message, *KNOWN_IN_CHAT))
    return _reply((fields,), reply, "openai", _said(choice.get("finish_reason")), losses, refusal)


KNOWN_IN_CHAT: Final = ("role", "content", "tool_calls", "function_call", "reasoning_content", "reasoning", "refusal")


def _chat_fields(message: Data) -> Data:
    """The message without fields that say nothing, its thoughts where OpenRouter and others put them too."""
    found = others(message, "refusal")
    if "reasoning_content" not in found and isinstance(found.get("reasoning"), str):
        found["reasoning_content"] = found.pop("reasoning")
    return {**found, "role": "assistant"}


def _responses(reply: Data) -> ReplyMessage:
    if not isinstance(reply.get("output"), list):
        raise ReadError("the reply has no output")
    found = ReadRequest(MessageNodes(RESPONSES.name, responses.GROUP))
    for index, item in enumerate(items_of(reply["output"])):
        responses.read_item(item, "reply", f"output[{index}]", found)
    reason = fields_of(reply.get("incomplete_details")).get("reason") or reply.get("status")
    parts = [part for item in items_of(reply["output"]) for part in items_of(fields_of(item).get("content"))]
    refusal = next((part["refusal"] for part in parts if isinstance(fields_of(part).get("refusal"), str)), None)
    return _reply(_nodes(found), reply, RESPONSES.name, _said(reason), found.losses, refusal)


def _anthropic(reply: Data) -> ReplyMessage:
    if not isinstance(reply.get("content"), list):
        raise ReadError("the reply has no content")
    found = ReadRequest(MessageNodes("anthropic", anthropic.GROUP))
    anthropic.read_message({"role": "assistant", "content": reply["content"]}, "reply", "reply", found)
    return _reply(_nodes(found), reply, "anthropic", _said(reply.get("stop_reason")), found.losses)


def _gemini(reply: Data) -> ReplyMessage:
    candidates = items_of(reply.get("candidates"))
    first = fields_of(candidates[0]) if candidates else {}
    if not first:
        reason = _said(fields_of(reply.get("promptFeedback")).get("blockReason"))
        raise ReadError(f"the reply has no candidate{f': {short(reason)}' if reason else ''}")
    found = ReadRequest(MessageNodes("gemini", gemini.GROUP))
    parts = items_of(fields_of(first.get("content")).get("parts"))
    gemini.read_turn({"role": "model", "parts": parts}, "reply", "candidates[0].content", found)
    if kept := others(first, "content", "finishReason", "index"):
        found.nodes.keep(**kept)
        found.losses += kept_fields("candidates[0]", kept)
    if len(candidates) > 1:
        found.lose("candidates", f"{len(candidates)} answers; the first is read")
    return _reply(_nodes(found), reply, "gemini", _said(first.get("finishReason")), found.losses)


READERS: Final[dict[str, Callable[[Data], ReplyMessage]]] = {
    "openai": _chat,
    RESPONSES.name: _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}


def _nodes(found: ReadRequest) -> tuple[Data, ...]:
    return tuple(node for _, node in found.nodes) or ({"role": "assistant", "content": ""},)


def _said(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _reply(
    nodes: tuple[Data, ...], reply: Data, wire: str, finish_reason: str, losses: list[Loss], refusal: str | None = None
) -> ReplyMessage:
    usage = usage_of(reply, wire)
    model, own_id = (
        _said(reply.get("model") or reply.get("modelVersion")),
        _said(reply.get("id") or reply.get("responseId")),
    )
    ended_at = _said(reply.get("stop_sequence")) or None
    about = {"id": own_id, "model": model, "finishReason": finish_reason, "refusal": refusal, "stopSequence": ended_at}
    last = nodes[-1]
    metadata = {
        **fields_of(last.get("metadata")),
        **({"usage": usage} if usage else {}),
        "response": {key: value for key, value in about.items() if value},
    }
    nodes = (*nodes[:-1], {**last, "metadata": metadata})
    return ReplyMessage(nodes, finish_reason, usage, model, own_id, refusal, ended_at, tuple(losses))

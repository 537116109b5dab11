"""Replies of vendors: the reference's reading of them, from ours."""

from __future__ import annotations

from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.formats.requests.replies import ReplyMessage, reply_message
from tests.golden.cases import Case
from tests.golden.forms import Data


def vendor_of(case: Case) -> str:
    return case.name.split()[1]


def is_reply(case: Case) -> bool:
    return case.name.startswith("response ")


def run(case: Case) -> Any:
    vendor = vendor_of(case)
    try:
        reply = reply_message(case.input["value"], vendor)
    except CtxlabError as error:
        return {"threw": str(error).removeprefix("reply_message: ").partition(";")[0]}
    own: Data = {
        "openai": {"refusal": reply.refusal},
        "anthropic": {
            "stopSequence": reply.stop_sequence,
            "metadata": {"anthropicMessageId": reply.id, "anthropicModel": reply.model},
        },
    }[vendor]
    return {**response_of(reply), **own}


def response_of(reply: ReplyMessage) -> Data:
    """What every vendor's reply has, as the reference writes it."""
    return {"content": reply.content, "finishReason": reply.finish_reason, **_if_any(reply)}


def _if_any(reply: ReplyMessage) -> Data:
    calls = [
        {"id": call["requestId"], "type": "function", "function": {"name": call["toolName"], "arguments": call["args"]}}
        for call in reply.calls
    ]
    found = {"reasoningContent": reply.reasoning, "usage": reply.usage, "toolCalls": calls}
    return {name: value for name, value in found.items() if value}

"""Replies of each vendor, whole and as the events of a stream, as the fake server sends them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ctxlab.errors import SendFailed
from ctxlab.formats.requests.replies import ReplyMessage, reply_message
from ctxlab.providers.sending.assemblers import assembler_of
from ctxlab.providers.sending.deltas import Delta, ServerEvent
from ctxlab.providers.sending.server_events import EventReader
from ctxlab.testing.fake_server.anthropic import reply as anthropic
from ctxlab.testing.fake_server.gemini import reply as gemini
from ctxlab.testing.fake_server.openai_chat import reply as chat
from ctxlab.testing.fake_server.openai_responses import reply as responses
from ctxlab.testing.fake_server.prompt_cache import CacheUse
from ctxlab.testing.fake_server.script import FakeCall, FakeReply
from ctxlab.testing.fake_server.sending import Sending
from ctxlab.wires import WireName

WIRES: dict[str, WireName] = {
    "openai": "openai-chat",
    "deepseek": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
}
BODY = {"stream_options": {"include_usage": True}, "include": ["reasoning.encrypted_content"]}
FULL = FakeReply(
    "Yes, 我去。\r\n",
    thinking="Is it 北? Ask.",
    calls=(FakeCall("weather", {"city": "北京", "days": 2}), FakeCall("clock")),
    piece_characters=4,
)
CALLS = st.builds(
    FakeCall,
    st.sampled_from(["weather", "clock"]),
    st.dictionaries(st.text(max_size=3), st.text(max_size=6) | st.integers(-9, 9), max_size=2),
)
REPLIES = st.builds(
    FakeReply,
    st.text(max_size=30),
    thinking=st.text(max_size=20),
    calls=st.lists(CALLS, max_size=3).map(tuple),
    finish=st.sampled_from(["", "length", "filter"]),
    redacted=st.booleans(),
    piece_characters=st.integers(1, 12),
)


def sending(reply: FakeReply) -> Sending:
    return Sending(reply, 7, "some-model", CacheUse(20, read=8), dict(BODY))


def whole(vendor: str, reply: FakeReply) -> dict[str, Any]:
    it = sending(reply)
    if vendor in ("openai", "deepseek"):
        return chat.whole(it, deepseek=vendor == "deepseek")
    return {"anthropic": anthropic, "gemini": gemini, "openai-responses": responses}[vendor].whole(it)


def stream(vendor: str, reply: FakeReply) -> bytes:
    it = sending(reply)
    if vendor in ("openai", "deepseek"):
        return b"".join(chat.events(it, deepseek=vendor == "deepseek"))
    return b"".join({"anthropic": anthropic, "gemini": gemini, "openai-responses": responses}[vendor].events(it))


def events(content: bytes) -> list[ServerEvent]:
    reader = EventReader()
    return [*reader.feed(content), *reader.end()]


def assembled(vendor: str, found: list[ServerEvent]) -> tuple[list[Delta], dict[str, Any]]:
    """What was added, and the reply, of the events of a stream up to an error of the server."""
    assembler, deltas = assembler_of(WIRES[vendor]), []
    try:
        for event in found:
            deltas += assembler.add(event)
    except SendFailed:
        pass
    return deltas, assembler.reply()


def read(vendor: str, reply: dict[str, Any]) -> ReplyMessage:
    return reply_message(reply, vendor)

"""A streamed reply is the reply in one piece, however its bytes are cut, and each beginning of it can be read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import ReadError, SendFailed
from ctxlab.providers.sending.assemblers import assembler_of, deltas_of
from ctxlab.providers.sending.deltas import CallDelta, Delta, ServerEvent, TextDelta, ThoughtDelta
from ctxlab.providers.sending.server_events import EventReader
from ctxlab.testing.fake_server.script import FakeReply
from tests.providers.sending.recorded_streams import (
    FULL,
    REPLIES,
    WIRES,
    assembled,
    events,
    read,
    stream,
    whole,
)

VENDORS = st.sampled_from(sorted(WIRES))
EACH_VENDOR = pytest.mark.parametrize("vendor", sorted(WIRES))
FEW = settings(max_examples=60, deadline=None)


@FEW
@given(VENDORS, REPLIES)
def test_a_streamed_reply_is_the_reply_in_one_piece(vendor: str, reply: FakeReply) -> None:
    _, streamed = assembled(vendor, events(stream(vendor, reply)))

    assert read(vendor, streamed) == read(vendor, whole(vendor, reply))


@EACH_VENDOR
def test_a_stream_may_be_cut_at_every_byte(vendor: str) -> None:
    content = stream(vendor, FULL)
    expected = events(content)

    for cut in range(len(content)):
        reader = EventReader()
        assert [*reader.feed(content[:cut]), *reader.feed(content[cut:]), *reader.end()] == expected


@EACH_VENDOR
@pytest.mark.parametrize("line_end", [b"\n", b"\r", b"\r\n"])
def test_a_stream_may_come_byte_by_byte_with_any_ends_of_lines(vendor: str, line_end: bytes) -> None:
    content = stream(vendor, FULL)
    reader = EventReader()

    found = [
        event for byte in b"\xef\xbb\xbf" + content.replace(b"\n", line_end) for event in reader.feed(bytes([byte]))
    ]

    assert [*found, *reader.end()] == events(content)


@FEW
@given(VENDORS, REPLIES, st.data())
def test_every_beginning_of_a_stream_is_a_reply_with_whole_calls_alone(
    vendor: str, reply: FakeReply, data: st.DataObject
) -> None:
    found = events(stream(vendor, reply))
    all_of_it = read(vendor, assembled(vendor, found)[1])

    part = read(vendor, assembled(vendor, found[: data.draw(st.integers(0, len(found)))])[1])

    assert all_of_it.content.startswith(part.content)
    assert all_of_it.reasoning.startswith(part.reasoning)
    assert [call["args"] for call in part.calls] == [call["args"] for call in all_of_it.calls[: len(part.calls)]]


def shown(deltas: list[Delta]) -> tuple[str, str, dict[int, list[str]]]:
    """The words, the thoughts and the calls that pieces come to."""
    calls: dict[int, list[str]] = {}
    for delta in deltas:
        if isinstance(delta, CallDelta):
            call = calls.setdefault(delta.index, ["", "", ""])
            for at, text in enumerate((delta.id, delta.name, delta.arguments)):
                call[at] += text
    texts = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    thoughts = "".join(delta.text for delta in deltas if isinstance(delta, ThoughtDelta))
    return texts, thoughts, calls


@FEW
@given(VENDORS, REPLIES)
def test_the_pieces_that_people_see_are_the_reply(vendor: str, reply: FakeReply) -> None:
    deltas, streamed = assembled(vendor, events(stream(vendor, reply)))
    message = read(vendor, streamed)

    text, thoughts, calls = shown(deltas)

    assert (text, thoughts) == (message.content, message.reasoning)
    assert [calls[at][1] for at in sorted(calls)] == [call["toolName"] for call in message.calls]


@FEW
@given(VENDORS, REPLIES)
def test_the_pieces_of_a_reply_in_one_piece_are_those_of_its_stream(vendor: str, reply: FakeReply) -> None:
    streamed, _ = assembled(vendor, events(stream(vendor, reply)))

    in_one_piece = list(deltas_of(whole(vendor, reply), WIRES[vendor]))

    texts, thoughts, calls = shown(in_one_piece)
    assert (texts, thoughts) == shown(streamed)[:2]
    assert [calls[at][1] for at in sorted(calls)] == [shown(streamed)[2][at][1] for at in sorted(calls)]


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every value within another, as its container and its name there."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for name, inner in items for place in ((value, name), *places(inner))]


@settings(max_examples=200, deadline=None)
@given(VENDORS, REPLIES, st.data())
def test_no_event_of_a_wrong_shape_breaks_a_reply(vendor: str, reply: FakeReply, data: st.DataObject) -> None:
    found = events(stream(vendor, reply))
    for _ in range(data.draw(st.integers(1, 3))):
        container, name = data.draw(st.sampled_from(places([event.data for event in found])))
        container[name] = data.draw(JSON)

    assembler = assembler_of(WIRES[vendor])
    for event in found:
        try:
            assembler.add(ServerEvent(event.data if isinstance(event.data, dict) else {}, event.name))
        except SendFailed:
            break

    try:
        read(vendor, assembler.reply())
    except ReadError:
        assert vendor == "gemini"  # a refused prompt has no candidate, streamed or not


@given(st.lists(st.binary(max_size=20) | st.sampled_from([b"data: {}\n", b"\n", b"\r", b"event: x\n", b":\n"])))
def test_bytes_of_any_kind_are_read_without_an_error(pieces: list[bytes]) -> None:
    reader = EventReader()

    found = [event for piece in pieces for event in reader.feed(piece)] + reader.end()

    assert all(isinstance(event.data, dict) for event in found)

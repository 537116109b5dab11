"""A request's body is read whole or refused with a status, by its length and chunk by chunk."""

from __future__ import annotations

from email.message import Message
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.recordings.recorder.request_body import MOST_TRAILERS, request_body


def read(name: str, value: str, sent: bytes) -> bytes | int:
    headers = Message()
    headers[name] = value
    return request_body(BytesIO(sent), headers)


def chunked(pieces: list[bytes], *, end: bytes = b"\r\n") -> bytes:
    return b"".join(b"%x;a=b\r\n%b\r\n" % (len(one), one) for one in pieces if one) + b"0\r\n" + end


@given(st.lists(st.binary(max_size=40), max_size=5), st.data())
def test_a_body_of_chunks_is_whole_or_refused(pieces: list[bytes], data: st.DataObject) -> None:
    sent = chunked(pieces)
    cut = data.draw(st.integers(0, len(sent) - 1))

    assert read("Transfer-Encoding", " Chunked ", sent) == b"".join(pieces)
    assert read("Transfer-Encoding", "chunked", sent[:cut]) == 400


@given(st.binary(max_size=40), st.data())
def test_a_body_of_a_length_is_whole_or_refused(body: bytes, data: st.DataObject) -> None:
    size = str(len(body)).zfill(data.draw(st.integers(1, 20)))

    assert read("Content-Length", size, body + b"next") == body
    assert not body or read("Content-Length", size, body[:-1]) == 400


@pytest.mark.parametrize(
    ("end", "found"),
    [
        (b"Sum: 1\r\nMore: 2\r\n\r\n", b"hello"),
        (b"Sum: 1\r\n", 400),
        (b"Sum: 1", 400),
        (b"", 400),
        (b"A: b\r\n" * (MOST_TRAILERS + 1) + b"\r\n", 400),
        (b"A" * 5000 + b"\r\n\r\n", 400),
    ],
)
def test_fields_behind_the_last_chunk_are_passed_over_and_must_end(end: bytes, found: bytes | int) -> None:
    assert read("Transfer-Encoding", "chunked", chunked([b"hello"], end=end)) == found


@pytest.mark.parametrize(
    ("name", "value", "sent", "status"),
    [
        ("Content-Length", "512000001", b"", 413),
        ("Content-Length", "9" * 5000, b"", 413),
        ("Content-Length", "-1", b"", 400),
        ("Content-Length", "٥", b"", 400),
        ("Content-Length", "", b"", 400),
        ("Transfer-Encoding", "gzip, chunked", b"", 501),
        ("Transfer-Encoding", "chunked", b"ffffffffff\r\n", 413),
        ("Transfer-Encoding", "chunked", b"5\r\nhelloX\r\n0\r\n\r\n", 400),
        ("Transfer-Encoding", "chunked", b"+5\r\nhello\r\n0\r\n\r\n", 400),
    ],
)
def test_a_body_that_is_too_large_or_of_no_size_has_its_status(name: str, value: str, sent: bytes, status: int) -> None:
    assert read(name, value, sent) == status

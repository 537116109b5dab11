"""Server-sent events, read from bytes that come in any pieces (WHATWG HTML, 9.2.6)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, cast

import orjson

from ctxlab.errors import SendFailed
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.sending.deltas import ServerEvent

MOST_BYTES: Final = 64 * 1024 * 1024
"""Bytes of one event; a picture in a reply has a few million."""
DONE: Final = "[DONE]"
BOM: Final = b"\xef\xbb\xbf"
_END_OF_LINE = lazy_pattern(rb"[\r\n]")
_LONE = lazy_pattern("[\ud800-\udfff]")


class EventReader:
    """Reads events from the bytes of a stream, cut anywhere.

    `done` is whether the stream has said [DONE]. `skipped` counts events whose data are no JSON object: they are left
    out. An event of more than `most_bytes` raises SendFailed.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.done = False
        self.skipped = 0
        self._most_bytes = most_bytes
        self._line = bytearray()
        self._searched = 0
        self._after_return = False
        self._first_line = True
        self._name = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """The events that end in these bytes."""
        if self._after_return and piece.startswith(b"\n"):  # the second half of CR LF
            piece = piece[1:]
            self._after_return = False
        self._after_return = self._after_return and not piece
        self._line += piece
        found = [event for line in self._lines() for event in self._take(line)]
        self._check_size(len(self._line))
        return found

    def _check_size(self, more: int = 0) -> None:
        if self._size + more > self._most_bytes:
            raise SendFailed(f"the stream has an event of over {self._most_bytes:,} bytes; it is not read on")

    def end(self) -> list[ServerEvent]:
        """The event that no empty line ended, for many servers send none after the last."""
        rest = bytes(self._line)
        self._line.clear()
        self._searched = 0
        return [*self._take(rest), *self._take(b"")]

    def _lines(self) -> Iterator[bytes]:
        while hit := _END_OF_LINE.search(self._line, self._searched):
            end, next_line = hit.start(), hit.end()
            if self._line[end] == 0x0D:
                if next_line == len(self._line):
                    self._after_return = True
                elif self._line[next_line] == 0x0A:
                    next_line += 1
            line = bytes(self._line[:end])
            del self._line[:next_line]
            self._searched = 0
            yield line
        self._searched = len(self._line)

    def _take(self, line: bytes) -> Iterator[ServerEvent]:
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(BOM)
        if not line:
            yield from self._event()
            return
        self._size += len(line)
        self._check_size()
        field, _, value = line.partition(b":")
        words = value.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._data.append(words)
        elif field == b"event":
            self._name = words

    def _event(self) -> Iterator[ServerEvent]:
        name, data = self._name, "\n".join(self._data)
        has_data = bool(self._data)
        self._name, self._data, self._size = "", [], 0
        if data.strip() == DONE:
            self.done = True
        elif has_data:
            content = object_of(data)
            if content is None:
                self.skipped += 1
            else:
                yield ServerEvent(content, name)


def object_of(text: str | bytes) -> dict[str, Any] | None:
    """The JSON object of a text; None where it is none."""
    found = value_of(text)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def value_of(text: str | bytes) -> Any:
    """The value of a JSON text; None where it is none. Halves of characters that JSON escapes are U+FFFD."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _with_lone_surrogates(text)


def _with_lone_surrogates(text: str | bytes) -> Any:
    """JSON that escapes half of a character, which orjson refuses; None for what is broken otherwise."""
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    if "\\ud" not in words.lower():
        return None
    try:
        return _whole_characters(json.loads(words, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _whole_characters(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole_characters(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {
            _whole_characters(name): _whole_characters(item) for name, item in cast("dict[Any, Any]", value).items()
        }
    return value

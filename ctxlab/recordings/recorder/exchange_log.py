"""Requests and replies on their way to the file: taken at once, written by a thread of its own."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self, cast

from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.recorder.bodies import MOST_BYTES, read_reply_body, read_request_body
from ctxlab.recordings.recorder.headers import KEPT_OF_REPLIES, KEPT_OF_REQUESTS, Pairs, kept
from ctxlab.recordings.recorder.raw_exchange import Ending
from ctxlab.recordings.recorder.record_file import RecordFile
from ctxlab.recordings.recorder.record_lines import RecordLines, line
from ctxlab.recordings.recorder.split_secrets import mask_across_pieces
from ctxlab.secrets import SecretMask, secrets_of_request

CLOSING_SECONDS: Final = 60.0


@dataclass(slots=True, eq=False, repr=False)
class OpenExchange:
    """A request whose reply is coming in. `head`, `piece` and `end` are told as it comes; the first end counts."""

    id: str
    number: int
    time: str
    method: str
    url: str
    headers: Pairs
    content: bytes
    _ended: Callable[[OpenExchange], None]
    _began: float = field(default_factory=monotonic)
    status: int | None = None
    reply_headers: Pairs = field(default_factory=list[tuple[str, str]])
    pieces: list[bytes] = field(default_factory=list[bytes])
    size: int = 0
    first_seconds: float | None = None
    seconds: float | None = None
    ended: Ending | None = None
    error: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def head(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """The reply has begun."""
        self.status, self.reply_headers = status, list(headers)
        self.first_seconds = self._since()

    def piece(self, data: bytes) -> None:
        """More of the reply's body has come."""
        self.size += len(data)
        if self.size <= MOST_BYTES:
            self.pieces.append(data)

    def end(self, ended: Ending = "whole", error: str = "") -> None:
        """Nothing more comes, and why."""
        with self._lock:
            if self.ended is not None:
                return
            self.ended, self.error, self.seconds = ended, error, self._since()
        self._ended(self)

    def _since(self) -> float:
        return round(monotonic() - self._began, 6)


class ExchangeLog:
    """Writes exchanges to a recording, without keeping those waiting who send and receive.

    `requests` counts what was written, `failure` is the sentence on the first line that couldn't be. Secrets of every
    request are looked for in all that is written after it.
    """

    def __init__(self, path: str | os.PathLike[str], *, program: str = "", secrets: Iterable[str] = ()) -> None:
        self._mask = SecretMask(secrets)
        self._file = RecordFile(path, about={"time": _now(), "program": self._mask.text(program)})
        self.path = self._file.path
        self._lines = RecordLines(self._mask, self._file.known)
        self._jobs: SimpleQueue[tuple[Callable[[OpenExchange], Iterator[bytes]], OpenExchange] | None] = SimpleQueue()
        self._number, self._lock, self._closed = 0, threading.Lock(), False
        self.requests = 0
        self.failure = ""
        self._thread = threading.Thread(target=self._write, name="ctxlab-recording", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"ExchangeLog({self.path.name!r}, {self.requests} requests)"

    def begin(self, method: str, url: str, headers: Iterable[tuple[str, str]], content: bytes) -> OpenExchange:
        """A request that goes out now, with the address that it goes to."""
        with self._lock:
            self._number += 1
            number = self._number
        id = uuid.uuid4().hex
        exchange = OpenExchange(id, number, _now(), method, url, list(headers), content, self._end)
        self._jobs.put((self._request_lines, exchange))
        return exchange

    def close(self) -> None:
        """Write what is left, and let go of the file."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._jobs.put(None)
        self._thread.join(CLOSING_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def masked(self, text: str) -> str:
        """A text that is shown or sent: without the secrets seen so far."""
        return self._mask.text(text)

    def _end(self, exchange: OpenExchange) -> None:
        self._jobs.put((self._reply_lines, exchange))

    def _write(self) -> None:
        go_on = True
        while go_on:
            jobs = [self._jobs.get()]
            try:
                while True:
                    jobs.append(self._jobs.get_nowait())
            except Empty:
                pass
            go_on = None not in jobs
            lines: list[bytes] = []
            for job in jobs:
                if job is not None:
                    lines += self._made(*job)
            try:
                self._file.append(lines)
            except Exception as error:  # a full disk, a lock that nobody gives back: the traffic goes on
                self._failed(f"{self.path.name} can't be written: {error}")
        self._file.close()

    def _made(self, make: Callable[[OpenExchange], Iterator[bytes]], exchange: OpenExchange) -> list[bytes]:
        try:
            return list(make(exchange))
        except Exception as error:  # of a body that nobody foresaw: the others are still written
            self._failed(f"request {exchange.number} isn't recorded: {type(error).__name__}")
            return []

    def _failed(self, sentence: str) -> None:
        """Keep the first failure; what was not written is written again when it comes again."""
        self.failure = self.failure or sentence
        self._lines = RecordLines(self._mask, set())

    def _request_lines(self, exchange: OpenExchange) -> Iterator[bytes]:
        if self._mask.learn(secrets_of_request(exchange.headers, exchange.url)):
            self._lines.forget_masked()
        headers = kept(exchange.headers, KEPT_OF_REQUESTS)
        body = read_request_body(exchange.content, headers)
        about: dict[str, Any] = {
            "type": "request",
            "id": exchange.id,
            "number": exchange.number,
            "time": exchange.time,
            "method": exchange.method,
            "url": self._mask.url(exchange.url),
            "headers": self._mask.headers(headers),
            "bytes": len(exchange.content),
        }
        if body.notes:
            about["notes"] = [self._mask.text(note) for note in body.notes]
        exchange.content = b""
        self.requests += 1
        return self._lines.request(about, body.value)

    def _reply_lines(self, exchange: OpenExchange) -> Iterator[bytes]:
        if self._mask.learn(secrets_of_request(exchange.reply_headers, "")):
            self._lines.forget_masked()
        headers = kept(exchange.reply_headers, KEPT_OF_REPLIES)
        body = read_reply_body(b"".join(exchange.pieces), headers)
        exchange.pieces.clear()
        notes = list(body.notes)
        if exchange.size > MOST_BYTES:
            notes.append(f"of the reply {MOST_BYTES:,} of {exchange.size:,} bytes are kept")
        whole = exchange.ended == "whole"
        about: dict[str, Any] = {"type": "reply" if whole else "error", "request": exchange.id, "ended": exchange.ended}
        about |= {"error": self._mask.text(exchange.error)} if exchange.error else {}
        about |= {
            "status": exchange.status,
            "headers": self._mask.headers(headers),
            "first_seconds": exchange.first_seconds,
            "seconds": exchange.seconds,
            "bytes": exchange.size,
        }
        if body.events is not None:
            mask_across_pieces(body.events, self._mask.text)
            about["events"] = [
                [self._mask.text(one["event"]), self._mask.reply_body(one["data"])] for one in body.events
            ]
        elif body.value is not None:
            if isinstance(body.value, list):  # the chunks of a stream as one JSON list
                mask_across_pieces(cast("list[Any]", body.value), self._mask.text)
            about["reply"] = self._mask.reply_body(body.value)
        if notes:
            about["notes"] = [self._mask.text(note) for note in notes]
        yield line(about)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")  # noqa: TID251  (a program is listened to now)

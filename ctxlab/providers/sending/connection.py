"""A payload posted, and its reply read piece by piece in a thread of its own, so that it can be hung up at any time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, cast

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted, kind_in_words, short
from ctxlab.documents.session.usage_counts import COUNTS, is_count
from ctxlab.errors import SendFailed
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.payload import Payload
from ctxlab.providers.sending.assemblers import assembler_of, deltas_of, form_of
from ctxlab.providers.sending.clients import check_client, posted, target
from ctxlab.providers.sending.deltas import Data, Delta, ServerEvent
from ctxlab.providers.sending.failures import (
    SentRequest,
    failed_answer,
    failed_connection,
    masked,
    no_reply,
    sent_request,
)
from ctxlab.providers.sending.hand_over import HandOver, Line
from ctxlab.providers.sending.json_values import values_at
from ctxlab.providers.sending.key_mask import KeyMask
from ctxlab.providers.sending.keys import Key, key_for
from ctxlab.providers.sending.server_events import EventReader, value_of
from ctxlab.providers.sending.stream_errors import failed_stream, one_line
from ctxlab.providers.sending.time_limits import TimeLimits
from ctxlab.wires import WireName

MOST: Final = 5
"""Sentences about one reply."""


def unfit(data: Data, wire: WireName) -> Iterator[str]:
    """A sentence for each place that can't be read as what it should be, and for each block of an unknown kind."""
    form = form_of(wire)
    for path, kinds in form.SHAPES.items():
        for place, value in values_at(data, path):
            if value is not None and not isinstance(value, kinds):
                yield f"{place} is {kind_in_words(value)}, not {kind_in_words(kinds[0]())}: left out"
    yield from _no_counts(data)
    yield from form.unknown(data)


def _no_counts(data: Data) -> Iterator[str]:
    for holder in ("usage", "message.usage", "response.usage", "usageMetadata"):
        for name in COUNTS:
            for place, value in values_at(data, f"{holder}.{name}"):
                if value is not None and not is_count(value):
                    yield f"{place} is {short(one_line(repr(value)), 30)}, which is no count: the usage is left out"


MOST_BYTES: Final = 512 * 1024 * 1024
"""Bytes of a reply."""
KEY_MASKED: Final = "the reply repeated the key, which is masked in it"
AFTER_THE_END_SECONDS: Final = 2.0
"""Seconds that are waited for counts which may come behind the end of a reply."""


@dataclass(frozen=True, slots=True)
class _Head:
    """The beginning of an answer: it has come, and its body follows."""

    content_type: str


@dataclass(frozen=True, slots=True)
class _End:
    """The end of an answer, and why it ended early."""

    failure: SendFailed | None = None


_Item = _Head | bytes | _End


@checked_arguments
def open_reply(
    payload: Payload, *, key: str | Key | None = None, limits: TimeLimits | None = None, client: Any = None
) -> PostedReply:
    """The reply to a payload, which is posted at once, as the very bytes of `payload.as_bytes()`.

    `key` is by default of the environment or the keyring (`key_for`). `client` is one of the vendor's own clients, with
    its own address and key, or an `httpx2.Client`. Nothing is tried again. Failures of the network and of the vendor
    come as SendFailed while the reply is read; a missing key (MissingKey), a client that isn't installed (MissingExtra)
    and a body that JSON has no form for raise here, before anything is posted.
    """
    check_client(payload, client)
    content = payload.as_bytes()
    known = key_for(payload.provider, key) if client is None or key is not None else None
    return PostedReply(payload, content, known, limits or TimeLimits(), client)


class PostedReply:
    """A reply on its way: iterating gives what is added, and raises SendFailed where it breaks off.

    `notes` say what was left out of it.
    """

    def __init__(self, payload: Payload, content: bytes, key: Key | None, limits: TimeLimits, client: Any) -> None:
        self._request = sent_request(payload, key, target(payload, None))
        self._mask = KeyMask.of(key, client)
        self._wire: WireName = payload.provider.wire
        self._assembler = assembler_of(self._wire)
        self._events = EventReader()
        self._whole: Data | None = None
        self._unfit: list[str] = []
        self._limits = limits
        self._is_used_again = client is not None  # then its connection is, if the answer is read to its very end
        self._line = Line()
        self._items: HandOver[_Item] = HandOver()
        self._ended = False
        work = (payload, content, key, limits, client, self._line, self._items, self._request)
        threading.Thread(target=_read, args=work, name="ctxlab-reply", daemon=True).start()

    def __repr__(self) -> str:
        return f"PostedReply({self._request.title!r}, {'ended' if self._ended else 'on its way'})"

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on parts of the reply that were left out: what can't be read, and a key that is masked."""
        skipped = self._events.skipped
        found = [f"{counted(skipped, 'event')} of the stream without a JSON object left out"] if skipped else []
        found += self._unfit[:MOST]
        if len(self._unfit) > MOST:
            found.append(f"{len(self._unfit) - MOST:,} more places of the reply don't fit: left out")
        return (*found, *((KEY_MASKED,) if self._mask.found else ()))

    @property
    def complete(self) -> bool:
        """Whether the vendor has said that this is all."""
        return self._whole is not None or self._events.done or self._assembler.complete

    def reply(self) -> Data:
        """The reply in the vendor's form, or what of it came so far."""
        return self._mask.data(self._whole if self._whole is not None else self._assembler.reply())

    def close(self) -> None:
        """Hang up, from any thread; the iteration ends soon after, without an error."""
        self._items.close()
        self._line.hang_up()

    def __iter__(self) -> Iterator[Delta]:
        try:
            yield from self._mask.pieces(self._pieces())
        except SendFailed as failure:
            raise self._without_key(failure) from None
        finally:
            self._ended = True
            self.close()

    def _pieces(self) -> Iterator[Delta]:
        head = self._take(self._limits.first_seconds)
        if isinstance(head, _Head):
            is_json = head.content_type.partition(";")[0].strip().lower() == "application/json"
            is_page = "html" in head.content_type.lower()
            if is_page:
                raise no_reply(head.content_type, self._request)
            yield from self._in_one_piece(head) if is_json else self._streamed()

    def _take(self, seconds: float) -> _Item | None:
        """The next item; None where it was hung up. Raises SendFailed where nothing comes in these seconds."""
        item = self._items.take(seconds)
        if isinstance(item, _End) and item.failure is not None:
            raise item.failure
        if item is None and not self._items.closed:
            raise SendFailed(f"{self._request.address} sent nothing for {seconds:g} s: try again", may_pass=True)
        return item

    def _bytes(self) -> Iterator[bytes]:
        size = 0
        while not self._events.done or self._is_used_again:
            silence = self._limits.silence_seconds
            try:
                item = self._take(min(silence, AFTER_THE_END_SECONDS) if self.complete else silence)
            except SendFailed:
                if self.complete:  # all but perhaps the counts is there
                    return
                raise
            if not isinstance(item, bytes):
                return
            size += len(item)
            if size > MOST_BYTES:
                raise SendFailed(f"the reply has over {MOST_BYTES:,} bytes; it is not read on")
            yield item

    def _streamed(self) -> Iterator[Delta]:
        for piece in self._bytes():
            for event in self._events.feed(piece):
                yield from self._added(event)
        if self._items.closed:
            return
        for event in self._events.end():
            yield from self._added(event)
        if not self.complete:
            raise SendFailed(f"{self._request.address} ended the stream before the reply was whole", may_pass=True)

    def _added(self, event: ServerEvent) -> tuple[Delta, ...]:
        event = replace(event, data=self._mask.data(event.data, whole=False))
        self._look_at(event.data)
        return self._assembler.add(event)

    def _look_at(self, data: Data) -> None:
        """Keep a sentence for each place that doesn't fit, each once."""
        self._unfit += [text for text in dict.fromkeys(unfit(data, self._wire)) if text not in self._unfit]

    def _in_one_piece(self, head: _Head) -> Iterator[Delta]:
        content = b"".join(self._bytes())
        if self._items.closed:
            return
        found = self._mask.data(value_of(content))
        if found is None and content.strip() != b"null":
            raise no_reply(f"broken {head.content_type.partition(';')[0]}", self._request)
        if not isinstance(found, dict):
            raise no_reply(f"{kind_in_words(found)} as its JSON", self._request)
        reply = cast("Data", found)
        if reply.get("error"):
            raise failed_stream(reply["error"])
        self._look_at(reply)
        self._whole = reply
        yield from deltas_of(reply, self._wire)

    def _without_key(self, failure: SendFailed) -> SendFailed:
        return SendFailed(
            self._mask.text(masked(str(failure), self._request)),
            status=failure.status,
            retry_after_seconds=failure.retry_after_seconds,
            may_pass=failure.may_pass,
        )


def _read(
    payload: Payload,
    content: bytes,
    key: Key | None,
    limits: TimeLimits,
    client: Any,
    line: Line,
    items: HandOver[_Item],
    request: SentRequest,
) -> None:
    """Post and read in this thread, until the end or until nobody takes what comes."""
    answered = False
    try:
        with posted(payload, content, key, limits, client, line) as response:
            status = int(response.status_code)
            answered = 200 <= status < 300
            if answered:
                items.put(_Head(response.headers.get("content-type", "")))
                for piece in response.iter_bytes():
                    if not items.put(piece):
                        return
            failure = None if answered else failed_answer(status, response.headers, _error_body(response), request)
        # Whoever gets the end may hang up, and the connection of a client of one's own is to be used again.
        items.put(_End(failure))
    except Exception as error:  # whatever a client raises is a failure to send, told in the thread that waits
        items.put(_End(failed_connection(error, request, answered=answered)))


def _error_body(response: Any) -> bytes:
    """The beginning of the body of an error, as far as it comes."""
    if response.is_closed:
        return bytes(response.content)
    found = bytearray()
    for piece in response.iter_bytes():
        found += piece
        if len(found) > MOST_OF_AN_ERROR:
            break
    return bytes(found)


MOST_OF_AN_ERROR: Final = 1_000_000

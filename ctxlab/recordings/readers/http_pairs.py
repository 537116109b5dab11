"""Recordings of HTTP: VCR's cassettes, replayed ones, OpenCode's, nock's, HAR, and JSON lines of pairs."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterator
from typing import Any, Final

from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.providers.sending.server_events import value_of
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.exchanges import add_exchange
from ctxlab.recordings.recorder.raw_exchange import RawExchange

MOST_BYTES: Final = 64 * 2**20
"""Bytes that a packed body may unfold to."""
LISTS: Final = ("interactions", "entries")
TAKEN: Final = frozenset({"string", "body", "response", "reply", "scope", "path"}) | {
    "postData.text", "content.text", "content.data", "body.text", "body.data",
}  # fmt: skip
"""Fields of bodies, which may be texts or streams, and of addresses."""


def sniff(data: Any) -> bool:
    """Whether it holds pairs of requests and replies of HTTP."""
    return mostly(_items(data), _is_pair)


def read(source: Source, builder: RecordingBuilder) -> None:
    """Every pair of a file, in its order."""
    metadata = fields_of(fields_of(source.data).get("metadata"))
    name = fields_of(fields_of(fields_of(source.data).get("log")).get("creator")).get("name")
    builder.program = str(name or ("OpenCode" if "recordedAt" in metadata else builder.program))
    for number, item in enumerate(_items(source.data)):
        place = f"pair {number + 1}"
        if not _is_pair(item):
            builder.losses.append(Loss(place, "no pair of a request and a reply; it is left out", "pair"))
            continue
        add_exchange(builder, _exchange(item, number, place, builder.losses), place)


def _items(data: Any) -> list[Any]:
    if isinstance(data, list):
        return items_of(data)
    fields = fields_of(data)
    fields = fields_of(fields.get("log")) or fields
    for key in LISTS:
        if isinstance(fields.get(key), list):
            return fields[key]
    return [data] if _is_pair(data) else []


def _is_pair(value: Any) -> bool:
    pair = fields_of(value)
    if "scope" in pair and "path" in pair:  # nock keeps both in one object
        return True
    return isinstance(pair.get("request"), dict) and ("response" in pair or "reply" in pair)


def _exchange(pair: Data, number: int, place: str, losses: list[Loss]) -> RawExchange:
    if "scope" in pair:
        address = f"{pair['scope']}{pair['path']}"
        request: Data = {"url": address, "method": pair.get("method"), "body": pair.get("body")}
        response: Data = {"status": pair.get("status"), "body": pair.get("response")}
    else:
        request = pair["request"]
        found = pair.get("response", pair.get("reply"))
        response = fields_of(found) if isinstance(found, dict) else {"body": found}
    address = request.get("uri", request.get("url"))
    body = _body(request, place, losses)
    reply = _body(response, f"{place}, reply", losses)
    if address is None and "body" not in request:  # the request is the body itself
        body, reply = request, response.get("body", response)
    time = pair.get("startedDateTime", pair.get("time", pair.get("recorded_at", pair.get("timestamp"))))
    return RawExchange(
        id="",
        number=number + 1,
        time=time if isinstance(time, str) else "",
        method=str(request.get("method") or ""),
        url=address if isinstance(address, str) else "",
        body=value_of(body) if isinstance(body, str) else body,
        status=_status(response),
        reply=reply,
        seconds=_seconds(pair),
        ended="unknown",
    )


def _seconds(pair: Data) -> float | None:
    """HAR's time is in milliseconds and beside the time of the beginning."""
    time = pair.get("time")
    return time / 1000 if isinstance(time, int | float) and "startedDateTime" in pair else None


def _status(response: Data) -> int | None:
    status = response.get("status", response.get("status_code"))
    status = fields_of(status).get("code") if isinstance(status, dict) else status
    return status if isinstance(status, int) and not isinstance(status, bool) else None


def _body(message: Data, place: str, losses: list[Loss]) -> Any:
    """The body of a request or of a reply: JSON, or a text."""
    if isinstance(message.get("postData"), dict):
        return _unfolded(message["postData"].get("text"), place, losses)
    for key in ("parsed_body", "body", "content"):
        if message.get(key) is None:
            continue
        stored = message[key]
        fields = fields_of(stored)
        if isinstance(fields.get("string"), str | bytes):
            return _unfolded(fields["string"], place, losses)
        if fields.get("encoding") == "base64":
            return _unfolded(_from_base64(fields.get("text", fields.get("data")), place, losses), place, losses)
        if key == "content" and "mimeType" in fields:
            return _unfolded(fields.get("text"), place, losses)
        return _unfolded(stored, place, losses)
    return None


def _from_base64(text: Any, place: str, losses: list[Loss]) -> Any:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError):
        losses.append(Loss(place, "its body is no base64; it is left out", "body"))
        return None


def _unfolded(stored: Any, place: str, losses: list[Loss]) -> Any:
    """Bytes as text, unpacked where they were packed."""
    if isinstance(stored, str) and stored.startswith("H4sI"):  # gzip in base64
        stored = _from_base64("".join(stored.split()), place, losses)
    if not isinstance(stored, bytes):
        return stored
    try:
        return "".join(_unpacked(stored)).strip()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        losses.append(Loss(place, "its body can't be unpacked; it is left out", "body"))
        return None


def _unpacked(packed: bytes) -> Iterator[str]:
    if not packed.startswith(b"\x1f\x8b"):
        yield packed.decode()
        return
    unpacker = zlib.decompressobj(wbits=31)
    found = unpacker.decompress(packed, MOST_BYTES)
    if unpacker.unconsumed_tail:
        raise OSError("it unfolds to too much")
    yield (found + unpacker.flush()).decode()

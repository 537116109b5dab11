"""Bodies as values: what was compressed is unpacked, JSON is read, a stream becomes its events."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.secrets import masked_beginning

MOST_BYTES: Final = 256 * 1024 * 1024
"""Bytes of a body that are kept, packed or unpacked."""
MOST_OF_RUBBISH: Final = 1_000_000
"""Characters of a reply that is neither JSON nor a stream."""
_LINE_END: Final = lazy_pattern(r"\r\n|\n|\r")
READABLE_CODINGS: Final = frozenset({"gzip", "x-gzip", "deflate", "identity"})
"""Content codings that are unpacked here; programs are asked to be sent no others (`readable_only`)."""


@dataclass(frozen=True, slots=True)
class ReadBody:
    """A body as JSON, a text or the events of a stream; `notes` say what isn't kept."""

    value: Any = None
    events: tuple[dict[str, Any], ...] | None = None
    notes: tuple[str, ...] = ()


def readable_only(accepted: str) -> str:
    """An Accept-Encoding without the codings that can't be read here.

    >>> readable_only("gzip, deflate, br, zstd")
    'gzip, deflate'
    """
    parts = [each.strip() for each in accepted.split(",")]
    return ", ".join(each for each in parts if each.partition(";")[0].strip().lower() in READABLE_CODINGS) or "identity"


def read_request_body(content: bytes, headers: Mapping[str, str]) -> ReadBody:
    """The JSON of a request; other bodies (forms with files) are counted and not kept."""
    if not content:
        return ReadBody()
    data, notes = _unpacked(content, headers.get("content-encoding", ""))
    found = json_of(data) if data is not None else _BROKEN
    if found is not _BROKEN:
        return ReadBody(found, notes=notes)
    kind = headers.get("content-type", "no type")
    return ReadBody(notes=(*notes, f"the request's body is no JSON and isn't kept: {len(content):,} bytes, {kind}"))


def read_reply_body(content: bytes, headers: Mapping[str, str]) -> ReadBody:
    """The reply as JSON, the events of a stream, which may be lines of JSON, or a text where it is neither."""
    if not content:
        return ReadBody()
    data, notes = _unpacked(content, headers.get("content-encoding", ""))
    if data is None:
        return ReadBody(notes=notes)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    found = _BROKEN if kind == "text/event-stream" else json_of(data)
    if found is not _BROKEN:
        return ReadBody(found, notes=notes)
    if kind.startswith(("audio/", "image/", "video/")) or b"\0" in data[:1024]:
        return ReadBody(notes=(*notes, f"the reply's body isn't kept: {len(data):,} bytes, {kind or 'no type'}"))
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if kind == "text/event-stream" or text.startswith(("data:", "event:")):
        return ReadBody(events=tuple(_events(text)), notes=notes)
    if _is_json_lines(text):
        lines = (each for each in _LINE_END.split(text) if each.strip())
        return ReadBody(events=tuple({"event": "", "data": _event_data(each)} for each in lines), notes=notes)
    if len(text) > MOST_OF_RUBBISH:
        notes = (*notes, f"of the reply's text {MOST_OF_RUBBISH:,} of {len(text):,} characters are kept")
    return ReadBody(masked_beginning(text, MOST_OF_RUBBISH), notes=notes)


def _is_json_lines(text: str) -> bool:
    """Whether the first two lines are JSON objects, as servers stream that send no events."""
    first = [each for each in text[:MOST_OF_RUBBISH].split("\n", 3)[:3] if each.strip()][:2]
    return len(first) == 2 and all(isinstance(_event_data(each), dict) for each in first)


def json_of(data: bytes) -> Any:
    """The value of a JSON text, exactly; a mark of its own where it is none."""
    try:
        return json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError):  # a wrong encoding is a ValueError too
        return _BROKEN


_BROKEN: Final = object()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _events(text: str) -> Iterator[dict[str, Any]]:
    """The events of a stream, by the standard (WHATWG HTML, 9.2.6); one that broke off is kept as well."""
    name, data = "", list[str]()
    for line in (*_LINE_END.split(text), ""):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
        elif not line:
            if data:
                yield {"event": name, "data": _event_data("\n".join(data))}
            name, data = "", []


def _event_data(text: str) -> Any:
    found = json_of(text.encode("utf-8", "surrogatepass"))
    return text if found is _BROKEN else found


def _unpacked(content: bytes, codings: str) -> tuple[bytes | None, tuple[str, ...]]:
    """The bytes of a body behind its content codings, as far as they came; None where they can't be unpacked."""
    for coding in reversed([each.strip().lower() for each in codings.split(",") if each.strip()]):
        unpack = _UNPACKERS.get(coding)
        if unpack is None:
            return None, (f"a body in the coding {coding} isn't kept: nothing here unpacks it",)
        try:
            content = unpack(content)
        except zlib.error:
            return None, (f"a body isn't kept, which is not in the coding {coding} that its head names",)
        if len(content) >= MOST_BYTES:
            return None, (f"a body of over {MOST_BYTES:,} bytes isn't kept",)
    return content, ()


def _gzip(content: bytes) -> bytes:
    return zlib.decompressobj(47).decompress(content, MOST_BYTES)  # 47: gzip's head or zlib's


def _deflate(content: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(content, MOST_BYTES)
    except zlib.error:  # some servers send it without its head
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, MOST_BYTES)


_UNPACKERS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "identity": bytes,
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
}

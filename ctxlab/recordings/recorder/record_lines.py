"""The lines of a recording: each message, text of a system, tool list and head once, requests that point to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final, cast

from ctxlab.secrets import SecretMask

VERSION: Final = 1
KIND: Final = "ctxlab recording"
LISTS: Final = frozenset({"messages", "input", "contents"})
"""Fields of a body whose items are messages."""
PARTS: Final = frozenset({"tools", "system", "instructions", "system_instruction", "systemInstruction"})
NESTED: Final = frozenset({"request", "generateContentRequest"})
"""Fields that hold a whole body, in Gemini's envelopes."""
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
LONGEST_INLINE: Final = 400
"""Characters of a field's JSON that stay in a head; longer ones are stored once for all heads."""


class RecordLines:
    """Makes the lines of requests; knows what is in the file already, so that nothing is written twice.

    A list of messages is written as the longest beginning that an earlier request of this process had, and the ids of
    the messages behind it, so that a line grows with what is new and not with what is sent.
    """

    def __init__(self, mask: SecretMask, known: set[str]) -> None:
        self._mask = mask
        self._known = known
        self._ids: dict[bytes, str] = {}
        self._nodes: dict[tuple[int, str], int] = {}
        self._requests: list[str] = [""]  # by number of a node, the request that had it first

    def forget_masked(self) -> None:
        """Mask everything anew, because there are more secrets than before."""
        self._ids.clear()

    def request(self, about: dict[str, Any], body: Any) -> Iterator[bytes]:
        """The lines of a request: what of its body is new, then the request itself."""
        made: list[bytes] = []
        lists: dict[str, Any] = {}
        if isinstance(body, dict):
            fields = self._fields(cast("dict[str, Any]", body), "", about["id"], lists, made)
            about = {**about, "head": self._stored("head", "fields", fields, made), "lists": lists}
        elif body is not None:
            about = {**about, "body": self._part(body, made)}
        yield from made
        yield line(about)

    def _fields(
        self, body: dict[str, Any], path: str, request: str, lists: dict[str, Any], made: list[bytes]
    ) -> list[Any]:
        """The fields of a body in their order: a value, the id of a part, the mark of a list, or the fields inside."""
        found: list[Any] = []
        open_fields = self._mask.request_body(
            {name: value for name, value in body.items() if not _is_list(name, value)}
        )
        for name, value in body.items():
            place = f"{path}{name}"
            if _is_list(name, value):
                lists[place] = self._list(value, request, place, made)
                found.append([name, {"list": place}])
                continue
            if name in NESTED and isinstance(value, dict):
                inner = self._fields(cast("dict[str, Any]", value), f"{place}.", request, lists, made)
                found.append([name, {"fields": inner}])
                continue
            name = self._mask.text(name)
            value = open_fields.get(name)
            is_part = name in PARTS or len(dumped(value)) > LONGEST_INLINE
            found.append([name, {"part": self._part(value, made, masked=True)} if is_part else {"value": value}])
        return found

    def _list(self, items: list[Any], request: str, place: str, made: list[bytes]) -> dict[str, Any]:
        ids = [self._part(item, made, kind="message") for item in items]
        node = self._nodes.setdefault((0, place), len(self._requests))
        if node == len(self._requests):
            self._requests.append("")
        shared = 0
        for id in ids:
            further = self._nodes.get((node, id))
            if further is None:
                break
            node, shared = further, shared + 1
        before = self._requests[node]
        for id in ids[shared:]:
            self._nodes[node, id] = further = len(self._requests)
            self._requests.append(request)
            node = further
        return {"from": before, "keep": shared, "add": ids[shared:]} if shared else {"add": ids}

    def _part(self, value: Any, made: list[bytes], *, kind: str = "part", masked: bool = False) -> str:
        raw = blake2b(f"{kind} {dumped(value)}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        id = self._ids.get(raw)
        if id is None:
            found = value if masked else self._mask.data(value)
            id = self._ids[raw] = self._stored(kind, "value", found, made)
        return id

    def _stored(self, kind: str, field: str, value: Any, made: list[bytes]) -> str:
        """The id of a value, whose line is made where there is none yet."""
        written = dumped(value)
        id = blake2b(f"{kind} {written}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        if id not in self._known:
            self._known.add(id)
            made.append(line({"type": kind, "id": id, field: value}))
        return id


def line(value: dict[str, Any]) -> bytes:
    """A value as one line of UTF-8; halves of characters are escaped."""
    return dumped(value).encode("utf-8", "backslashreplace") + b"\n"


def dumped(value: Any) -> str:
    """A value as compact JSON, fields in their order."""
    return _ENCODER.encode(value)


def _is_list(name: str, value: Any) -> bool:
    return name in LISTS and isinstance(value, list)

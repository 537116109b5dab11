"""Exchanges of a recording, read back from its lines."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, cast, get_args

from ctxlab.argument_checks import checked_arguments
from ctxlab.errors import ReadError, UnknownFormat
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.recorder.raw_exchange import Ending, RawExchange
from ctxlab.recordings.recorder.record_file import FIRST
from ctxlab.recordings.recorder.record_lines import VERSION

Data = dict[str, Any]
STORED = frozenset({"message", "part", "head"})
NO_BODY = "a part of the request's body is missing in the file"


@checked_arguments
def read_records(
    path: str | os.PathLike[str], *, on_loss: Callable[[str], None] | None = None
) -> Iterator[RawExchange]:
    """The exchanges of a recording (`.ctxrec.jsonl`), in the order in which the requests went out.

    A line that is broken, or that points to one that isn't there, costs that line alone: `on_loss` gets a sentence for
    each. An exchange whose end isn't in the file has `ended="unknown"`. Raises ReadError for a file that can't be
    read, UnknownFormat for one of another kind or version.
    """
    place = Path(path).expanduser()
    try:
        with place.open("rb") as lines:
            beginning = lines.read(len(FIRST))
    except OSError as error:
        raise ReadError(f"{place} can't be read: {error.strerror or error}") from error
    if beginning != FIRST:
        raise UnknownFormat(f"{place.name} is no recording of ctxlab: it begins otherwise")
    return _exchanges(place, on_loss or _ignored)


def is_record_file(beginning: bytes) -> bool:
    """Whether a file that begins with these bytes is a recording of ours."""
    return beginning.startswith(FIRST)


def _ignored(loss: str) -> None:
    """Nobody asked."""


@dataclass(slots=True)
class _Waiting:
    """A request whose reply isn't read yet, or whose turn hasn't come."""

    request: Data
    end: Data | None = None


@dataclass(slots=True)
class _Reader:
    """Values of lines that later lines point to."""

    name: str
    on_loss: Callable[[str], None]
    program: str = ""
    number: int = 0
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    lists: dict[tuple[str, str], Data] = field(default_factory=dict[tuple[str, str], Data])
    waiting: dict[str, _Waiting] = field(default_factory=dict[str, _Waiting])
    newest: dict[str, tuple[str, list[str], list[Any]]] = field(
        default_factory=dict[str, tuple[str, list[str], list[Any]]]
    )
    """By field, the newest list that was put together: its request, the ids of its messages, and the messages."""

    def take(self, found: Data, where: str) -> None:
        """Keep what a line says; KeyError and TypeError for one of another shape."""
        kind = found.get("type")
        if kind in STORED:
            self.values[found["id"]] = found["fields"] if kind == "head" else found["value"]
        elif kind == "request":
            for place, items in cast("Data", found.get("lists") or {}).items():
                self.lists[found["id"], place] = {"add": list(items["add"]), **_shared(items)}
            self.waiting[found["id"]] = _Waiting({**found, "program": self.program})
        elif kind in ("reply", "error"):
            self.waiting[found["request"]].end = found
        elif kind == "recording":
            if found.get("version") != VERSION:
                raise UnknownFormat(f"{where} is of version {found.get('version')}; this ctxlab reads {VERSION}")
            self.program = str(found.get("program", ""))
        else:
            self.on_loss(f"{where} is of the kind {str(kind)[:40]!r}, which is not known: left out")

    def ready(self, *, all_of_them: bool = False) -> Iterator[RawExchange]:
        """The exchanges that are whole, as long as no earlier one is still open."""
        while self.waiting:
            id = next(iter(self.waiting))
            if self.waiting[id].end is None and not all_of_them:
                return
            waited = self.waiting.pop(id)
            self.number += 1
            yield self.exchange(waited.request, waited.end or {})

    def exchange(self, request: Data, end: Data) -> RawExchange:
        notes = [*map(str, request.get("notes") or ()), *map(str, end.get("notes") or ())]
        try:
            body = self.body(request)
        except (KeyError, TypeError, ValueError, RecursionError):
            body = None
            notes.append(NO_BODY)
            self.on_loss(f"{self.name}, request {self.number}: {NO_BODY}")
        ended = end.get("ended")
        return RawExchange(
            id=str(request["id"]),
            number=self.number,
            time=str(request.get("time", "")),
            method=str(request.get("method", "")),
            url=str(request.get("url", "")),
            body=body,
            headers=_texts(request.get("headers")),
            status=end["status"] if isinstance(end.get("status"), int) else None,
            reply_headers=_texts(end.get("headers")),
            reply=end.get("reply"),
            events=tuple({"event": str(name), "data": data} for name, data in end.get("events") or ()),
            first_seconds=_seconds(end.get("first_seconds")),
            seconds=_seconds(end.get("seconds")),
            ended=cast("Ending", ended) if ended in get_args(Ending) else "unknown",
            error=str(end.get("error", "")),
            notes=tuple(notes),
            program=request["program"],
        )

    def body(self, request: Data) -> Any:
        """The JSON of a request, put together; KeyError where something that it points to isn't there."""
        if "head" in request:
            return self.fields(self.values[request["head"]], request["id"])
        return self.values[request["body"]] if "body" in request else None

    def fields(self, fields: list[Any], request: str) -> Data:
        return {name: self.value(about, request) for name, about in fields}

    def value(self, about: Data, request: str) -> Any:
        if "list" in about:
            return self.messages(request, about["list"])
        if "fields" in about:
            return self.fields(about["fields"], request)
        return self.values[about["part"]] if "part" in about else about["value"]

    def messages(self, request: str, place: str) -> list[Any]:
        """The messages of a list; the beginning that it shares with the list before is taken from there."""
        before, known, values = self.newest.get(place, ("", [], []))
        items = self.lists[request, place]
        keep: int = items.get("keep", 0)
        if keep and items["from"] == before and keep <= len(known):
            ids, found = known[:keep] + items["add"], values[:keep]
        else:
            ids, found = self.ids(request, place), []
        found += [self.values[id] for id in ids[len(found) :]]
        self.newest[place] = request, ids, found
        return [*found]

    def ids(self, request: str, place: str) -> list[str]:
        """The ids of a list's messages, gathered from the requests that had its beginnings."""
        pieces: list[list[str]] = []
        most: int | None = None
        seen: set[str] = set()
        while request not in seen:
            seen.add(request)
            items = self.lists[request, place]
            keep: int = items.get("keep", 0)
            if most is None or most > keep:
                pieces.append(items["add"] if most is None else items["add"][: most - keep])
                if most is not None and most - keep > len(items["add"]):
                    raise ValueError("a list is shorter than what is kept of it")
            most = keep if most is None else min(most, keep)
            if not most:
                return [id for piece in reversed(pieces) for id in piece]
            request = items["from"]
        raise ValueError("lists point to each other")


def _exchanges(path: Path, on_loss: Callable[[str], None]) -> Iterator[RawExchange]:
    reader = _Reader(path.name, on_loss)
    with path.open("rb") as lines:
        for number, written in enumerate(lines, 1):
            where = f"{path.name}, line {number}"
            if not written.strip():
                continue
            try:
                found = json.loads(written)
                reader.take(found, where)
            except (ValueError, RecursionError):
                on_loss(f"{where} is torn or no JSON: left out")
            except (KeyError, TypeError, AttributeError):
                on_loss(f"{where} doesn't have the shape of its kind, or names a request that isn't there: left out")
            yield from reader.ready()
    yield from reader.ready(all_of_them=True)


def _shared(items: Data) -> Data:
    keep, before = items.get("keep", 0), items.get("from", "")
    if not isinstance(keep, int) or keep < 0 or not isinstance(before, str):
        raise TypeError("keep is a number, from the id of a request")
    return {"keep": keep, "from": before} if keep else {}


def _texts(value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(name): str(text) for name, text in cast("Data", value).items()}


def _seconds(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

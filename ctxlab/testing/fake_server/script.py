"""Replies of the fake server as values, and scripts that say which request gets which."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields
from pathlib import Path
from typing import Any, Literal

from ctxlab.errors import BrokenFile, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.testing.fake_server.refusal import Refusal, Vendor

Finish = Literal["", "stop", "length", "filter"]
SHOWN = 80


@dataclass(frozen=True, slots=True)
class FakeCall:
    """A call of a tool; without an id the server makes one."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: str = ""


@dataclass(frozen=True, slots=True)
class FakeReply:
    """The answer to one request: a reply of a model, or an error where `status` isn't 200.

    `thinking` comes with a signature of the vendor's kind; `redacted` hides it. A stream has `piece_characters` at a
    time. `delay_seconds` go by before the reply, `pause_seconds` before each event of a stream. After `break_after`
    events the connection is cut (without a stream in the middle of the body); after `malformed_after` events comes one
    that is no JSON.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[FakeCall, ...] = ()
    finish: Finish = ""
    redacted: bool = False
    status: int = 200
    message: str = ""
    retry_after_seconds: float | None = None
    delay_seconds: float = 0
    pause_seconds: float = 0
    piece_characters: int = 12
    break_after: int | None = None
    malformed_after: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class FakeRequest:
    """A request as the server got it: its bytes, its JSON, its headers without keys, and what was wrong with it."""

    vendor: Vendor
    path: str
    model: str
    body: Any
    content: bytes
    headers: Mapping[str, str]
    streamed: bool = False
    refusals: tuple[Refusal, ...] = ()

    def __repr__(self) -> str:
        wrong = f", {len(self.refusals)} refusals" if self.refusals else ""
        return f"FakeRequest({self.vendor!r}, {self.path!r}, {len(self.content)} bytes{wrong})"


Reply = FakeReply | str
Script = Reply | Sequence[Reply] | Callable[[FakeRequest], Reply] | None
Answer = Callable[[FakeRequest], FakeReply]


def answers_of(script: Script) -> Answer:
    """The function that gives each request its reply: an echo, always the same one, one after the other, or one's own.

    A script that has come to its end answers with status 410, which no client tries again: a request too many is seen.
    """
    if script is None:
        return echo
    if isinstance(script, (FakeReply, str)):
        only = _reply(script)
        return lambda request: only
    if callable(script):
        return lambda request: _reply(script(request))
    return _in_order(tuple(map(_reply, script)))


def _reply(reply: Reply) -> FakeReply:
    return FakeReply(reply) if isinstance(reply, str) else reply


def _in_order(replies: tuple[FakeReply, ...]) -> Answer:
    waiting, lock = iter(replies), threading.Lock()
    ended = FakeReply(status=410, message=f"the script has only {len(replies)} replies")

    def answer(request: FakeRequest) -> FakeReply:
        with lock:
            return next(waiting, ended)

    return answer


def echo(request: FakeRequest) -> FakeReply:
    """A reply that says how many messages came, and the first words of the last one."""
    messages = messages_of(request.body)
    last = " ".join(" ".join(texts_of(messages[-1])).split()) if messages else ""
    counted = "1 message" if len(messages) == 1 else f"{len(messages)} messages"
    return FakeReply(f"I got {counted}. The last one: {last[:SHOWN]}")


def messages_of(body: Any) -> list[Any]:
    """The messages of a request of any vendor; a plain input is one message."""
    given = next((body[name] for name in ("messages", "input", "contents") if name in body), [])
    return given if isinstance(given, list) else [given]


def texts_of(value: Any) -> Iterator[str]:
    """The texts in a message, in their order, whatever the vendor."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, dict):
        for name in ("text", "content", "parts", "output", "thinking"):
            yield from texts_of(value.get(name))


def read_script(path: Path) -> tuple[FakeReply, ...]:
    """The replies of a JSON file: a list of texts and of objects with the fields of `FakeReply`."""
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise BrokenFile(f"{path.name} is no JSON: a script is a list of replies") from error
    if not isinstance(content, list) or not content:
        raise BrokenFile(f'{path.name} holds no list of replies, such as ["Hello", {{"status": 429}}]')
    return tuple(_read_reply(item, f"{path.name}, reply {number}") for number, item in enumerate(content, 1))


KINDS: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "thinking": (str,),
    "finish": (str,),
    "message": (str,),
    "redacted": (bool,),
    "calls": (list,),
    "status": (int,),
    "piece_characters": (int,),
    "break_after": (int, type(None)),
    "malformed_after": (int, type(None)),
    "retry_after_seconds": (int, float, type(None)),
    "delay_seconds": (int, float),
    "pause_seconds": (int, float),
}


def _read_reply(item: Any, where: str) -> FakeReply:
    if isinstance(item, str):
        return FakeReply(item)
    if not isinstance(item, dict):
        raise BrokenFile(f"{where} is neither a text nor an object")
    for name, value in item.items():
        if name not in KINDS:
            raise BrokenFile(
                f"{where} has no field {name!r}; {did_you_mean(name, [one.name for one in fields(FakeReply)])}"
            )
        kinds = KINDS[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise BrokenFile(f"{where}: {name} is not of the type that it takes")
    for low, name in ((100, "status"), (1, "piece_characters"), (0, "delay_seconds"), (0, "pause_seconds")):
        if item.get(name, low) < low:
            raise BrokenFile(f"{where}: {name} is at least {low}")
    if item.get("status", 200) > 599 or item.get("finish", "") not in ("", "stop", "length", "filter"):
        raise BrokenFile(f"{where}: status is at most 599, and finish one of stop, length and filter")
    values: dict[str, Any] = dict(item)
    values["calls"] = tuple(_read_call(call, where) for call in item.get("calls", []))
    return FakeReply(**values)


def _read_call(call: Any, where: str) -> FakeCall:
    if not isinstance(call, dict) or not isinstance(call.get("name"), str) or call.keys() - {"name", "arguments", "id"}:
        raise BrokenFile(f"{where}: a call has a name, arguments and an id")
    arguments, id = call.get("arguments", {}), call.get("id", "")
    if not isinstance(arguments, dict) or not isinstance(id, str):
        raise BrokenFile(f"{where}: the arguments of a call are an object, its id is a text")
    return FakeCall(call["name"], arguments, id)

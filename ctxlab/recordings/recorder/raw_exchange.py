"""One request and what came back, as they went over the line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from ctxlab.lazy_dataclass import dataclass

Ending = Literal["whole", "client", "broken", "stalled", "unreachable", "rubbish", "unknown"]
"""The end of an exchange: the reply came whole, the client hung up, the endpoint died in the middle, was silent for too
long, was never reached, answered something that is no HTTP; or the recording ends before the exchange did."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RawExchange:
    """One request of a program and the reply to it, without keys.

    `body` is the request's JSON, None where it had none. Within one reading, messages (and tool lists, system texts)
    that two bodies share are one and the same object, so that `is` tells them apart. `reply` is the JSON of a reply in
    one piece, or its text where it is no JSON; `events` are the events of a stream, as far as they came, each with
    `event` (its name, or "") and `data` (JSON, or a text where it is none); of a stream of JSON lines, each line is
    one. `time` is ISO 8601 in UTC; seconds count from there.
    """

    id: str
    number: int
    time: str
    method: str
    url: str
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    status: int | None = None
    reply_headers: Mapping[str, str] = field(default_factory=dict[str, str])
    reply: Any = None
    events: tuple[Mapping[str, Any], ...] = ()
    first_seconds: float | None = None
    seconds: float | None = None
    ended: Ending = "unknown"
    error: str = ""
    notes: tuple[str, ...] = ()
    program: str = ""

    def __repr__(self) -> str:
        status = self.status if self.status is not None else "no reply"
        return f"RawExchange({self.number}, {self.method!r}, {self.url!r}, {status}, {self.ended!r})"

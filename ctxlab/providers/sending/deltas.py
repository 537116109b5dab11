"""The pieces in which a reply comes, in words that are the same for every vendor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Words that were added to the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """Words that were added to the thoughts that people can read."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """An addition to a tool call: `index` says to which; `id` and `name` may be empty after the first piece."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


Delta = TextDelta | ThoughtDelta | CallDelta


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event of a stream: its JSON, and the name that it was sent under, if any."""

    data: Data
    name: str = ""


class ReplyAssembler(Protocol):
    """Puts the events of one stream together to the reply that the vendor would have sent in one piece."""

    def add(self, event: ServerEvent) -> tuple[Delta, ...]:
        """Take one event; gives what it added, for people to read. Raises SendFailed for an error of the vendor."""
        ...

    @property
    def complete(self) -> bool:
        """Whether the vendor has said that this is all."""
        ...

    def reply(self) -> Data:
        """The reply of what came so far, in the vendor's form of a reply in one piece."""
        ...


class ReplyInPieces(Protocol):
    """A reply on its way. Iterating gives what is added; `reply` is then the whole, or what came before it ended."""

    def __iter__(self) -> Iterator[Delta]: ...
    def reply(self) -> Data: ...
    def close(self) -> None:
        """Hang up, from any thread; the iteration ends soon after."""
        ...

"""One request of a recording: which messages of the tree it sent, under which head, and what came back."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ctxlab.display.guessed_names import WithHints
from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Session
from ctxlab.formats.requests.blocks import Data
from ctxlab.formats.requests.reply_usage import NO_USAGE, RecordedUsage
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.cache_marks import Mark, with_marks
from ctxlab.recordings.json_copy import copy_of
from ctxlab.recordings.request_head import RequestHead
from ctxlab.recordings.request_price import usd_of
from ctxlab.recordings.wire_bodies import SplitBody, whole_body
from ctxlab.wires import WireName

if TYPE_CHECKING:
    from ctxlab.context import Context
    from ctxlab.pipeline import Trace
    from ctxlab.prompt import Prompt, PromptMessage


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SentMessage:
    """A message that requests sent, once for all of them.

    `items` are its JSON as it was sent, without cache marks: one value, or the items of Responses that are one message.
    `nodes` are ids of the nodes that it became; its own `id` is that of the last, `parent` that of the message before.
    `first` is the number of the request that sent it first, 0 where none did; `depth` its number in the row, from 1.
    """

    id: str
    parent: str
    items: tuple[Any, ...]
    hash: bytes
    nodes: tuple[str, ...]
    first: int
    depth: int

    def __repr__(self) -> str:
        return f"SentMessage({self.id!r}, {self.depth}, first sent by request {self.first})"


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class SentTree:
    """The session of a recording, and what was sent of it by node; `model` is the one that was asked most often."""

    session: Session
    sent: Mapping[str, SentMessage]
    model: str = ""

    def way_to(self, leaf: str) -> tuple[SentMessage, ...]:
        """The messages from the first one to a leaf."""
        return tuple(self.new_below(leaf, ())[0])

    def new_below(self, leaf: str, known: Container[str]) -> tuple[list[SentMessage], str]:
        """The messages on the way to a leaf below the last one whose id is known, and that id, "" where none is."""
        new = list[SentMessage]()
        at = self.sent.get(leaf)
        while at is not None and at.id not in known:
            new.append(at)
            at = self.sent.get(at.parent)
        return new[::-1], at.id if at is not None else ""

    def __repr__(self) -> str:
        return f"SentTree({counted(len(self.sent), 'message')})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordedRequest(WithHints):
    """One request, as a program sent it or as its log tells of it.

    `number` counts from 1 in the order of the recording. `agent` is empty for the main agent, else a sub-agent's name;
    `parent` is then the id of the request that began it, None where that isn't known. `leaf` is the node of the last
    message that was sent. `reply` is the vendor's JSON, None where there was none. `time` is ISO 8601, `duration` in
    seconds. `whole` says whether the log has the whole body; else the messages are what the log has. `compaction` is
    what the log says of a compression that came just before.
    """

    tree: SentTree = field(repr=False)
    id: str
    number: int
    leaf: str
    head: RequestHead
    agent: str = ""
    parent: str | None = None
    time: str | None = None
    model: str = ""
    vendor: str = ""
    usage: RecordedUsage = NO_USAGE
    reply: Data | None = None
    duration: float | None = None
    whole: bool = False
    error: str = ""
    compaction: Data | None = None
    marks: Mapping[int, tuple[Mark, ...]] = field(default_factory=dict[int, tuple[Mark, ...]])
    head_marks: Mapping[int, tuple[Mark, ...]] = field(default_factory=dict[int, tuple[Mark, ...]])

    @property
    def sent(self) -> tuple[SentMessage, ...]:
        """The messages that were sent, those of the head left out; shared with other requests, so don't change them."""
        return self.tree.way_to(self.leaf)

    @property
    def messages(self) -> list[Any]:
        """The messages in the vendor's own form, those of the head first; cache marks are where they were."""
        split = self._split()
        return copy_of([*split.leading, *(item for unit in split.units for item in unit)])

    @property
    def payload(self) -> Data | None:
        """The body as it was sent; None where the log has only parts of it."""
        return copy_of(whole_body(self._split())) if self.whole else None

    def _split(self) -> SplitBody:
        head = self.head
        units = tuple(
            tuple(with_marks(item, self.marks.get(number, ())) if number in self.marks else item for item in unit.items)
            for number, unit in enumerate(self.sent)
        )
        leading = tuple(with_marks(item, self.head_marks.get(n, ())) for n, item in enumerate(head.leading))
        return SplitBody(head.wire, head.fields, head.place, head.shape, leading, units)

    @property
    def wire(self) -> WireName:
        """The form of the request: Chat, Responses, Anthropic's or Gemini's."""
        return self.head.wire

    @property
    def message_count(self) -> int:
        """Messages that were sent, those of the head too."""
        last = self.tree.sent.get(self.leaf)
        return len(self.head.leading) + (last.depth if last is not None else 0)

    @property
    def first_sent(self) -> tuple[SentMessage, ...]:
        """The messages that no request before has sent at this place, in order."""
        found = list[SentMessage]()
        at = self.tree.sent.get(self.leaf)
        while at is not None and at.first == self.number:
            found.append(at)
            at = self.tree.sent.get(at.parent)
        return tuple(found[::-1])

    @property
    def new_messages(self) -> int:
        """The number of messages that no request before has sent at this place."""
        return len(self.first_sent)

    @property
    def usd(self) -> float | None:
        """Dollars at list prices for input, cache and reply; None where the model's price or its usage isn't known."""
        return usd_of(self)

    @property
    def prompt(self) -> Prompt[PromptMessage]:
        """The prompt as a value like that of a run: tools, parameters and system texts as its head, then messages.

        Tokens are those of `recording.parts`, without what vendors add to each message.
        """
        from ctxlab.recordings.parts import parts_of

        return parts_of(self.tree).prompt(self)

    @property
    def trace(self) -> Trace:
        """A run that loads what was sent: system texts, then messages, as they are; made anew each time."""
        from ctxlab.recordings.request_trace import trace_of

        return trace_of(self)

    @property
    def context(self) -> Context:
        """The context that was sent, like one that was built; made anew each time."""
        return self.trace.result

    def row(self) -> Data:
        """The request as a row of a table."""
        usage = self.usage
        return {
            "number": self.number,
            "request": self.id,
            "agent": self.agent,
            "parent_request": self.parent,
            "time": self.time,
            "model": self.model,
            "vendor": self.vendor,
            "messages": self.message_count,
            "new_messages": self.new_messages,
            "input_tokens": usage.input,
            "cached_tokens": usage.cached,
            "written_tokens": usage.written,
            "output_tokens": usage.output,
            "reasoning_tokens": usage.reasoning,
            "usd": self.usd,
            "seconds": self.duration,
            "whole": self.whole,
            "error": self.error,
            "node": self.leaf,
        }

    def __repr__(self) -> str:
        parts = [repr(short(self.id)), repr(short(self.model or self.vendor)), counted(self.message_count, "message")]
        parts += [f"agent {plain(self.agent, 40)!r}"] if self.agent else []
        parts += [f"{self.usage.input:,} tokens"] if self.usage.input is not None else []
        parts += [f"error {plain(self.error, 60)!r}"] if self.error else []
        return f"RecordedRequest({', '.join(parts)})"

    def _repr_html_(self) -> str:
        return heading(self) + fields_table(self.row())

"""A recording in the making: a tree of messages to which requests are added, each message once.

Messages are looked up by the one before them and by their JSON, so that requests that begin alike share nodes, and
what is kept grows with what is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import is_, itemgetter
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.errors import ReadError
from ctxlab.formats.requests.blocks import Data
from ctxlab.formats.requests.replies import reply_message
from ctxlab.formats.results import Loss, Losses, counted_by_field
from ctxlab.formats.session_tree_builder import ROOT, Names, Tree
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.cache_marks import Mark, without_marks
from ctxlab.recordings.content_hash import hash_of
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage, SentTree
from ctxlab.recordings.recording import Recording
from ctxlab.recordings.request_head import RequestHead, read_head
from ctxlab.recordings.sent_nodes import NodeReader
from ctxlab.recordings.wire_bodies import SplitBody, split_body, units_of
from ctxlab.wires import WIRES, WireName

START = ROOT
"""The place before the first message."""
Marks = dict[int, tuple[Mark, ...]]


@dataclass(frozen=True, slots=True)
class _NewestBody:
    """The messages of the newest body with their nodes, so that those that the next one shares aren't looked up."""

    wire: WireName
    units: Sequence[tuple[Any, ...]]
    leaves: list[str]
    marked: frozenset[int]

    def shared_with(self, split: SplitBody) -> tuple[str, int]:
        """The node of the last message that is the very same object, and how many there are."""
        count = 0
        if split.wire == self.wire:
            firsts = (map(itemgetter(0), units) for units in (self.units, split.units))
            same = [*map(is_, *firsts)]
            count = same.index(False) if False in same else len(same)  # no loop of ours: all that is sent is looked at
            if WIRES[split.wire].in_items:
                pairs = zip(self.units[:count], split.units, strict=False)
                count = next((number for number, (a, b) in enumerate(pairs) if not len(a) == len(b) == 1), count)
            count = min([count, *self.marked])
        return (self.leaves[count - 1] if count else START), count


class RecordingBuilder:
    """Collects requests; `recording` gives what was collected."""

    def __init__(self, source: str, program: str = "", losses: Iterable[Loss] = ()) -> None:
        self.losses: list[Loss] = [*losses]
        self.program = program
        self.source = source
        self._tree = Tree()
        self._reader = NodeReader()
        self._sent: dict[str, SentMessage] = {}
        self._children: dict[tuple[str, bytes], SentMessage] = {}
        self._hashes: dict[int, bytes] = {}
        self._values: dict[bytes, Any] = {}
        self._heads: dict[bytes, RequestHead] = {}
        self._read: set[tuple[WireName, str, bytes]] = set()
        self._answered: set[str] = set()
        self._requests: list[RecordedRequest] = []
        self._names = Names()
        self._newest = _NewestBody("openai-chat", (), [], frozenset())
        self._nothing = SentTree(Session(), {})

    # --- messages

    def add(
        self, before: str, items: Sequence[Any], wire: WireName, *, place: str, name: str = "", time: Any = None
    ) -> str:
        """Add one message after another one; gives its node, which is there already where it was sent there before.

        `items` are its JSON, `place` where it stands for losses, `name` the wanted id of its node.
        """
        digest = self._hash(items)
        known = self._children.get((before, digest))
        if known is not None:
            return known.id
        number = len(self._sent)
        nodes, losses = self._reader.nodes_of(items, wire, str(number), place)
        self.losses += losses
        if isinstance(time, str):
            nodes = [{**node, "timestamp": time} for node in nodes]
        if nodes[0].get("role") == "assistant":
            self._answered.add(before)
        leaf, ids = before, list[str]()
        for count, fields in enumerate(nodes):
            wanted = name or f"m{number + 1}"
            leaf = self._tree.add(f"{wanted}-{count + 1}" if count else wanted, leaf, fields)
            ids.append(leaf)
        above = self._sent.get(before)
        depth = 1 if above is None else above.depth + 1
        message = SentMessage(leaf, before, tuple(items), digest, tuple(ids), 0, depth)
        self._sent[leaf] = self._children[before, digest] = message
        self._hashes |= {id(item): self._one_hash(item) for item in message.items if isinstance(item, dict)}
        return leaf

    def add_all(self, before: str, items: Sequence[Any], wire: WireName, *, place: str) -> str:
        """Add messages one after another; gives the node of the last."""
        for number, unit in enumerate(units_of(items, wire)):
            before = self.add(before, unit, wire, place=f"{place}[{number}]")
        return before

    def _hash(self, items: Sequence[Any]) -> bytes:
        return self._one_hash(items[0]) if len(items) == 1 else hash_of(*(self._one_hash(i).hex() for i in items))

    def _one_hash(self, item: Any) -> bytes:
        """The hash of a message; one that is kept is known by its identity, and is alive as long as this builder."""
        return self._hashes.get(id(item)) or hash_of(item)

    # --- heads

    def head(self, split: SplitBody, place: str = "") -> tuple[RequestHead, Marks]:
        """The head of a body, one for all that have the same; and the marks in its leading messages."""
        plain = [without_marks(message) for message in split.leading]
        leading = tuple(self._kept(message) for message, _ in plain)
        marks = {number: found for number, (_, found) in enumerate(plain) if found}
        fields = tuple((name, self._kept(value)) for name, value in split.fields)
        parts = [self._digest(value) for _, value in fields] + [self._digest(message) for message in leading]
        key = hash_of(split.wire, split.place, split.shape, [name for name, _ in fields], [p.hex() for p in parts])
        head = self._heads.get(key)
        if head is None:
            head = RequestHead(f"h{len(self._heads) + 1}", split.wire, fields, split.place, split.shape, leading)
            self._heads[key] = head
            self._head_losses(head, parts, place)
        return head, marks

    def head_of(self, wire: WireName, fields: Data | None = None) -> RequestHead:
        """The head that a log tells of: what it knows of the body's fields."""
        return self.head(SplitBody(wire, tuple((fields or {}).items()), 0, "list", (), ()))[0]

    def head_with(self, wire: WireName, leading: tuple[Any, ...], fields: Data | None = None) -> RequestHead:
        """The head of a log that knows system messages which stood before all others."""
        return self.head(SplitBody(wire, tuple((fields or {}).items()), 0, "list", leading, ()))[0]

    def _head_losses(self, head: RequestHead, parts: Sequence[bytes], place: str) -> None:
        """The losses of what no head before had."""
        names = [*[name for name, _ in head.fields], *["" for _ in head.leading]]
        values = [*[value for _, value in head.fields], *head.leading]
        new = [
            (name, value)
            for name, value, digest in zip(names, values, parts, strict=True)
            if (head.wire, name, digest) not in self._read
        ]
        self._read |= {(head.wire, name, digest) for name, digest in zip(names, parts, strict=True)}
        if new:
            fields, leading = {name: value for name, value in new if name}, tuple(v for name, v in new if not name)
            self.losses += [loss.inside(place) for loss in read_head(fields, leading, head.wire).losses]

    def _kept(self, value: Any) -> Any:
        """The value, or an equal one that is kept already."""
        if not isinstance(value, dict | list | str):
            return value
        known = self._hashes.get(id(value))
        if known is not None:
            return value
        digest = hash_of(value)
        found = self._values.setdefault(digest, value)
        self._hashes[id(found)] = digest
        return found

    def _digest(self, value: Any) -> bytes:
        return self._hashes.get(id(value)) or hash_of(value)

    # --- requests

    def body(self, body: Data, wire: WireName, *, whole: bool = True, **about: Any) -> RecordedRequest:
        """Add the request of a body, `whole` where it is as it was sent; `about` are fields of the request."""
        place = f"request {len(self._requests) + 1}"
        split = split_body(body, wire)
        head, head_marks = self.head(split, place)
        leaf, shared = self._newest.shared_with(split)
        marks: Marks = {}
        leaves = self._newest.leaves[:shared]
        for number, unit in enumerate(split.units[shared:], start=shared):
            plain = unit
            if len(unit) == 1 and id(unit[0]) not in self._hashes:
                message, found = without_marks(unit[0])
                plain, marks = ((message,), {**marks, number: found}) if found else (unit, marks)
            leaf = self.add(leaf, plain, wire, place=f"{place}, message {len(split.leading) + number + 1}")
            leaves.append(leaf)
        self._newest = _NewestBody(wire, split.units, leaves, frozenset(marks))
        return self.request(leaf, head, marks=marks, head_marks=head_marks, whole=whole, **about)

    def request(self, leaf: str, head: RequestHead, *, id: str = "", **about: Any) -> RecordedRequest:
        """Add a request that sent the messages up to a leaf; `about` are its other fields."""
        number = len(self._requests) + 1
        vendor = about.pop("vendor", "") or WIRES[head.wire].vendor
        request = RecordedRequest(
            self._nothing, self._names.take(id or f"r{number}"), number, leaf, head, vendor=vendor, **about
        )
        self._requests.append(request)
        return request

    def replayed(self, count: int, of: str) -> None:
        """Tell of answers that a fork only repeats: no requests of it, and what they used isn't counted again.

        `of` is the id of the session that it was forked from, "" where the log doesn't say it.
        """
        if count:
            them = counted(count, "answer is history", "answers are history")
            whose = f"session {of!r:.80}" if of else "another session"
            self.losses.append(
                Loss("", f"{them} of {whose}, from which this one was forked; their requests are counted there")
            )

    @property
    def request_count(self) -> int:
        """Requests so far."""
        return len(self._requests)

    def texts(self) -> Iterator[Any]:
        """All that requests sent, what came back, and what is told of them, as JSON values in no order."""
        for message in self._sent.values():
            yield message.id
            yield message.items
        for head in self._heads.values():
            yield [value for _, value in head.fields]
            yield head.leading
        for request in self._requests:
            yield from (request.id, request.agent, request.model, request.vendor, request.error, request.time)
            yield request.reply
            yield request.compaction
        yield from (self.program, self.source)

    # --- the end

    def recording(self, name: str | None = None) -> Recording:
        """The recording of all requests so far; last answers that no request sent again are nodes too."""
        ends = {request.leaf: self._answer(request) for request in self._requests}
        main = [request for request in self._requests if not request.agent] or self._requests
        leaf = ends[main[-1].leaf] if main else START
        self._tree.select(leaf)
        session = self._tree.session(self.source, leaf=leaf, name=name)
        asked = Counter(request.model for request in self._requests if request.model)
        tree = SentTree(session, self._with_first_requests(), max(asked, key=asked.__getitem__, default=""))
        requests = tuple(replace(request, tree=tree) for request in self._requests)
        return Recording(requests, session, Losses(counted_by_field(self.losses)), self.program, self.source)

    def _with_first_requests(self) -> dict[str, SentMessage]:
        """The messages with the number of the request that sent each first."""
        first: dict[str, int] = {}
        for request in self._requests:
            at = self._sent.get(request.leaf)
            while at is not None and at.id not in first:
                first[at.id] = request.number
                at = self._sent.get(at.parent)
        return {id: replace(message, first=first.get(id, 0)) for id, message in self._sent.items()}

    def _answer(self, request: RecordedRequest) -> str:
        """The node of the answer, where no request has sent it again; else the leaf."""
        if request.reply is None or request.leaf in self._answered:
            return request.leaf
        try:
            found = reply_message(request.reply, VENDOR_OF_REPLY.get(request.head.wire, request.head.wire))
        except ReadError as error:
            self.losses.append(Loss(f"request {request.number}, reply", str(error)))
            return request.leaf
        self._answered.add(request.leaf)
        self.losses += [loss.inside(f"request {request.number}, reply") for loss in found.losses]
        leaf = request.leaf
        for count, fields in enumerate(found.nodes):
            wanted = f"{request.id}-reply"
            leaf = self._tree.add(f"{wanted}-{count + 1}" if count else wanted, leaf, fields)
        return leaf


VENDOR_OF_REPLY = {"openai-chat": "openai"}
"""Names of vendors whose replies are in a form with another name."""

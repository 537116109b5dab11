"""A recording or a run as rules look at it: its messages in the order in which they were first sent, and their cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ctxlab.display.one_line import plain
from ctxlab.documents import MessageNode
from ctxlab.prompt import PromptPart
from ctxlab.recordings.findings.carried_tokens import CarriedTokens, price_of_input
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Checked
from ctxlab.recordings.findings.parts_of_run import PartsOfRun
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage
from ctxlab.recordings.request_head import RequestHead

if TYPE_CHECKING:
    from ctxlab.local_models.template_source import TemplateSource
    from ctxlab.pipeline import Trace
    from ctxlab.recordings.recording import Recording
    from ctxlab.rendering import RenderedPrompt
    from ctxlab.studies import LoreTimeline


Cost = tuple[int, float | None]
"""Tokens over all requests, and their price in dollars, None where it isn't known."""


RETRIEVED: Final = ("knowledge", "attachment", "transcript")
"""Origins of text in a run that nobody in the conversation has written."""
PUT_IN: Final = ("preset", "lore")
"""Origins of text in a run in which macros are meant to be filled."""


class RequestStep(NamedTuple):
    """Two requests of an agent, one after the other; `shared` is the last message that both have, "" where none is."""

    before: RecordedRequest
    request: RecordedRequest
    shared: str


class CheckedContext:
    """A recording, or a run as a recording of one request, with what several rules need, each worked out once.

    `kind` is what is checked. Of a run `trace` is the run, the ids of messages are its keys, and `lore_timeline` gives
    the lore message by message, where there is any; `model` has the chat template of its text, by default the one that
    the run was built for. `nodes` are all messages in the order in which they were first
    sent, each answer that no request sent again behind the request that it answers.
    """

    def __init__(
        self,
        recording: Recording,
        kind: Checked = "recording",
        trace: Trace | None = None,
        lore_timeline: Callable[[], LoreTimeline] | None = None,
        model: TemplateSource | None = None,
    ) -> None:
        self.recording, self.kind, self.trace, self.lore_timeline = recording, kind, trace, lore_timeline
        self._model = model
        self.requests = recording.requests
        self.parts = recording.parts if trace is None else PartsOfRun(recording, trace)
        self.sent = recording.tree.sent
        self._message_of = {id: message for message in self.sent.values() for id in message.nodes}
        self._request_of: dict[str, RecordedRequest] = {}
        self.nodes: tuple[str, ...] = tuple(self._in_order())
        self.number = {id: number for number, id in enumerate(self.nodes)}

    def __repr__(self) -> str:
        return f"CheckedContext({self.kind}, {self.recording!r})"

    def _in_order(self) -> Iterator[str]:
        answers: dict[str, list[str]] = {}
        for id, node in self.recording.session.nodes.items():
            if id not in self._message_of and node.parent_id is not None:
                answers.setdefault(node.parent_id, []).append(id)
        for request in self.requests:
            for message in request.first_sent:
                for id in message.nodes:
                    self._request_of[id] = request
                    yield id
            waiting = answers.pop(request.leaf, [])
            while waiting:
                id = waiting.pop(0)
                self._request_of[id] = request
                yield id
                waiting = answers.pop(id, []) + waiting

    # --- the text for a model

    @property
    def is_rendered(self) -> bool:
        """Whether the text is known that a chat template makes of a run."""
        return self._template_source is not None

    @cached_property
    def rendered(self) -> RenderedPrompt | None:
        """The text that the chat template of a run's model makes of it; None where it has none."""
        if self.trace is None or self._template_source is None:
            return None
        from ctxlab.rendering import rendered

        return rendered(self.trace, self._template_source)

    @cached_property
    def _template_source(self) -> TemplateSource | None:
        if self.trace is None or self._model is not None:
            return self._model
        from ctxlab.rendering.model_of_run import model_of_run

        return model_of_run(self.trace)

    # --- the tree

    def node(self, id: str) -> MessageNode:
        """A message by its id."""
        return self.recording.session.nodes[id]  # type: ignore[index]

    def parts_of(self, id: str) -> tuple[PromptPart, ...]:
        """The parts of a message."""
        return self.parts.of_node(id)

    def all_parts(self) -> Iterator[PromptPart]:
        """The parts of all messages, in order."""
        for id in self.nodes:
            yield from self.parts.of_node(id)

    @cached_property
    def heads(self) -> dict[str, tuple[RequestHead, RecordedRequest]]:
        """The heads by id, each with the first request that had it."""
        found: dict[str, tuple[RequestHead, RecordedRequest]] = {}
        for request in self.requests:
            found.setdefault(request.head.id, (request.head, request))
        return found

    def is_above(self, first: str, second: str) -> bool:
        """Whether a message stands before another one in every request that has that other one."""
        one, other = self._message_of.get(first), self._message_of.get(second)
        if one is None or other is None:
            return False
        if one is other:
            return one.nodes.index(first) < one.nodes.index(second)
        return self.parts.tree.is_above(one.id, other.id)

    @cached_property
    def steps(self) -> tuple[RequestStep, ...]:
        """Each request with the one before it in the same agent, and the last message that both have."""
        newest: dict[str, RecordedRequest] = {}
        found: list[RequestStep] = []
        for request in self.requests:
            before = newest.get(request.agent)
            if before is not None and request.leaf in self.sent and before.leaf in self.sent:
                found.append(RequestStep(before, request, self.parts.tree.common(before.leaf, request.leaf)))
            newest[request.agent] = request
        return tuple(found)

    @cached_property
    def answers_up_to(self) -> dict[str, int]:
        """By sent message, the answers of the assistant on the way to it, itself included."""
        found = {"": 0}
        for id, message in self.sent.items():
            own = sum(self.node(node).role == "assistant" for node in message.nodes)
            found[id] = found.get(message.parent, 0) + own
        return found

    @cached_property
    def call_of(self) -> dict[str, PromptPart]:
        """By the id of a result's message, the call above it that it answers."""
        asked: dict[str, list[PromptPart]] = {}
        found: dict[str, PromptPart] = {}
        for id in self.nodes:
            answered = self.node(id).result_of
            if answered is not None:
                calls = reversed(asked.get(answered, []))
                call = next((call for call in calls if self.is_above(call.key, id)), None)
                if call is not None:
                    found[id] = call
            for part in self.parts_of(id):
                if part.source == "calls":
                    asked.setdefault(part.call, []).append(part)
        return found

    # --- requests and cost

    def request_of(self, id: str) -> RecordedRequest:
        """The request that sent a message first, or that it answers."""
        return self._request_of[id]

    def answers_to(self, request: RecordedRequest) -> list[str]:
        """The assistant's messages right behind the last message of a request; none for one that comes again."""
        if request is not self._first_with_leaf.get(request.leaf):
            return []
        return self._answers.get(request.leaf, [])

    @cached_property
    def _answers(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for id in self.nodes:
            node = self.node(id)
            if node.role == "assistant" and node.parent_id is not None:
                found.setdefault(node.parent_id, []).append(id)
        return found

    @cached_property
    def _first_with_leaf(self) -> dict[str, RecordedRequest]:
        return {request.leaf: request for request in reversed(self.requests)}

    @cached_property
    def retrieved(self) -> dict[str, list[tuple[int, int]]]:
        """By key of a run's message, the stretches that are from knowledge bases and files."""
        return self._stretches(RETRIEVED)

    @cached_property
    def put_in(self) -> dict[str, list[tuple[int, int]]]:
        """By key of a run's message, the stretches that are of presets and lore, merged with others or alone."""
        return self._stretches(PUT_IN)

    def _stretches(self, kinds: tuple[str, ...]) -> dict[str, list[tuple[int, int]]]:
        found: dict[str, list[tuple[int, int]]] = {}
        for draft in self.trace.result.drafts if self.trace is not None else ():
            at = 0
            for span in draft.text.spans:
                start, at = at, at + len(span.text)
                if span.origin.kind not in kinds:
                    continue
                stretches = found.setdefault(draft.key, [])
                if stretches and stretches[-1][1] == start:
                    start = stretches.pop()[0]
                stretches.append((start, at))
        return found

    def prices(self, request: RecordedRequest) -> tuple[float, float] | None:
        """Dollars for a token of input and for a cached one; None where no price is known."""
        return price_of_input(request)

    def is_sent(self, id: str) -> bool:
        """Whether a request sent the message; the last answers were not sent."""
        return id in self._message_of

    @cached_property
    def carried(self) -> CarriedTokens:
        """Counts of requests by message, with prices."""
        return CarriedTokens(self.recording, self.parts)

    def message(self, id: str) -> SentMessage:
        """The sent message that a node is of."""
        return self._message_of[id]

    def times(self, id: str) -> int:
        """Number of requests that sent a message."""
        message = self._message_of.get(id)
        return self.carried.count[message.id] if message is not None else 0

    def cost(self, parts: Iterable[PromptPart]) -> Cost:
        """Tokens of parts of messages over all requests that sent them, with their price."""
        return self.cost_of((part.key, part.tokens) for part in parts)

    def cost_of(self, counts: Iterable[tuple[str, int]]) -> Cost:
        """Tokens and price by messages' ids, each with the number of its tokens that is meant."""
        tokens, usd = 0, 0.0
        known = True
        for id, count in counts:
            message = self._message_of.get(id)
            if message is None:
                continue
            tokens += count * self.carried.count[message.id]
            price = self.carried.usd(message.id, count)
            known = known and price is not None
            usd += price or 0.0
        return tokens, usd if known and tokens else None

    def cost_after_first(self, part: PromptPart) -> Cost:
        """Tokens of a part over all requests but the first that sent it, with their price."""
        tokens, usd = self.cost([part])
        first = price_of_input(self.request_of(part.key))
        later = max(0, tokens - part.tokens)
        if usd is None or first is None or not later:
            return later, None
        return later, max(0.0, usd - first[0] * part.tokens)

    def head_cost(self, head: RequestHead, wanted: Iterable[PromptPart]) -> Cost:
        """Tokens of some parts of a head over all requests that had it, with their price."""
        chosen, parts = [*wanted], self.parts.of_head(head)
        tokens = sum(part.tokens for part in chosen) * self.carried.of_head(head.id)
        return tokens, self.carried.usd_of_head(head.id, parts, chosen) if tokens else None

    def tokens(self, text: str) -> int:
        """Tokens of a text."""
        return self.parts.tokenizer.count(text)

    # --- places and words

    def place(self, id: str, start: int | None = None, end: int | None = None, name: str = "") -> FindingPlace:
        """A place in a message, with the request that sent it first."""
        return FindingPlace(self.request_of(id).id, id, start, end, name)

    def head_place(self, request: RecordedRequest, part: PromptPart, start: int, end: int) -> FindingPlace:
        """A place in a part of a request's head: in the system text of a number, or a tool, in which none is told."""
        if part.source != "system":
            return FindingPlace(request.id, name=quoted_name(part.name))
        texts = [each for each in self.parts.of_head(request.head) if each.source == "system"]
        number = next((number for number, each in enumerate(texts, start=1) if each is part), 1)
        return FindingPlace(request.id, "", start, end, f"system text {number}")

    def place_of(self, part: PromptPart) -> FindingPlace:
        """The place of a part of a message."""
        end = None if part.start is None else part.start + len(part.text)
        return self.place(part.key, part.start, end, quoted_name(part.name))


def added(costs: Iterable[Cost]) -> Cost:
    """Costs together; no price where one of them has none."""
    found = [cost for cost in costs if cost[0]]
    prices = [usd for _, usd in found]
    known = [usd for usd in prices if usd is not None]
    return sum(tokens for tokens, _ in found), sum(known) if found and len(known) == len(prices) else None


def quoted(text: str, cells: int = 60) -> str:
    """The first words of a text in quotes, on one line, with what looks like a key masked."""
    return f"“{plain(text, cells)}”"


def quoted_name(text: str, cells: int = 60) -> str:
    """A name or a path on one line, with what looks like a key masked."""
    return plain(text, cells)


def listed_names(names: Iterable[str], most: int = 6) -> str:
    """Names with commas between, the first few, and how many more there are."""
    found = [quoted_name(name) for name in names]
    more = len(found) - most
    return ", ".join(found[:most]) + (f" and {more:,} more" if more > 0 else "")


def field_text(value: Any) -> str:
    """A field that should be a text; "" where it is something else."""
    return value if isinstance(value, str) else ""

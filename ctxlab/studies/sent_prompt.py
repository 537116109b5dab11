"""Messages as they are sent, part by part, and what was taken out, at the places where it stood."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxlab.context import Draft, Text
from ctxlab.display.data_frame import frame_of
from ctxlab.display.one_line import plain
from ctxlab.display.source_styles import OF_KIND, OF_PART, OVERHEAD
from ctxlab.documents import MessageNode
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.cut_causes import cut_causes
from ctxlab.pipeline.explain.merged_parts import Piece, pieces
from ctxlab.pipeline.explain.token_breakdown import parts_alone, source_of
from ctxlab.pipeline.remedies import Remedy, remedies
from ctxlab.pipeline.services import TokenCounter
from ctxlab.studies.sent_facts import SentFacts

if TYPE_CHECKING:
    import pandas as pd

EXCERPT = 160
COLUMNS = ("key", "state", "number", "part", "role", "source", "name", "how", "tokens", "start", "end", "text")


class Place(NamedTuple):
    """The place right before part `part` of message `message`, both counted from 0."""

    message: int
    part: int


@dataclass(frozen=True, slots=True, eq=False)
class SentPart:
    """One of the messages that a sent message was made of, characters `start` up to `end` of it; often the only one.

    `source` is the source whose colour and sign it has, `name` what a person calls it, `how` says how it came there.
    `tokens` are those of its words, calls and files. `draft` is the message as it last stood alone, if it ever did.
    """

    key: str
    source: str
    name: str
    how: str
    tokens: int
    start: int
    text: Text
    seam: str
    draft: Draft | None

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def as_data(self) -> dict[str, Any]:
        names = ("key", "source", "name", "how", "tokens", "start", "end")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True, eq=False)
class SentMessage:
    """A message as the model reads it. The tokens of its parts with `joins` and `overhead` are `tokens`.

    `joins` is what stands between the parts, `overhead` what the wire format adds to each message.
    """

    draft: Draft
    parts: tuple[SentPart, ...]
    tokens: int
    joins: int
    overhead: int

    def as_data(self) -> dict[str, Any]:
        return {
            "key": self.draft.key,
            "role": self.draft.role,
            "text": str(self.draft.text),
            **{name: getattr(self, name) for name in ("tokens", "joins", "overhead")},
            "parts": [part.as_data() for part in self.parts],
        }


@dataclass(frozen=True, slots=True, eq=False)
class CutMessage:
    """A message that is not sent. It stood at `place`, right before that part; `why` is its own cause as a sentence.

    `fits_not` says that it went for want of room, `is_border` that the cut began at it; `rule` is the rule by which it
    went. `tokens` are those that it would cost in the request, as in `trace.cuts()`: its words, calls and files, and
    the overhead of a message.
    """

    draft: Draft
    source: str
    name: str
    why: str
    rule: str
    fits_not: bool
    is_border: bool
    tokens: int
    place: Place
    _remedy: Callable[[], Remedy | None] = field(default=lambda: None, repr=False)

    @property
    def key(self) -> str:
        return self.draft.key

    @property
    def excerpt(self) -> str:
        """Its first words on one line."""
        text = self.draft.text
        return plain(str(text.cut(0, 2 * EXCERPT)) if len(text) > 2 * EXCERPT else str(text), EXCERPT)

    @property
    def remedy(self) -> Remedy | None:
        """The smallest change of settings that keeps it, with its price; found for all of them at first use."""
        return self._remedy()

    def as_data(self) -> dict[str, Any]:
        names = ("key", "source", "name", "why", "fits_not", "is_border", "tokens", "excerpt")
        data = {name: getattr(self, name) for name in names}
        remedy = self.remedy
        return {**data, "role": self.draft.role, "place": [*self.place], "remedy": remedy and remedy.as_data()}


@dataclass(frozen=True, slots=True, eq=False)
class SentPrompt:
    """The messages of a run as they are sent, and those that aren't, in the order of their places.

    The tokens of all messages and `request_tokens` are `tokens`.
    """

    messages: tuple[SentMessage, ...]
    cut: tuple[CutMessage, ...]
    tokens: int
    request_tokens: int
    estimated: bool = False
    stopped_at: str | None = None
    """Id of the step at which the run stopped: the messages are those before it, and nothing is sent."""

    def __repr__(self) -> str:
        return f"SentPrompt({len(self.messages)} messages, {self.tokens:,} tokens, {len(self.cut)} not sent)"

    def _repr_html_(self) -> str:
        from ctxlab.studies.html import sent_html

        return sent_html(self)

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data: messages with their parts, and what was cut with the price of keeping it."""
        return {
            "tokens": self.tokens,
            "stopped_at": self.stopped_at,
            "request_tokens": self.request_tokens,
            "messages": [message.as_data() for message in self.messages],
            "cut": [each.as_data() for each in self.cut],
        }

    def frame(self) -> pd.DataFrame:
        """One row a part of a message in the order in which they are sent, then one a message that isn't sent.

        `number` counts messages from 0, `part` the parts of one; `how` says how it came, or why it isn't sent.
        `tokens` of a part are without the overhead of its message, those of what isn't sent with it, as in `cuts()`.
        """
        sent = (
            {"state": "sent", "number": number, "part": n, "role": message.draft.role, **part.as_data(), "text": words}
            for number, message in enumerate(self.messages)
            for n, part in enumerate(message.parts)
            for words in (str(part.text),)
        )
        cut = (
            {"state": "cut", "how": each.why, "role": each.draft.role, "text": str(each.draft.text), **_named(each)}
            for each in self.cut
        )
        return frame_of((*sent, *cut), COLUMNS).astype(dict.fromkeys(("number", "part", "start", "end"), "Int64"))


def sent_prompt(trace: Trace) -> SentPrompt:
    """The messages that a run sends, with their parts, where these are from and how they came, and what was cut."""
    facts, counter, alone = SentFacts(trace), trace.services.tokenizer, parts_alone(trace)
    messages = tuple([_message(draft, alone, facts, counter) for draft in trace.result.drafts])
    return SentPrompt(
        messages,
        tuple(_cut(trace, messages, facts)),
        trace.tokens,
        trace.request_tokens,
        trace.estimated,
        trace.stopped_at,
    )


def _message(draft: Draft, alone: Mapping[str, Draft], facts: SentFacts, counter: TokenCounter) -> SentMessage:
    tokens, overhead = counter.count_draft(draft), counter.message_tokens
    parts = tuple([_part(piece, draft, alone, facts, counter) for piece in pieces(draft)])
    return SentMessage(draft, parts, tokens, tokens - overhead - sum(part.tokens for part in parts), overhead)


def _part(piece: Piece, whole: Draft, alone: Mapping[str, Draft], facts: SentFacts, counter: TokenCounter) -> SentPart:
    known = alone.get(piece.part.key) if whole.merged else whole
    beside = 0 if known is None else counter.count_draft(known) - counter.message_tokens - _words(known, counter)
    by_kind = OF_KIND.get(piece.part.origin.kind, OVERHEAD)
    return SentPart(
        key=piece.part.key,
        source=by_kind if known is None else OF_PART[source_of(known)],
        name=facts.name(piece.part.key, known, str(piece.text)),
        how=facts.how(piece.part.key, piece.part.origin, known, piece.text),
        tokens=counter.count(str(piece.text)) + beside,
        start=piece.start,
        text=piece.text,
        seam=piece.seam,
        draft=known,
    )


def _words(draft: Draft, counter: TokenCounter) -> int:
    return counter.count(str(draft.text))


# --- what is not sent


def _cut(trace: Trace, messages: tuple[SentMessage, ...], facts: SentFacts) -> Iterator[CutMessage]:
    sent = {part.key for message in messages for part in message.parts}
    groups = ((draft, group) for group in trace.result.dropped for draft in group.drafts)
    gone = {draft.key: (draft, group) for draft, group in groups if draft.key not in sent}
    causes = cut_causes(trace)
    places = _places(trace, messages, {key: draft for key, (draft, _) in gone.items()})
    found = cache(lambda: remedies(trace, list(gone)))
    counter = trace.services.tokenizer
    order = {f"node:{node.id}": i for i, node in enumerate(_path(trace))}
    for key in sorted(places, key=lambda key: (places[key], order.get(key, -1))):
        draft, group = gone[key]
        yield CutMessage(
            draft=draft,
            source=OF_PART[source_of(draft)],
            name=facts.name(key, draft, str(draft.text)),
            why=causes[key],
            rule=group.cause.rule,
            fits_not=group.needed is not None,
            is_border=key in group.border,
            tokens=counter.count_draft(draft),
            place=places[key],
            _remedy=lambda key=key: found().get(key),
        )


def _places(trace: Trace, messages: tuple[SentMessage, ...], gone: Mapping[str, Draft]) -> dict[str, Place]:
    """By key, where each message that isn't sent stood: after all those before it that are sent.

    Not after the nearest alone, since a system message that is sent at the top may be the nearest.
    What never stood among the messages has the place that the conversation gives it, anything else the end.
    """
    after: dict[str, Place] = {}
    for m, message in enumerate(messages):
        for p, part in enumerate(message.parts):
            after[part.key] = Place(m, p + 1) if p + 1 < len(message.parts) else Place(m + 1, 0)
    found: dict[str, Place] = {}
    for step in trace.steps:
        if len(found) == len(gone):
            break
        if step.after.drafts is step.before.drafts:
            continue
        there = {draft.key for draft in step.after.drafts}
        at = Place(0, 0)
        for draft in step.before.drafts:
            at = max([at, *(after[part.key] for part in draft.parts if part.key in after)])
            if draft.key in gone and draft.key not in there:
                found[draft.key] = at
    rest = [key for key in gone if key not in found]
    return found | _by_path(trace, rest, after, Place(len(messages), 0)) if rest else found


def _by_path(trace: Trace, keys: Iterable[str], after: Mapping[str, Place], end: Place) -> dict[str, Place]:
    """Places of messages that never stood among the others: by their path, else the end."""
    path = [f"node:{node.id}" for node in _path(trace)]
    first = next((_before(after[key], after) for key in path if key in after), end)
    places: dict[str, Place] = {}
    at = first
    for key in path:
        at = max(at, after.get(key, at))
        places[key] = at
    return {key: places.get(key, end) for key in keys}


def _path(trace: Trace) -> Sequence[MessageNode]:
    session, leaf = trace.start.input.session, trace.start.input.leaf_id
    return session.path(leaf) if leaf in session.nodes else ()


def _before(place: Place, after: Mapping[str, Place]) -> Place:
    """The place before the part that this place follows."""
    earlier = [each for each in after.values() if each < place]
    return max(earlier, default=Place(0, 0))


def _named(each: CutMessage) -> dict[str, Any]:
    return {name: getattr(each, name) for name in ("key", "source", "name", "tokens")}

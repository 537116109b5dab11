"""Messages as they are sent, part by part, and what was taken out, at the places where it stood."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxlab.context import Draft
from ctxlab.display.data_frame import frame_of
from ctxlab.display.one_line import plain
from ctxlab.display.source_styles import OF_PART
from ctxlab.documents import MessageNode
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.cut_causes import cut_causes
from ctxlab.pipeline.remedies import Remedy, remedies
from ctxlab.prompt import BuiltMessage, JoinedMessage, Prompt
from ctxlab.prompt.built_message import source_of
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

    `names` are what a person calls a part, `hows` how it came to its place, in words, both by key.
    """

    prompt: Prompt[BuiltMessage]
    names: Mapping[str, str]
    hows: Mapping[str, str]
    estimated: bool = False
    stopped_at: str | None = None
    """Id of the step at which the run stopped: the messages are those before it, and nothing is sent."""
    _cut: Callable[[], tuple[CutMessage, ...]] = field(default=tuple, repr=False)

    @property
    def cut(self) -> tuple[CutMessage, ...]:
        """The messages that aren't sent; found, and counted, at first use."""
        return self._cut()

    @property
    def messages(self) -> tuple[BuiltMessage, ...]:
        return self.prompt.messages

    @property
    def tokens(self) -> int:
        return self.prompt.tokens

    @property
    def request_tokens(self) -> int:
        """Tokens beside those of the messages."""
        return self.prompt.tools_tokens + self.prompt.overhead_tokens

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
            "messages": [self._message(message) for message in self.messages],
            "cut": [each.as_data() for each in self.cut],
        }

    def part(self, part: JoinedMessage) -> dict[str, Any]:
        """A part as JSON data, without its words: `source` is the one whose colour and sign it has."""
        names = {"key": part.key, "source": part.look, "name": self.names[part.key], "how": self.hows[part.key]}
        return {**names, "tokens": part.tokens, "start": part.start, "end": part.end}

    def _message(self, message: BuiltMessage) -> dict[str, Any]:
        return {
            "key": message.key,
            "role": message.role,
            "text": str(message.draft.text),
            **{name: getattr(message, name) for name in ("tokens", "joins", "overhead")},
            "parts": [self.part(part) for part in message.joined],
        }

    def frame(self) -> pd.DataFrame:
        """One row a part of a message in the order in which they are sent, then one a message that isn't sent.

        `number` counts messages from 0, `part` the parts of one; `how` says how it came, or why it isn't sent.
        `tokens` of a part are without the overhead of its message, those of what isn't sent with it, as in `cuts()`.
        """
        sent = (
            {"state": "sent", "number": number, "part": n, "role": part.role, **self.part(part), "text": str(part.text)}
            for number, message in enumerate(self.messages)
            for n, part in enumerate(message.joined)
        )
        cut = (
            {"state": "cut", "how": each.why, "role": each.draft.role, "text": str(each.draft.text), **_named(each)}
            for each in self.cut
        )
        return frame_of((*sent, *cut), COLUMNS).astype(dict.fromkeys(("number", "part", "start", "end"), "Int64"))


def sent_prompt(trace: Trace) -> SentPrompt:
    """The messages that a run sends, with their parts, where these are from and how they came, and what was cut."""
    facts, prompt = SentFacts(trace), trace.prompt
    parts = [each for message in prompt.messages for each in message.joined]
    return SentPrompt(
        prompt,
        {part.key: facts.name(part.key, part.alone, str(part.text)) for part in parts},
        {part.key: facts.how(part.key, part.origin, part.alone, part.text) for part in parts},
        trace.estimated,
        trace.stopped_at,
        cache(lambda: tuple(_cut(trace, prompt.messages, facts))),
    )


# --- what is not sent


def _cut(trace: Trace, messages: tuple[BuiltMessage, ...], facts: SentFacts) -> Iterator[CutMessage]:
    sent = {part.key for message in messages for part in message.joined}
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


def _places(trace: Trace, messages: tuple[BuiltMessage, ...], gone: Mapping[str, Draft]) -> dict[str, Place]:
    """By key, where each message that isn't sent stood: after all those before it that are sent.

    Not after the nearest alone, since a system message that is sent at the top may be the nearest.
    What never stood among the messages has the place that the conversation gives it, anything else the end.
    """
    after: dict[str, Place] = {}
    for m, message in enumerate(messages):
        for p, part in enumerate(message.joined):
            after[part.key] = Place(m, p + 1) if p + 1 < len(message.joined) else Place(m + 1, 0)
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

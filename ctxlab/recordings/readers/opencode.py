"""OpenCode's sessions as requests: one for each step of an answer. What it exports, and what it stores.

A request sent the messages of the session so far. After a compression it begins anew with the question for a
summary, the summary, and the messages that were kept; results that were cleared later are whole until then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kind_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.readers.cline import time_of
from ctxlab.recordings.readers.opencode_messages import (
    NOT_SENT,
    STANDS_FOR,
    StoredMessage,
    error_of,
    number_in,
    said_by_user,
    said_in_step,
    stored_message,
    usage_of,
)
from ctxlab.recordings.request_head import RequestHead

PROGRAM: Final = "OpenCode"
READ: Final = NOT_SENT | {"text", "reasoning", "tool", "file", *STANDS_FOR}


def sniff(data: Any) -> bool:
    """Whether it is a session that `opencode export` wrote."""
    fields = fields_of(data)
    return "id" in fields_of(fields.get("info")) and (
        fields.get("messages") == [] or mostly(fields.get("messages"), _is_message)
    )


def _is_message(value: Any) -> bool:
    fields = fields_of(value)
    return "role" in fields_of(fields.get("info")) and isinstance(fields.get("parts"), list)


def read(source: Source, builder: RecordingBuilder) -> None:
    """The requests of an exported session."""
    data = fields_of(source.data)
    found = [fields_of(message) for message in items_of(data.get("messages"))]
    messages = [stored_message(message.get("info"), message.get("parts")) for message in found]
    add_sessions(builder, [StoredSession(fields_of(data.get("info")), tuple(messages))])


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session with its messages in their order; a sub-agent's has the id of the one above."""

    info: Data
    messages: tuple[StoredMessage, ...]

    @property
    def id(self) -> str:
        return str(self.info.get("id") or "")

    @property
    def forked_at(self) -> float:
        """The time at which the session began; messages from before were copied, with their times."""
        return number_in(fields_of(self.info.get("time")), "created") or number_in(self.info, "time_created")

    @property
    def forked_from(self) -> str:
        """The session that the fork names; "" where it names none, as in older versions."""
        named = self.info.get("forkedFrom") or self.info.get("forked_from")
        return named if isinstance(named, str) else ""


@dataclass(frozen=True, slots=True)
class _Planned:
    """A request that is known, on its way to its place by time."""

    created: float
    leaf: str
    head: RequestHead
    about: Data
    begins: tuple[str, ...]
    """Ids of the sessions that its calls began."""


def add_sessions(builder: RecordingBuilder, sessions: Sequence[StoredSession]) -> None:
    """Add the requests of a session, the first one, and of those of its sub-agents, by time."""
    builder.program = PROGRAM
    planned: list[tuple[str, _Planned]] = []
    for number, session in enumerate(sessions):
        requests = [*_Walk(builder, session, is_main=number == 0).requests()]
        own = [request for request in requests if request.created >= session.forked_at]
        builder.replayed(len(requests) - len(own), session.forked_from)
        planned += [(session.id, request) for request in own]
    planned.sort(key=lambda item: item[1].created)
    began: dict[str, str] = {}
    for session, request in planned:
        made = builder.request(request.leaf, request.head, parent=began.get(session), **request.about)
        began |= {begun: made.id for begun in request.begins if begun not in began}
    _add_losses(builder, sessions, began)


def _add_losses(builder: RecordingBuilder, sessions: Sequence[StoredSession], began: Mapping[str, str]) -> None:
    parts = [part for session in sessions for message in session.messages for part in message.parts]
    kinds = Counter(kind_of(part) for part in parts)
    losses = builder.losses
    losses += [
        Loss(
            "",
            f"{counted(count, 'of the parts is', 'of the parts are')} of type {kind!r:.40}, not known; left out",
        )
        for kind, count in kinds.items()
        if kind not in READ
    ]
    if kinds["retry"]:
        losses.append(
            Loss("", f"{counted(kinds['retry'], 'attempt')} failed and began again; no requests of their own")
        )
    media = sum(len(items_of(fields_of(part.get("state")).get("attachments"))) for part in parts)
    if media:
        losses.append(Loss("", f"{counted(media, 'file')} of results left out"))
    if absent := began.keys() - {session.id for session in sessions}:
        losses.append(Loss("", f"{counted(len(absent), 'session')} of sub-agents left out; not in the file"))
    if any(session.info.get("revert") for session in sessions):
        losses.append(Loss("", "messages were taken back; they stand here as they were sent"))
    losses.append(Loss("", "the log has no tools and seldom system texts, so that requests are not whole"))


@dataclass(slots=True)
class _Walk:
    """The way through a session: what is sent at each moment."""

    builder: RecordingBuilder
    session: StoredSession
    is_main: bool
    history: list[StoredMessage] = field(default_factory=list[StoredMessage])
    leaf: str = START
    clearings: list[float] = field(default_factory=list[float])
    """Times at which results that are in the history will be cleared."""
    compaction: Data | None = None

    def requests(self) -> Iterator[_Planned]:
        """The requests of the session; its messages are put into the recording on the way."""
        questions = {message.id: message for message in self.session.messages if not message.is_answer}
        for message in self.session.messages:
            if not message.is_answer:
                if compaction := fields_of(message.info.get("compaction")):
                    self._begin_at(message, compaction)
                self._take(message)
                continue
            yield from self._of_answer(message)
            if message.is_summary:
                self._begin_anew(message, questions.get(str(message.info.get("parentID"))))

    def _begin_at(self, message: StoredMessage, compaction: Data) -> None:
        """Send a message that stands for all before it in the place of that."""
        self.history, self.clearings, self.leaf = [], [], START
        kept = {key: value for key, value in compaction.items() if key in ("reason", "summary")}
        self.compaction = {"kind": "compaction", "message": message.id, **kept}

    def _take(self, message: StoredMessage) -> None:
        """Send a message from now on."""
        self.history.append(message)
        self.clearings += message.clearings()
        self.leaf = self._after(self.leaf, message, message.created)

    def _after(self, leaf: str, message: StoredMessage, now: float) -> str:
        """The node after a message, as it is sent at a time."""
        if not message.is_answer:
            return self._add(leaf, said_by_user(message), message.id, message) if message.parts else leaf
        for number, step in enumerate(message.steps(), start=1):
            leaf = self._add_step(leaf, message, number, step, now)
        return leaf

    def _add_step(self, leaf: str, message: StoredMessage, number: int, step: Sequence[Data], now: float) -> str:
        for count, said in enumerate(said_in_step(step, now), start=1):
            name = "-".join([message.id, *([str(number)] if number > 1 else []), *([str(count)] if count > 1 else [])])
            leaf = self._add(leaf, said, name, message)
        return leaf

    def _add(self, leaf: str, said: Data, name: str, message: StoredMessage) -> str:
        place, time = f"message {message.id!r}", time_of(message.created or None)
        return self.builder.add(leaf, (said,), "openai-chat", place=place, name=name, time=time)

    def _clear(self, now: float) -> None:
        """Send results that were cleared by now as cleared."""
        if any(time <= now for time in self.clearings):
            self.clearings = [time for time in self.clearings if time > now]
            self.leaf = START
            for message in self.history:
                self.leaf = self._after(self.leaf, message, now)

    def _of_answer(self, message: StoredMessage) -> Iterator[_Planned]:
        self._clear(message.created)
        head = self.builder.head_with("openai-chat", _system_texts(message))
        steps, before = message.steps(), self.leaf
        for number, step in enumerate(steps, start=1):
            yield _Planned(message.created, before, head, self._about(message, step, number, len(steps)), _begun(step))
            self.compaction = None if message.info.get("summary") is not True else self.compaction
            before = self._add_step(before, message, number, step, message.created)
        if message.is_sent_again:
            self.history.append(message)
            self.clearings += message.clearings()
            self.leaf = before

    def _about(self, message: StoredMessage, step: Sequence[Data], number: int, steps: int) -> Data:
        info, is_last = message.info, number == steps
        ended = fields_of(info.get("time")).get("completed")
        seconds = (ended - message.created) / 1000 if isinstance(ended, int | float) and steps == 1 else None
        said = said_in_step(step, message.created)
        is_summary = info.get("summary") is True
        return {
            "id": message.id if number == 1 else f"{message.id}-step-{number}",
            "agent": "" if self.is_main and not is_summary else _agent(info, is_summary=is_summary),
            "time": time_of(message.created or None),
            "model": str(info.get("modelID") or ""),
            "vendor": str(info.get("providerID") or ""),
            "usage": usage_of(step, message),
            "duration": seconds,
            "error": error_of(info) if is_last else "",
            "reply": {"choices": [{"index": 0, "message": said[0]}]} if said else None,
            "compaction": None if is_summary else self.compaction,
        }

    def _begin_anew(self, summary: StoredMessage, question: StoredMessage | None) -> None:
        """Send the question for a summary, the summary and what is kept, in place of all that was before."""
        asked = question.part("compaction") if question is not None else None
        first = str((asked or {}).get("tail_start_id") or "")
        ids = [message.id for message in self.history]
        kept = self.history[ids.index(first) :] if first in ids else []
        own = {summary.id, question.id if question is not None and asked is not None else ""}
        begin = [question] if question is not None and asked is not None else []
        self.history = [*begin, summary, *(message for message in kept if message.id not in own)]
        self.compaction = {"kind": "compaction", "summary": summary.id, **_told(asked)}
        self.leaf = START
        self.clearings = [time for message in self.history for time in message.clearings() if time > summary.created]
        for message in self.history:
            self.leaf = self._after(self.leaf, message, summary.created)


def _told(asked: Data | None) -> Data:
    """The program's words of a compression, beside its place."""
    return {key: value for key, value in (asked or {}).items() if key not in ("id", "sessionID", "messageID", "type")}


def _agent(info: Data, *, is_summary: bool) -> str:
    named = info.get("agent") or info.get("mode")
    return "compaction" if is_summary or not isinstance(named, str) or not named else named


def _system_texts(message: StoredMessage) -> tuple[Data, ...]:
    """The system texts that older versions keep with an answer."""
    stored = message.info.get("system")
    texts = [stored] if isinstance(stored, str) and stored else items_of(stored)
    return tuple({"role": "system", "content": text} for text in texts if isinstance(text, str))


def _begun(step: Sequence[Data]) -> tuple[str, ...]:
    """Ids of the sessions of sub-agents that the calls of a step began."""
    metadata = [fields_of(fields_of(part.get("state")).get("metadata")) for part in step if kind_of(part) == "tool"]
    found = (each.get("sessionId") or each.get("sessionID") for each in metadata)
    return tuple(id for id in found if isinstance(id, str))

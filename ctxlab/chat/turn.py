"""The outcome of a turn: its session, the nodes that it made, the requests that it sent, and its events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ctxlab.chat.events import (
    AttemptFailed,
    Compressed,
    Data,
    NotesAdded,
    ReplyFinished,
    RequestSent,
    ToolFinished,
    TurnEvent,
    TurnStarted,
)
from ctxlab.chat.placed_turns import moved
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import MessageNode, Note, Session
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.providers.payload import Payload

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class TurnRequest:
    """A request of a turn: the run that built its messages, and the payload whose bytes were posted."""

    trace: Trace
    payload: Payload

    def __repr__(self) -> str:
        return f"TurnRequest({self.trace!r}, {self.payload!r})"


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """A turn that has ended. `session` is whole however it ended; `reply` is the newest reply of it.

    `nodes` are the messages that it made, in order. `error` is a sentence where there is no answer or half of one, None
    otherwise; `exception` is what was raised then, if anything was. `not_sent` are texts that were queued and never
    sent, since the turn failed or was cancelled.
    """

    session: Session
    reply: MessageNode | None
    nodes: tuple[MessageNode, ...]
    requests: tuple[TurnRequest, ...]
    events: tuple[TurnEvent, ...]
    error: str | None = None
    cancelled: bool = False
    exception: BaseException | None = None
    own_notes: tuple[Note, ...] = ()
    not_sent: tuple[str, ...] = ()

    def __repr__(self) -> str:
        words = repr(short(self.text)) if self.reply is not None else "no reply"
        made = f"{counted(len(self.nodes), 'node')}, {counted(len(self.requests), 'request')}"
        return f"Turn({words}, {made}{self._how_it_ended})"

    def _repr_html_(self) -> str:
        from ctxlab.display.html_table import heading, html_table, lines

        rows = ((node.id, node.role, node.content, node.status) for node in self.nodes)
        return (
            heading(self)
            + html_table(("node", "role", "text", "status"), rows, of="nodes")
            + lines([note.text for note in self.notes])
        )

    @property
    def _how_it_ended(self) -> str:
        return ", cancelled" if self.cancelled else f", error: {short(self.error, 80)}" if self.error else ""

    @property
    def text(self) -> str:
        """The words of the reply; empty where there is none."""
        return self.reply.content if self.reply is not None else ""

    @property
    def usage(self) -> dict[str, Any]:
        """Tokens of the reply as the vendor counts them, such as `promptTokens`; empty where it doesn't say."""
        found = self.reply.meta("usage") if self.reply is not None else None
        return dict(found) if isinstance(found, dict) else {}

    @property
    def notes(self) -> tuple[Note, ...]:
        """On replies that ended early, parts of them that were left out, wrong settings, compressions, a conversation
        that was changed meanwhile, and queued texts that were not sent.
        """
        more = list(self.own_notes)
        if self.not_sent:
            why = "was cancelled" if self.cancelled else "failed"
            text = f"{counted(len(self.not_sent), 'queued text')} not sent, since the turn {why}: turn.not_sent"
            more.append(Note("warning", text))
        return notes_of_turn(self.events, more)

    @property
    def seconds(self) -> float | None:
        """Seconds from the last request to the end of its reply."""
        finished = [event for event in self.events if isinstance(event, ReplyFinished)]
        return finished[-1].seconds if finished else None

    def frame(self) -> pd.DataFrame:
        """One row for each event that stands for something: requests, replies, failed attempts, results of tools."""
        import pandas as pd

        rows = [_row(event) for event in self.events]
        columns = ("event", "name", "status", "seconds", "text")
        return pd.DataFrame([row for row in rows if row is not None], columns=list(columns))


def notes_of_turn(events: Iterable[TurnEvent], more: Iterable[Note] = ()) -> tuple[Note, ...]:
    """The notes of a turn's events, such as those of a log, and `more`: on streams first, each text once."""
    streams: list[Note] = []
    others: list[Note] = []
    for event in events:
        if isinstance(event, ReplyFinished):
            streams += [Note("warning", text) for text in event.notes]
        elif isinstance(event, Compressed | NotesAdded):
            others += map(_note, event.notes)
    return tuple({note.text: note for note in (*streams, *others, *more)}.values())


def _note(data: Data) -> Note:
    level = data.get("level")
    return Note(level if level in ("info", "warning", "error") else "warning", str(data.get("text", "")))


SUMMARY_LEFT_OUT: Final = (
    "the session was changed while the turn ran, so that a summary which the turn made is left out of it"
)


def moved_turn(turn: Turn, before: Session, session: Session) -> Turn:
    """The turn in a session that went on from `before` while it ran; see `moved`."""
    after, names, whole, told = moved(session, before, turn.events)
    reply = after.nodes.get(names.get(turn.reply.id, "")) if turn.reply is not None else None
    nodes = tuple(node for key, node in after.nodes.items() if key not in session.nodes)
    notes = [Note("warning", text) for text in (*told, *(() if whole else (SUMMARY_LEFT_OUT,)))]
    return replace(turn, session=after, reply=reply, nodes=nodes, own_notes=(*turn.own_notes, *notes))


def _row(event: TurnEvent) -> dict[str, Any] | None:
    kind = type(event).__name__
    match event:
        case TurnStarted():
            return {"event": kind, "name": event.verb}
        case RequestSent():
            return {"event": kind, "name": event.model, "text": event.url}
        case ReplyFinished():
            text = "".join(str(node.get("content") or "") for node in event.nodes)
            return {"event": kind, "status": event.finish_reason, "seconds": event.seconds, "text": text}
        case ToolFinished():
            found = {"name": event.name, "status": event.status, "seconds": event.seconds}
            return {"event": kind, **found, "text": str(event.node.get("content") or "")}
        case AttemptFailed():
            return {"event": kind, "status": str(event.status or ""), "text": event.text}
        case _:
            return None

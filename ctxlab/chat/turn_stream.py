"""A turn while it runs: its events as they come, and the session so far."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from types import TracebackType
from typing import Any, Literal, Self

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.event_log import EventLog, reason
from ctxlab.chat.events import TurnCancelled, TurnEvent, TurnFailed
from ctxlab.chat.turn import Turn, TurnRequest
from ctxlab.chat.turn_loop import TurnLoop
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Session
from ctxlab.errors import WriteError, WrongArgument

QueueMode = Literal["combined", "chained"]
NextTurn = Callable[[Session, str], TurnLoop]
BETWEEN_QUEUED = "\n\n"


class TurnStream:
    """A turn that runs as its events are taken: `for event in stream`, or `async for`.

    The reply is read in a thread of its own, so `cancel()` works at any moment from any thread. `session` is the
    session so far, `turn` the outcome: it takes what events are left. `with` cancels what isn't done at its end. A
    stream that nobody keeps hangs up.
    """

    @checked_arguments
    def __init__(
        self,
        loop: TurnLoop,
        *,
        next_turn: NextTurn | None = None,
        on_event: Callable[[TurnEvent], object] | None = None,
        log: EventLog | None = None,
        on_end: Callable[[Turn], Turn] | None = None,
    ) -> None:
        self._loop, self._next_turn = loop, next_turn
        self._on_event, self._log, self._on_end = on_event, log, on_end
        self._before = frozenset(loop.folding.session.nodes)
        self._events: list[TurnEvent] = []
        self._requests: list[TurnRequest] = []
        self._queue: list[tuple[str, QueueMode]] = []
        self._turn: Turn | None = None
        self._taking = threading.Lock()
        self._taker: int | None = None
        self._source = loop.events()

    def __repr__(self) -> str:
        state = "ended" if self._turn is not None else "cancelled" if self.is_cancelled else "running"
        return f"TurnStream({self._loop.folding.session.id!r}, {state}, {counted(len(self._events), 'event')})"

    def _repr_html_(self) -> str:
        from ctxlab.display.html_table import heading

        return heading(self)

    # --- the events

    def __iter__(self) -> Iterator[TurnEvent]:
        return self

    def __next__(self) -> TurnEvent:
        event = self._next()
        if event is None:
            raise StopIteration
        return event

    def __aiter__(self) -> AsyncIterator[TurnEvent]:
        return self

    async def __anext__(self) -> TurnEvent:
        import asyncio  # who doesn't await needs no loop

        try:
            event = await asyncio.to_thread(self._next)
        except asyncio.CancelledError:
            self.cancel()
            raise
        if event is None:
            raise StopAsyncIteration
        return event

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called: what still comes is the end of the turn."""
        return self._loop.cancelled.is_set()

    def cancel(self) -> None:
        """End the turn soon, from any thread; what came so far is kept and marked. Queued messages aren't sent."""
        self._loop.cancel()

    @checked_arguments
    def queue(self, text: str, *, mode: QueueMode = "combined") -> None:
        """Send another message once this turn has ended, unless it fails or is cancelled.

        Messages that are `combined` go out as one, with a blank line between them; those that are `chained` get a
        reply each. Of a turn that fails or is cancelled `turn.not_sent` has them.
        """
        if self._next_turn is None:
            raise WrongArgument("this turn takes no further messages: ctxlab.send(stream.session, text) sends one")
        if not text.strip():
            raise WrongArgument("text is empty: there is no message to queue")
        if self._turn is not None:
            raise WrongArgument("this turn has ended: ctxlab.send(stream.session, text) sends another message")
        self._queue.append((text, mode))

    def _next(self) -> TurnEvent | None:
        if self._taker == threading.get_ident():
            raise WrongArgument("on_event can't wait for its own turn: stream.session is the session so far")
        with self._taking:
            self._taker = threading.get_ident()
            try:
                return self._taken()
            except Exception:
                raise
            except BaseException as error:  # an interrupt, or a program that exits: the turn ends before it goes on up
                self._interrupted(error)
                raise
            finally:
                self._taker = None

    def _taken(self) -> TurnEvent | None:
        event = next(self._source, None)
        if event is None and self._turn is None:
            if self._goes_on():
                event = next(self._source, None)
            else:
                self._end()
        if event is not None:
            self._record(event)
        return event

    def _record(self, event: TurnEvent) -> None:
        self._events.append(event)
        if (log := self._log) is not None:
            try:
                log.add(event)
            except (OSError, WriteError) as error:
                self._log = None
                why = reason(error) if isinstance(error, OSError) else str(error)
                raise WriteError(f"log {log.path} can't be written: {why}") from error
        if (tell := self._on_event) is not None:
            self._on_event = None  # one that raises isn't called again
            tell(event)
            self._on_event = tell

    def _goes_on(self) -> bool:
        """Begin the next turn of the queue, if there is one and this one has ended well."""
        ended_well = not isinstance(self._events[-1], TurnCancelled | TurnFailed) if self._events else False
        if not (self._queue and ended_well and self._next_turn is not None) or self.is_cancelled:
            return False
        (text, mode), *rest = self._queue
        if mode == "combined":
            texts = [text]
            while rest and rest[0][1] == "combined":
                texts.append(rest.pop(0)[0])
            text = BETWEEN_QUEUED.join(texts)
        self._queue = rest
        self._requests += self._loop.requests
        self._loop = self._next_turn(self._loop.folding.session, text)
        self._source = self._loop.events()
        return True

    def _interrupted(self, error: BaseException) -> None:
        """End the turn, as a cancelled one after an interrupt: that has ended the generator of its events."""
        self._loop.cancel()
        self._source.close()
        if self._turn is None:
            if self._events and self._loop.is_running:
                event = self._loop.interrupt_event(error)
                self._loop.folding.add(event)
                self._record(event)
            self._end()

    def _end(self) -> None:
        if self._log is not None:
            self._log.close()
        session = self._loop.folding.session
        last = self._events[-1] if self._events else None
        self._turn = Turn(
            session=session,
            reply=_newest_reply(session, self._before),
            nodes=tuple(node for key, node in session.nodes.items() if key not in self._before),
            requests=(*self._requests, *self._loop.requests),
            events=tuple(self._events),
            error=last.text if isinstance(last, TurnFailed) else None,
            cancelled=isinstance(last, TurnCancelled),
            exception=self._loop.exception,
            not_sent=tuple(text for text, _ in self._queue),
        )
        self._queue = []
        if self._on_end is not None:
            self._turn = self._on_end(self._turn)

    # --- the outcome

    @property
    def session(self) -> Session:
        """The session so far; it is whole at any moment."""
        return self._turn.session if self._turn is not None else self._loop.folding.session

    @property
    def events(self) -> tuple[TurnEvent, ...]:
        """The events that were taken so far."""
        return tuple(self._events)

    @property
    def turn(self) -> Turn:
        """The outcome, once the turn has ended; takes the events that are left."""
        while self._turn is None:
            self._next()
        return self._turn

    def close(self) -> None:
        """Cancel what isn't done, and end."""
        if self._turn is None:
            self.cancel()
            _ = self.turn

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise WrongArgument("a running turn is not pickled; its session is")


def _newest_reply(session: Session, before: frozenset[str]) -> MessageNode | None:
    """The newest message of this turn that the model wrote: the last one on the path that is no result of a tool."""
    own = [node for node in session.path() if node.id not in before and node.role != "tool" and not node.is_summary]
    return own[-1] if own else None

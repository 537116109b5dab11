"""Turns of a chat, one after the other, each in a thread of its own, so that the kernel stays free."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import field
from typing import Protocol

from ctxlab.chat.events import TurnEvent
from ctxlab.chat.turn import Turn
from ctxlab.chat.turn_stream import TurnStream
from ctxlab.documents import Asset, History, Session, ThinkRule, ToolCall
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.services import TokenCounter


@dataclass(slots=True, eq=False)
class RunningStream:
    """A turn that runs: its stream, the history and the session on which it began, its verb, and rules of thoughts.

    `counter` counts what comes.
    """

    stream: TurnStream
    history: History
    before: Session
    verb: str
    think_rules: tuple[ThinkRule, ...] = ()
    counter: TokenCounter | None = None

    @property
    def left_for(self) -> str | None:
        """The leaf of another branch that is shown since; None where the turn's own is."""
        leaf = self.history.session.leaf
        return leaf if leaf is not None and leaf != self.before.leaf else None


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that waits; `conversation` is the id of the one into which it was said."""

    conversation: str
    text: str
    files: tuple[Asset, ...] = ()


class TurnListener(Protocol):
    """Gets the events and the ends of turns, in their thread."""

    def turn_event(self, running: RunningStream, event: TurnEvent) -> None: ...

    def turn_ended(self, running: RunningStream, turn: Turn | None, problem: BaseException | None) -> None: ...

    def following(self, running: RunningStream, turn: Turn | None) -> RunningStream | None:
        """The turn that is to run next, if there is one; what waits for one is settled by it."""
        ...

    @property
    def has_queued(self) -> bool:
        """Whether something waits for a turn."""
        ...


@dataclass(slots=True, eq=False)
class TurnThread:
    """Runs one turn at a time; `approve` waits for a word of the page, which `answer` gives."""

    listener: TurnListener
    running: RunningStream | None = None
    _words: dict[str, tuple[threading.Event, list[bool]]] = field(
        default_factory=dict[str, tuple[threading.Event, list[bool]]]
    )
    _condition: threading.Condition = field(default_factory=threading.Condition)
    _thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        return self.running is not None

    def begin(self, running: RunningStream) -> None:
        """Run a turn; raises CtxlabError while another one runs."""
        with self._condition:
            if self.running is not None:
                raise CtxlabError("an answer is being written: stop it first, or wait for its end")
            self.running = running
            self._thread = threading.Thread(target=self._run, args=(running,), name="ctxlab-chat-turn", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the turn soon; what came is kept. Calls that wait for a word are refused."""
        running = self.running
        if running is not None:
            running.stream.cancel()
        with self._condition:
            words = list(self._words.values())
        for event, _ in words:
            event.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until no turn runs; False where it takes longer than so many seconds."""
        if threading.current_thread() is self._thread:
            raise CtxlabError("a turn can't wait for its own end")
        with self._condition:
            return self._condition.wait_for(lambda: self.running is None, timeout)

    def while_running(self, do: Callable[[], object]) -> bool:
        """Do something that the end of the turn will see; False, and nothing is done, where none runs."""
        with self._condition:
            if self.running is None:
                return False
            do()
            return True

    # --- words on calls

    def approve(self, call: ToolCall) -> bool:
        """Wait for the page's word on a call; False where the turn is stopped meanwhile."""
        word: tuple[threading.Event, list[bool]] = threading.Event(), []
        running = self.running
        with self._condition:
            self._words[call.id] = word
        try:
            while not word[0].wait(LOOK_SECONDS):
                if self.running is not running:
                    return False
            return bool(word[1]) and word[1][0]
        finally:
            with self._condition:
                if self._words.get(call.id) is word:
                    del self._words[call.id]

    def answer(self, call_id: str, *, yes: bool) -> None:
        """Give the word that a call waits for; raises CtxlabError where none waits under this id."""
        with self._condition:
            word = self._words.get(call_id)
            if word is None:
                raise CtxlabError(f"no call {call_id[:80]!r} waits for a word")
            word[1][:] = [yes]
        word[0].set()

    # --- the thread

    def _run(self, begun: RunningStream) -> None:
        running: RunningStream | None = begun
        try:
            while running is not None:
                running = self._next(running, self._one(running))
        finally:
            with self._condition:
                self.running = None
                self._condition.notify_all()

    def _next(self, ended: RunningStream, turn: Turn | None) -> RunningStream | None:
        """The turn that follows; none only where at that moment nothing waits for one."""
        while True:
            following = self.listener.following(ended, turn)
            with self._condition:
                if following is not None or not self.listener.has_queued:
                    self.running = following
                    return following

    def _one(self, running: RunningStream) -> Turn | None:
        """Run a turn to its end. Returns its outcome, if it has one."""
        problem: BaseException | None = None
        turn: Turn | None = None
        try:
            for event in running.stream:
                self.listener.turn_event(running, event)
            turn = running.stream.turn
        except BaseException as error:  # said to the page: nobody waits for this thread
            problem = error
            turn = _rest(running.stream)
        self.listener.turn_ended(running, turn, problem)
        return turn


def _rest(stream: TurnStream) -> Turn | None:
    """The outcome of a broken-off turn, where it can be ended."""
    try:
        stream.close()
        return stream.turn
    except BaseException:
        return None


LOOK_SECONDS = 0.2
"""Seconds between two looks at whether the turn of a waiting call is still there."""

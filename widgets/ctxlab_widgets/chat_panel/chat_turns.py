"""The running turn of a chat, its pieces on their way to the page, and the messages that wait for its end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ctxlab.chat.events import ReplyFinished, RequestSent, ToolFinished, TurnEvent, TurnStarted
from ctxlab.chat.turn import Turn
from ctxlab.documents import Asset, History, Session
from ctxlab.errors import CtxlabError
from ctxlab_widgets.chat_panel.pieces import PieceSender
from ctxlab_widgets.chat_panel.running_turn import RunningTurn
from ctxlab_widgets.chat_panel.turn_thread import QueuedMessage, RunningStream, TurnThread

MOST_QUEUED = 100


class TurnHost(Protocol):
    """The chat whose turns these are; its methods are called in the threads of turns."""

    def send_pieces(self, message: Mapping[str, Any]) -> None: ...

    def running_changed(self) -> None:
        """The running turn is another one, or there are other messages to be shown."""
        ...

    @property
    def conversation(self) -> str:
        """Id of the conversation that is shown."""
        ...

    def record_turn(self, running: RunningStream, turn: Turn | None, problem: BaseException | None) -> None: ...

    def begin_queued(self, text: str, files: tuple[Asset, ...]) -> RunningStream | None:
        """The turn of messages that waited; None where it can't begin."""
        ...

    def give_back(self, queued: list[QueuedMessage]) -> None:
        """Put what isn't sent back into the draft."""
        ...


class ChatTurns:
    """Runs the turns of one chat, and knows the running one as the page shows it."""

    def __init__(self, host: TurnHost, *, sender: Callable[..., PieceSender] = PieceSender) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._thread = TurnThread(self)
        self._make_sender = sender
        self._sender: PieceSender | None = None
        self._state: RunningTurn | None = None
        self._queued: list[QueuedMessage] = []
        self._is_closed = False

    @property
    def running(self) -> RunningStream | None:
        return self._thread.running

    @property
    def running_key(self) -> str:
        """Id of the message that is being written; empty for none."""
        state = self._state
        return state.key if state is not None else ""

    @property
    def session(self) -> Session | None:
        """The conversation with what has come of the running turn; None while none runs."""
        running = self._thread.running
        return running.stream.session if running is not None else None

    def shown_session(self, history: History) -> Session:
        """The conversation that is shown: with what has come of the running turn, where its branch is the shown one.

        A conversation that was changed while the turn runs is shown as it is; the turn is added at its end.
        """
        running, now = self._thread.running, history.session
        if running is None or now is running.before:
            return self.session or now
        return running.stream.session if _is_same_path(now, running.before) else now

    def as_data(self, history: History | None = None) -> dict[str, Any] | None:
        """The running turn whole; None while none runs. With the shown history it says whether it is in its branch."""
        running = self._thread.running
        with self._lock:
            state = self._state
            if state is None:
                return None
            state.queued = [each.text for each in self._queued]
            is_left = running is not None and running.history is history and running.left_for is not None
            is_stopped = running is not None and running.stream.is_cancelled
            facts = {"elsewhere": is_left, "stopping": is_stopped}
            return {**state.as_data(), **{name: True for name, holds in facts.items() if holds}}

    def begin(self, running: RunningStream) -> None:
        """Run a turn; raises CtxlabError while another one runs."""
        if self._is_closed:
            raise CtxlabError("the chat is closed")
        if self._thread.is_running:
            raise CtxlabError("an answer is being written: stop it first, or wait for its end")
        with self._lock:
            self._state = _state_of(running)
        self._thread.begin(running)

    def queue(self, text: str, files: tuple[Asset, ...]) -> bool:
        """Send a message once the running turn has ended well; False where none runs, and it must be begun."""
        message = QueuedMessage(self._host.conversation, text, files)
        return self._thread.while_running(lambda: self._add(message))

    def _add(self, message: QueuedMessage) -> None:
        with self._lock:
            if self._is_closed:
                raise CtxlabError("the chat is closed")
            if len(self._queued) >= MOST_QUEUED:
                raise CtxlabError(f"{MOST_QUEUED} messages wait already: let some of them be answered first")
            self._queued.append(message)

    def stop(self) -> None:
        self._thread.stop()

    def wait(self, timeout: float | None = None) -> bool:
        return self._thread.wait(timeout)

    def answer(self, call_id: str, *, yes: bool) -> None:
        self._thread.answer(call_id, yes=yes)

    @property
    def approve(self) -> Callable[..., bool]:
        return self._thread.approve

    def close(self) -> None:
        """Stop what runs and send nothing more: messages that wait are given back. Waits for nothing."""
        with self._lock:
            self._is_closed = True
        self._thread.stop()
        self._give_back(self._taken())
        if self._sender is not None:
            self._sender.close()

    # --- in the thread of the turn

    def turn_event(self, running: RunningStream, event: TurnEvent) -> None:
        state = self._state
        if state is None:
            return
        if isinstance(event, RequestSent):
            self._goes_on(running, state)
        with self._lock:
            fields = state.add(event)
            if isinstance(event, ReplyFinished):
                self._take_calls(running, state)
        if isinstance(event, TurnStarted | ReplyFinished | ToolFinished):
            self._host.running_changed()
        if fields:
            self._piece_sender().add(**fields)

    @property
    def has_queued(self) -> bool:
        with self._lock:
            return bool(self._queued)

    def turn_ended(self, running: RunningStream, turn: Turn | None, problem: BaseException | None) -> None:
        if self._sender is not None:
            self._sender.flush()
            self._sender.close()
            self._sender = None
        with self._lock:
            self._state = None
        try:
            self._host.record_turn(running, turn, problem)
        except BaseException:  # of somebody who observes the chat: the thread ends with it, nothing is lost
            self._give_back(self._taken())
            raise

    def following(self, running: RunningStream, turn: Turn | None) -> RunningStream | None:
        """The turn of the messages that waited.

        They go back into the draft of their conversation where their turn did not end well, or another one is shown.
        """
        here = self._host.conversation
        is_elsewhere = here != running.before.id
        goes_on = is_elsewhere or (turn is not None and not turn.cancelled and turn.error is None)
        queued = self._taken()
        sent = [each for each in queued if each.conversation == here] if goes_on and not self._is_closed else []
        self._give_back([each for each in queued if each not in sent])
        following = self._turn_of(sent) if sent else None
        with self._lock:
            self._state = _state_of(following) if following is not None else None
        if following is None:
            self._host.running_changed()
        return following

    def _turn_of(self, queued: list[QueuedMessage]) -> RunningStream | None:
        texts = [each.text for each in queued if each.text.strip()]
        files = {file.id: file for each in queued for file in each.files}
        following = self._host.begin_queued("\n\n".join(texts), tuple(files.values()))
        if following is None:
            self._give_back(queued)
        return following

    def _taken(self) -> list[QueuedMessage]:
        """The messages that wait, which wait no longer."""
        with self._lock:
            queued, self._queued = self._queued, []
        return queued

    def _give_back(self, queued: list[QueuedMessage]) -> None:
        if queued:
            self._host.give_back(queued)

    def _goes_on(self, running: RunningStream, state: RunningTurn) -> None:
        """After results of tools another reply is written: the page gets the turn anew."""
        session = running.stream.session
        leaf = session.leaf_node
        if leaf is None or not state.key or leaf.id == state.key:
            return
        if self._sender is not None:
            self._sender.flush()
        with self._lock:
            state.goes_on_in(leaf.id, leaf.parent_id or "")
        self._host.running_changed()

    def _take_calls(self, running: RunningStream, state: RunningTurn) -> None:
        node = running.stream.session.nodes.get(state.key)
        if node is not None and node.tool_calls:
            state.take_calls(node)

    def _piece_sender(self) -> PieceSender:
        if self._sender is None:
            self._sender = self._make_sender(self._send)
        return self._sender

    def _send(self, message: dict[str, Any]) -> None:
        with self._lock:
            state = self._state
            if state is None:
                return
            shown = state.sent(message)
        self._host.send_pieces(shown)


def _is_same_path(now: Session, before: Session) -> bool:
    """Whether the messages from the root to the leaf are the same and say the same."""
    if now.id != before.id or now.leaf != before.leaf:
        return False
    one, other = now.path(), before.path()
    return len(one) == len(other) and all(
        a is b or (a.id, a.content, a.enabled, a.attachments) == (b.id, b.content, b.enabled, b.attachments)
        for a, b in zip(one, other, strict=True)
    )


def _state_of(running: RunningStream) -> RunningTurn:
    return RunningTurn(running.verb, running.counter, think_rules=running.think_rules)

"""A reply read in a thread of its own, so that a turn that is cancelled waits for nobody."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue

from ctxlab.chat.model import OnAttempt, OnFailure
from ctxlab.errors import SendFailed
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.sending.deltas import Data, Delta, ReplyInPieces

Opened = Callable[[OnAttempt, OnFailure], ReplyInPieces]


@dataclass(frozen=True, slots=True)
class AttemptBegun:
    """A request goes out for the `number`-th time."""

    number: int


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """A request got no answer; it goes out again after so many seconds, or not (None)."""

    failure: SendFailed
    retry_in_seconds: float | None


@dataclass(frozen=True, slots=True)
class _End:
    error: BaseException | None = None


Item = Delta | AttemptBegun | AttemptEnded


class ReadingThread:
    """The pieces of a reply and what happens to its request, as they come; from the opening on in another thread."""

    def __init__(self, opened: Opened) -> None:
        self._items: SimpleQueue[Item | _End] = SimpleQueue()
        self._closed = threading.Event()
        self._reply: ReplyInPieces | None = None
        self._thread = threading.Thread(target=self._read, args=(opened,), name="ctxlab-turn", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Item]:
        """Items as they come, until the end or until it is closed. Raises what opening and reading raised."""
        while True:
            item = self._items.get()
            if self._closed.is_set():
                return
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item

    def reply(self) -> Data:
        """The whole reply, once all its pieces have come."""
        assert self._reply is not None
        return self._reply.reply()

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on parts of the stream that were left out."""
        return tuple(getattr(self._reply, "notes", ()))

    def close(self) -> None:
        """Hang up, from any thread: nothing more is given."""
        self._closed.set()
        self._items.put(_End())
        if (reply := self._reply) is not None:
            reply.close()

    def _read(self, opened: Opened) -> None:
        try:
            reply = self._reply = opened(self._begun, self._ended)
            if self._closed.is_set():  # before there was something to close
                reply.close()
                return
            for piece in reply:
                self._items.put(piece)
                if self._closed.is_set():
                    return
            self._items.put(_End())
        except BaseException as error:  # it is raised where the pieces are taken
            self._items.put(_End(error))

    def _begun(self, number: int) -> None:
        self._items.put(AttemptBegun(number))

    def _ended(self, failure: SendFailed, retry_in_seconds: float | None) -> None:
        self._items.put(AttemptEnded(failure, retry_in_seconds))


def interruptible(work: Callable[[], object], cancelled: threading.Event) -> None:
    """Do something that may wait long, until it is done or the turn is cancelled: then it goes on by itself."""
    ended: SimpleQueue[BaseException | None] = SimpleQueue()

    def run() -> None:
        try:
            work()
        except BaseException as error:  # it is raised where it is waited for
            ended.put(error)
        else:
            ended.put(None)

    threading.Thread(target=run, name="ctxlab-preparing", daemon=True).start()
    while not cancelled.is_set():
        try:
            error = ended.get(timeout=LOOK_SECONDS)
        except Empty:
            continue
        if error is not None:
            raise error
        return


LOOK_SECONDS = 0.05
"""Seconds between two looks at whether a turn was cancelled, where nothing tells of it."""

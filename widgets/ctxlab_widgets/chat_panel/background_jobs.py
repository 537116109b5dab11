"""Work beside the conversation, each in a thread of its own: of one name the newest counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError

R = TypeVar("R")
MOST = 32
"""Threads that there are at once."""


class BackgroundJobs:
    """Runs jobs by name; a job gets an event that is set once nobody waits for it any more.

    `failed` gets what a delivery refuses; `changed` is called when other jobs than before are under way.
    """

    def __init__(self, failed: Callable[[CtxlabError], object], changed: Callable[[], object]) -> None:
        self._failed, self._changed = failed, changed
        self._labels: dict[str, str] = {}
        self._condition = threading.Condition()
        self._newest: dict[str, threading.Event] = {}
        self._alive = 0
        self._is_closed = False

    def begin(
        self,
        name: str,
        work: Callable[[threading.Event], R],
        deliver: Callable[[R | CtxlabError], object],
        *,
        label: str = "",
    ) -> None:
        """Begin a job, whose outcome or error `deliver` gets in its thread; an older one of this name is given up.

        With a `label` people see that it is under way.
        Raises CtxlabError where too much is under way.
        """
        stop = threading.Event()
        with self._condition:
            if self._is_closed:
                raise CtxlabError("the chat is closed")
            if self._alive >= MOST:
                raise CtxlabError(f"{MOST} answers are waited for already: wait until some are there")
            self._give_up(name)
            self._newest[name], self._labels[name] = stop, label
            self._alive += 1
        threading.Thread(
            target=self._run, args=(name, work, deliver, stop), name="ctxlab-chat-job", daemon=True
        ).start()
        self._changed()

    @property
    def under_way(self) -> list[tuple[str, str]]:
        """Name and label of each job that is waited for and has a label."""
        with self._condition:
            return [(name, self._labels[name]) for name in self._newest if self._labels[name]]

    def is_waited_for(self, name: str) -> bool:
        """Whether a job of this name is under way and was not given up."""
        with self._condition:
            return name in self._newest

    def give_up(self, name: str) -> None:
        """Wait no longer for the job of this name, if there is one."""
        with self._condition:
            self._give_up(name)
        self._changed()

    @property
    def is_busy(self) -> bool:
        """Whether a job is under way."""
        with self._condition:
            return self._alive > 0

    def rest(self, timeout: float | None = None) -> bool:
        """Wait until no job is under way; False where that takes longer than so many seconds."""
        with self._condition:
            return self._condition.wait_for(lambda: self._is_closed or not self._alive, timeout)

    def close(self) -> None:
        """Give up all jobs and begin none; waits for nothing."""
        with self._condition:
            self._is_closed = True
            for name in list(self._newest):
                self._give_up(name)
            self._condition.notify_all()

    def _give_up(self, name: str) -> None:
        stop = self._newest.pop(name, None)
        if stop is not None:
            stop.set()

    def _run(
        self,
        name: str,
        work: Callable[[threading.Event], R],
        deliver: Callable[[R | CtxlabError], object],
        stop: threading.Event,
    ) -> None:
        try:
            found = _done(work, stop)
            with self._condition:
                is_newest = self._newest.get(name) is stop
                if is_newest:
                    del self._newest[name]
            if is_newest:
                deliver(found)
            self._changed()
        except CtxlabError as problem:
            self._failed(problem)
        finally:
            with self._condition:
                self._alive -= 1
                self._condition.notify_all()


def _done(work: Callable[[threading.Event], R], stop: threading.Event) -> R | CtxlabError:
    try:
        return work(stop)
    except CtxlabError as problem:
        return problem
    except Exception as error:  # somebody else's function as a model: the chat goes on, and says so
        return CtxlabError(f"{type(error).__name__}: {short(' '.join(str(error).split()), 300)}")

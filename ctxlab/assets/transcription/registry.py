"""Transcriptions that are under way or done in this process: tasks on a few threads, waited for, retried, cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import field
from threading import Condition, Thread
from typing import Literal

from ctxlab.assets.transcription.engine import NoText, Progress
from ctxlab.context import Transcript
from ctxlab.errors import CtxlabError, ReadError, UnknownName
from ctxlab.lazy_dataclass import dataclass

TaskState = Literal["waiting", "running", "done", "failed", "cancelled"]
Work = Callable[[Progress], Transcript]
"""Reads a file; what it calls with the share that is done may raise to end it early."""
ENDED: frozenset[TaskState] = frozenset({"done", "failed", "cancelled"})
MOST_THREADS = 16
"""Threads in all, those included whose task was given up and which have not noticed yet."""


@dataclass(frozen=True, slots=True)
class TranscriptionTask:
    """A task as it was when it was asked for.

    `progress` is the share that is done, in [0, 1]; `retries` counts the times that it was begun again, `error` is the
    sentence of a failed one. `asset` is the name of the file, `kind` what it is.
    """

    id: str
    asset: str
    kind: str
    state: TaskState = "waiting"
    progress: float = 0.0
    retries: int = 0
    error: str = ""
    transcript: Transcript | None = None

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    def __repr__(self) -> str:
        return f"TranscriptionTask({self.id!r}, {self.asset!r}, {self.state}, {self.progress:.0%})"


class _Ended(BaseException):
    """Raised in a task's thread when nobody wants its answer; no engine catches it by mistake."""


@dataclass(slots=True, eq=False)
class _Entry:
    """A task while it changes. `attempt` counts its beginnings: a thread of an earlier one has no say any more."""

    id: str
    key: Hashable
    asset: str
    kind: str
    work: Work | None
    timeout_seconds: float
    is_large: bool = False
    watchers: list[Progress] = field(default_factory=list[Progress])
    state: TaskState = "waiting"
    progress: float = 0.0
    retries: int = 0
    error: Exception | None = None
    transcript: Transcript | None = None
    attempt: int = 0
    deadline: float = 0.0
    timed_out: bool = False

    def may_pass(self, timeout_seconds: float) -> bool:
        """Whether beginning again with this much time may end otherwise."""
        if self.timed_out:
            return timeout_seconds > self.timeout_seconds
        return not isinstance(self.error, NoText | ReadError)

    def task(self) -> TranscriptionTask:
        error = str(self.error) if self.error else ""
        return TranscriptionTask(
            self.id, self.asset, self.kind, self.state, self.progress, self.retries, error, self.transcript
        )


class TranscriptionRegistry:
    """Tasks by what they read: the same work is done once, however often it is started.

    At most `max_running` go at once, each on a thread that ends with it. A task that takes longer than its time has
    failed, and its thread ends when it next tells its progress; until then it takes no place of another. `max_retries`
    beginnings again are made by itself after a failure that may pass, such as a broken connection; none after an error
    of ctxlab, which says what is to be done. The work of a task, which may hold its file, is let go when the task is
    done, or ended without an answer and `is_large`; it is then started again, not retried. Beyond `max_tasks` those
    that ended first are forgotten.
    """

    def __init__(self, *, max_running: int = 2, max_retries: int = 2, max_tasks: int = 500) -> None:
        self.max_running = max_running
        self.max_retries = max_retries
        self.max_tasks = max_tasks
        self._entries: dict[str, _Entry] = {}
        self._ids: dict[Hashable, str] = {}
        self._count = 0
        self._threads = 0
        self._changed = Condition()

    def __repr__(self) -> str:
        return f"TranscriptionRegistry({len(self._entries)} tasks, {len(self._in('running'))} running)"

    def start(
        self,
        work: Work,
        *,
        key: Hashable,
        asset: str,
        kind: str,
        timeout_seconds: float = 120,
        progress: Progress | None = None,
        is_large: bool = False,
    ) -> TranscriptionTask:
        """The task of this key, which is begun unless it is there; `progress` is called on its thread.

        One that failed is begun again, unless the cause is in the file; one whose time was up only with more time, a
        cancelled one by `retry` alone.
        """
        with self._changed:
            entry = self._entries.get(self._ids.get(key, ""))
            if entry is None:
                entry = self._added(_Entry("", key, asset, kind, work, timeout_seconds, is_large))
            elif entry.state == "failed" and entry.may_pass(timeout_seconds):
                entry.work, entry.timeout_seconds = work, timeout_seconds
                self._begin_again(entry)
            if progress is not None and entry.state not in ENDED:
                entry.watchers.append(progress)
            self._run_waiting()
            return entry.task()

    def wait(self, ids: str | Iterable[str], *, timeout_seconds: float | None = None) -> tuple[TranscriptionTask, ...]:
        """The tasks once they have ended, or as they are when the time is up; None waits for the time of each."""
        wanted = (ids,) if isinstance(ids, str) else tuple(ids)
        end = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        with self._changed:
            entries = [self._entry(id) for id in wanted]
            while any(entry.state not in ENDED for entry in entries):
                self._fail_late()
                times = [entry.deadline for entry in self._in("running")] + ([] if end is None else [end])
                now = time.monotonic()
                if (end is not None and now >= end) or all(entry.state in ENDED for entry in entries):
                    break
                self._changed.wait(max(0.0, min(times) - now) if times else None)
            return tuple(entry.task() for entry in entries)

    def task(self, id: str) -> TranscriptionTask:
        """The task as it is now; raises UnknownName for an id that is none, or that is forgotten."""
        with self._changed:
            self._fail_late()
            return self._entry(id).task()

    def tasks(self) -> tuple[TranscriptionTask, ...]:
        """All tasks as they are now, in the order in which they were started."""
        with self._changed:
            self._fail_late()
            return tuple(entry.task() for entry in self._entries.values())

    def error_of(self, id: str) -> Exception | None:
        """The error of a task that failed."""
        with self._changed:
            return self._entry(id).error

    def retry(self, id: str) -> TranscriptionTask:
        """The task begun again, if it failed or was cancelled; any other as it is.

        Raises CtxlabError for one whose large file isn't kept: it begins again when its text is asked for once more.
        """
        with self._changed:
            entry = self._entry(id)
            if entry.state in ("failed", "cancelled"):
                if entry.work is None:
                    self._forget(entry)
                    raise CtxlabError(f"the file of {id} is not kept, since it is large; ask for its text again")
                self._begin_again(entry)
                self._run_waiting()
            return entry.task()

    def cancel(self, id: str) -> TranscriptionTask:
        """The task, which has no answer any more unless it has ended already."""
        with self._changed:
            entry = self._entry(id)
            if entry.state not in ENDED:
                self._end(entry, "cancelled")
                self._run_waiting()
            return entry.task()

    def _entry(self, id: str) -> _Entry:
        if id not in self._entries:
            raise UnknownName(f"there is no transcription {id!r}; {len(self._entries):,} are known")
        return self._entries[id]

    def _in(self, state: TaskState) -> list[_Entry]:
        return [entry for entry in self._entries.values() if entry.state == state]

    def _added(self, entry: _Entry) -> _Entry:
        ended = [each for each in self._entries.values() if each.state in ENDED]
        for old in ended[: max(0, len(self._entries) + 1 - self.max_tasks)]:
            self._forget(old)
        if len(self._entries) >= self.max_tasks:
            raise CtxlabError(f"{len(self._entries):,} transcriptions wait already; wait for them or cancel some")
        self._count += 1
        entry.id = f"transcription-{self._count}"
        self._entries[entry.id] = entry
        self._ids[entry.key] = entry.id
        return entry

    def _forget(self, entry: _Entry) -> None:
        del self._entries[entry.id], self._ids[entry.key]

    def _begin_again(self, entry: _Entry) -> None:
        entry.state, entry.progress, entry.error, entry.timed_out = "waiting", 0.0, None, False
        entry.retries += 1

    def _end(self, entry: _Entry, state: TaskState, error: Exception | None = None) -> None:
        entry.state, entry.error = state, error
        entry.attempt += 1
        entry.watchers.clear()
        if state == "done" or entry.is_large:
            entry.work = None
        self._changed.notify_all()

    def _fail_late(self) -> None:
        now = time.monotonic()
        for entry in self._in("running"):
            if now >= entry.deadline:
                words = f"it took longer than {entry.timeout_seconds:g} s; give it more time (timeout_seconds=...)"
                entry.timed_out = True
                self._end(entry, "failed", CtxlabError(words))
        self._run_waiting()

    def _run_waiting(self) -> None:
        free = self.max_running - len(self._in("running"))
        for entry in self._in("waiting")[: max(0, free)]:
            if self._threads >= MOST_THREADS:
                hung = f"{self._threads} transcriptions before it hang; a new Python process begins without them"
                self._end(entry, "failed", CtxlabError(hung))
                continue
            assert entry.work is not None  # it goes when a task ends
            entry.state = "running"
            entry.attempt += 1
            self._threads += 1
            entry.deadline = time.monotonic() + entry.timeout_seconds
            thread = Thread(target=self._run, args=(entry, entry.attempt, entry.work), name=entry.id, daemon=True)
            thread.start()

    def _run(self, entry: _Entry, attempt: int, work: Work) -> None:
        """One attempt, on its own thread, and further ones where a failure may pass."""
        tries = self.max_retries
        try:
            while self._try(entry, attempt, work, tries):
                tries -= 1
        finally:
            with self._changed:
                self._threads -= 1
                self._run_waiting()

    def _try(self, entry: _Entry, attempt: int, work: Work, tries: int) -> bool:
        """One try; whether another is to follow."""
        failure: Exception | None = None
        transcript: Transcript | None = None
        try:
            transcript = work(lambda share: self._progress(entry, attempt, share))
            self._progress(entry, attempt, 1.0)
        except _Ended:
            return False
        except Exception as error:
            failure = error
        except BaseException as error:  # such as a panic of a library that isn't written in Python
            failure = CtxlabError(f"{type(error).__name__}: {error}")
        with self._changed:
            if entry.attempt != attempt:
                return False
            if failure is not None and not isinstance(failure, CtxlabError) and tries:
                entry.retries += 1
                return True
            entry.transcript = transcript if failure is None else None
            self._end(entry, "failed" if failure is not None else "done", _without_frames(failure))
        return False

    def _progress(self, entry: _Entry, attempt: int, share: float) -> None:
        with self._changed:
            if entry.attempt != attempt:
                raise _Ended
            entry.progress = min(max(share, entry.progress), 1.0)
            watchers = tuple(entry.watchers)
        for watcher in watchers:
            watcher(share)


def _without_frames(error: Exception | None) -> Exception | None:
    """The error without the frames that it went through, which hold the file."""
    each: BaseException | None = error
    seen: set[int] = set()
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        each.__traceback__ = None
        each = each.__cause__ or each.__context__
    return error

"""V8, on one thread of its own that starts when it is first needed.

Every caller waits for that thread, so it makes no difference whether an event loop runs where the call is made. A child
process that was forked has none of its parent's threads: it starts a worker of its own.
"""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import process_time
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from ctxlab.engines.regexes.work_limits import Limits
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from py_mini_racer import MiniRacer

T = TypeVar("T")

FLAGS = (
    "--allow-natives-syntax",  # counted.js makes expressions with a limit on backtracks; no code of users is run
    "--enable-experimental-regexp-engine",  # the engine that needs linear time
    "--no-regexp-tier-up",  # the interpreter counts backtracks otherwise than compiled code does
    # Where the CPU has such keys, they are a thread's own: a worker that a forked child starts would end the process.
    "--no-memory-protection-keys",
)
SCRIPTS = ("counted.js", "write_replacement.js", "v8_worker.js")
FUNCTIONS = ("startSearch", "startReplacing", "proceed")
SLICE_SECONDS = 0.1  # as v8_worker.js has it
START_SECONDS = 20.0
MOST_PATIENCE = 16
"""So many times the time limit a process may wait for CPU time that it doesn't get."""
MEMORY_BYTES = 1_500_000_000


class RegexEngineUnavailable(CtxlabError):
    """V8 can't be started here, or doesn't answer."""


class Interrupted(Exception):
    """Raised for a call that was stopped, with the numbers of the text and the pattern that it was at."""

    def __init__(self, why: str, *, text: int, pattern: int) -> None:
        super().__init__(why)
        self.why = why
        self.text = text
        self.pattern = pattern


class Machine:
    """V8 with v8_worker.js in it; used on the worker's thread only."""

    def __init__(self) -> None:
        self._racer: MiniRacer | None = None
        self._functions: dict[str, Any] = {}
        self._at: Any = None

    def start(self) -> None:
        import py_mini_racer

        # Flags count only before the first context of a process; where somebody else was first, theirs stand.
        flags = (*py_mini_racer.DEFAULT_V8_FLAGS, *FLAGS)
        py_mini_racer.init_mini_racer(flags=flags, ignore_duplicate_init=True)
        self._racer = py_mini_racer.MiniRacer()
        self._racer.set_hard_memory_limit(MEMORY_BYTES)
        for script in SCRIPTS:
            self._racer.eval(Path(__file__).with_name(script).read_text("utf-8"))
        view: Any = self._racer.eval("at.buffer")
        self._at = view.cast("i")
        self._functions = {name: self._racer.eval(name) for name in FUNCTIONS}

    def close(self) -> None:
        racer, self._racer, self._at = self._racer, None, None
        self._functions = {}
        if racer is not None:
            racer.close()

    def call(self, function: str, *arguments: str, limits: Limits) -> str | None:
        """The result of a function of v8_worker.js; raises Interrupted when one pattern exceeds the time limit.

        V8 is stopped by the wall clock. Where the process had less than half of that in CPU time, the machine is
        busy: the same call is made again, with twice the time.
        """
        import py_mini_racer

        if self._racer is None:
            self.start()
        wall, given_up = limits.timeout_seconds, limits.timeout_seconds * MOST_PATIENCE
        while True:
            started = process_time()
            try:
                return self._functions[function](*arguments, timeout_sec=wall + SLICE_SECONDS)
            except py_mini_racer.JSTimeoutException:
                used, answers = process_time() - started, self._answers()
                if 2 * used >= limits.timeout_seconds or wall >= given_up or not answers:
                    raise self._stopped(limits.timed_out, lost=not answers) from None
                wall *= 2
            except py_mini_racer.JSOOMException:
                raise self._stopped("it needs too much memory", lost=True) from None

    def _stopped(self, why: str, *, lost: bool) -> Interrupted:
        text, pattern = self._at[0], self._at[1]
        if lost:
            self.close()
        return Interrupted(why, text=text, pattern=pattern)

    def _answers(self) -> bool:
        import py_mini_racer

        try:
            return self._racer is not None and self._racer.eval("1 + 1", timeout_sec=1.0) == 2
        except py_mini_racer.JSEvalException:
            return False


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    work: Callable[[Machine], T]
    done: Event
    result: T | None = None
    error: BaseException | None = None


class _Worker:
    """A thread that does one job after another."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        self._up = Event()
        self._thread = Thread(target=_serve, args=(self._jobs, self._up), name="ctxlab-regexes", daemon=True)
        self._thread.start()

    def run(self, work: Callable[[Machine], T]) -> T:
        if not self._up.wait(START_SECONDS):
            raise RegexEngineUnavailable(
                f"V8 did not start within {START_SECONDS:g} s; in a process made by fork, use the start method spawn"
            )
        job = _Job(work, Event())
        self._jobs.put(job)
        job.done.wait()
        if job.error is not None:
            raise job.error
        return cast("T", job.result)

    def stop(self) -> None:
        self._jobs.put(None)
        self._thread.join(1.0)


def _serve(jobs: SimpleQueue[_Job[Any] | None], up: Event) -> None:
    machine = Machine()
    broken: Exception | None = None
    try:
        machine.start()
    except Exception as error:  # whoever asks is told
        broken = RegexEngineUnavailable(f"V8 can't be started: {error}")
    up.set()
    while (job := jobs.get()) is not None:
        try:
            if broken is not None:
                raise broken
            job.result = job.work(machine)
        except BaseException as error:  # raised again where the call was made
            job.error = error
        job.done.set()
        del job
    machine.close()


_lock = Lock()
_worker: _Worker | None = None


def run(work: Callable[[Machine], T]) -> T:
    """The result of `work`, done on the worker's thread, which is started when there is none."""
    global _worker
    with _lock:
        if _worker is None:
            _worker = _Worker()
            atexit.register(_worker.stop)
        worker = _worker
    return worker.run(work)


def _forget() -> None:
    """In a forked child: the parent's thread isn't there, and its lock may never be given back."""
    global _worker, _lock
    if _worker is not None:
        atexit.unregister(_worker.stop)
    _worker, _lock = None, Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


LARGEST_BATCH = 8_000_000
"""Characters that go to V8 at once; a text that is longer goes alone."""


def batches(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The texts in pieces, as (first, end)."""
    first = size = 0
    for index, text in enumerate(texts):
        if size and size + len(text) > LARGEST_BATCH:
            yield first, index
            first, size = index, 0
        size += len(text)
    if first < len(texts):
        yield first, len(texts)


def run_function(machine: Machine, function: str, head: Any, texts: str, limits: Limits) -> dict[str, Any]:
    """The final result of a function of v8_worker.js; raises Interrupted, which names the pattern that caused it."""
    answer = machine.call(function, json.dumps(head), texts, limits=limits)
    while answer is None:
        answer = machine.call("proceed", limits=limits)
    result = json.loads(answer)
    if "failed" in result:
        raise Interrupted(result["why"], text=-1, pattern=result["failed"])
    return result

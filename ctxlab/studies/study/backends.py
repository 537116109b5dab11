"""Backends, which build batches: this process, several of this machine, or dask's workers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import lru_cache
from io import BytesIO
from itertools import chain, islice
from typing import Any, Literal, cast

from ctxlab.assets.transcription.loaded_models import optional_module
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError
from ctxlab.studies.study.batches import Batch, rows_of_batch
from ctxlab.studies.study.cell_rows import Row
from ctxlab.studies.study.plan import StudyPlan

Backend = Literal["local", "dask"]
AHEAD = 2
"""Batches that wait for each process, so that none is idle; more would hold more of a corpus in memory."""

WAIT_SECONDS = 30
"""Seconds after which a scheduler without workers is given up."""


def rows_of_batches(
    plan: StudyPlan, batches: Iterable[Batch], *, backend: Backend, processes: int, address: str | None
) -> Generator[list[Row]]:
    """The rows of each batch as it is done, in any order."""
    if backend == "dask":
        yield from _with_dask(plan, batches, processes, address)
        return
    if processes > 1:
        first = list(islice(batches := iter(batches), 2))
        batches = chain(first, batches)
        if len(first) > 1:  # one batch alone is built sooner than a process starts
            yield from _with_joblib(plan, batches, processes)
            return
    waiting = iter(batches)
    while (batch := next(waiting, None)) is not None:
        rows = rows_of_batch(plan, batch)
        del batch  # else it would be held while the next one is read
        yield rows


class _Sent:
    """Batches pickled one at a time for other processes; an error of the stream ends it and is raised at the end.

    joblib asks for the next batch in a thread of its own, where an error would be lost. A conversation of several
    batches in a row is pickled once, and made once in each process, which works out once what all its questions share.
    """

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._batches = iter(batches)
        self._last: tuple[Session | None, bytes] = (None, b"")
        self.problem: BaseException | None = None

    def _reduced(self, session: Session) -> tuple[Callable[[bytes], Session], tuple[bytes]]:
        if self._last[0] is not session:
            self._last = (session, _pickled(session))
        return _session, (self._last[1],)

    def __iter__(self) -> Iterator[bytes]:
        import cloudpickle

        reducers: Any = cloudpickle.Pickler.dispatch_table

        class Pickler(cloudpickle.Pickler):
            dispatch_table = reducers.new_child({Session: self._reduced})

        while True:
            file = BytesIO()
            try:
                batch = next(self._batches)
                Pickler(file).dump(batch)
            except StopIteration:
                return
            except Exception as problem:
                self.problem = problem
                return
            yield file.getvalue()

    def finish(self) -> None:
        if self.problem is not None:
            raise self.problem


def _with_joblib(plan: StudyPlan, batches: Iterable[Batch], processes: int) -> Generator[list[Row]]:
    joblib: Any = optional_module("joblib", extra="studies", purpose="a study in several processes")

    sent = _Sent(batches)
    data = _pickled(plan)
    run: Any = joblib.delayed(rows_in_worker)
    parallel: Any = joblib.Parallel(
        n_jobs=processes, return_as="generator_unordered", pre_dispatch=AHEAD * processes, batch_size=1
    )
    try:
        with closing(parallel(run(data, batch) for batch in sent)) as rows:
            yield from rows
    except Exception as problem:
        if type(problem).__name__ not in ("TerminatedWorkerError", "BrokenProcessPool"):
            raise
        raise CtxlabError(_lost_process()) from problem
    sent.finish()


def _with_dask(plan: StudyPlan, batches: Iterable[Batch], processes: int, address: str | None) -> Generator[list[Row]]:
    distributed: Any = optional_module("distributed", extra="dask", purpose='backend="dask"')
    with ExitStack() as stack:
        if address is None:
            from dask import config

            # Its profiler looks at each worker's stack a hundred times a second, which takes as long as some cells.
            stack.enter_context(config.set({"distributed.worker.profile.enabled": False}))
            cluster = distributed.LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None)
            client = stack.enter_context(distributed.Client(stack.enter_context(cluster)))
        else:
            client = stack.enter_context(distributed.Client(address))
            _wait_for_a_worker(client, address)
        data = client.scatter(_pickled(plan), broadcast=True, hash=False)
        waiting: set[Any] = set()
        sent = _Sent(batches)
        for batch in sent:
            future = client.scatter(batch, hash=False)
            waiting.add(client.submit(rows_in_worker, data, future, pure=False))
            if len(waiting) >= AHEAD * max(1, len(client.nthreads())):
                yield from _done(distributed, waiting)
        while waiting:
            yield from _done(distributed, waiting)
        sent.finish()


def _wait_for_a_worker(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=WAIT_SECONDS)
    except TimeoutError:
        raise CtxlabError(
            f"the scheduler at {address} has no worker after {WAIT_SECONDS} s; start some: dask worker {address}"
        ) from None


def _done(distributed: Any, waiting: set[Any]) -> Iterator[list[Row]]:
    """The rows of the batches that are done, once one is; they are taken off those that are waited for."""
    try:
        done = distributed.wait(waiting, return_when="FIRST_COMPLETED").done
        for future in done:
            waiting.discard(future)
            yield cast("list[Row]", future.result())
    except distributed.KilledWorker as problem:
        raise CtxlabError(_lost_process()) from problem


def _lost_process() -> str:
    return "a process of the study ended before its cells were built; with a path, a run again goes on where this was"


def rows_in_worker(plan: bytes, batch: bytes) -> list[Row]:
    """The rows of a pickled batch under a pickled plan."""
    import pickle

    return rows_of_batch(_unpickled(plan), pickle.loads(batch))


@lru_cache(maxsize=2)
def _unpickled(plan: bytes) -> StudyPlan:
    import pickle

    return pickle.loads(plan)


@lru_cache(maxsize=1)
def _session(data: bytes) -> Session:
    import pickle

    return pickle.loads(data)


def _pickled(value: StudyPlan | Session) -> bytes:
    import cloudpickle

    return cloudpickle.dumps(value)

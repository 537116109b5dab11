"""Tasks of a registry: done once, retried, cancelled, out of time; no thread of a task that ended has a say."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from threading import Barrier, Thread

import pytest

from ctxlab.assets.transcription import NoText, TranscriptionRegistry, TranscriptionTask
from ctxlab.context import Transcript
from ctxlab.errors import CtxlabError, ReadError, UnknownName
from tests.assets.transcription.gated_work import PATIENCE, GatedWork


@pytest.fixture
def work() -> Iterator[GatedWork]:
    made = GatedWork()
    yield made
    made.open_all()


def started(registry: TranscriptionRegistry, work: GatedWork, key: str = "a", **options: float) -> TranscriptionTask:
    return registry.start(work, key=key, asset=f"{key}.mp3", kind="audio", **options)  # type: ignore[arg-type]


def waited(registry: TranscriptionRegistry, task: TranscriptionTask) -> TranscriptionTask:
    (found,) = registry.wait(task.id, timeout_seconds=PATIENCE)
    return found


def test_the_same_work_is_done_once_however_often_it_is_started(work: GatedWork) -> None:
    registry = TranscriptionRegistry()
    first, second = started(registry, work), started(registry, work)
    work.gate(0).put("words")

    done = waited(registry, first)
    third = started(registry, work)

    assert first.id == second.id == third.id
    assert (done.state, done.progress, str(done.transcript)) == ("done", 1.0, "words")
    assert third.transcript is done.transcript is waited(registry, second).transcript
    assert len(work.gates) == 1


def test_many_threads_that_start_the_same_work_share_one_task(work: GatedWork) -> None:
    registry, together = TranscriptionRegistry(), Barrier(8)
    ids: list[str] = []

    def start() -> None:
        together.wait(PATIENCE)
        ids.append(started(registry, work).id)

    threads = [Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)

    assert len(ids) == 8
    assert len(set(ids)) == 1
    work.gate(0).put("words")
    assert waited(registry, registry.task(ids[0])).state == "done"
    assert len(work.gates) == 1


def test_at_most_two_go_at_once_and_the_next_begins_when_one_ends(work: GatedWork) -> None:
    registry = TranscriptionRegistry(max_running=2)
    tasks = [started(registry, work, key) for key in "abc"]
    work.gate(1)

    assert [task.state for task in registry.tasks()] == ["running", "running", "waiting"]

    work.gate(0).put("words")
    work.gate(2).put("words")
    work.gate(1).put("words")
    assert {task.state for task in registry.wait([task.id for task in tasks], timeout_seconds=PATIENCE)} == {"done"}


def test_a_cancelled_task_has_no_answer_though_its_thread_gives_one(work: GatedWork) -> None:
    registry = TranscriptionRegistry()
    task = started(registry, work)
    gate = work.gate(0)

    cancelled = registry.cancel(task.id)
    gate.put("too late")
    work.wait_for_ends(1)

    assert cancelled.state == "cancelled"
    assert registry.task(task.id) == cancelled
    assert started(registry, work) == cancelled, "starting it again doesn't undo that"


def test_the_thread_of_a_cancelled_task_ends_when_it_tells_its_progress(work: GatedWork) -> None:
    registry = TranscriptionRegistry()
    task = started(registry, work)
    gate = work.gate(0)
    registry.cancel(task.id)

    gate.put(0.5)

    work.wait_for_ends(1)
    assert registry.task(task.id).progress == 0.0


def test_a_task_that_ended_is_not_cancelled(work: GatedWork) -> None:
    registry = TranscriptionRegistry()
    task = started(registry, work)
    work.gate(0).put("words")
    done = waited(registry, task)

    assert registry.cancel(task.id) == done


def test_a_cancelled_task_is_begun_again_by_retry_and_the_first_thread_has_no_say(work: GatedWork) -> None:
    registry = TranscriptionRegistry()
    task = started(registry, work)
    first = work.gate(0)
    registry.cancel(task.id)

    again = registry.retry(task.id)
    second = work.gate(1)
    first.put("of the first")
    work.wait_for_ends(1)
    second.put("of the second")

    assert again.retries == 1
    assert str(waited(registry, task).transcript) == "of the second"


def test_a_failure_that_may_pass_is_tried_again_by_itself_and_counted(work: GatedWork) -> None:
    registry = TranscriptionRegistry(max_retries=2)
    task = started(registry, work)
    for number in range(2):
        work.gate(number).put(ConnectionError("gone"))
    work.gate(2).put("words")

    done = waited(registry, task)

    assert (done.state, done.retries, str(done.transcript)) == ("done", 2, "words")


def test_a_failure_that_stays_ends_the_task_after_its_retries(work: GatedWork) -> None:
    registry = TranscriptionRegistry(max_retries=1)
    task = started(registry, work)
    for number in range(2):
        work.gate(number).put(ConnectionError("gone"))

    failed = waited(registry, task)

    assert (failed.state, failed.retries, failed.error, failed.transcript) == ("failed", 1, "gone", None)


def test_an_error_that_says_what_to_do_is_not_tried_again_by_itself_but_when_it_is_started_anew(
    work: GatedWork,
) -> None:
    registry = TranscriptionRegistry(max_retries=2)
    task = started(registry, work)
    work.gate(0).put(CtxlabError("install it"))
    failed = waited(registry, task)

    again = started(registry, work)
    work.gate(1).put("words")

    assert (failed.state, failed.retries, failed.error) == ("failed", 0, "install it")
    assert (again.id, again.retries) == (task.id, 1)
    assert str(waited(registry, task).transcript) == "words"


@pytest.mark.parametrize("error", [NoText("no words"), ReadError("it is broken")])
def test_a_failure_whose_cause_is_in_the_file_stays_until_it_is_retried(work: GatedWork, error: CtxlabError) -> None:
    registry = TranscriptionRegistry()
    task = started(registry, work)
    work.gate(0).put(error)
    failed = waited(registry, task)

    assert started(registry, work) == failed
    assert registry.retry(task.id).retries == 1
    work.gate(1)


def test_waiting_ends_when_a_task_is_out_of_time_and_the_sentence_names_the_remedy(work: GatedWork) -> None:
    registry = TranscriptionRegistry()
    task = started(registry, work, timeout_seconds=0.01)

    (failed,) = registry.wait(task.id)

    assert failed.state == "failed"
    assert failed.error == "it took longer than 0.01 s; give it more time (timeout_seconds=...)"
    assert started(registry, work, timeout_seconds=0.01).state == "failed", "as much time is no more time"
    again = started(registry, work, timeout_seconds=PATIENCE)
    work.gate(1).put("words")
    assert again.state == "running"
    assert str(waited(registry, task).transcript) == "words"


def test_a_task_out_of_time_makes_room_for_the_next(work: GatedWork) -> None:
    registry = TranscriptionRegistry(max_running=1)
    slow, next_one = started(registry, work, "a", timeout_seconds=0.01), started(registry, work, "b")
    registry.wait(slow.id)

    work.gate(1).put("words")

    assert waited(registry, next_one).state == "done"


def test_waiting_for_less_than_it_takes_gives_the_tasks_as_they_are(work: GatedWork) -> None:
    registry = TranscriptionRegistry()
    task = started(registry, work)

    (found,) = registry.wait(task.id, timeout_seconds=0.01)

    assert found.state == "running"


def test_progress_never_goes_back_and_is_told_to_all_who_started(work: GatedWork) -> None:
    registry = TranscriptionRegistry()
    told: list[tuple[str, float]] = []
    task = started(registry, work)
    for name in "xy":
        registry.start(
            work, key="a", asset="a", kind="audio", progress=lambda share, name=name: told.append((name, share))
        )

    gate = work.gate(0)
    for outcome in (0.5, 0.25, "words"):
        gate.put(outcome)

    assert waited(registry, task).progress == 1.0
    assert told == [(name, share) for share in (0.5, 0.25, 1.0) for name in "xy"]


def test_the_oldest_that_ended_are_forgotten_and_those_that_go_on_are_not(work: GatedWork) -> None:
    registry = TranscriptionRegistry(max_tasks=2)
    kept = started(registry, work, "a")
    for number, key in enumerate("bcd", 1):
        task = started(registry, work, key)
        work.gate(number).put("words")
        waited(registry, task)

    assert [task.asset for task in registry.tasks()] == ["a.mp3", "d.mp3"]
    assert registry.task(kept.id).state == "running"
    with pytest.raises(UnknownName, match="there is no transcription 'transcription-2'; 2 are known"):
        registry.task("transcription-2")


def test_more_than_it_holds_is_refused_with_the_remedy(work: GatedWork) -> None:
    registry = TranscriptionRegistry(max_tasks=2)
    tasks = [started(registry, work, key) for key in "ab"]

    with pytest.raises(CtxlabError, match="2 transcriptions wait already; wait for them or cancel some"):
        started(registry, work, "c")

    registry.cancel(tasks[0].id)
    assert started(registry, work, "c").state == "running"


def test_threads_that_hang_are_bounded_and_what_waits_is_told_so(
    monkeypatch: pytest.MonkeyPatch, work: GatedWork
) -> None:
    monkeypatch.setattr("ctxlab.assets.transcription.registry.MOST_THREADS", 2)
    registry = TranscriptionRegistry(max_running=1)
    for key in "ab":
        registry.cancel(started(registry, work, key).id)
        work.gate("ab".index(key))

    refused = started(registry, work, "c")

    assert (refused.state, len(work.gates)) == ("failed", 2)
    assert refused.error == "2 transcriptions before it hang; a new Python process begins without them"


def test_a_panic_of_a_library_ends_the_task_too() -> None:
    class Panic(BaseException):
        pass

    def work(progress: object) -> Transcript:
        raise Panic("broken")

    registry = TranscriptionRegistry()
    task = registry.start(work, key="a", asset="a", kind="audio")

    assert waited(registry, task).error == "Panic: broken"


def test_a_task_shows_itself_on_one_line(work: GatedWork) -> None:
    task = started(TranscriptionRegistry(), work)

    assert repr(task) == "TranscriptionTask('transcription-1', 'a.mp3', running, 0%)"


class _Work:
    """Work whose life can be watched."""

    def __init__(self, error: CtxlabError | None = None) -> None:
        self.error = error

    def __call__(self, progress: Callable[[float], None]) -> Transcript:
        if self.error is not None:
            raise self.error
        return Transcript.of("words", engine="e")


@pytest.mark.parametrize(("error", "is_large"), [(None, False), (None, True), (ReadError("broken"), True)])
def test_a_task_that_ended_lets_go_of_its_file(error: CtxlabError | None, is_large: bool) -> None:
    registry, work = TranscriptionRegistry(), _Work(error)
    held = weakref.ref(work)

    task = registry.start(work, key="k", asset="a", kind="image", is_large=is_large)
    del work
    registry.wait(task.id)
    for thread in threading.enumerate():
        if thread.name == task.id:
            thread.join(PATIENCE)
    gc.collect()

    assert held() is None


def test_a_large_file_that_failed_is_asked_for_again_and_a_small_one_is_retried() -> None:
    registry = TranscriptionRegistry()
    small, large = (
        registry.start(_Work(ReadError("broken")), key=size, asset="a", kind="image", is_large=size)
        for size in (False, True)
    )
    registry.wait([small.id, large.id])

    assert registry.retry(small.id).retries == 1
    with pytest.raises(CtxlabError, match="ask for its text again"):
        registry.retry(large.id)
    again = registry.start(_Work(), key=True, asset="a", kind="image")
    assert registry.wait(again.id)[0].state == "done"

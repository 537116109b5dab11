"""Services that wait: what is recorded of them, what is refused, and when the garbage collector is off."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable, Iterator
from threading import Event, Thread
from typing import Any

import pytest

from ctxlab.context import BuildInput, Context
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Pipeline, ProcessorFailed, Services, processor
from ctxlab.pipeline import garbage_collector as collector
from ctxlab.pipeline.garbage_collector import without_collection
from ctxlab.pipeline.service_calls import CallLog
from ctxlab.testing.fakes import ScriptedLlm, WordTokenizer


def pieces() -> Iterator[str]:
    yield from ("a", "b")


async def later() -> str:
    return "a"


async def pieces_later() -> AsyncIterator[str]:
    yield "a"


class Streams:
    """A service that answers with what it was made with."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer

    def complete(self, prompt: str) -> Any:
        return self.answer()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (pieces, "generator"),
        (pieces_later, "async_generator"),
        (lambda: map(str, [1]), "map"),
        (lambda: {"text": "a", "chunks": [pieces()]}, "generator"),
    ],
)
def test_an_answer_that_can_be_read_only_once_is_refused_and_not_recorded(answer: Callable[[], Any], kind: str) -> None:
    log = CallLog()
    service: Any = log.wrap("llm", Streams(answer))

    with pytest.raises(CtxlabError, match=rf"llm\.complete gave a {kind}, which can be read only once"):
        service.complete("go on")
    assert log.calls == []


def test_a_coroutine_is_refused_too() -> None:
    coroutine = later()
    service: Any = CallLog().wrap("llm", Streams(lambda: coroutine))

    with pytest.raises(CtxlabError, match="gave a coroutine"):
        service.complete("go on")
    coroutine.close()


def test_a_step_that_streams_fails_in_words() -> None:
    @processor("streams", waits=True)
    def streams(ctx: Context, services: Services) -> Context:
        services.llm.complete("go on")
        return ctx

    with pytest.raises(ProcessorFailed, match="steps call methods that answer in one piece"):
        run(streams, llm=Streams(pieces))


@pytest.mark.parametrize("answer", ["text", ["a", {"b": ("c",)}], {"a": 1}, range(3), b"bytes", None])
def test_any_other_answer_is_recorded_as_it_is(answer: Any) -> None:
    log = CallLog()
    service: Any = log.wrap("llm", Streams(lambda: answer))

    assert service.complete("go on") is answer
    assert [call.answer for call in log.calls] == [answer]
    replayed: Any = CallLog(list(log.calls)).wrap("llm", Streams(pieces))
    assert replayed.complete("go on") is answer


# --- the garbage collector


def run(*steps: Any, llm: Any = None) -> None:
    services = Services(tokenizer=WordTokenizer(), llm=llm)
    Pipeline.of(steps).run(Context(BuildInput(Session(id="s"))), services)


def test_the_collector_is_off_for_steps_that_compute_and_on_for_steps_that_wait() -> None:
    seen: dict[str, bool] = {}

    def step(name: str, *, priority: int, waits: bool) -> Any:
        @processor(name, priority=priority, waits=waits)
        def look(ctx: Context) -> Context:
            seen[name] = gc.isenabled()
            return ctx

        return look

    run(
        step("first", priority=1, waits=False),
        step("asks", priority=2, waits=True),
        step("last", priority=3, waits=False),
        llm=ScriptedLlm(),
    )

    assert seen == {"first": False, "asks": True, "last": False}
    assert gc.isenabled()


def test_a_collector_that_was_off_before_stays_off() -> None:
    gc.disable()
    try:
        with without_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_first_of_two_threads_to_end_leaves_the_collector_off_for_the_other() -> None:
    inside, go = Event(), Event()

    def other() -> None:
        with without_collection():
            inside.set()
            go.wait(120)

    thread = Thread(target=other)
    with without_collection():
        thread.start()
        assert inside.wait(120)
    assert not gc.isenabled()
    go.set()
    thread.join(120)

    assert gc.isenabled()


def test_runs_that_overlap_without_end_do_not_keep_the_collector_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "LONGEST_SECONDS", -1.0)

    with without_collection():
        with without_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
        latecomer = without_collection()
        latecomer.__enter__()
    assert gc.isenabled()
    latecomer.__exit__(None, None, None)
    assert gc.isenabled()


def test_what_was_made_meanwhile_joins_the_oldest_generation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "_PAUSE", collector._Pause())
    gc.unfreeze()
    try:
        with without_collection():
            made = [[] for _ in range(50)]
        oldest = {id(each) for each in gc.get_objects(generation=2)}
        assert {id(each) for each in (made, *made)} <= oldest
    finally:
        gc.freeze()


def test_what_somebody_froze_stays_frozen_and_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "_PAUSE", collector._Pause())
    count, counts = gc.get_freeze_count, list[int]()
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counts.append(count()) or counts[-1])
    gc.freeze()

    for _ in range(3):
        with without_collection():
            pass

    assert len(counts) == 1
    assert count() > 0


def test_an_error_switches_the_collector_on_again() -> None:
    with pytest.raises(KeyError), without_collection():
        raise KeyError("x")

    assert gc.isenabled()

"""What a long recording costs is what is new in it, not what its requests sent again and again."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import ctxlab
from ctxlab.recordings.recording import Recording
from tests.bench.recordings import Long, write_long

SMALL, LARGE = 60, 240


def calls_of(work: Callable[[], Any]) -> int:
    """Calls of Python functions, steps of generators too: the same on every machine, unlike times."""
    count = 0

    def watch(frame: Any, event: str, value: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Long, Long]:
    """Two recordings of one conversation that grows all the way, the second four times as long."""
    folder = tmp_path_factory.mktemp("long")
    small, large = (write_long(folder / f"{n}.ctxrec.jsonl", n, stretch=1_000, files=20) for n in (SMALL, LARGE))
    ctxlab.read_recording(small.path).frame()  # what loads at first use
    return small, large


def both(pair: tuple[Long, Long]) -> tuple[Recording, Recording]:
    return ctxlab.read_recording(pair[0].path), ctxlab.read_recording(pair[1].path)


def test_each_message_is_kept_once(pair: tuple[Long, Long]) -> None:
    for recording, requests in zip(both(pair), (SMALL, LARGE), strict=True):
        new = sum(request.new_messages for request in recording)
        sent = sum(request.message_count for request in recording)
        assert len(recording.session.nodes) - 1 in (new + 1, new + 2)  # answers that weren't sent again
        assert sent > 30 * new
        assert len(recording) == requests
        assert len({id(request.head) for request in recording}) == 1


def test_opening_takes_calls_by_what_is_new(pair: tuple[Long, Long]) -> None:
    small, large = (calls_of(lambda one=one: ctxlab.read_recording(one.path)) for one in pair)
    assert pair[1].sent > 5 * pair[0].sent
    assert large < 4 * small


def test_a_walk_over_the_requests_takes_calls_by_requests_and_new_messages(pair: tuple[Long, Long]) -> None:
    def walk(recording: Recording) -> None:
        for request in recording:
            request.usage, request.message_count, request.new_messages, request.row()
        recording.agents, recording.frame(), recording._repr_html_()

    small, large = (calls_of(lambda one=one: walk(one)) for one in both(pair))
    assert large < 4.2 * small


def test_memory_grows_with_what_is_new(pair: tuple[Long, Long]) -> None:
    taken = list[int]()
    for one in pair:
        gc.collect()
        tracemalloc.start()
        recording = ctxlab.read_recording(one.path)
        taken.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert len(recording) in (SMALL, LARGE)
    new, memory = pair[1].new - pair[0].new, taken[1] - taken[0]
    assert memory < 40 * new < (pair[1].sent - pair[0].sent)

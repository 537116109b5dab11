"""The process that native parsers run in: its limits, its deaths, threads, forks, and the end of its caller."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from ctxlab.assets.parser_process import PARSERS, ParserProcess
from ctxlab.errors import ReadError


def pid() -> int:
    return os.getpid()


def echoed(value: object) -> object:
    return value


def refused() -> None:
    raise ReadError("the harbour is closed")


def broken() -> None:
    raise ZeroDivisionError("many\nwords")


def endless() -> None:
    while True:
        pass


def large() -> int:
    return len(bytes(400_000_000))


def dead() -> None:
    os.abort()


def talkative() -> str:
    os.write(1, b"words of a library\n")
    print("more of them")
    return "answer"


def no_plain_data() -> Path:
    return Path("a")


def test_calls_are_answered_by_one_process_that_is_not_this_one() -> None:
    parsers = ParserProcess()

    first = parsers.call(pid)

    assert first != os.getpid()
    assert parsers.call(pid) == first
    assert parsers.call(talkative) == "answer"
    data = os.urandom(3_000_000)
    assert parsers.call(echoed, [data, None, {"a": 1.5}, "港口"]) == [data, None, {"a": 1.5}, "港口"]
    parsers.close()
    assert parsers.call(pid) != first
    parsers.close()


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (refused, "the harbour is closed"),
        (broken, "the file made its reader fail (ZeroDivisionError)"),
        (endless, "reading it took longer than 1 s"),
        (dead, "the file made its reader fail"),
        (no_plain_data, "the file made its reader fail"),
    ],
)
def test_what_fails_is_a_sentence_and_the_next_call_is_answered(function: object, says: str) -> None:
    parsers = ParserProcess()
    assert callable(function)
    assert parsers.call(echoed, 1) == 1
    parsers.seconds = 1

    with pytest.raises(ReadError) as error:
        parsers.call(function)

    assert str(error.value) == says
    parsers.seconds = 20
    assert parsers.call(echoed, 1) == 1
    parsers.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no limit of memory for a process")
def test_more_memory_than_the_limit_is_refused() -> None:
    parsers = ParserProcess(memory_bytes=300_000_000)

    with pytest.raises(ReadError, match=r"^reading it takes more than 300 MB of memory$"):
        parsers.call(large)
    assert parsers.call(echoed, 1) == 1
    parsers.close()


def test_a_process_that_is_killed_between_two_calls_is_replaced() -> None:
    parsers = ParserProcess()
    first = parsers.call(pid)

    assert parsers._process is not None  # pyright: ignore[reportPrivateUsage]
    parsers._process.kill()  # pyright: ignore[reportPrivateUsage]
    parsers._process.wait()  # pyright: ignore[reportPrivateUsage]

    assert parsers.call(pid) not in {first, os.getpid()}
    parsers.close()


def test_threads_get_their_own_answers() -> None:
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(partial(PARSERS.call, echoed), range(200))) == list(range(200))


FORK = """
import os, sys
sys.path.insert(0, {root!r})
from ctxlab.assets.parser_process import PARSERS
from tests.assets.test_parser_process import pid
mine = PARSERS.call(pid)
read, write = os.pipe()
child = os.fork()
if not child:
    os.write(write, b"%d" % PARSERS.call(pid))
    sys.exit(0)
_, status = os.waitpid(child, 0)
forked = int(os.read(read, 20))
print(status, forked != mine, PARSERS.call(pid) == mine, flush=True)
print(mine, forked, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_has_a_process_of_its_own_and_none_stays_at_the_end() -> None:
    root = str(Path(__file__).parents[2])
    run = subprocess.run([sys.executable, "-c", FORK.format(root=root)], capture_output=True, text=True, check=True)
    state, pids = run.stdout.splitlines()

    assert state == "0 True True"
    for each in map(int, pids.split()):
        with pytest.raises(ProcessLookupError):
            os.kill(each, 0)

"""Where patterns match first, and that none can hang the program."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from ctxlab.engines.regexes import Pattern, first_matches, parse_pattern

ENDLESS = Pattern(r"(a+)+\1$")
BAIT = "a" * 40 + "!"


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("/a+/i", Pattern("a+", "i")),
        ("/a+/", Pattern("a+", "gm")),
        ("a+", Pattern("a+", "gm")),
        ("/a/b/g", Pattern("a/b", "g")),
        ("/a\nb/s", Pattern("a\nb", "s")),
        ("/a/q", Pattern("/a/q", "gm")),
        (" /a/g", Pattern(" /a/g", "gm")),
        ("//", Pattern("", "gm")),
        ("/", Pattern("/", "gm")),
    ],
)
def test_a_pattern_is_read(text: str, pattern: Pattern) -> None:
    assert parse_pattern(text, default_flags="gm") == pattern


def test_offsets_count_characters_not_utf16_units() -> None:
    texts = ["你好😀b", "😀😀b", "\ud83d b", "b", ""]

    found = first_matches([Pattern("b"), Pattern("^.", "u"), Pattern(r"\ude00b")], texts)

    assert found.spans[0] == ((3, 4), (2, 3), (2, 3), (0, 1), None)
    assert found.spans[1] == ((0, 1), (0, 1), (0, 1), (0, 1), None)
    assert found.spans[2] == ((2, 4), (1, 3), None, None, None)
    assert found.problems == {}


@pytest.mark.parametrize("text", ["a\0b", "a\u2028b", "a\ud800b", 'a\\u0041"b', "a\r\nb"])
def test_strange_characters_come_through(text: str) -> None:
    pattern = Pattern("^a[^]+b$")

    assert first_matches([pattern], [text]).spans == (((0, len(text)),),)


def test_each_side_may_be_empty() -> None:
    assert first_matches([], ["a"]).spans == ()
    assert first_matches([Pattern("a")], []).spans == ((),)


def test_a_pattern_that_does_not_compile_is_named_and_the_others_run() -> None:
    found = first_matches([Pattern("("), Pattern("a", "gg"), Pattern("a")], ["a"])

    assert found.spans == ((None,), (None,), ((0, 1),))
    assert "doesn't compile" in found.problems[0]
    assert "doesn't compile" in found.problems[1]


def test_a_pattern_that_hangs_is_stopped_and_the_others_run() -> None:
    patterns = [Pattern("!"), ENDLESS, Pattern("^(a|aa)+$", "", "python"), Pattern("a", "", "python")]

    found = first_matches(patterns, [BAIT, "aa"])

    assert found.spans[0] == ((40, 41), None)
    assert found.spans[3] == ((0, 1), (0, 1))
    assert found.spans[1] == found.spans[2] == (None, None)
    assert "backtracks in one text" in found.problems[1]
    assert "backtracks in one text" in found.problems[2]


def test_backtracking_without_end_is_no_problem_where_linear_time_is_possible() -> None:
    found = first_matches([Pattern("(a+)+$")], [BAIT])

    assert found.problems == {}
    assert found.spans == ((None,),)


def test_a_sticky_pattern_forgets_where_it_stopped() -> None:
    pattern = Pattern("a", "y")

    assert first_matches([pattern], ["ab", "ab"]).spans == (((0, 1), (0, 1)),)


def test_it_works_where_an_event_loop_runs() -> None:
    async def search() -> object:
        return first_matches([Pattern("b"), ENDLESS], ["ab", BAIT]).spans[0]

    assert asyncio.run(search()) == ((1, 2), None)


def test_many_texts_go_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab.engines.regexes.v8.LARGEST_BATCH", 10)
    texts = ["xxb", "x" * 30 + "b", "b", ""]

    assert first_matches([Pattern("b")], texts).spans == (((2, 3), (30, 31), (0, 1), None),)


FORK = """
import os, sys
from ctxlab.engines.regexes import Pattern, first_matches
first_matches([Pattern("b")], ["ab"])
child = os.fork()
if child == 0:
    sys.exit(0 if first_matches([Pattern("b")], ["xxb"]).spans == (((2, 3),),) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
BUSY = """
import threading, time
from ctxlab.engines.regexes import Pattern, first_matches
search = lambda: first_matches([Pattern(r"(?:(?=[^]*)a)b|z")], ["a" * 1000000])
threading.Thread(target=search, daemon=True).start()
time.sleep(0.3)
"""


@pytest.mark.parametrize("code", [pytest.param(FORK, id="fork"), pytest.param(BUSY, id="exit while busy")])
def test_processes_end_quietly(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

"""How much a pattern may do: counted, so that a busy machine changes nothing."""

from __future__ import annotations

import pytest

from ctxlab.engines.regexes import Pattern, first_matches, v8
from ctxlab.engines.regexes.parse_replacement import Replacement
from ctxlab.engines.regexes.python_limited_search import as_javascript
from ctxlab.engines.regexes.replace import Replaced, replace_all
from ctxlab.engines.regexes.work_limits import DEFAULT, LONGEST_TEXT, Limits

SWAP = (r"(\w+) (\w+)", "$2 $1")
HARMLESS = Pattern("a")
UNCOUNTED = Pattern("(?:(?=[^]*)a)b|z")
"""Looks ahead over the whole text at every place, which V8 doesn't count."""


def replaced(text: str, pattern: Pattern, new: str = "x", limits: Limits = DEFAULT) -> Replaced:
    return replace_all([text], [(0,)], [Replacement.of(pattern, new)], limits=limits)


def least_limit(text: str, pattern: Pattern) -> int:
    """The smallest limit, of powers of two, with which a pattern is not left out."""
    limits = (Limits(1000 * 2**power) for power in range(20))
    return next(limit.max_backtracks for limit in limits if not replaced(text, pattern, limits=limit).problems)


@pytest.mark.parametrize(
    ("body", "flags"), [("(a+)+$", "gi"), (r"(a+)+\1$", "g"), ("(?=a)(a|aa)+$", "gu"), (r"(?<!b)(a*)*c\1", "gm")]
)
def test_a11_a_catastrophe_ends_at_a_count_whatever_the_clock_allows(body: str, flags: str) -> None:
    text = "a" * 60 + "!"

    with_much_time = replaced(text, Pattern(body, flags), limits=Limits(timeout_seconds=500))
    with_little_time = replaced(text, Pattern(body, flags), limits=Limits(1_000_000, timeout_seconds=5))

    assert with_much_time.problems == {0: "it needs more than 50,003,050 backtracks in one text"}
    assert with_little_time.problems == {0: "it needs more than 1,003,050 backtracks in one text"}


def test_a11_the_count_at_which_a_pattern_is_left_out_is_always_the_same() -> None:
    pattern, text = Pattern(r"(a+)+\1$"), "a" * 13 + "!"

    first = least_limit(text, pattern)
    for other in ("aa", "a" * 17 + "!", "b" * 5000):  # V8 may have compiled the pattern anew in between
        replaced(other, pattern)

    assert 1000 < first < 50_000_000
    assert [least_limit(text, pattern) for _ in range(3)] == [first] * 3


def test_a11_a_rule_on_two_million_characters_is_far_from_every_limit() -> None:
    body, new = SWAP
    text = "the quick brown fox jumps " * 75_000

    done = replaced(text, Pattern(body, "g"), new, Limits(max_backtracks=1_000))

    assert done.problems == {}
    assert len(done.changes[0][0][1]) == 187_500


def test_a11_the_clock_of_last_resort_says_that_another_run_may_differ() -> None:
    found = first_matches([UNCOUNTED, HARMLESS], ["a" * 1_000_000], limits=Limits(timeout_seconds=0.2))

    assert found.spans == ((None,), ((0, 1),))
    assert found.problems == {
        0: "it takes longer than 0.2 s of CPU time, the time limit of last resort; another run may differ"
    }


def test_a11_the_clock_of_last_resort_waits_for_a_process_that_gets_no_cpu_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(v8, "process_time", lambda: 0.0)

    def too_slow(*arguments: str, timeout_sec: float) -> str:
        import py_mini_racer

        waits.append(timeout_sec)
        if len(waits) < 3:
            raise py_mini_racer.JSTimeoutException
        return "{}"

    def call(machine: v8.Machine) -> str | None:
        machine._functions["proceed"], own = too_slow, machine._functions["proceed"]  # pyright: ignore[reportPrivateUsage]
        try:
            return machine.call("proceed", limits=Limits(timeout_seconds=1))
        finally:
            machine._functions["proceed"] = own  # pyright: ignore[reportPrivateUsage]

    v8.run(lambda machine: machine.start())

    assert v8.run(call) == "{}"
    assert waits == [1.1, 2.1, 4.1]


def test_a11_a_catastrophe_in_pythons_flavour_is_counted_in_v8() -> None:
    found = replaced("a" * 60 + "!", Pattern("^(?P<x>a|aa)+$", "g", "python"))

    assert found.problems == {0: "it needs more than 50,003,050 backtracks in one text"}


def test_a11_a_long_text_is_refused_by_its_length_where_nothing_is_counted() -> None:
    found = first_matches([Pattern("a", "", "python")], ["a" * (LONGEST_TEXT + 1)])

    assert found.problems == {0: "a text of 2,000,001 characters is too long for it; 2,000,000 are allowed"}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"\A(?P<n>\w+)-(?P=n)\Z", "你好-你好"),
        (r"(?i)[\w.]{,3}(?#short)!", "aB.!"),
        (r"(?<=x)[^\]a]\b", "x]xb y"),
    ],
)
def test_a_pattern_of_pythons_flavour_matches_alike_in_javascript(body: str, text: str) -> None:
    ours = Pattern(body, "", "python")
    translated = as_javascript(ours)

    assert translated is not None
    spans = first_matches([ours, translated], [text]).spans
    assert spans[0] == spans[1]
    assert spans[0][0] is not None


@pytest.mark.parametrize("flags", ["l", "gl"])
def test_v8s_own_flags_are_no_flags_of_javascript(flags: str) -> None:
    assert "Invalid flags" in first_matches([Pattern("a", flags)], ["a"]).problems[0]

"""Words and patterns that are looked for in texts, alike wherever a caller may name them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import ctxlab
from ctxlab.engines.regexes import WordsOrPattern, words_or_pattern
from ctxlab.engines.regexes.work_limits import Limits
from ctxlab.errors import WrongArgument
from ctxlab.studies.scorers import MUST_KEEP
from ctxlab.studies.study import Case, ScoredRun
from ctxlab.testing import assert_context, has

ENDLESS = "re:(a|aa)+(a|aa)+(a|aa)+$"
TRACE = ctxlab.build(
    ctxlab.Session(id="s").append("A lamp at ADA 灯塔 " + "a" * 60 + "!", id="u").append("Yes.", role="assistant")
)


@pytest.mark.parametrize(
    ("source", "there"),
    [("lamp", True), ("Lamp", False), ("re:l.mp", True), ("re:L.mp", False), ("re:(?i)L.mp", True), ("灯塔", True)],
)
def test_words_are_found_as_they_are_written_and_patterns_as_regex_reads_them(source: str, there: bool) -> None:
    assert WordsOrPattern(source).is_in_any(["Hm.", "a lamp, 灯塔"]) is there


def named_by_a_case(source: str) -> object:
    session = TRACE.start.input.session
    return MUST_KEEP.score(ScoredRun(Case("c", "s", session, must_keep=(source,)), TRACE, lambda leaf: TRACE))


CALLERS: tuple[Callable[[str], object], ...] = (
    lambda source: WordsOrPattern(source).is_in(str(TRACE.result.drafts[0].text)),
    named_by_a_case,
    lambda source: ctxlab.minimise(TRACE, keeps=source),
    lambda source: assert_context(TRACE, has(source)),
)


@pytest.mark.parametrize("look", CALLERS)
def test_a_pattern_of_too_much_work_is_an_error_that_names_it(
    look: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words_or_pattern, "LIMITS", Limits(1_000_000, timeout_seconds=0.05))

    with pytest.raises(WrongArgument, match=f"pattern {re.escape(repr(ENDLESS))}: it (takes longer|needs more) than"):
        look(ENDLESS)


@pytest.mark.parametrize("look", CALLERS)
def test_a_pattern_that_does_not_compile_is_an_error_that_names_it(look: Callable[[str], object]) -> None:
    with pytest.raises(WrongArgument, match=re.escape("pattern 're:(': it doesn't compile")):
        look("re:(")

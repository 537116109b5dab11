"""The same books, chats, scripts and macros through another program, fast-tavern: the same result, or a named reason.

second_opinion.md tells each reason, with an example and who does as SillyTavern does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest

from tests.golden.second_opinion.books import chats
from tests.golden.second_opinion.case import REAL, Case
from tests.golden.second_opinion.files import bundled, real
from tests.golden.second_opinion.rule import Rule
from tests.golden.second_opinion.rules import RULES
from tests.golden.second_opinion.runs import ours, theirs
from tests.golden.second_opinion.scripts import macros, regexes
from tests.golden.second_opinion.traits import prompts

if find_spec("fast_tavern") is None:
    pytest.skip("the second opinion is fast-tavern's: pip install 'ctxlab[test]'", allow_module_level=True)

TOLD = Path(__file__).with_name("second_opinion.md")
CASES = {case.id: case for case in chain(prompts(), chats(), bundled(), regexes(), macros())}
REAL_CASES = {case.id: case for case in real()} if REAL.is_dir() else {}
ROUNDS = 5


@dataclass(frozen=True)
class Verdict:
    """`hits` are the rules that make a difference by themselves, or those that fit where none does.

    `left` is a difference that stays when everything is taken out that `rules` name.
    """

    hits: tuple[Rule, ...] = ()
    left: tuple[object, object] | None = None
    rules: tuple[str, ...] = ()


@cache
def verdict(id: str) -> Verdict:
    case = CASES.get(id) or REAL_CASES[id]
    if not differ(case):
        return Verdict()
    found = [rule for rule in RULES if rule.fits(case)]
    bare = without(case, RULES)
    left = (theirs(bare), ours(bare)) if differ(bare) else None
    alone = found
    if len(found) > 1:
        alone = [rule for rule in found if differ(without(case, [other for other in RULES if other is not rule]))]
    return Verdict(tuple(alone or found), left, tuple(rule.id for rule in found))


def differ(case: Case) -> bool:
    return theirs(case) != ours(case)


def without(case: Case, rules: Sequence[Rule]) -> Case:
    """The case without what these rules name; taking out one may bring another in."""
    for _ in range(ROUNDS):
        found = [rule for rule in rules if rule.fits(case)]
        for rule in found:
            case = rule.taken_out(case)
        if not found:
            return case
    return case


def hits(ids: Iterable[str]) -> Counter[str]:
    return Counter(rule.id for id in ids for rule in verdict(id).hits)


def check(id: str) -> None:
    found = verdict(id)

    assert found.left is None, f"fast-tavern and ctxlab differ, which {found.rules or 'no rule'} can't explain"


@pytest.mark.parametrize("id", CASES)
def test_both_say_the_same_or_a_rule_says_why(id: str) -> None:
    check(id)


@pytest.mark.skipif(not REAL_CASES, reason=f"SillyTavern's files are not at hand: no folder {REAL}")
@pytest.mark.parametrize("id", REAL_CASES or ["none"])
def test_both_say_the_same_of_sillytavern_s_own_files_or_a_rule_says_why(id: str) -> None:
    check(id)


def test_plain_books_differ_only_in_passes_in_ties_and_in_roles() -> None:
    plain = [id for id in CASES if id.startswith("prompt: plain")]

    assert set(hits(plain)) <= {"what one pass calls up", "equal orders", "roles at one depth"}


def test_every_rule_explains_something() -> None:
    counts = hits(CASES)

    assert [rule.id for rule in RULES if not counts[rule.id]] == []


def test_the_page_tells_every_rule_and_who_is_right() -> None:
    told = [(id, right) for id, right, _ in told_rules()]

    assert told == [(rule.id, rule.right) for rule in RULES]


@pytest.mark.skipif(not REAL_CASES, reason="the page counts SillyTavern's own files too, which are not at hand")
def test_the_page_tells_how_many_cases_each_rule_hits() -> None:
    counts = hits([*CASES, *REAL_CASES])

    wrong = {id: f"{told}, but it is {counts[id]}" for id, _, told in told_rules() if told != counts[id]}

    assert wrong == {}


def told_rules() -> list[tuple[str, str, int]]:
    """Of each section of the page: the rule, who is right, how many cases."""
    found = re.findall(r"^### (.+)\n\nRight: (.+?)\. Cases: (\d+)\.$", TOLD.read_text("utf-8"), re.MULTILINE)
    return [(id, right, int(count)) for id, right, count in found]

"""The key of a cell is a hash of what it depends on, the same in every process, and changes with each part of it."""

from __future__ import annotations

import copyreg
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.errors import WrongArgument
from ctxlab.processors.knowledge.settings import KnowledgeStepSettings
from ctxlab.studies.study import Variant
from ctxlab.studies.study.cell_key import CellKeys
from ctxlab.studies.study.code_version import code_version
from ctxlab.studies.study.content_hash import content_hash
from tests.studies.study.samples import KeptShare, cases, plan, session

FACTOR = 3
ROOT = Path(__file__).parents[3]


def twice(number: int) -> int:
    return number * 2


def scaled(number: int) -> int:
    return twice(number) * FACTOR


def keys(changed: Any = None, **changes: Any) -> set[str]:
    study = plan(**changes)
    names = CellKeys(study)
    of_case = names.of_case(changed or next(cases()))
    return {names.of_cell(of_case, cell) for cell in study.cells()}


CASE = next(cases())


@pytest.mark.parametrize(
    "changed",
    [
        replace(CASE, question="What else?"),
        replace(CASE, session=CASE.session.edit("m3", "otherwise")),
        replace(CASE, id="other"),
        replace(CASE, conversation="other"),
        replace(CASE, leaf="m5"),
        replace(CASE, evidence=("m4",)),
        replace(CASE, must_keep=("la",)),
        replace(CASE, kind="other"),
        replace(CASE, labels={"age": 1}),
        replace(CASE, options={"user": ctxlab.UserProfile(id="u", name="U")}),
    ],
)
def test_every_part_of_a_case_counts(changed: ctxlab.Case) -> None:
    assert keys(changed).isdisjoint(keys())


@pytest.mark.parametrize(
    "changes",
    [
        {"budgets": (61, 201)},
        {"seeds": (1,)},
        {"tokenizer": "chars4+5"},
        {"tokenizer": None},
        {"budget_of": "history"},
        {"scorers": []},
        {"scorers": [KeptShare(version="2")]},
        {"options": {"zone": "Asia/Shanghai"}},
        {"variants": [Variant("sliding", {"token-limiter.marker": "…"})]},
        {"build": partial(ctxlab.build, zone="Asia/Shanghai")},
    ],
)
def test_every_part_of_a_plan_counts(changes: dict[str, Any]) -> None:
    assert keys(**changes).isdisjoint(keys())


def test_a_further_variant_or_budget_changes_no_other_cell() -> None:
    assert keys() < keys(variants=["sliding", "head-and-tail", "block", "middle-out"], budgets=(60, 200, 300))


SCRIPT = """
from tests.studies.study.test_cell_keys import HASHED
print(*[content_hash(value).hex() for value in HASHED])
"""
HASHED: tuple[Any, ...] = (
    {"b": {3, "x", (1, 2)}, "a": [1.5, None, True, b"x", "ü\ud800"]},
    session(1),
    ctxlab.Agent(id="a", name="沈砚"),
    scaled,
    KeptShare(),
    KeptShare.score,
    partial(scaled, 3),
    Variant("a", {"x.y": 3}),
    tokenizer_named("o200k_base"),
    tokenizer_named("o200k_base+4"),
    ctxlab.default_pipeline(),
    frozenset({"one", "two", "three"}),
)


def test_a_hash_is_the_same_in_another_process() -> None:
    code = f"from ctxlab.studies.study.content_hash import content_hash{SCRIPT}"
    hashes = [
        subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": seed}, text=True).split()
        for seed in ("1", "2")
    ]

    assert hashes[0] == hashes[1] == [content_hash(value).hex() for value in HASHED]
    assert len(set(hashes[0])) == len(HASHED)


def test_answers_that_a_value_keeps_are_no_part_of_its_hash() -> None:
    settings = KnowledgeStepSettings()
    before = content_hash(settings)

    assert settings.by_placeholder is settings.by_placeholder
    assert content_hash(settings) == before


def functions() -> list[Any]:
    """Functions of one name that do different things."""

    def made(number: int) -> Any:
        return lambda text: len(text) + number

    def one(text: str) -> int:
        return len(text) + 1

    def two(text: str) -> int:
        return len(text) + 2

    one.__qualname__ = two.__qualname__ = "same"
    return [made(1), made(2), one, two]


def test_functions_count_by_what_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len({content_hash(function) for function in functions()}) == 4
    assert [content_hash(each) for each in functions()] == [content_hash(each) for each in functions()]

    before = content_hash(scaled)
    monkeypatch.setitem(globals(), "FACTOR", 4)
    with_other_constant = content_hash(scaled)
    monkeypatch.setitem(globals(), "twice", functions()[2])

    assert len({before, with_other_constant, content_hash(scaled)}) == 3


def test_equal_content_has_equal_hashes_and_other_content_has_not() -> None:
    @dataclass(frozen=True)
    class Scale:
        factor: int

    holds_itself: list[Any] = [1]
    holds_itself.append(holds_itself)

    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})
    assert content_hash(Scale(2)) == content_hash(Scale(2)) != content_hash(Scale(3))
    assert len({content_hash(each) for each in (1, "1", 1.0, True, b"1", None, [1], {1}, {1: 1}, holds_itself)}) == 10
    assert content_hash(["ab", "c"]) != content_hash(["a", "bc"])


def test_what_has_no_content_is_refused() -> None:
    with Path(__file__).open() as file, pytest.raises(WrongArgument, match="a TextIOWrapper has no content to hash"):
        content_hash({"file": file})


def test_the_version_of_the_code_is_that_of_its_sources() -> None:
    assert code_version() == code_version()
    assert len(code_version()) == 32


def test_an_error_is_hashed_by_what_it_says_and_not_by_where_it_was_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh, raised = KeyError("m9"), KeyError("m9")
    with pytest.raises(KeyError):
        raise raised
    monkeypatch.setitem(copyreg.dispatch_table, KeyError, lambda error: (KeyError, error.args, error.__traceback__))

    assert content_hash(raised) == content_hash(fresh) != content_hash(KeyError("m8"))

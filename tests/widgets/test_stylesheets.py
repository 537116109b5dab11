"""Sheets of the widgets say a thing once: looks that rules compose, components that views import."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import ctxlab_widgets

WIDGETS = Path(ctxlab_widgets.__file__).parent
SHARED = WIDGETS / "_shared"
WRITTEN_BY_HAND_IN_FULL = {"tokens.css", "sources.css", "looks.css"}
"""Values, and the looks themselves: each theme repeats the names of the other."""

REPEATED_IN_ONE_SHEET = 20
"""Rules that say what an earlier rule of their sheet says: those between them need the order, or a list would fall
whole where a browser doesn't know one of its selectors."""
REPEATED_ELSEWHERE = 90
"""Rules of two declarations and more that say what a rule of another sheet says."""


class Rule(NamedTuple):
    """A rule without rules in it; `around` is the condition that it stands in, `body` its declarations in order."""

    sheet: str
    around: str
    selector: str
    body: tuple[str, ...]


def rules_of(sheet: str, text: str) -> Iterator[Rule]:
    """Rules of a sheet whose conditions hold no conditions."""
    around = ""
    for head, block, end in re.findall(r"([^{}]*)(?:\{([^{}]*)\}|(\{|\}))", re.sub(r"/\*.*?\*/", "", text, flags=re.S)):
        words = " ".join(head.split())
        if end == "{":
            around = words
        elif end == "}":
            around = ""
        else:
            body = (" ".join(each.split()) for each in re.split(r";(?![^(]*\))", block))
            yield Rule(sheet, around, words, tuple(each for each in body if each))


@cache
def rules() -> tuple[Rule, ...]:
    sheets = (path for path in sorted(WIDGETS.rglob("*.css")) if path.name not in WRITTEN_BY_HAND_IN_FULL)
    return tuple(
        rule
        for path in sheets
        for rule in rules_of(path.relative_to(WIDGETS).as_posix(), path.read_text(encoding="utf-8"))
    )


@cache
def looks() -> dict[str, frozenset[str]]:
    text = (SHARED / "looks.css").read_text(encoding="utf-8")
    return {rule.selector.removeprefix("."): frozenset(rule.body) for rule in rules_of("looks.css", text)}


def composed(rule: Rule) -> list[str]:
    return [name for each in rule.body if each.startswith("composes:") for name in each.split()[1:]]


def test_a_sheet_says_a_thing_once() -> None:
    counts = Counter((rule.sheet, rule.around, *sorted(rule.body)) for rule in rules())
    again = {key: count - 1 for key, count in counts.items() if count > 1}

    assert len(rules()) > 1000
    assert sum(again.values()) <= REPEATED_IN_ONE_SHEET, again


def test_what_several_sheets_say_is_a_look_or_a_component() -> None:
    sheets: dict[tuple[str, ...], set[str]] = {}
    for rule in rules():
        if len(rule.body) > 1:
            sheets.setdefault((rule.around, *sorted(rule.body)), set()).add(rule.sheet)
    again = {key: sorted(found) for key, found in sheets.items() if len(found) > 1}

    assert sum(len(found) - 1 for found in again.values()) <= REPEATED_ELSEWHERE, again


def test_every_look_is_composed_by_several_rules() -> None:
    used = Counter(name for rule in rules() for name in composed(rule))

    assert set(used) == set(looks())
    assert {name: count for name, count in used.items() if count < 3} == {}


def test_a_rule_that_looks_like_a_look_composes_it() -> None:
    whole = [
        (rule.sheet, rule.selector, name)
        for rule in rules()
        for name, body in looks().items()
        if body <= set(rule.body)
    ]

    assert whole == []


@pytest.mark.parametrize("path", sorted((SHARED / "components").glob("*.css")), ids=lambda path: path.stem)
def test_a_component_is_imported_by_several_views(path: Path) -> None:
    line = f'from "../_shared/components/{path.name}";'
    views = [each for each in WIDGETS.glob("*/widget.ts") if line in each.read_text(encoding="utf-8")]

    assert len(views) > 1

"""Names of topics: where ours differ from the reference's on purpose."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.golden.cases import Case
from tests.golden.rules.rule import Rule
from tests.golden.topics import kind_of

FILES = ("topic_naming",)
TAG_LEFT = re.compile(r"<(?:think|guguthink)\b", re.IGNORECASE)
BRACKETS = {"）": "（", "》": "《", "」": "「", "】": "【", ")": "(", "]": "["}


def _json(case: Case) -> Any:
    try:
        return json.loads(case.input["content"])
    except ValueError:
        return None


def _is_no_name(case: Case) -> bool:
    """Whether JSON has no title, or one that is a thought which never ends."""
    if kind_of(case) != "extract" or not isinstance(data := _json(case), dict):
        return False
    title = data.get("title")
    return not isinstance(title, str) or bool(TAG_LEFT.match(title) and "</" not in title)


def _has_pairs(case: Case) -> bool:
    """Whether the reference left half a pair of brackets of a line that has both halves."""
    found = case.expected
    if kind_of(case) != "extract" or not isinstance(found, str) or _json(case) is not None:
        return False
    return _nests(case.input["content"]) and not _nests(found)


def _nests(text: str) -> bool:
    """Whether every bracket of a text has its partner."""
    opened: list[str] = []
    for letter in text:
        if letter in BRACKETS.values():
            opened.append(letter)
        elif letter in BRACKETS and (not opened or opened.pop() != BRACKETS[letter]):
            return False
    return not opened


def _with_pairs(case: Case) -> str:
    """What the reference left, with the brackets that it took from its ends."""
    text, found = case.input["content"], case.expected
    start = text.index(found)
    end = start + len(found)
    while start > 0 and text[start - 1] in BRACKETS.values():
        start -= 1
    while end < len(text) and text[end] in BRACKETS:
        end += 1
    return text[start:end]


RULES: tuple[Rule, ...] = (
    Rule(
        "systems 13 no name",
        "JSON without a title, or with a thought for one, is no name: its remains would stand in every list of chats.",
        FILES,
        _is_no_name,
        lambda case: None,
    ),
    Rule(
        "systems 13 pairs",
        "Brackets that belong together stay: a name that ends in half a title of a book can't be read.",
        FILES,
        _has_pairs,
        _with_pairs,
    ),
)

"""An entry of a book and a rule of a set: found by what a person would call them, and changed."""

from __future__ import annotations

import pytest

from ctxlab.documents import LoreEntry, RegexPreset, RegexRule, Worldbook
from ctxlab.errors import CtxlabError

BOOK = Worldbook(
    id="isle",
    carried={"sillytavern": {"name": "isle", "theirs": 1}},
    entries={
        "0": LoreEntry(uid=5, key=("lamp",), comment="The lighthouse"),
        "5": LoreEntry(uid=0, key=("bell",)),
        "x": LoreEntry.model_validate({"uid": "x", "comment": "Twice", "theirs": [1]}),
        "y": LoreEntry(uid=7, comment="Twice"),
    },
)
RULES = RegexPreset(
    id="house",
    carried={"sillytavern": {}},
    rules=(
        RegexRule(id="a", name="Short", regex="a", carried={"sillytavern": {"theirs": 1}}),
        RegexRule(id="b", name="Same", regex="b"),
        RegexRule(id="c", name="Same", regex="c"),
    ),
)


@pytest.mark.parametrize(
    ("which", "name"),
    [
        (5, "0"),
        (0, "5"),
        ("5", "5"),
        ("lore:isle/5", "0"),
        ("The lighthouse", "0"),
        ("bell", "5"),
        ("x", "x"),
        (7, "y"),
    ],
)
def test_an_entry_is_found_by_uid_name_key_of_a_scan_or_title(which: int | str, name: str) -> None:
    assert BOOK.entry(which) is BOOK.entries[name]


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("The lighthose", "book 'isle' has no entry 'The lighthose'; did you mean 'The lighthouse'?"),
        ("lighthouse", "did you mean 'The lighthouse'?"),
        ("Twice", "book 'isle' has 2 entries 'Twice': say one of the names 'x', 'y'"),
        ("lore:elsewhere/5", "no entry 'lore:elsewhere/5'"),
    ],
)
def test_an_unknown_entry_is_told_what_is_near(which: str, said: str) -> None:
    with pytest.raises(CtxlabError) as refusal:
        BOOK.with_entry(which, order=1)

    assert said in str(refusal.value)


def test_many_entries_are_not_all_listed() -> None:
    book = Worldbook(name="b", entries={f"n{i}": LoreEntry(uid=f"n{i}") for i in range(500)})

    with pytest.raises(CtxlabError, match="and 492 more"):
        book.entry("????")


def test_an_entry_changes_and_the_rest_stays() -> None:
    changed = BOOK.with_entry("x", scan_depth=4, key=["a", "b"])

    assert (changed.entry("x").scan_depth, changed.entry("x").key) == (4, ("a", "b"))
    assert changed.entry("x").model_extra == {"theirs": [1]}
    assert list(changed.entries) == list(BOOK.entries)
    assert all(changed.entries[name] is BOOK.entries[name] for name in ("0", "5", "y"))
    assert changed.carried == BOOK.carried
    assert BOOK.entry("x").scan_depth is None


def test_fields_are_named_as_in_python_or_as_in_the_file() -> None:
    assert BOOK.with_entry(5, scanDepth=3) == BOOK.with_entry(5, scan_depth=3)
    assert BOOK.with_entry("x", theirs=[2]).entry("x").model_extra == {"theirs": [2]}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"scan_dept": 3}, "LoreEntry has no field 'scan_dept'; did you mean 'scan_depth'?"),
        ({"probability": "often"}, "probability can't be 'often': Input should be a valid number"),
        ({"key": "bell"}, "key can't be 'bell'"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, object], said: str) -> None:
    with pytest.raises(CtxlabError) as refusal:
        BOOK.with_entry(5, **fields)

    assert said in str(refusal.value)


def test_a_rule_changes_and_the_rest_stays() -> None:
    changed = RULES.with_rule("Short", enabled=False, depth_range={"min": 2})

    assert (changed.rule("a").enabled, changed.rules[0].depth_range.min) == (False, 2)  # type: ignore[union-attr]
    assert (changed.rule("a").carried, changed.carried) == (RULES.rule("a").carried, RULES.carried)
    assert changed.rules[1:] == RULES.rules[1:]
    assert RULES.rule("a").enabled


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("Shorts", "set of rules 'house' has no rule 'Shorts'; did you mean 'Short'?"),
        ("Same", "set of rules 'house' has 2 rules 'Same'; say which by its id or its name"),
    ],
)
def test_an_unknown_rule_is_told_what_is_near(which: str, said: str) -> None:
    with pytest.raises(CtxlabError) as refusal:
        RULES.with_rule(which)

    assert str(refusal.value) == said


def test_a_wrong_field_of_a_rule_is_named() -> None:
    with pytest.raises(CtxlabError, match="RegexRule has no field 'replace'; did you mean 'replacement'"):
        RULES.with_rule("a", replace="")

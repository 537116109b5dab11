"""Stored values tell of themselves in a line, books and rules in a small table."""

from __future__ import annotations

from typing import Any

import pytest

from ctxlab.documents import (
    Agent,
    AppliesTo,
    CharacterFilter,
    DepthRange,
    Greeting,
    LoreEntry,
    MessageNode,
    ModelProfile,
    RegexConfig,
    RegexPreset,
    RegexRule,
    Session,
    Stored,
    UserProfile,
    Worldbook,
    WorldbookMetadata,
)

LONG = "words and more words " * 400
ENTRY = LoreEntry(
    uid=9, key=("compass", "罗盘"), comment="罗盘 · The compass", content=LONG, probability=35, constant=True
)
RULE = RegexRule(id="tidy", name="Tidy up", regex="a+", replacement="a", enabled=False)
RULES = RegexPreset(id="house", rules=(RULE, RegexRule(id="b", regex="b")))
BAD = "<script>alert('&')</script>\n" + "&" * 3_000


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (ENTRY, "LoreEntry(9, '罗盘 · The compass', 2 keys, constant, 35%)"),
        (LoreEntry(uid="x"), "LoreEntry('x', 0 keys)"),
        (Worldbook(id="isle", name="Isle", entries={"0": ENTRY}), "Worldbook('isle', 'Isle', 1 entry)"),
        (Worldbook(metadata=WorldbookMetadata(name="Isle")), "Worldbook('Isle', 0 entries)"),
        (RULE, "RegexRule('tidy', 'Tidy up', 'a+' -> 'a', switched off)"),
        (RULES, "RegexPreset('house', 2 rules, 1 of them off)"),
        (RegexConfig(presets=(RULES,)), "RegexConfig(1 set of rules, 2 rules)"),
        (Greeting(id="g", content="Hi\nyou"), r"Greeting('g', assistant, 'Hi\nyou')"),
        (MessageNode.model_validate({"id": "n", "content": "Hi", "isEnabled": False}), None),
        (UserProfile(id="u", name="Mara", content="12345"), "UserProfile('u', 'Mara', 5 characters of persona)"),
        (ModelProfile(id="gpt-4o", context_window=128_000), "ModelProfile('gpt-4o', openai, 128,000 tokens)"),
        (Session(id="s"), "Session('s', 0 nodes, leaf None)"),
        (DepthRange(min=2), "DepthRange(min=2)"),
        (CharacterFilter(names=("a", "b"), is_exclude=True), "CharacterFilter(is_exclude=True, names: 2)"),
        (AppliesTo(), "AppliesTo()"),
    ],
)
def test_a_value_tells_what_it_is(value: Stored, told: str | None) -> None:
    assert repr(value) == str(value) == (told or "MessageNode('n', user, 'Hi', switched off)")


def test_an_agent_counts_what_hangs_on_it() -> None:
    agent = Agent(
        id="a",
        display_name="Shen",
        preset_messages=(MessageNode(content=LONG),) * 13,
        greetings=(Greeting(),),
        regex_config=RegexConfig(presets=(RULES,)),
        worldbook_ids=("x", "y"),
    )

    assert repr(agent) == "Agent('a', 'Shen', 13 presets, 1 greeting, 1 set of rules, 2 books)"


@pytest.mark.parametrize("kind", [Agent, Greeting, LoreEntry, MessageNode, RegexPreset, RegexRule, UserProfile])
def test_what_is_long_stays_one_short_line(kind: type[Stored]) -> None:
    texts = {
        name: LONG for name, field in kind.model_fields.items() if field.annotation in (str, str | None, int | str)
    }
    value = kind.model_construct(**texts)

    assert "\n" not in repr(value)
    assert len(repr(value)) < 250


def test_a_value_without_a_line_of_its_own_tells_its_first_fields() -> None:
    class Kept(Stored):
        id: str = ""
        words: str = ""
        parts: tuple[Any, ...] = ()
        inner: DepthRange | None = None
        a: int = 0
        b: int = 0
        c: int = 0

    kept = Kept(id="k", words=LONG, parts=(LONG,) * 3, inner=DepthRange(min=1), a=1, b=2, c=3)

    words = "words and more words words and more w..."
    assert repr(kept) == f"Kept(id='k', words='{words}', parts: 3, inner=DepthRange(min=1), a=1, b=2, ...)"


def test_tables_are_escaped_and_small() -> None:
    entries = {str(i): LoreEntry(uid=i, comment=BAD, key=(BAD,), group=BAD) for i in range(500)}
    rules = tuple(RegexRule(id=str(i), name=BAD, regex=BAD, replacement=BAD) for i in range(500))

    for shown in (Worldbook(name=BAD, entries=entries)._repr_html_(), RegexPreset(rules=rules)._repr_html_()):
        assert "<script" not in shown
        assert len(shown.encode()) < 50_000
        assert " more " in shown


def test_a_book_s_table_says_what_is_unusual() -> None:
    shown = Worldbook(
        entries={
            "0": ENTRY,
            "1": LoreEntry(uid=1, key=("bell",), disable=True, position=7, outlet_name="bell", group="sounds"),
            "2": LoreEntry(uid=2, position=4, depth=3, order=12.5),
        }
    )._repr_html_()

    for words in ("罗盘 · The compass", "compass, 罗盘", "constant, 35%", "off, group sounds", "outlet bell", "12.5"):
        assert words in shown
    assert "at_depth 3" in shown


def test_a_rule_s_row_says_where_it_works() -> None:
    rule = RegexRule(
        id="r", regex="a", apply_to=AppliesTo(request=True), target_roles=("user",), depth_range=DepthRange(min=5)
    )

    assert "sent and shown, user, from depth 5" in RegexPreset(rules=(rule,))._repr_html_()

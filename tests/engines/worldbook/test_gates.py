"""What stops an entry, and the nearest change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.worldbook.conftest import Scanned

DRAGON = {"key": ["dragon"]}
HIT = "a dragon"


@pytest.mark.parametrize(
    ("entry", "gate", "nearest"),
    [
        ({"disable": True}, "disabled", {"entry": {"disable": False}}),
        ({"triggers": ["continue"]}, "trigger", {"entry": {"triggers": []}}),
        ({"characterFilter": {"names": ["Other"]}}, "character-filter", {"entry": {"characterFilter": None}}),
        ({"delay": 5}, "delay", {"entry": {"delay": None}}),
        ({"delayUntilRecursion": True}, "recursion-only", {"entry": {"delayUntilRecursion": False}}),
        ({"content": "@@dont_activate\nwords"}, "decorator", {"entry": {"content": "words"}}),
        ({"key": ["river"]}, "no-key", {"message": "river"}),
        ({"key": ["/q+/"]}, "no-key", {"entry": {"constant": True}}),
        ({"key": ["old"]}, "no-key", {"entry": {"scanDepth": 3}}),
        ({"key": ["wizard"]}, "no-key", {"entry": {"matchPersonaDescription": True}}),
        ({"key": ["Dragon"], "caseSensitive": True}, "no-key", {"entry": {"caseSensitive": False}}),
        ({"keysecondary": ["moon"]}, "secondary-keys", {"entry": {"selective": False}}),
        ({"keysecondary": ["old"]}, "secondary-keys", {"entry": {"scanDepth": 3}}),
        ({"probability": 20}, "probability", {"entry": {"probability": 100}}),
        ({"scanDepth": 0}, "no-key", {"entry": {"scanDepth": 1}}),
        (
            {"disable": True, "probability": 20, "key": ["old"]},
            "disabled",
            {"entry": {"disable": False, "scanDepth": 3, "probability": 100}},
        ),
    ],
)
def test_the_nearest_change_opens_every_gate(
    scanned: Scanned, entry: dict[str, Any], gate: str, nearest: dict[str, Any]
) -> None:
    about = {"persona": "I am a wizard"}
    found = scanned("an old man", "hm", HIT, {**DRAGON, **entry}, dice={"lore:b/0": 0.5}, chat={"about": about})

    (decision,) = found.decisions

    assert (decision.gate, decision.nearest.as_data()) == (gate, nearest)
    assert found.with_change(decision.key)[decision.key].fired


def test_a_loser_knows_to_whom_and_how_to_win(scanned: Scanned) -> None:
    found = scanned(HIT, {**DRAGON, "group": "g"}, {**DRAGON, "group": "g, h"}, dice={"lore-group:g": 0.1})

    winner, loser = found.decisions

    assert winner.fired
    assert (loser.gate, loser.lost_to) == ("group", "lore:b/0")
    assert loser.nearest.as_data() == {"entry": {"groupOverride": True}}


def test_group_names_are_compared_whole(scanned: Scanned) -> None:
    found = scanned(HIT, {**DRAGON, "group": "gang"}, {**DRAGON, "group": "gan"})

    assert [one.fired for one in found.decisions] == [True, True]


def test_weights_decide_the_lot(scanned: Scanned) -> None:
    entries = ({**DRAGON, "group": "g", "groupWeight": 10}, {**DRAGON, "group": "g", "groupWeight": 90})

    low = scanned(HIT, *entries, dice={"lore-group:g": 0.05})
    high = scanned(HIT, *entries, dice={"lore-group:g": 0.5})

    assert [one.fired for one in low.decisions] == [True, False]
    assert [one.fired for one in high.decisions] == [False, True]


def test_scoring_prefers_the_entry_with_more_keys(scanned: Scanned) -> None:
    entries = ({**DRAGON, "group": "g"}, {"key": ["dragon", "a"], "group": "g"})

    found = scanned(HIT, *entries, group_scoring=True, dice={"lore-group:g": 0.0})

    assert [one.fired for one in found.decisions] == [False, True]


def test_what_does_not_fit_the_budget_says_how_much_it_lacks(scanned: Scanned) -> None:
    found = scanned(HIT, {**DRAGON, "content": "1234"}, {**DRAGON, "content": "123456"}, budget_tokens=8)

    first, second = found.decisions

    assert (first.fired, first.left) == (True, 4)
    assert (second.gate, second.tokens, second.left) == ("budget", 6, 4)
    assert second.nearest.as_data() == {"entry": {"ignoreBudget": True}}


def test_constant_entries_come_first_then_the_higher_order(scanned: Scanned) -> None:
    low, high = {**DRAGON, "content": "1234", "order": 1}, {**DRAGON, "content": "1234", "order": 500}
    constant = {"constant": True, "content": "1234", "order": 0}

    found = scanned(HIT, low, high, constant, budget_tokens=8)

    assert [one.fired for one in found.decisions] == [False, True, True]


def test_a_smaller_entry_may_fill_the_gap(scanned: Scanned) -> None:
    entries = ({**DRAGON, "content": "1234567890"}, {**DRAGON, "content": "123"})

    stopping = scanned(HIT, *entries, budget_tokens=8)
    skipping = scanned(HIT, *entries, budget_tokens=8, overflow="skip")

    assert [one.fired for one in stopping.decisions] == [False, False]
    assert [one.fired for one in skipping.decisions] == [False, True]


def test_decorators_are_no_words(scanned: Scanned) -> None:
    content = "@@unknown\n@@@activate\nwords"

    (decision,) = scanned("nothing", {"content": content}).decisions

    assert decision.as_data()["content"] == "words"
    assert decision.reason == "it says @@activate"


def test_entries_of_the_same_id_both_count(scanned: Scanned) -> None:
    found = scanned(HIT, {**DRAGON, "uid": 7}, {**DRAGON, "uid": 7})

    assert [one.key for one in found.fired] == ["lore:b/7", "lore:b/7@2"]

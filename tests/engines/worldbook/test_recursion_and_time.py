"""Lore that calls up lore, and lore that remembers."""

from __future__ import annotations

import pytest

from tests.engines.worldbook.conftest import Scanned

FIRST = {"key": ["dragon"], "content": "It lives in a castle."}
SECOND = {"key": ["castle"]}
HIT = "a dragon"


def test_what_fires_calls_up_more(scanned: Scanned) -> None:
    found = scanned(HIT, FIRST, SECOND)

    second = found["lore:b/1"]
    assert second.fired
    assert second.matched is not None
    assert (second.matched.where, second.matched.start, second.matched.end) == ("lore:b/0", 14, 20)
    assert second.made_in == 2


@pytest.mark.parametrize(
    ("first", "second", "rules"),
    [
        ({"preventRecursion": True}, {}, {}),
        ({}, {"excludeRecursion": True}, {}),
        ({}, {}, {"recursion": False}),
        ({}, {"delayUntilRecursion": 2}, {"max_passes": 1}),
    ],
)
def test_recursion_can_be_refused(scanned: Scanned, first: dict, second: dict, rules: dict) -> None:
    found = scanned(HIT, FIRST | first, SECOND | second, **rules)

    assert [one.fired for one in found.decisions] == [True, False]
    assert found.with_change("lore:b/1")["lore:b/1"].fired


def test_levels_of_delay_come_one_after_the_other(scanned: Scanned) -> None:
    delayed = [{"key": ["dragon"], "delayUntilRecursion": level} for level in (1, 3, 2)]

    found = scanned(HIT, FIRST, *delayed)

    assert [one.key for one in found.fired] == ["lore:b/0", "lore:b/1", "lore:b/3", "lore:b/2"]


def test_a_chain_ends_at_the_limit_with_a_note(scanned: Scanned) -> None:
    chain = [{"key": [f"k{i:02}"], "content": f"k{i + 1:02}"} for i in range(30)]

    found = scanned("k00", *chain, max_passes=5)

    assert len(found.fired) == found.passes == 5
    assert found["lore:b/5"].gate == "pass-limit"
    assert found["lore:b/5"].nearest.as_data() == {"settings": {"max_passes": 6}}
    assert found["lore:b/6"].gate == "no-key"
    assert any("after 5 passes" in note.text for note in found.notes)


def test_entries_that_call_up_each_other_end_by_themselves(scanned: Scanned) -> None:
    found = scanned("a", {"key": ["a"], "content": "b"}, {"key": ["b"], "content": "a"}, max_passes=0)

    assert len(found.fired) == 2


CHAT = ("a dragon", "m1", "m2", "m3", "m4", "m5")


@pytest.mark.parametrize(
    ("fired_at", "fires"), [("m2", True), ("m3", True), ("m5", False), ("m1", False), ("elsewhere", False)]
)
def test_sticky_counts_messages_since_it_fired(scanned: Scanned, fired_at: str, fires: bool) -> None:
    entry = {"key": ["dragon"], "sticky": 4}

    found = scanned(*CHAT, entry, chat={"activations": {"lore:b/0": fired_at}})

    assert found.decisions[0].fired is fires


@pytest.mark.parametrize(("fired_at", "fires"), [("m4", False), ("m3", False), ("m2", True), ("m5", True)])
def test_cooldown_counts_messages_since_it_fired(scanned: Scanned, fired_at: str, fires: bool) -> None:
    """At the message at which it fired nothing cools down: the same build again has the same result."""
    entry = {"key": ["m5"], "cooldown": 3}

    found = scanned(*CHAT, entry, chat={"activations": {"lore:b/0": fired_at}})

    assert found.decisions[0].fired is fires
    assert fires or found.decisions[0].gate == "cooldown"


def test_cooldown_begins_where_stickiness_ends(scanned: Scanned) -> None:
    entry = {"key": ["m5"], "sticky": 2, "cooldown": 2}

    at = {name: scanned(*CHAT, entry, chat={"activations": {"lore:b/0": name}}) for name in ("m4", "m3", "m2", "m1")}

    assert [found.decisions[0].fired for found in at.values()] == [True, False, False, True]


def test_a_record_of_a_message_that_is_not_sent_counts_from_the_next(scanned: Scanned) -> None:
    entry = {"key": ["m5"], "cooldown": 3}
    path = ("m0", "m1", "m2", "m3", "hidden", "m4", "m5")

    found = scanned(*CHAT, entry, chat={"activations": {"lore:b/0": "hidden"}, "path": path})

    assert found.decisions[0].gate == "cooldown"


def test_what_fired_is_recorded_and_stickiness_is_not_restarted(scanned: Scanned) -> None:
    entries = ({"constant": True}, {"key": ["m5"], "sticky": 4}, {"key": ["nothing"]})

    found = scanned(*CHAT, *entries, chat={"activations": {"lore:b/1": "m3", "lore:other/9": "m1"}})

    assert found.activations == {"lore:b/0": "m5", "lore:b/1": "m3", "lore:other/9": "m1"}


def test_chance_is_drawn_once_for_an_entry(scanned: Scanned) -> None:
    found = scanned(HIT, FIRST, {"key": ["dragon"], "probability": 50}, SECOND, dice={"lore:b/1": 0.9})

    assert found["lore:b/1"].gate == "probability"
    assert found["lore:b/2"].fired

"""SillyTavern 1.19's way of scanning, as measured with the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ctxlab.documents.lore import LoreEntry, Worldbook
from ctxlab.engines.worldbook import ActiveBook, Chat, LoreScan, ScanInput, ScannedMessage, ScanSettings, scan

TALK = (("Maren", "The door is open."), ("Ilse", "Is the wheel turning?"), ("Maren", "When the water says so."))
OWN_WAY = {
    "scan_text": "joined",
    "budget_count": "together",
    "constants_first": False,
    "book_settings": False,
    "compat": "sillytavern-1.19",
    "recursion": False,
}


def scanned(*entries: LoreEntry, chat: Mapping[str, Any] | None = None, talk: Any = TALK, **rules: Any) -> LoreScan:
    book = Worldbook(id="b", entries={str(i): each.with_(uid=i) for i, each in enumerate(entries)})
    messages = tuple(ScannedMessage(f"m{i}", text, f"m{i}", name) for i, (name, text) in enumerate(talk))
    words = ScanInput(
        (ActiveBook(book),),
        Chat(messages, **(chat or {})),
        ScanSettings(**{**OWN_WAY, **rules}),
        count=lambda text: len(text.split()),
    )
    return scan(words)


def fired(found: LoreScan) -> list[str]:
    return [one.lore.entry.content for one in found.fired]


def keyed(*keys: str, content: str = "", **fields: Any) -> LoreEntry:
    return LoreEntry(key=keys, content=content or keys[0], **fields)


@pytest.mark.parametrize(
    ("key", "fires"),
    [
        (r"/so\.[\s\S]*wheel/", True),  # the newest stands first
        (r"/wheel[\s\S]*so\./", False),
        (r"/turning\?$/", True),  # the end is the oldest one's
        (r"/so\.$/", False),
        (r"/^Maren/m", False),  # the mark is before it
        (r"/^\x01Maren: When/", True),
        ("so.\n\x01ilse", True),
        ("/wheel[/", False),
        ("door", False),  # deeper than the scan looks
    ],
)
def test_patterns_match_in_one_text_of_all_newest_first(key: str, fires: bool) -> None:
    assert bool(fired(scanned(keyed(key)))) is fires


def test_a_name_is_scanned_and_the_decision_says_so() -> None:
    (one,) = scanned(keyed("ilse")).decisions

    assert one.fired
    assert one.reason == "'ilse' stands in the name of m1"
    assert (one.matched.where, one.matched.start, one.matched.end, one.matched.in_name) == ("m1", 0, 4, True)


def test_a_place_counts_from_the_message_not_from_the_name() -> None:
    (one,) = scanned(keyed("wheel")).decisions

    assert (one.matched.start, one.matched.end) == (7, 12)


def test_a_match_that_runs_into_another_message_says_so() -> None:
    (one,) = scanned(keyed(r"/so\.[\s\S]*wheel/")).decisions

    assert (one.matched.where, one.matched.through) == ("m2", ("m1",))
    assert "m2 through to m1" in one.reason
    assert one.matched.end == len(TALK[2][1])


def test_a_pattern_sees_other_sources_and_lore_behind_the_messages() -> None:
    about = {"about": {"persona": "A basalt face."}}
    persona = keyed(r"/turning\?\n\x01A basalt face\.$/", match_persona_description=True)
    lore = keyed(r"/turning\?\n\x01A winch\.\nA pawl\.$/", content="both")
    calls = (keyed("water", content="A winch."), keyed("water", content="A pawl.", order=50))

    assert fired(scanned(persona, chat=about)) == [persona.content]
    assert "both" in fired(scanned(*calls, lore, recursion=True))


def test_a_pattern_may_match_where_nothing_was_said() -> None:
    assert fired(scanned(keyed("/(?!.*moon)/"), talk=())) == ["/(?!.*moon)/"]


def test_an_entry_that_scans_no_message_isnt_called_up_by_lore_either() -> None:
    entries = keyed("water", content="A winch."), keyed("winch", scan_depth=0)

    assert fired(scanned(*entries, recursion=True)) == ["A winch."]


@pytest.mark.parametrize(("budget", "fits"), [(10, False), (11, True)])
def test_the_budget_counts_all_so_far_and_six_more_and_has_to_stay_above(budget: int, fits: bool) -> None:
    found = scanned(
        keyed("water", content="one two", order=200), keyed("wheel", content="three four"), budget_tokens=budget
    )

    assert (len(found.fired) == 2) is fits
    if not fits:
        assert found["lore:b/1"].reason == (
            "with it lore has 10 tokens, 6 around it counted, and has to have fewer than 10"
        )


def test_what_calls_up_nothing_doesnt_count_in_later_passes() -> None:
    entries = (
        keyed("water", content="A winch", order=300),
        keyed("wheel", content="a b c d e f", order=200, prevent_recursion=True),
        keyed("winch", content="one two"),
    )

    assert len(scanned(*entries, recursion=True, budget_tokens=17).fired) == 3
    assert len(scanned(*entries, recursion=True, budget_tokens=16).fired) == 2


def test_a_constant_has_no_precedence() -> None:
    found = scanned(
        keyed("water", content="keyed one", order=300), LoreEntry(constant=True, content="x " * 9), budget_tokens=12
    )

    assert fired(found) == ["keyed one"]


@pytest.mark.parametrize(("most", "deepest"), [(0, 3), (1, 2), (2, 3)])
def test_one_message_more_is_looked_at_until_enough_fires(most: int, deepest: int) -> None:
    entries = [keyed("water"), keyed("wheel"), keyed("door")]

    found = scanned(*entries, scan_depth=1, min_activations=3, min_activations_depth=most)

    assert len(found.fired) == deepest


def test_enough_is_enough() -> None:
    assert fired(scanned(keyed("water"), keyed("wheel"), keyed("door"), scan_depth=1, min_activations=2)) == [
        "water",
        "wheel",
    ]


def test_levels_of_delayed_entries_open_without_recursion() -> None:
    entries = (
        keyed("water", content="A winch."),
        keyed("winch"),
        keyed("wheel", content="level 1", delay_until_recursion=1),
        keyed("wheel", content="level 3", delay_until_recursion=3),
    )

    assert fired(scanned(*entries[:3])) == ["A winch."]
    assert sorted(fired(scanned(*entries))) == ["A winch.", "level 1", "level 3", "winch"]


def test_one_that_lost_a_group_beats_the_others_of_its_next_one() -> None:
    entries = (
        keyed("water", content="b", group="b", group_override=True, order=300),
        keyed("water", content="a b", group="a, b", group_override=True, order=200),
        keyed("water", content="a", group="a"),
    )

    assert fired(scanned(*entries)) == ["b"]


def test_an_entry_of_several_groups_keeps_none_of_them() -> None:
    entries = keyed("water", content="A winch.", group="a, b"), keyed("winch", group="a")

    assert fired(scanned(*entries, recursion=True)) == ["A winch.", "winch"]


def test_a_rest_begins_with_the_first_turn_that_is_no_longer_sticky() -> None:
    entry = keyed("water", sticky=3, cooldown=3)

    def after(turns: int, known: Mapping[str, str]) -> LoreScan:
        return scanned(entry, talk=[("Ilse", "water")] * (1 + turns), chat={"activations": known}, scan_depth=1)

    first = after(0, {})
    second = after(2, first.activations)
    third = after(4, second.activations)
    fourth = after(6, third.activations)
    fifth = after(8, fourth.activations)

    assert [bool(found.fired) for found in (first, second, third, fourth, fifth)] == [True, True, False, False, True]
    assert fourth["lore:b/0"].gate == "cooldown"


def test_whole_words_have_nothing_of_a_word_beside_them() -> None:
    talk = [("", "lantern.x 罗盘a c++ b罗盘")]
    keys = ("lantern.", "罗盘", "c++", "b罗盘")

    assert fired(scanned(*[keyed(key) for key in keys], talk=talk, whole_words=True)) == ["c++", "b罗盘"]


@pytest.mark.parametrize(
    ("key", "said", "fires"),
    [
        ("ſee", "We see.", False),  # JavaScript's small letters; folding would make an s of it
        ("see", "We ſee.", False),
        ("οδος", "ΟΔΟΣ", True),  # Σ at the end of a word becomes ς
        ("οδοσ", "οδος", False),
        ("straße", "STRASSE", False),
        ("ÄRM", "ärm", True),
    ],
)
def test_upper_case_is_made_small_as_javascript_does(key: str, said: str, fires: bool) -> None:
    assert bool(fired(scanned(keyed(key), talk=(("Ilse", said),)))) is fires
    folding = scanned(keyed("see"), talk=(("Ilse", "We ſee."),), compat="sillytavern", scan_text="messages")
    assert fired(folding) == ["see"]

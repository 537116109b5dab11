"""Which keys stand where."""

from __future__ import annotations

import pytest

from ctxlab.documents.lore import LoreEntry, Worldbook
from ctxlab.engines.worldbook import in_order
from tests.engines.worldbook.conftest import Scanned


@pytest.mark.parametrize(
    ("text", "entry", "characters"),
    [
        ("a Dragon!", {"key": ["dragon"]}, (2, 8)),
        ("a Dragon!", {"key": ["dragon"], "caseSensitive": True}, None),
        ("a Dragon!", {"key": ["Dragon"], "caseSensitive": True}, (2, 8)),
        ("party", {"key": ["art"]}, (1, 4)),
        ("party", {"key": ["art"], "matchWholeWords": True}, None),
        ("the art.", {"key": ["art"], "matchWholeWords": True}, (4, 7)),
        ("巨龙来了", {"key": ["龙"], "matchWholeWords": True}, (1, 2)),
        ("a龙b", {"key": ["龙"], "matchWholeWords": True}, (1, 2)),
        ("learn c++11", {"key": ["c++"], "matchWholeWords": True}, (6, 9)),
        ("İstanbul, Straße, dragon", {"key": ["dragon"]}, (18, 24)),
        ("ΣΟΦΟΣ", {"key": ["σοφος"]}, (0, 5)),
        ("👩‍👩‍👧 dragon", {"key": ["dragon"]}, (6, 12)),
        ("\ud800 dragon", {"key": ["dragon"]}, (2, 8)),
        ("x", {"key": [""]}, None),
        ("x", {"key": ["   "]}, None),
        ("a dragon", {"key": [" dragon "]}, (2, 8)),
        ("Dragons", {"key": ["/drag(on|in)s?/i"]}, (0, 7)),
        ("👍 Dragons", {"key": ["/drag(on|in)s?/i"]}, (2, 9)),
        ("Dragon", {"key": ["/dragon/"]}, None),
        ("hello there", {"key": ["/^hello/"]}, (0, 5)),
        ("hello there", {"key": ["/\\x01hello/"]}, (0, 5)),
        ("see /a/b/ there", {"key": ["/a/b/"]}, (4, 9)),
    ],
)
def test_a_key_stands_where_its_author_meant(
    scanned: Scanned, text: str, entry: dict[str, object], characters: tuple[int, int] | None
) -> None:
    (decision,) = scanned(text, entry).decisions

    assert decision.fired == (characters is not None)
    if decision.matched:
        assert (decision.matched.start, decision.matched.end) == characters
        assert decision.matched.where == "node:m0"


def test_keys_name_the_user_and_the_character(scanned: Scanned) -> None:
    found = scanned("Nova waves", {"key": ["{{char}} waves"]}, {"key": ["{{user}}"]}, chat={"names": ("Nova",)})

    assert [one.fired for one in found.decisions] == [True, False]


def test_overlapping_keys_are_all_found(scanned: Scanned) -> None:
    (decision,) = scanned("the dragonfly", {"key": ["dragonfly", "dragon", "fly", "moth"]}).decisions

    assert decision.matched is not None
    assert decision.matched.keys == ("dragonfly", "dragon", "fly")


def test_a_pattern_that_does_not_compile_is_left_out_with_a_note(scanned: Scanned) -> None:
    found = scanned("a dragon", {"key": ["/(/", "dragon"]})

    assert found.decisions[0].fired
    assert any("'/(/'" in note.text for note in found.notes)


@pytest.mark.parametrize(
    ("logic", "text", "fires"),
    [
        (0, "k", False),
        (0, "k s", True),
        (1, "k s", True),
        (1, "k s t", False),
        (2, "k", True),
        (2, "k t", False),
        (3, "k s", False),
        (3, "k s t", True),
        (9, "k s", True),
    ],
)
def test_secondary_keys_say_their_part(scanned: Scanned, logic: int, text: str, fires: bool) -> None:
    entry = {"key": ["k"], "keysecondary": ["s", "t"], "selectiveLogic": logic}

    (decision,) = scanned(text, entry).decisions

    assert decision.fired is fires
    assert fires or decision.gate == "secondary-keys"


def test_the_same_key_read_strictly_and_loosely_is_two_keys(scanned: Scanned) -> None:
    found = scanned("DRAGONS", {"key": ["dragon"]}, {"key": ["dragon"], "matchWholeWords": True})

    assert [one.fired for one in found.decisions] == [True, False]
    assert found.decisions[1].nearest.as_data() == {"entry": {"matchWholeWords": False}}


def test_a_name_of_thousands_of_digits_is_a_name() -> None:
    longest, past = str(2**32 - 2), str(2**32 - 1)
    book = Worldbook(entries=dict.fromkeys(["9" * 5000, past, longest, "7"], LoreEntry()))

    assert [name for name, _ in in_order(book)] == ["7", longest, "9" * 5000, past]

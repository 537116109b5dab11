"""SillyTavern's lorebooks, of its own and from cards."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ctxlab.documents import LoreEntry, Worldbook
from ctxlab.errors import ReadError
from ctxlab.formats import Import, convert, lorebook_json, read, read_data, write
from ctxlab.formats.sillytavern.card_fields import converted
from ctxlab.formats.sillytavern.lorebooks.format import book_from, book_to

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[4] / "shared"))
ELDORIA = SHARED / "data" / "sillytavern" / "Eldoria.json"
HARBOUR = Path(__file__).parents[3] / "datasets" / "harbour_lore.json"
CARD: dict[str, Any] = {
    "name": "Town",
    "scan_depth": 3,
    "token_budget": 400,
    "recursive_scanning": True,
    "extensions": {"of": "another program"},
    "entries": [
        {
            "id": 7,
            "keys": ["lamp", "灯塔"],
            "secondary_keys": ["dark"],
            "content": "It goes dark.",
            "enabled": False,
            "insertion_order": 20,
            "selective": True,
            "position": "after_char",
            "priority": 3,
            "extensions": {"position": 4, "depth": 1, "role": 2, "probability": 40, "sticky": 2, "mine": True},
        }
    ],
}


def entry(**fields: Any) -> tuple[LoreEntry, list[str]]:
    """The only entry of a native book with these fields, and what was lost."""
    book, losses = book_from({"entries": {"0": {"uid": 0, "key": ["a"], "content": "x", **fields}}})
    return book.entries["0"], [str(loss) for loss in losses]


@pytest.mark.parametrize(
    ("fields", "probability"),
    [
        ({"useProbability": True, "probability": None}, 0),  # what is drawn is never below nothing
        ({"useProbability": True}, 0),
        ({"useProbability": False, "probability": None}, 100),
        ({"probability": None}, 100),
        ({"useProbability": True, "probability": 30}, 30),
    ],
)
def test_a_chance_that_is_asked_for_and_not_said_is_none(fields: dict[str, Any], probability: float) -> None:
    found, _ = entry(**fields)
    in_card = {"entries": [{"id": 0, "keys": ["a"], "extensions": {k: v for k, v in fields.items() if v is not None}}]}
    book, _ = book_from(in_card)

    assert found.probability == probability
    assert book.entries["0"].probability == (probability or 100)  # a card's book says 100 where it says nothing


def test_both_forms_of_keys_are_read() -> None:
    native = {"entries": {"0": {"uid": 0, "key": ["a"], "keysecondary": ["b"]}}}
    card = {"entries": [{"id": 0, "keys": ["a"], "secondary_keys": ["b"]}]}

    for raw in (native, card):
        found = book_from(raw)[0].entries["0"]

        assert (found.key, found.keysecondary) == (("a",), ("b",))


def test_a_book_of_a_card_is_read_with_its_extensions() -> None:
    book, losses = book_from(CARD)
    found = book.entries["7"]

    assert losses == []
    assert (book.name, book.scan_depth, book.token_budget, book.recursive_scanning) == ("Town", 3, 400, True)
    assert (found.position, found.depth, found.role, found.probability, found.sticky) == (4, 1, 2, 40, 2)
    assert (found.disable, found.order, found.selective) == (True, 20, True)
    assert book.macro_dialect == "sillytavern"


def test_what_a_native_entry_leaves_unsaid_is_as_in_sillytavern() -> None:
    found, losses = entry()

    assert losses == []
    assert (found.selective, found.position, found.order, found.depth) == (True, 0, 100, 4)
    assert (found.group_weight, found.probability, found.match_character_description) == (100, 100, False)


def test_an_entry_of_a_card_stands_behind_the_character_and_has_no_logic_unless_it_says_so() -> None:
    book, _ = book_from({"entries": [{"keys": ["a"], "content": "x"}]})

    assert (book.entries["0"].position, book.entries["0"].selective) == (1, False)


@pytest.mark.parametrize(
    ("said", "position"),
    [("before_char", 0), ("AFTER_CHAR", 1), ("at_depth", 4), ("depth", 4), ("Before EM", 5), ("outlet", 7), ("3", 3)],
)
def test_positions_are_words_or_numbers(said: str, position: int) -> None:
    assert entry(position=said) == (entry(position=position)[0], [])


def test_the_position_in_extensions_wins() -> None:
    assert entry(position="before_char", extensions={"position": 4})[0].position == 4


def test_keys_in_one_text_are_cut_at_commas_but_a_regex_is_not() -> None:
    assert entry(key="灯塔, lamp ,,/a{1,3}/i")[0].key == ("灯塔", "lamp", "/a{1,3}/i")


def test_numbers_in_quotes_and_flags_as_numbers_are_read() -> None:
    found, losses = entry(order="50", disable=1, scanDepth="2", useProbability="false", probability=33.5)

    assert losses == []
    assert (found.order, found.disable, found.scan_depth, found.use_probability) == (50, True, 2, False)
    assert found.probability == 33.5


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"order": "first"}, "entry '0', order: 'first' is no number; 100 is used"),
        ({"comment": "Lamp", "depth": [1]}, "entry '0' ('Lamp'), depth: [1] is no whole number; 4 is used"),
        ({"position": "inside"}, "entry '0', position: 'inside' is no position; 0 is used"),
        ({"position": 99}, "entry '0', position: 99 is none of 0 to 7; it is kept"),
        ({"content": {"a": 1}}, "entry '0', content: {'a': 1} is no text; '' is used"),
        ({"key": [["a"], "b"]}, "entry '0', key: [['a'], 'b'] holds what is no text; the rest is used"),
        ({"sticky": True}, "entry '0', sticky: True is no whole number; what there is by default is used"),
    ],
)
def test_what_can_t_be_read_is_a_loss_that_names_entry_and_field(fields: dict[str, Any], said: str) -> None:
    assert entry(**fields)[1] == [said]


def test_two_entries_with_one_uid_are_both_kept() -> None:
    raw = {"entries": [{"uid": 1, "key": ["a"], "content": "1"}, {"uid": 1, "key": ["b"], "content": "2"}]}

    book, losses = book_from(raw)

    assert {key: found.content for key, found in book.entries.items()} == {"1": "1", "2": "2"}
    assert [str(loss) for loss in losses] == ["entry 1, uid: 1 is there twice; this one is 2 now"]
    assert book_to(book, form="character_book") == raw


def test_an_entry_without_a_uid_takes_nobody_s() -> None:
    book, losses = book_from({"entries": {"a": {"uid": 1, "key": []}, "b": {"key": []}, "c": {"uid": "x", "key": []}}})

    assert losses == []
    assert [found.uid for found in book.entries.values()] == [1, 3, "x"]


def test_what_is_no_entry_is_left_out_and_written_back() -> None:
    raw = {"entries": {"0": None, "1": {"uid": 1, "key": ["a"]}, "2": "text"}}

    book, losses = book_from(raw)

    assert list(book.entries) == ["1"]
    assert [loss.place for loss in losses] == ["entry '0'", "entry '2'"]
    assert book_to(book, form="native") == raw


@pytest.mark.parametrize("entries", [None, 3, "text", [], {}])
def test_a_book_may_have_no_entries(entries: Any) -> None:
    book, _ = book_from({"entries": entries, "name": "Empty"})

    assert book.entries == {}
    assert book_to(book, form="native" if entries != [] else "character_book") == {"entries": entries, "name": "Empty"}


def test_macros_in_contents_are_spelt_our_way() -> None:
    assert entry(content="<USER> meets {{Char}} and <bot>")[0].content == "{{user}} meets {{char}} and <bot>"
    assert converted("{{getvar::User}} a < b") == "{{getvar::User}} a < b"


# --- writing


def test_only_what_changed_is_written_anew() -> None:
    book, _ = book_from(CARD)
    changed = book.entries["7"].with_(content="It is lit.", probability=60)

    written = book_to(book.with_(entries={"7": changed}), form="character_book")

    was = CARD["entries"][0]
    assert written["entries"] == [
        {**was, "content": "It is lit.", "extensions": {**was["extensions"], "probability": 60}}
    ]
    assert {**written, "entries": None} == {**CARD, "entries": None}


def test_a_field_is_written_where_the_file_has_it() -> None:
    book, _ = book_from({"entries": {"a": {"uid": 5, "key": "x, y", "extensions": {"position": 4}}}})
    changed = book.entries["5"].with_(position=1, key=("z",))

    written = book_to(book.with_(entries={"5": changed}), form="native")

    assert written == {"entries": {"a": {"uid": 5, "key": ["z"], "extensions": {"position": 1}}}}


def test_entries_can_come_and_go() -> None:
    raw = {"entries": [{"id": 1, "keys": ["a"]}, 7, {"id": 2, "keys": ["b"]}, {"id": 3, "keys": ["c"]}]}
    book, _ = book_from(raw)
    new = LoreEntry(uid=9, key=("n",), content="New")

    written = book_to(
        book.with_(entries={"1": book.entries["1"], "3": book.entries["3"], "9": new}), form="character_book"
    )

    assert written["entries"][:3] == [raw["entries"][0], 7, raw["entries"][3]]
    assert (written["entries"][3]["id"], written["entries"][3]["keys"]) == (9, ["n"])


def test_a_new_book_is_written_in_both_forms() -> None:
    outlet = LoreEntry(
        uid="one", key=("灯塔",), comment="Lamp", content="Eleven minutes.", position=7, outlet_name="lamp"
    )
    book = Worldbook(id="b", name="Town", scan_depth=3, entries={"one": outlet})

    native, card = book_to(book, form="native"), book_to(book, form="character_book")

    assert native["entries"]["0"] == {
        **native["entries"]["0"],
        "uid": 0,
        "key": ["灯塔"],
        "addMemo": True,
        "position": 7,
    }
    assert card["entries"][0]["extensions"]["outlet_name"] == "lamp"
    assert (card["entries"][0]["position"], card["scan_depth"], card["name"]) == ("after_char", 3, "Town")
    assert book_from(native)[0].entries["0"].outlet_name == "lamp"


def test_a_card_s_book_in_native_form_keeps_what_the_card_said() -> None:
    book, _ = book_from(CARD)

    native = book_to(book, form="native")
    again, _ = book_from(native)

    assert native["originalData"] == CARD
    assert book_to(again, form="character_book") == CARD


def test_a_name_that_only_the_file_had_is_not_written() -> None:
    book = read_data({"entries": {"0": {"key": ["a"]}}}, source="Town.json").books[0]

    assert (book.name, book.id) == ("Town", "Town")
    assert "name" not in book_to(book, form="native")
    assert book_to(book.with_(name="Harbour"), form="native")["name"] == "Harbour"


# --- files


def test_a_lorebook_of_version_3_that_stands_alone_is_read_and_written() -> None:
    raw = {"spec": "lorebook_v3", "data": CARD}

    found = read_data(raw)

    assert found.format == "lorebook"
    assert json.loads(lorebook_json(found.books[0]).data) == raw


def test_a_stored_worldbook_is_read_as_it_is() -> None:
    stored = {
        "metadata": {"id": "w1", "name": "Town"},
        "entries": {"0": {"uid": 0, "keys": ["a"], "content": "<user>", "order": "x"}, "1": 5},
    }

    found = read_data(stored)

    assert (found.format, found.books[0].book_id, found.books[0].shown_name) == ("worldbook", "w1", "Town")
    assert (found.books[0].entries["0"].all_keys, found.books[0].entries["0"].content) == (("a",), "<user>")
    assert [loss.place for loss in found.losses] == ["entry '0'", "entry '1'"]


def test_books_are_converted_between_their_forms(tmp_path: Path) -> None:
    paths = [tmp_path / f"town.{ending}.json" for ending in ("lorebook", "worldbook", "character_book")]
    first = tmp_path / "town.json"
    write(book_from(CARD)[0], first, format="character-book")

    for one, other in zip((first, *paths), paths, strict=False):
        assert {loss.field for loss in convert(one, other).losses} <= {"of"}  # what another program keeps in the book

    assert read(paths[1]).format == "worldbook"
    assert json.loads(paths[2].read_bytes()) == CARD


def test_one_book_of_several_is_picked(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text(json.dumps([CARD, {**CARD, "name": "Island"}]))

    with pytest.raises(ReadError, match="2 lorebooks: 'in', 'in~2'; say which with pick="):
        convert(path, tmp_path / "out.lorebook.json")
    convert(path, tmp_path / "out.lorebook.json", pick="Island", format="character-book")

    assert json.loads((tmp_path / "out.lorebook.json").read_bytes())["name"] == "Island"


def test_ten_thousand_entries_with_one_uid_all_get_numbers() -> None:
    raw = {"entries": [{"uid": 3, "key": ["a"], "content": str(n)} for n in range(10_000)]}

    book, losses = book_from(raw)

    assert len(book.entries) == 10_000
    assert len(losses) == 9_999
    assert book_to(book, form="character_book") == raw


def test_the_bundled_lorebook_is_read_without_loss_and_written_as_it_was() -> None:
    found: Import = read(HARBOUR)

    assert found.losses == ()
    assert json.loads(lorebook_json(found.books[0]).data) == json.loads(HARBOUR.read_bytes())


@pytest.mark.skipif(not ELDORIA.is_file(), reason=f"real data is not at hand: there is no {ELDORIA}")
def test_sillytavern_s_own_book_is_written_as_it_was() -> None:
    found = read(ELDORIA)

    assert found.losses == ()
    assert json.loads(lorebook_json(found.books[0]).data) == json.loads(ELDORIA.read_bytes())


@pytest.mark.parametrize("form", [None, "native", "character_book"])
@pytest.mark.parametrize("about", [{"name": "B"}, {}, {"name": "B", "description": "d"}, {"scan_depth": 2}])
def test_a12_a_book_without_entries_can_be_read_back(form: Any, about: dict[str, Any]) -> None:
    book = Worldbook(**about)

    again = read_data(json.loads(lorebook_json(book, form=form).data)).books[0]

    assert again.entries == {}
    assert {name: getattr(again, name) for name in about} == about

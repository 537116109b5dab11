"""The Python half of LoreView: what is told of each entry, and what trying a change does."""

from __future__ import annotations

import json
from typing import Any

import pytest
import traitlets

import ctxlab
from ctxlab import CtxlabError, LoreEntry, Trace, Worldbook
from ctxlab.engines.worldbook import LoreScan
from ctxlab.processors import WorldbookProcessor
from ctxlab_widgets.lore_view import LoreView, scan_of
from ctxlab_widgets.lore_view.excerpts import excerpt, marked, shortened
from ctxlab_widgets.rule_view import RuleView
from ctxlab_widgets.token_budget import TokenBudget
from tests.gallery.samples import book, harbour
from tests.reports import left

COMPASS = "lore:harbour_lore/9"
BELL = "lore:harbour_lore/13"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return harbour()


def made(*entries: LoreEntry, **fields: Any) -> Worldbook:
    return Worldbook(name="b", entries={str(one.uid): one for one in entries}, **fields)


def asked(widget: LoreView, **command: Any) -> LoreView:
    widget._handle_custom_msg(command, [])
    return widget


def view_of(widget: LoreView) -> dict[str, Any]:
    return json.loads(widget.view)


def row_of(widget: LoreView, key: str) -> dict[str, Any]:
    return next(row for row in view_of(widget)["rows"] if row["key"] == key)


def test_the_rows_of_a_run_are_the_decisions_that_the_run_left(trace: Trace) -> None:
    widget = LoreView(trace)
    table = {row["key"]: row for row in left(trace.result, "lore")}

    rows = view_of(widget)["rows"]
    assert widget.scan is not None
    assert {row["key"]: row["kind"] == "fired" for row in rows} == {key: row["fired"] for key, row in table.items()}
    assert {row["key"]: row["tokens"] for row in rows} == {
        key: row["tokens"] if row["fired"] else 0 for key, row in table.items()
    }
    assert [row.as_data()["reason"] for row in widget.scan.decisions] == [
        table[d.key]["reason"] for d in widget.scan.decisions
    ]


def test_a_run_is_not_scanned_again(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorldbookProcessor, "scan", lambda *_: pytest.fail("scanned again"))

    assert LoreView(trace).scan is trace.result.report(LoreScan)


def test_counts_and_result_say_how_the_scan_ended(trace: Trace) -> None:
    view = view_of(LoreView(trace))

    assert view["counts"] == {"all": 18, "fired": 9, "blocked": 3, "not-hit": 6}
    assert sum(row["tokens"] for row in view["rows"]) == 328
    assert view["summary"] == "328 tokens, scan depth 2"


def test_an_excerpt_shows_the_key_where_the_scan_found_it(trace: Trace) -> None:
    widget = LoreView(trace)
    row = row_of(widget, "lore:harbour_lore/10")

    assert (row["number"], row["pieces"][1]) == (19, "ledger")
    assert row_of(widget, "lore:harbour_lore/2")["where"] == "灯塔 · The lighthouse"


def test_an_entry_stopped_before_its_keys_still_shows_where_one_stands() -> None:
    widget = LoreView(made(LoreEntry(uid=1, key=("lamp",), disable=True)), "The Lamp is out.")

    assert row_of(widget, "lore:b/1")["pieces"] == ["The ", "Lamp", " is out."]


@pytest.mark.parametrize(
    ("entry", "text", "chips", "nearest"),
    [
        ({"key": ("lamp",)}, "a lamp", ["key hit"], ""),
        ({"constant": True}, "x", ["constant"], ""),
        ({"key": ("lamp",), "probability": 0}, "a lamp", ["probability 0\u00a0%", "drew "], "probability ≥ "),
        ({"key": ("lamp",), "keysecondary": ("oil",)}, "a lamp", ["AND any 1"], "without its second keys"),
        ({"key": ("lamp",), "keysecondary": ("oil",), "selective_logic": 3}, "lamp oil", ["key hit", "AND all 1"], ""),
        ({"key": ("lamp",), "delay": 6}, "a lamp", ["delay 6"], "without its delay of 6 messages, or 5 more messages"),
        ({"key": ("lamp",), "disable": True}, "a lamp", ["switched off"], "switch it on"),
        ({"key": ("lamp",)}, "x", ["no key"], "a message that says “lamp”"),
        ({"key": ("lamp",), "triggers": ("continue",)}, "a lamp", ["trigger"], "not only for continue"),
        ({"key": ("lamp",), "case_sensitive": True}, "a Lamp", ["no key"], "upper and lower case alike"),
    ],
)
def test_what_decided_is_told_in_chips_and_the_nearest_change_in_words(
    entry: dict[str, Any], text: str, chips: list[str], nearest: str
) -> None:
    row = row_of(LoreView(made(LoreEntry(uid=1, **entry)), text), "lore:b/1")

    assert len(row["chips"]) == len(chips)
    assert all(told.startswith(chip) for told, chip in zip(row["chips"], chips, strict=True))
    assert row["nearest"].startswith(nearest)


def test_the_loser_of_a_group_names_the_winner(trace: Trace) -> None:
    assert row_of(LoreView(trace), "lore:harbour_lore/6")["chips"] == ["group weather", "lost to 7"]


def test_a_change_on_a_run_builds_it_again_and_back_leads_back(trace: Trace) -> None:
    widget = LoreView(trace)
    seen: list[Trace | None] = []
    widget.observe(lambda change: seen.append(change["new"]), "trace")

    asked(widget, command="try_change", key=COMPASS)
    assert widget.error == ""
    assert widget.trace is not None
    assert COMPASS in {row["key"] for row in left(widget.trace.result, "lore") if row["fired"]}
    assert view_of(widget)["tried"]["came"] == ["罗盘 · The compass"]
    assert row_of(widget, COMPASS)["turned"] == "new"
    asked(widget, command="back")

    assert widget.trace is trace
    assert len(seen) == 2
    assert view_of(widget)["tried"] is None


def test_a_message_is_tried_in_the_scan_alone(trace: Trace) -> None:
    widget = LoreView(trace)

    widget.try_change(BELL)

    assert widget.trace is trace
    assert (row_of(widget, BELL)["kind"], view_of(widget)["tried"]["alone"]) == ("fired", True)


def test_every_change_that_is_offered_does_what_it_says(trace: Trace) -> None:
    widget = LoreView(trace)
    assert widget.scan is not None
    fired = {one.key: one.fired for one in widget.scan.decisions}

    for key in fired:
        widget.try_change(key)
        assert widget.scan[key].fired != fired[key]
        widget.back()


def test_typing_scans_the_books_against_the_new_text() -> None:
    widget = LoreView(book(), "nothing")

    asked(widget, command="set_text", text="a lighthouse")
    assert row_of(widget, "lore:harbour_lore/1")["pieces"] == ["a ", "lighthouse", ""]
    widget.text = "the heron on the compass"

    assert row_of(widget, COMPASS)["kind"] == "fired"


def test_a_run_has_no_text_to_change(trace: Trace) -> None:
    widget = asked(LoreView(trace), command="set_text", text="x")

    assert "LoreView(book, text)" in widget.error
    with pytest.raises(CtxlabError, match="go with a text"):
        LoreView(trace, "x")


def test_another_run_set_from_python_is_shown_and_the_same_one_is_not_scanned_again(trace: Trace) -> None:
    widget = LoreView(book(), "a lamp")
    widget.trace = trace
    scan, view = widget.scan, widget.view

    widget.trace = trace

    assert (widget.scan, widget.view, widget.text) == (scan, view, "")
    assert scan is not None
    assert len(scan) == 18


def test_an_opened_row_has_every_key_of_the_entry_lit(trace: Trace) -> None:
    widget = LoreView(trace)
    detail = json.loads(widget.details)["lore:harbour_lore/5"]

    told = "".join(piece for text in detail["texts"] for piece in text["pieces"])
    marked = [piece for text in detail["texts"] for piece in text["pieces"][1::2]]
    assert widget.scan is not None
    assert set(marked) >= {"causeway"}
    assert all(said.text in told for said in widget.scan.scan_input.chat.messages[-3:])
    assert ["keys", "found causeway", "passed"] in detail["gates"]


def test_a_pattern_is_lit_wherever_it_matches() -> None:
    widget = LoreView(made(LoreEntry(uid=1, key=(r"/l[au]mps?/i",))), "Lamp, 🦀 lump and lamps")

    (text,) = json.loads(widget.details)["lore:b/1"]["texts"]

    assert text["pieces"] == ["", "Lamp", ", 🦀 ", "lump", " and ", "lamps", ""]


def test_a_pattern_that_never_ends_hangs_nothing_and_is_told() -> None:
    widget = LoreView(made(LoreEntry(uid=1, key=(r"/(a+)+\1$/",))), "a" * 40 + "!")

    assert row_of(widget, "lore:b/1")["kind"] == "not-hit"
    assert any("(a+)+" in note for note in view_of(widget)["notes"])


def test_of_few_entries_a_row_opens_without_telling_all_of_them_again(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    widget = LoreView(trace)
    before = widget.details
    monkeypatch.setattr(LoreView, "_detail", lambda *_: pytest.fail("told again"))

    widget.open_row(COMPASS)

    assert (widget.opened, widget.details) == (COMPASS, before)


def test_views_linked_by_run_and_message_build_it_once(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    lore, rules, budget = views = LoreView(trace), RuleView(trace), TokenBudget(trace)
    for other in (rules, budget):
        traitlets.link((lore, "trace"), (other, "trace"))
        traitlets.link((lore, "selected"), (other, "selected"))
    built: list[Trace] = []
    drawn: list[Any] = []
    again = ctxlab.rebuild
    monkeypatch.setattr(ctxlab, "rebuild", lambda *args, **options: built.append(again(*args, **options)) or built[-1])
    for each in views:
        each.observe(drawn.append, "trace")

    lore.try_change(COMPASS)
    assert len(built) == 1
    assert all(each.trace is built[0] for each in views)
    assert len(drawn) == 3

    rules.choose("node:u12")
    assert [each.selected for each in views] == ["node:u12"] * 3
    lore.selected = COMPASS
    assert [each.selected for each in views] == [COMPASS] * 3
    assert rules.message == "node:u12"
    lore.back()
    assert all(each.trace is trace for each in views)
    assert (len(built), len(drawn)) == (1, 6)


def test_of_many_entries_only_the_open_one_is_told_at_length() -> None:
    many = made(*(LoreEntry(uid=i, key=(f"word{i}",), content=f"of {i}") for i in range(10_000)))
    widget = LoreView(many, "here is word4711")
    assert json.loads(widget.details) == {}

    widget.set_state({"opened": "lore:b/4711"})

    assert json.loads(widget.details)["lore:b/4711"]["content"] == "of 4711"
    assert len(widget.view) < 4_000_000


def test_without_a_book_and_before_the_scan_a_sentence_says_what_is_missing() -> None:
    session = ctxlab.Session(id="s").append("", role="system").append("hi")

    assert LoreView().view == ""
    assert "books=[book]" in view_of(LoreView(ctxlab.build(session)))["empty"]
    early = ctxlab.debug(session, books=[book()]).trace
    assert scan_of(early) is None
    assert "still to come" in view_of(LoreView(early))["empty"]


@pytest.mark.parametrize(
    "wrong",
    [
        "back",
        {"command": "back"},
        {"command": "explode"},
        {"command": "try_change", "key": "lore:no/1"},
        {"command": "try_change", "key": 3},
        {"command": "filter", "kind": "odd"},
        {"command": "open", "key": "lore:no/1"},
    ],
)
def test_what_is_no_command_is_refused_in_a_sentence(trace: Trace, wrong: object) -> None:
    widget = LoreView(trace)
    before = widget.view

    widget._handle_custom_msg(wrong, [])

    assert widget.error
    assert (widget.view, widget.trace, widget.kind) == (before, trace, "all")


def test_an_excerpt_is_cut_around_the_key_and_around_one_more() -> None:
    text = "x" * 300 + " the lamp " + "y " * 200 + "oil at the end"
    lamp, oil = text.index("lamp"), text.index("oil")

    pieces = excerpt(text, (lamp, lamp + 4), [(lamp, lamp + 4), (oil, oil + 3)])

    assert pieces[1::2] == ["lamp", "oil"]
    assert pieces[0].startswith("…")
    assert "…" in pieces[2]
    assert pieces[-1] == " at the end"
    assert len("".join(pieces)) < 250


def test_characters_and_their_marks_are_never_parted() -> None:
    text = "e\u0301" * 200

    pieces = excerpt(text, (200, 202), [(200, 202)])

    assert not pieces[0].removeprefix("…").startswith("\u0301")
    assert pieces[-1].removesuffix("…").endswith("\u0301")


def test_overlapping_places_are_lit_once_and_the_text_stays_whole() -> None:
    assert marked("abcdef", [(1, 3), (2, 4), (5, 6), (5, 5)]) == ["a", "bcd", "e", "f", ""]


def test_of_a_very_long_text_what_is_far_from_every_key_is_counted() -> None:
    pieces = shortened(["a" * 5000, "key", "b" * 10])

    assert pieces[1:] == ["key", "b" * 10]
    assert "characters" in pieces[0]
    assert len(pieces[0]) < 1000

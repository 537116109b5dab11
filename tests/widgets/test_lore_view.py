"""The Python half of LoreView: what is told of each entry, and what trying a change does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import traitlets
from hypothesis import given, settings

import ctxlab
from ctxlab import CtxlabError, LoreEntry, Trace, Worldbook
from ctxlab.engines.worldbook import LoreScan, ScanInput, ScannedMessage, scan
from ctxlab.processors import WorldbookProcessor, lore_trial
from ctxlab.studies.run_effect import run_effect
from ctxlab_widgets import lore_view
from ctxlab_widgets._shared.shared_state import SharedState
from ctxlab_widgets.lore_view import LoreView, scan_of
from ctxlab_widgets.lore_view.excerpts import excerpt, marked, shortened
from ctxlab_widgets.lore_view.explanations import aside
from ctxlab_widgets.rule_view import RuleView
from ctxlab_widgets.token_budget import TokenBudget
from tests.gallery.samples import book, harbour
from tests.promises.test_lore import questions
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
    assert {row["key"]: row["tokens"] for row in rows if "tokens" in row} == {
        key: row["tokens"] for key, row in table.items() if row["fired"]
    }
    assert [row.as_data()["reason"] for row in widget.scan.decisions] == [
        table[d.key]["reason"] for d in widget.scan.decisions
    ]


def test_a_run_is_not_scanned_again(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorldbookProcessor, "scan", lambda *_: pytest.fail("scanned again"))

    assert LoreView(trace).scan is trace.result.report(LoreScan)


def test_the_sentence_says_how_the_scan_ended_and_its_parts_lead_there(trace: Trace) -> None:
    view = view_of(LoreView(trace))

    assert view["counts"] == {"all": 18, "fired": 9, "blocked": 3, "not-hit": 6}
    assert sum(row.get("tokens", 0) for row in view["rows"]) == 328
    assert "".join(words for words, _, _ in view["answer"]) == (
        "9 of 18 entries fired, 328 of 32,000 tokens; 3 were blocked: 天气：雨 · Rain, 罗盘 · The compass,"
        " 谁在塔里 · Who is in the tower (spoiler)"
    )
    assert ["罗盘 · The compass", "key", COMPASS] in view["answer"]


@pytest.mark.parametrize(
    ("entries", "text", "sentence"),
    [
        ([{"key": ("lamp",), "disable": True}], "a lamp", "0 of 1 entry fired, 0 tokens; 1 was seen and blocked: lamp"),
        ([{"key": ("lamp",), "disable": True}], "x", "0 of 1 entry fired, 0 tokens; 1 was blocked: lamp"),
        ([{"key": ("lamp",)}], "x", "0 of 1 entry fired, 0 tokens"),
        ([], "x", "The books have no entries"),
    ],
)
def test_seen_and_blocked_is_said_where_every_blocked_entry_was_seen(
    entries: list[dict[str, Any]], text: str, sentence: str
) -> None:
    book = made(*(LoreEntry(uid=i, **entry) for i, entry in enumerate(entries)))

    assert "".join(words for words, _, _ in view_of(LoreView(book, text))["answer"]).startswith(sentence)


def test_what_was_seen_and_did_not_fire_comes_first_then_what_fired_then_what_was_not_hit(trace: Trace) -> None:
    rows = view_of(LoreView(trace))["rows"]

    order = [(row["kind"], "pieces" in row) for row in rows if row["kind"] != "fired" or "pieces" in row]
    assert order == sorted(
        order, key=[("blocked", True), ("fired", True), ("blocked", False), ("not-hit", False)].index
    )
    assert [row["key"] for row in rows[:2]] == ["lore:harbour_lore/6", COMPASS]


def test_an_excerpt_shows_the_key_where_the_scan_found_it(trace: Trace) -> None:
    widget = LoreView(trace)
    row = row_of(widget, "lore:harbour_lore/10")

    assert (row["where"], row["pieces"][1]) == ("message 19", "ledger")
    assert row_of(widget, "lore:harbour_lore/2")["where"] == "灯塔 · The lighthouse"


def test_an_entry_stopped_before_its_keys_still_shows_where_one_stands() -> None:
    widget = LoreView(made(LoreEntry(uid=1, key=("lamp",), disable=True)), "The Lamp is out.")

    assert row_of(widget, "lore:b/1")["pieces"] == ["The ", "Lamp", " is out."]


@pytest.mark.parametrize(
    ("entry", "text", "why", "label", "aside"),
    [
        ({"key": ("lamp",)}, "a lamp", "its key was found", None, None),
        ({"constant": True}, "x", "it is constant", None, None),
        (
            {"key": ("lamp",), "probability": 0},
            "a lamp",
            "14.6 was drawn, it fires up to 0",
            "Probability 100\u00a0%",
            "",
        ),
        (
            {"key": ("lamp",), "probability": 5},
            *("a lamp", "14.6 was drawn, it fires up to 5", "Probability 100\u00a0%"),
            "15\u00a0% would do, or another seed",
        ),
        (
            {"key": ("lamp",), "keysecondary": ("oil",)},
            *("a lamp", "its second key wasn't found in the newest 2 messages", "Without its second keys", ""),
        ),
        (
            {"key": ("lamp",), "keysecondary": ("oil",), "selective_logic": 3},
            *("lamp oil", "its key was found; with its second key", None, None),
        ),
        (
            {"key": ("lamp",), "keysecondary": ("oil",), "selective_logic": 2},
            *("lamp oil", "its second key was found, it fires only without", "Without its second keys", ""),
        ),
        (
            {"key": ("lamp",), "delay": 6},
            *("a lamp", "it waits for 6 messages, there is 1", "Without its delay of 6 messages"),
            "its delay ends in 5 messages",
        ),
        ({"key": ("lamp",), "disable": True}, "a lamp", "the entry is switched off", "Switch it on", ""),
        ({"key": ("lamp",)}, "x", "none of its keys stands in the newest 2 messages", "Add a message “lamp”", ""),
    ],
)
def test_a_row_says_why_in_a_sentence_and_has_the_nearest_change_as_a_button(
    entry: dict[str, Any], text: str, why: str, label: str | None, aside: str | None
) -> None:
    row = row_of(LoreView(made(LoreEntry(uid=1, **entry)), text), "lore:b/1")

    assert (row["why"], row.get("change"), row.get("aside")) == (why, label, aside)


@settings(max_examples=40, deadline=None)
@given(questions())
def test_what_time_and_chance_would_do_is_true(asked: ScanInput) -> None:
    found = scan(asked)

    for one in found.decisions:
        words = aside(one, found)
        if "ends in" in words:
            n = int(words.split("ends in ")[1].split(" ")[0])
            gates = [later(asked, more)[one.key].gate for more in (n - 1, n)]
            assert (gates[0], gates[1] != one.gate) == (one.gate, True), words
        elif "seed" in words:
            lucky = replace(asked, dice=lambda id, key=one.key: 0.0 if id == key else asked.dice(id))
            least = {"entry": {"probability": float(words.split("\u00a0")[0])}}
            assert scan(lucky)[one.key].fired
            assert found.with_change(one.key, least)[one.key].fired


def later(asked: ScanInput, messages: int) -> LoreScan:
    """The scan after so many further messages without a word."""
    new = [ScannedMessage(f"later{i}", "", f"later{i}") for i in range(messages)]
    path = (*asked.chat.path, *(one.id for one in new)) if asked.chat.path else ()
    return scan(replace(asked, chat=replace(asked.chat, messages=(*asked.chat.messages, *new), path=path)))


def test_the_loser_of_a_group_names_the_winner(trace: Trace) -> None:
    assert row_of(LoreView(trace), "lore:harbour_lore/6")["why"] == "it lost to “天气：雾 · Fog” in group “weather”"


def test_a_price_is_what_the_run_grows_by(trace: Trace) -> None:
    widget = LoreView(trace)
    assert widget.trace is not None

    for key in ("lore:harbour_lore/6", COMPASS, "lore:harbour_lore/15"):
        cost = widget.price(key)
        before = widget.trace.tokens
        widget.try_change(key)
        assert widget.trace.tokens - before == cost
        widget.back()


def test_a_run_that_was_built_for_its_price_is_not_built_again(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = asked(LoreView(trace), command="prices", keys=[COMPASS])
    monkeypatch.setattr(lore_trial, "run_of", lambda *_, **__: pytest.fail("built again"))

    assert set(widget.prices) == {COMPASS}
    widget.try_change(COMPASS)

    assert widget.scan is not None
    assert widget.scan[COMPASS].fired


def test_without_a_run_the_price_is_in_tokens_of_the_lore_and_of_a_message_in_a_run_it_is_unknown(trace: Trace) -> None:
    typed, run = (
        LoreView(made(LoreEntry(uid=1, key=("lamp",), content="a b c", disable=True)), "a lamp"),
        LoreView(trace),
    )

    typed.try_change("lore:b/1")
    tokens = row_of(typed, "lore:b/1")["tokens"]
    typed.back()

    assert typed.price("lore:b/1") == tokens > 0
    assert (view_of(typed)["in_run"], view_of(run)["in_run"]) == (False, True)
    assert run.price(BELL) is None


def test_a_report_is_told_the_first_prices_and_what_each_entry_would_take(trace: Trace) -> None:
    widget = LoreView(trace)

    widget.find_prices_for_report()

    assert widget.scan is not None
    blocked = [row for row in view_of(widget)["rows"] if row["kind"] != "fired"]
    assert {row["key"]: row["own_tokens"] for row in blocked} == {
        one.key: widget.scan.scan_input.tokens_of(one.lore) for one in widget.scan.decisions if not one.fired
    }
    assert widget.prices[COMPASS] == LoreView(trace).price(COMPASS) > 0


def test_a_run_that_ends_early_has_no_price(trace: Trace) -> None:
    assert LoreView(trace.upto("worldbook-processor")).price(COMPASS) is None


def test_a_change_on_a_run_builds_it_again_says_what_it_did_and_back_leads_back(trace: Trace) -> None:
    widget = LoreView(trace)
    seen: list[Trace | None] = []
    widget.observe(lambda change: seen.append(change["new"]), "trace")

    asked(widget, command="try_change", key=COMPASS)
    assert widget.error == ""
    assert widget.trace is not None
    assert COMPASS in {row["key"] for row in left(widget.trace.result, "lore") if row["fired"]}
    assert widget.effect == {
        "label": "Fires now: 罗盘 · The compass.",
        "text": str(run_effect(trace, widget.trace)),
    }
    assert row_of(widget, COMPASS)["turned"] == "new"
    asked(widget, command="back")

    assert widget.trace is trace
    assert (len(seen), widget.effect) == (2, {})
    assert "turned" not in row_of(widget, COMPASS)


def test_a_message_is_tried_in_the_scan_alone(trace: Trace) -> None:
    widget = LoreView(trace)

    widget.try_change(BELL)

    assert widget.trace is trace
    assert (row_of(widget, BELL)["kind"], view_of(widget)["own_back"]) == ("fired", True)
    assert widget.effect["text"].endswith("only the scan was made again, the run is as it was")


def test_rows_keep_their_order_while_changes_are_tried_and_come_anew_when_the_view_is_opened(trace: Trace) -> None:
    widget = LoreView(trace)
    order = [row["key"] for row in view_of(widget)["rows"]]

    widget.try_change(COMPASS)
    tried = [row["key"] for row in view_of(widget)["rows"]]
    widget.show_key(BELL)

    assert tried == order
    assert [row["key"] for row in view_of(widget)["rows"]].index(COMPASS) != order.index(COMPASS)
    assert (widget.opened, widget.selected, widget.kind, widget.find) == (BELL, BELL, "all", "")


def test_an_entry_that_is_not_there_cannot_be_opened(trace: Trace) -> None:
    with pytest.raises(CtxlabError, match="no entry 'lore:no/1'"):
        LoreView(trace).show_key("lore:no/1")


def test_in_a_page_the_change_is_a_run_of_the_page_and_its_undo_takes_it_back(trace: Trace) -> None:
    widget, state = LoreView(trace), SharedState(trace, trace.start.input.session, ("lore", "steps"))
    widget.follow(state)
    order = [row["key"] for row in view_of(widget)["rows"]]

    asked(widget, command="try_change", key=COMPASS)
    assert state.trace is widget.trace is not trace
    state.trace = trace

    assert (widget.effect, [row["key"] for row in view_of(widget)["rows"]]) == ({}, order)
    with pytest.raises(CtxlabError, match="no change is being tried"):
        widget.back()


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
    monkeypatch.setattr(lore_view, "detail_of", lambda *_: pytest.fail("told again"))

    widget.open_row(COMPASS)

    assert (widget.opened, widget.details) == (COMPASS, before)


def test_views_linked_by_run_and_message_build_it_once(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    lore, rules, budget = views = LoreView(trace), RuleView(trace), TokenBudget(trace)
    for other in (rules, budget):
        traitlets.link((lore, "trace"), (other, "trace"))
        traitlets.link((lore, "selected"), (other, "selected"))
    built: list[Trace] = []
    drawn: list[Any] = []
    for module, name in ((ctxlab, "rebuild"), (lore_trial, "run_of")):
        again = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *args, again=again, **more: built.append(again(*args, **more)) or built[-1]
        )
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
        {"command": "prices", "keys": ["lore:no/1"]},
        {"command": "prices", "keys": [3]},
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

"""The Python half of KnowledgeView: what is told of each piece, and what trying a change does to the run."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import KnowledgeBase, Trace
from ctxlab.knowledge.policy.report import KnowledgeReport
from ctxlab_widgets._shared.shared_state import SharedState
from ctxlab_widgets.knowledge_view import KnowledgeView
from ctxlab_widgets.knowledge_view.asked_otherwise import asked, asked_text
from ctxlab_widgets.knowledge_view.marked_words import excerpt_of, spots_of
from ctxlab_widgets.lab_page import TABS, LabPage
from tests.gallery.samples import harbour, with_knowledge

STEP = "knowledge-processor"
SCRIPT = "<img src=x onerror=alert(1)>\u202e"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return with_knowledge()


def base(*texts: str, id: str = "b") -> KnowledgeBase:
    return ctxlab.knowledge_base(
        id, entries=[{"id": str(n), "key": f"entry {n}", "content": text} for n, text in enumerate(texts)]
    )


def found(said: str, *bases: KnowledgeBase, asking: str = "【kb】", **settings: Any) -> Trace:
    """A run that asks for knowledge by keywords."""
    values = {f"{STEP}.{name}": value for name, value in {"engine": "keyword", **settings}.items()}
    messages = [{"role": "system", "content": f"You know: {asking}"}, {"role": "user", "content": said}]
    return ctxlab.build(messages, knowledge=list(bases), settings=values)


LAMPS = base("The lamp is lit.", "A lamp and lamp oil.", "Ropes and tar.", "灯塔的灯亮着，lamp 也亮着。")


def told(widget: KnowledgeView, **command: Any) -> KnowledgeView:
    widget._handle_custom_msg(command, [])
    return widget


def view_of(widget: KnowledgeView) -> dict[str, Any]:
    return json.loads(widget.view)


def rows_of(widget: KnowledgeView) -> list[dict[str, Any]]:
    return view_of(widget)["rows"]


def sent(trace: Trace) -> list[str]:
    report = trace.result.report(KnowledgeReport)
    assert report is not None
    return [each.candidate.hit.chunk for result in report.results for each in result.sent]


def test_the_rows_are_the_candidates_that_the_run_reports(trace: Trace) -> None:
    table = [row for row in trace.result.report(KnowledgeReport).rows() if row["placeholder"] == "【kb】"]  # pyright: ignore[reportOptionalMemberAccess]
    rows = rows_of(KnowledgeView(trace))

    assert [(row["key"], row["kind"] == "sent", row["why"]) for row in rows] == [
        (row["key"], row["sent"], row["reason"]) for row in table
    ]
    assert [row.get("change", "") for row in rows] == [row["remedy"] for row in table]
    assert {row["kind"] for row in rows} == {"sent", "no room", "below"}


def test_all_marks_are_on_one_scale_and_the_one_that_decides_is_the_measure(trace: Trace) -> None:
    table = trace.table("knowledge")
    measures = dict(zip(table["key"], table["measure"], strict=True))

    for row in rows_of(KnowledgeView(trace)):
        assert set(row["marks"].values()) <= {value for value in row["marks"].values() if 0 <= value <= 1}
        assert row["marks"]["vector"] == pytest.approx(max(measures[row["key"]], 0), abs=1e-4)
        assert (row["marks"]["vector"] >= row["minimum"]) == (row["kind"] != "below")


def test_words_have_their_share_of_what_is_sent_and_silent_ones_come_last() -> None:
    words = view_of(KnowledgeView(found("lamp oil, 灯塔, zebra", LAMPS)))["words"]

    assert sum(word["share"] for word in words) == pytest.approx(1, abs=1e-3)
    assert {"lamp": 3, "oil": 1, "灯塔": 1, "zebra": 0}.items() <= {
        each["word"]: each["pieces"] for each in words
    }.items()
    assert words[-1] == {"word": "zebra", "pieces": 0, "share": 0.0}


def test_the_sentence_counts_what_was_sent_and_what_became_of_the_rest(trace: Trace) -> None:
    view = view_of(KnowledgeView(trace))

    sentence = "".join(words for words, _ in view["answer"])
    assert sentence.startswith("4 of 19 pieces sent, ")
    assert sentence.endswith("; 1 found no room, 14 stayed below the minimum")
    assert view["counts"] == {"all": 19, "sent": 4, "not sent": 15}


def test_every_nearest_change_brings_its_piece_in_and_back_leads_back(trace: Trace) -> None:
    widget = KnowledgeView(trace)
    for row in [row for row in rows_of(widget) if row["kind"] != "sent"][:4]:
        told(widget, command="try_change", key=row["key"])
        assert widget.error == ""
        assert next(each["kind"] for each in rows_of(widget) if each["key"] == row["key"]) == "sent"
        assert widget.effect["label"].casefold().startswith(row["change"].casefold())
        told(widget, command="back")
        assert (widget.trace, widget.effect) == (trace, {})


def test_an_offer_has_the_price_that_trying_it_has(trace: Trace) -> None:
    widget = KnowledgeView(trace)
    key = next(row["key"] for row in rows_of(widget) if row["kind"] == "no room")

    told(widget, command="offers", keys=[key])
    words, price = widget.offers[key]
    told(widget, command="try_change", key=key)

    assert words == "most characters 700 → 753"
    assert widget._shown_run().tokens - trace.tokens == price


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 100))
def test_a_minimum_is_told_as_it_would_be_and_does_what_was_told(hundredths: int) -> None:
    before, minimum = with_knowledge(), hundredths / 100
    widget = told(KnowledgeView(before), command="preview_minimum", minimum=minimum)
    preview = dict(widget.preview)

    assert widget.trace is before
    told(widget, command="set_minimum", minimum=minimum)

    assert all(row["marks"]["vector"] >= minimum for row in rows_of(widget) if row["kind"] == "sent")
    if minimum != 0.3:
        came = [each for each in sent(widget._shown_run()) if each not in sent(before)]
        assert preview["minimum"] == minimum
        assert ("Comes in" in preview["text"]) == bool(came)
        assert str(widget.effect["text"]) in preview["text"]


def test_a_query_of_ones_own_is_asked_and_the_conversations_own_is_a_click_away() -> None:
    run = found("lamp", LAMPS)
    widget = KnowledgeView(run)

    told(widget, command="ask", text="ropes")
    view = view_of(widget)
    assert (view["query"]["text"], view["query"]["asked"], view["query"]["parts"]) == ("ropes", True, [])
    assert sent(widget._shown_run()) == ["2"]
    assert [word["word"] for word in view["words"]] == ["ropes"]
    told(widget, command="set_limit", limit=0)
    assert (sent(widget._shown_run()), view_of(widget)["query"]["text"]) == ([], "ropes")
    told(told(widget, command="set_limit", limit=5), command="ask", text="")

    assert view_of(widget)["query"] == view_of(KnowledgeView(run))["query"]
    assert widget._shown_run().messages == run.messages


def test_a_run_that_was_asked_otherwise_is_a_value_like_any_other() -> None:
    run = asked(found("lamp", LAMPS), "ropes")

    again: Trace = pickle.loads(pickle.dumps(run))
    assert asked_text(again) == "ropes"
    assert again.rerun({f"{STEP}.limit": 3}).messages == run.messages


def test_the_conversation_stays_as_it_is_whatever_is_asked() -> None:
    run = found("lamp", LAMPS)

    assert asked(run, "ropes").start is run.start
    assert [step.id for step in asked(run, "ropes").steps] == [step.id for step in run.steps]


def test_another_engine_searches_again_and_one_that_the_placeholder_names_is_said() -> None:
    widget = told(KnowledgeView(found("lamp", LAMPS)), command="set_engine", engine="vector")
    named = view_of(KnowledgeView(found("lamp", LAMPS, asking="【kb::::::::::::keyword】")))

    assert (view_of(widget)["engine"], view_of(widget)["used"]) == ("vector", "vector")
    assert view_of(KnowledgeView(found("lamp", LAMPS)))["engine_fixed"] == ""
    assert named["engine_fixed"] in ("", "keyword")


def test_a_placeholder_that_is_not_active_says_why_and_the_change_wakes_it(trace: Trace) -> None:
    widget = told(KnowledgeView(trace), command="place", number=1)
    idle = view_of(widget)["idle"]

    assert [each["able"] for each in idle] == [True]
    assert "isn't in the newest 3 messages" in idle[0]["why"]
    assert view_of(widget)["rows"] == []
    told(widget, command="wake", number=0)

    assert widget.error == ""
    assert widget.place == 1
    assert rows_of(widget)


def test_a_piece_is_opened_in_its_document_with_its_neighbours_and_nothing_twice() -> None:
    text = "\n\n".join(" ".join(f"In year {n * 10 + m} the lamp {m} burned." for m in range(6)) for n in range(9))
    chunked = ctxlab.knowledge_base(
        "b", entries=[{"id": "1", "key": "book", "content": text}], chunk_characters=160, overlap_characters=40
    )
    widget = KnowledgeView(found("year 43, the lamp burned", chunked, limit=20, candidates=60))
    key = rows_of(widget)[0]["key"]
    told(widget, command="open", key=key)
    shown = json.loads(widget.details)[key]
    widget.around = 50
    whole = json.loads(widget.details)[key]

    assert shown["about"].startswith("b, piece ")
    assert len(shown["before"]) <= 1
    assert not whole["more"]
    joined = "".join([*whole["before"], *whole["pieces"], *whole["after"]])
    assert "".join(joined.split()) == "".join(text.split())


def test_a_run_whose_bases_are_gone_still_shows_its_pieces() -> None:
    run = found("lamp", LAMPS)
    alone = KnowledgeView(replace(run, services=replace(run.services, retriever=None)))

    detail = json.loads(alone.details)[rows_of(alone)[0]["key"]]
    assert (detail["before"], detail["after"], detail["more"]) == ([], [], False)
    assert "".join(detail["pieces"])
    assert told(alone, command="ask", text="ropes").error == (
        "this run has searched for nothing, so that there is no query to change"
    )


def test_a_query_that_finds_nothing_says_so() -> None:
    view = view_of(KnowledgeView(found("zebra", LAMPS)))

    assert view["answer"][0][0].startswith("The query found nothing: ")
    assert (view["rows"], view["words"]) == ([], [{"word": "zebra", "pieces": 0, "share": 0.0}])


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (lambda: None, "KnowledgeView(trace) takes a run"),
        (harbour, "Nothing asks for knowledge: write 【kb】"),
        (lambda: found("lamp", LAMPS, asking=""), "Nothing asks for knowledge in this run: write 【kb】"),
    ],
)
def test_a_run_without_knowledge_says_how_to_have_some(run: Any, words: str) -> None:
    assert words in view_of(KnowledgeView(run()))["empty"]


@pytest.mark.parametrize(
    "message",
    [
        {"command": "nope"},
        {"command": "try_change", "key": "kb:b/99"},
        {"command": "try_change"},
        {"command": "set_minimum", "minimum": 7},
        {"command": "set_minimum", "minimum": "0.5"},
        {"command": "set_limit", "limit": -1},
        {"command": "set_engine", "engine": "magic"},
        {"command": "place", "number": 9},
        {"command": "open", "key": "kb:b/99"},
        {"command": "offers", "keys": [3]},
        {"command": "wake", "number": 0},
        {"command": "back"},
        "no dict",
    ],
)
def test_a_wrong_command_is_refused_in_a_sentence_and_changes_nothing(message: Any) -> None:
    run = found("lamp", LAMPS)
    widget = KnowledgeView(run)
    before = widget.view

    widget._handle_custom_msg(message, [])

    assert widget.error
    assert "\n" not in widget.error
    assert (widget.trace, widget.view) == (run, before)


def test_of_a_thousand_candidates_rows_wait_with_their_changes_until_they_are_looked_at() -> None:
    many = base(*(f"Note {n} of the lamp{' and tar' * (n % 40)}." for n in range(1000)))
    widget = KnowledgeView(found("lamp", many, candidates=1000))
    rows = rows_of(widget)

    assert len(rows) == 1000
    assert not any("change" in row for row in rows)
    assert json.loads(widget.details) == {}
    told(widget, command="offers", keys=[row["key"] for row in rows[5:40]])
    told(widget, command="open", key=rows[700]["key"])

    assert list(widget.offers) == [row["key"] for row in rows[5:13]]
    assert list(json.loads(widget.details)) == [rows[700]["key"]]


def test_views_of_a_page_share_the_run_and_its_undo(trace: Trace) -> None:
    state = SharedState(trace, trace.start.input.session, ("knowledge", "lore"))
    widget = KnowledgeView(trace)
    widget.follow(state)

    told(widget, command="set_limit", limit=1)
    assert state.run is widget.trace
    state.trace = trace

    assert (widget.effect, view_of(widget)["limit"]) == ({}, 5)


def test_the_page_has_the_tab_from_the_first_run_that_asks_for_knowledge_on() -> None:
    plain = found("lamp", LAMPS, asking="")
    page = LabPage(plain)
    titles = list(page._tabs.titles)
    assert not any(title.startswith("Knowledge") for title in titles)

    page.trace = found("lamp", LAMPS)

    assert [title.split()[0] for title in page._tabs.titles] == [title.split()[0] for title in TABS_IN_WORDS]
    assert "Knowledge 3 of 3" in page._tabs.titles
    assert page._tabs.titles[page._tabs.selected_index].startswith("Steps")
    page.show_tab("knowledge", rows_of(page.knowledge)[0]["key"])
    assert page.knowledge.opened == rows_of(page.knowledge)[0]["key"]
    page.close()


TABS_IN_WORDS = ["What is sent" if name == "sent" else name.capitalize() for name in TABS]


def test_words_of_strangers_are_marked_where_they_stand_and_nothing_is_lost() -> None:
    text = f"Lamps, a LAMP and a lampoon {SCRIPT} 灯塔"
    assert [text[start:end] for start, end in spots_of(text, ["lamp", "灯塔"])] == ["Lamps", "LAMP", "灯塔"]
    assert "".join(excerpt_of(f"{SCRIPT} lamp", ["lamp"])) == f"{SCRIPT} lamp"
    assert excerpt_of("", []) == [""]

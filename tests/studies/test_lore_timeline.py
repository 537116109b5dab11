"""Lore along a conversation: the same as building at each message, in one scan each."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab import LoreEntry, Session, Worldbook
from ctxlab.errors import CtxlabError, UnknownNode
from ctxlab.studies import LoreTimeline
from tests.reports import left
from tests.studies.conftest import DATASETS
from tests.studies.test_figures import sound

BOOK = Worldbook(
    id="isle",
    entries={
        "0": LoreEntry(uid=0, key=("lamp",), comment="Lamp", content="It calls the keeper.", cooldown=2),
        "1": LoreEntry(uid=1, key=("keeper",), comment="Keeper", content="Old."),
        "2": LoreEntry(uid=2, key=("nobody",), comment="Nobody"),
    },
)


def chat(*texts: str) -> Session:
    session = Session(id="s").append("", role="system", id="root")
    for i, text in enumerate(texts):
        session = session.append(text, id=f"m{i}", role="user" if i % 2 == 0 else "assistant")
    return session


@pytest.fixture(scope="module")
def harbour() -> dict[str, Any]:
    return {
        "session": ctxlab.load(DATASETS / "harbour_roleplay.session.json"),
        "agent": ctxlab.load_agent(DATASETS / "harbour_roleplay.agent.json"),
        "user": ctxlab.load_user(DATASETS / "harbour_roleplay.user.json"),
        "books": ctxlab.read(DATASETS / "harbour_lore.json").books,
    }


def test_each_message_is_what_a_build_there_says(harbour: dict[str, Any]) -> None:
    timeline = ctxlab.lore_timeline(**harbour)

    activations = {}
    for message in timeline:
        built = ctxlab.build(**harbour, leaf=message, activations=activations)
        activations = built.activations
        assert [row["reason"] for row in left(built.result, "lore")] == [r["reason"] for r in timeline[message].rows()]
    assert timeline.activations == activations
    assert len(timeline) == 27


def test_b1_a_root_with_text_is_a_message_of_the_timeline() -> None:
    root = {"id": "root", "role": "user", "content": "a lamp"}
    talk = Session.model_validate({"id": "s", "rootNodeId": "root", "activeLeafId": "root", "nodes": {"root": root}})

    timeline = ctxlab.lore_timeline(talk.append("a lamp", id="m1"), books=BOOK)

    assert list(timeline) == ["root", "m1"]


def test_what_fired_when_is_handed_on() -> None:
    timeline = ctxlab.lore_timeline(chat("a lamp", "a lamp", "a lamp", "hm"), books=BOOK)

    lamp = timeline.frame().query("title == 'Lamp'")
    assert list(lamp["node"]) == ["m0", "m1", "m2", "m3"]
    assert list(lamp["kind"]) == ["fired", "blocked", "fired", "blocked"]
    assert list(lamp["gate"].fillna("")) == ["", "cooldown", "", "cooldown"]


def test_a_kind_is_fired_called_up_blocked_or_nothing() -> None:
    timeline = ctxlab.lore_timeline(chat("a lamp", "a lamp"), books=[BOOK])

    frame = timeline.frame().pivot(index="title", columns="node", values="kind")
    assert frame.loc["Lamp"].tolist() == ["fired", "blocked"]
    assert frame.loc["Keeper"].tolist() == ["called up", ""]
    assert frame.loc["Nobody"].tolist() == ["", ""]
    assert repr(timeline) == "LoreTimeline(2 messages, 3 entries: 2 times fired, 1 time blocked)"


def test_it_ends_at_a_leaf_and_begins_with_what_was_known() -> None:
    session = chat("hm", "hm", "a lamp")

    whole = ctxlab.lore_timeline(session, books=BOOK, leaf="m1")
    later = ctxlab.lore_timeline(session, books=BOOK, activations={"lore:isle/0": "m1"})

    assert list(whole) == ["m0", "m1"]
    assert later["m2"]["lore:isle/0"].gate == "cooldown"


def test_a_message_that_is_not_there_is_named() -> None:
    timeline = ctxlab.lore_timeline(chat("a"), books=BOOK)

    with pytest.raises(CtxlabError, match="no message 'm7'; there are: m0"):
        timeline["m7"]
    with pytest.raises(UnknownNode, match="m7"):
        ctxlab.lore_timeline(chat("a"), books=BOOK, leaf="m7")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_timeline_can_be_drawn(harbour: dict[str, Any], theme: Any) -> None:
    figure = ctxlab.lore_timeline(**harbour).figure(theme)

    text = sound(figure)
    assert [trace.name for trace in figure.data] == ["fired", "called up by other lore", "blocked"]
    assert [trace.marker.symbol for trace in figure.data] == ["diamond", "diamond-open", "x-thin-open"]
    assert "it fired 1 message ago and cools down for 4" in text


def test_nothing_can_be_drawn_too() -> None:
    for empty in (LoreTimeline(), ctxlab.lore_timeline(Session(), books=())):
        sound(empty.figure())
        assert empty.frame().empty
        assert repr(empty) == "LoreTimeline(0 messages, 0 entries: 0 times fired, 0 times blocked)"
        assert empty.activations == {}


def test_much_is_drawn_in_part() -> None:
    entries = {str(i): LoreEntry(uid=i, key=("x",) if i % 2 else ("y",), comment=f"e{i}") for i in range(100)}

    figure = ctxlab.lore_timeline(chat(*["x"] * 150), books=Worldbook(id="b", entries=entries)).figure()

    assert "the newest 120 of 150 messages, 60 of 100 entries" in figure.layout.title.text
    assert len(figure.layout.yaxis.ticktext) == 60
    assert [title.strip() for title in figure.layout.yaxis.ticktext if int(title.strip()[1:]) % 2] == [
        f"e{i}" for i in range(1, 100, 2)
    ]


def test_words_of_people_are_no_markup() -> None:
    book = Worldbook(id="<u>", entries={"0": LoreEntry(uid=0, key=("<i>",), comment="<b>bold \ud800", sticky=2)})
    timeline = ctxlab.lore_timeline(chat("<i>"), books=book)

    assert not any(tag in sound(timeline.figure()) for tag in ("<b>bold", "<i>", "<u>"))
    assert not any(tag in timeline._repr_html_() for tag in ("<b>bold", "<i>", "<u>"))


def test_the_table_counts_and_says_when_last() -> None:
    shown = ctxlab.lore_timeline(chat("a lamp", "hm"), books=BOOK)._repr_html_()

    assert "◆ fired" in shown
    assert ">m1<" not in shown
    assert ">m0<" in shown
    assert ">never<" in shown

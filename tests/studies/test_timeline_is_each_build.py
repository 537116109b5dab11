"""A lore timeline decides at each message what a build at that message decides, and looks at each message once."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab import LoreEntry, RegexRule, Session, Worldbook
from ctxlab.documents.rules import AppliesTo, DepthRange
from ctxlab.engines.worldbook import LoreScan
from ctxlab.engines.worldbook.key_search import KeySearch
from ctxlab.testing import generated_session

REQUEST = AppliesTo(request=True)
WORDS = ("fan", "sensor", "boiler", "caretaker", "番茄", "plot", "frost", "DEBUG", "order", "glazing")


def book(**settings: Any) -> Worldbook:
    """Entries of every kind: timed, in groups, called up by others, by patterns, deep, by chance."""
    entries = [
        LoreEntry(uid=0, key=("fan",), content="The fan and the sensor.", sticky=3, cooldown=4),
        LoreEntry(uid=1, key=("sensor",), content="It measures the boiler.", group="g", exclude_recursion=True),
        LoreEntry(uid=2, key=("boiler",), content="Old; see plot 3.", group="g", group_override=True),
        LoreEntry(uid=3, key=("/plot \\d+/i",), content="A plot with frost.", delay=5),
        LoreEntry(uid=4, key=("frost",), content="Cold.", delay_until_recursion=True),
        LoreEntry(uid=5, key=("caretaker",), keysecondary=("frost", "order"), selective=True, selective_logic=3),
        LoreEntry(uid=6, key=("番茄",), content="红", scan_depth=20, cooldown=2),
        LoreEntry(uid=7, key=("/DEBUG.*deep/s",), content="a log", scan_depth=300),
        LoreEntry(uid=8, key=("order",), content="By chance.", probability=50, use_probability=True),
        LoreEntry(uid=9, key=("CHANGED",), content="Rewritten.", case_sensitive=True, match_whole_words=True),
        LoreEntry(uid=10, key=("unseen words",), content="Never."),
    ]
    return Worldbook(id="b", entries={str(entry.uid): entry for entry in entries}, **settings)


def as_said(scan: LoreScan) -> list[dict[str, Any]]:
    return [one.as_data() for one in scan.decisions]


def assert_each_is_a_build(session: Session, **options: Any) -> None:
    timeline = ctxlab.lore_timeline(session, **options)

    known: Any = options.pop("activations", None) or {}
    for message, scan in timeline.scans.items():
        alone = ctxlab.lore_scan(options["books"], session, **{
            **{name: value for name, value in options.items() if name != "books"},
            "leaf": message,
            "activations": known,
        })  # fmt: skip
        assert as_said(scan) == as_said(alone), message
        assert (scan.activations, scan.notes, scan.passes) == (alone.activations, alone.notes, alone.passes)
        assert list(scan.scan_input.chat.messages) == list(alone.scan_input.chat.messages)
        known = alone.activations


@pytest.fixture(scope="module")
def talk() -> Session:
    return ctxlab.read_data(generated_session(60, seed=4)).pick()


RULES = {
    "no rules": (),
    "everywhere": (RegexRule(id="r", regex="/fan/g", replacement="CHANGED", apply_to=REQUEST),),
    "by depth": (
        RegexRule(id="old", regex="/the/g", replacement="CHANGED", apply_to=REQUEST, depth_range=DepthRange(min=3)),
        RegexRule(id="new", regex="/a/g", replacement="frost", apply_to=REQUEST, depth_range=DepthRange(max=1)),
    ),
    "broken": (RegexRule(id="r", regex="/(/g", replacement="CHANGED", apply_to=REQUEST),),
    "macros that vary": (
        RegexRule(
            id="r", regex="/the/g", replacement="{{roll::1d6}} fan", apply_to=REQUEST, macros_in_replacement=True
        ),
    ),
}


@pytest.mark.parametrize("rules", list(RULES))
def test_each_message_is_as_a_build_with_rules(talk: Session, rules: str) -> None:
    assert_each_is_a_build(talk, books=book(), rules=RULES[rules])


@pytest.mark.parametrize(
    "settings",
    [
        {"worldbook-processor.scan_depth": 0},
        {"worldbook-processor.scan_depth": 7, "worldbook-processor.budget_cap_tokens": 12},
        {"worldbook-processor.compat": "reference"},
        {"worldbook-processor.recursion": False},
        {"session-loader.html_to_markdown": True},
    ],
)
def test_each_message_is_as_a_build_with_settings(talk: Session, settings: dict[str, Any]) -> None:
    assert_each_is_a_build(talk, books=book(), settings=settings)


def test_each_message_is_as_a_build_where_some_are_not_sent(talk: Session) -> None:
    ids = [node.id for node in talk.path()][1:]
    session = talk.disable(ids[8]).disable(ids[9]).disable(ids[20]).update(ids[30], role="assistant")
    summary = {"type": "compression", "compressedNodeIds": ids[2:12], "isCompressionNode": True}
    hidden = session.nodes[ids[25]].with_(metadata={**(session.nodes[ids[25]].metadata or {}), **summary})
    session = session.model_copy(update={"nodes": {**session.nodes, ids[25]: hidden}})
    assert session.nodes[ids[25]].is_summary

    assert_each_is_a_build(session, books=book(), activations={"lore:b/0": ids[5], "lore:b/6": ids[8]})
    assert_each_is_a_build(session, books=book(), pending="a fan and a sensor")
    assert_each_is_a_build(session, books=book(), leaf=ids[40])


def test_each_message_is_as_a_build_with_several_agents(talk: Session) -> None:
    agents = tuple(
        ctxlab.read_data({"id": id, "name": id, "modelId": model, "presetMessages": []}).agents[0]
        for id, model in (("one", "gpt-4o"), ("two", "gpt-3.5-turbo"))
    )
    session = talk
    for i, node in enumerate(talk.path()[1:]):
        if i % 7 == 0:
            other = node.with_(metadata={**(node.metadata or {}), "agentId": ("one", "two")[i % 2]})
            session = session.model_copy(update={"nodes": {**session.nodes, node.id: other}})

    assert_each_is_a_build(session, agents=agents, books=book())


def test_each_message_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    really = KeySearch.hits_in
    monkeypatch.setattr(KeySearch, "hits_in", lambda self, text: searched.append(text) or really(self, text))
    session = Session(id="s").append("", role="system")
    for i in range(30):
        session = session.append(f"message {i} of a fan", role=("user", "assistant")[i % 2])

    ctxlab.lore_timeline(session, books=book())

    assert sorted(text for text in searched if text.startswith("message")) == sorted(
        f"message {i} of a fan" for i in range(30)
    )


def test_what_a_scan_knows_of_the_conversation_stays_as_it_was(talk: Session) -> None:
    timeline = ctxlab.lore_timeline(talk, books=book(), rules=RULES["by depth"])
    first, last = list(timeline)[5], list(timeline)[-1]

    assert len(timeline[first].scan_input.chat.messages) == 6
    changed = timeline[first].with_change("lore:b/10")
    assert changed["lore:b/10"].fired
    assert len(timeline[last].scan_input.chat.messages) == len(timeline)

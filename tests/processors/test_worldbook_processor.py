"""The worldbook step: which books, which texts, what it leaves for the next step and the next build."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import ctxlab
from ctxlab.documents import Agent, LoreEntry, ModelProfile, ProcessorEntry, Session, UserProfile, Worldbook
from ctxlab.documents.lore import WorldbookSettings
from ctxlab.documents.session.message import MessageNode, ModelMatch
from ctxlab.engines.worldbook import LoreScan
from ctxlab.formats.sillytavern import card_from
from ctxlab.processors import WorldbookProcessor
from ctxlab.processors.worldbook_processor import chat_of
from tests.reports import left


def book(*entries: dict[str, Any], id: str = "island", **fields: Any) -> Worldbook:
    rows = {str(i): LoreEntry.model_validate({"uid": i, "content": f"C{i}", **row}) for i, row in enumerate(entries)}
    return Worldbook(id=id, entries=rows, **fields)


def chat(*texts: str) -> Session:
    session = Session(id="s").append("", role="system")
    for i, text in enumerate(texts):
        session = session.append(text, role="assistant" if i % 2 else "user")
    return session


def rows(trace: ctxlab.Trace) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in left(trace.result, "lore")}


REEF = {"key": ["reef"], "content": "A wreck lies there."}


def test_lore_that_fires_is_sent() -> None:
    trace = ctxlab.build(chat("the Reef!"), books=[book(REEF)])

    assert [message["content"] for message in trace.messages] == ["A wreck lies there.", "the Reef!"]
    assert trace.messages[0]["source"] == [{"kind": "lore", "id": "island/0"}]


def test_without_books_the_context_is_the_same() -> None:
    trace = ctxlab.build(chat("the reef"))

    step = trace.step("worldbook-processor")

    assert step.after is step.before


def test_every_entry_is_a_row_of_the_table() -> None:
    trace = ctxlab.build(chat("the reef"), books=[book({"key": ["volcano"]}, REEF)])

    table = trace.table("lore")

    assert list(table["key"]) == ["lore:island/1", "lore:island/0"]
    assert list(table["fired"]) == [True, False]
    assert table["nearest"][1] == {"message": "volcano"}


def test_a_book_is_of_the_agent_of_the_user_or_of_everyone() -> None:
    agent, user = Agent(worldbook_ids=("a",)), UserProfile(worldbook_ids=("u",))
    books = [book({**REEF, "content": id}, id=id) for id in ("g", "a", "u")]

    trace = ctxlab.build(chat("the reef"), agent, user=user, books=books)

    assert [(row["level"], row["rank"]) for row in rows(trace).values()] == [("user", 0), ("agent", 1), ("global", 2)]


def test_history_is_scanned_and_presets_are_not() -> None:
    agent = Agent(preset_messages=(MessageNode(role="system", content="the reef"),))

    trace = ctxlab.build(chat("hello"), agent, books=[book(REEF)])

    assert rows(trace)["lore:island/0"]["gate"] == "no-key"


def test_what_is_typed_is_scanned() -> None:
    trace = ctxlab.build(chat("hello"), pending="and the reef?", books=[book(REEF)])

    assert rows(trace)["lore:island/0"]["where"] == "pending"


def test_persona_and_description_are_scanned_for_those_who_ask() -> None:
    agent = Agent(description="volcano", preset_messages=(MessageNode(role="system", content="A diver of the deep"),))
    user = UserProfile(content="I collect reef fish")
    entries = (
        {**REEF, "matchPersonaDescription": True},
        {"key": ["diver"], "matchCharacterDescription": True},
        {"key": ["volcano"], "matchPersonaDescription": True, "matchCharacterDescription": True},
        {"key": ["diver"]},
    )

    trace = ctxlab.build(chat("hello"), agent, user=user, books=[book(*entries)])

    assert [rows(trace)[f"lore:island/{i}"]["where"] for i in range(4)] == ["persona", "character", None, None]


@pytest.mark.parametrize(
    ("entry", "of_book", "of_agent", "setting", "fires"),
    [
        (3, 1, 1, 1, True),
        (None, 3, 1, 1, True),
        (None, None, 3, 1, True),
        (None, None, None, 3, True),
        (1, 3, 3, 3, False),
        (None, None, 0, 3, False),
    ],
)
def test_scan_depth_is_the_entrys_the_books_the_agents_or_the_steps(
    entry: int | None, of_book: int | None, of_agent: int | None, setting: int, fires: bool
) -> None:
    agent = Agent(worldbook_settings=WorldbookSettings(default_scan_depth=of_agent))

    trace = ctxlab.build(
        chat("the reef", "b", "c"),
        agent,
        books=[book({**REEF, "scanDepth": entry}, scan_depth=of_book)],
        settings={"worldbook-processor.scan_depth": setting},
    )

    assert rows(trace)["lore:island/0"]["fired"] is fires


def test_an_agent_can_switch_recursion_off_and_on() -> None:
    books = [book(REEF, {"key": ["wreck"]})]

    def fires(disable: bool | None, *, setting: bool) -> bool:
        agent = Agent(worldbook_settings=WorldbookSettings(disable_recursion=disable))
        settings = {"worldbook-processor.recursion": setting}
        return rows(ctxlab.build(chat("the reef"), agent, books=books, settings=settings))["lore:island/1"]["fired"]

    assert [fires(None, setting=True), fires(True, setting=True)] == [True, False]
    assert [fires(None, setting=False), fires(False, setting=False)] == [False, True]


def test_the_budget_is_a_share_of_the_window_and_a_cap() -> None:
    many = [book(*({"constant": True, "content": "one two three four"} for _ in range(10)))]
    model = ModelProfile(id="gpt-4o", context_window=64)

    def fired(**settings: Any) -> int:
        said = {f"worldbook-processor.{name}": value for name, value in settings.items()}
        trace = ctxlab.build(chat("hi"), model=model, books=many, settings={**said, "token-limiter.enabled": False})
        return sum(row["fired"] for row in rows(trace).values())

    assert [fired(), fired(budget_percent=50), fired(budget_cap_tokens=4), fired(budget_percent=0)] == [4, 8, 1, 10]


TEN = {"constant": True, "content": "one two three four"}


def fired_of_ten(agent: Agent | None = None, model: str | ModelProfile | None = None, **settings: Any) -> int:
    """How many fire of ten entries of four tokens each."""
    said = {f"worldbook-processor.{name}": value for name, value in settings.items()}
    limiter = {"token-limiter.enabled": False}
    trace = ctxlab.build(chat("hi"), agent, model=model, books=[book(*([TEN] * 10))], settings={**said, **limiter})
    return sum(row["fired"] for row in rows(trace).values())


def test_the_share_is_of_the_agent_s_own_room_for_a_prompt() -> None:
    imported = Agent(processors=(ProcessorEntry(id="token-limiter", settings={"budget_tokens": 64}),))
    managed = Agent(parameters={"contextManagement": {"enabled": True, "maxContextTokens": 64}})
    switched_off = Agent(parameters={"contextManagement": {"enabled": False, "maxContextTokens": 64}})

    assert [fired_of_ten(imported), fired_of_ten(managed), fired_of_ten(switched_off)] == [4, 4, 10]
    assert fired_of_ten(managed, ModelProfile(id="gpt-4o", context_window=128)) == 4
    assert fired_of_ten(managed, budget_percent=50) == 8


def test_a_model_of_a_known_name_brings_its_window() -> None:
    shares = [fired_of_ten(model=name, budget_percent=0.2) for name in ("gpt-4", "no-such-model")]

    assert shares == [4, 10]  # 0.2 % of 8,192


def test_the_smallest_share_is_a_budget_too() -> None:
    assert fired_of_ten(model=ModelProfile(id="m", context_window=64), budget_percent=0.1) == 0


def test_a_share_of_what_nobody_knows_says_so() -> None:
    def notes(**options: Any) -> list[tuple[str, str]]:
        found = ctxlab.build(chat("hi"), books=[book(TEN)], **options).result.notes
        return [(note.level, note.text) for note in found if "no budget limits lore" in note.text]

    ((level, text),) = notes()
    assert (level, "25 %" in text, "worldbook-processor.budget_cap_tokens" in text) == ("info", True, True)
    ((level, text),) = notes(settings={"worldbook-processor.budget_percent": 0.5})
    assert (level, "0.5 %" in text) == ("warning", True)
    for silent in ({"budget_percent": 0}, {"budget_cap_tokens": 5}):
        assert notes(settings={f"worldbook-processor.{name}": value for name, value in silent.items()}) == []
    assert notes(model="gpt-4") == []


def test_a_budget_in_which_all_fit_changes_no_remedy() -> None:
    keyed = [book({**REEF, "key": ["reef", "coast"]})]
    free = ctxlab.build(chat("the reef"), books=keyed)
    limited = ctxlab.build(chat("the reef"), books=keyed, settings={"worldbook-processor.budget_cap_tokens": 9_999})

    assert rows(free)["lore:island/0"]["nearest"] == rows(limited)["lore:island/0"]["nearest"]


def test_a_book_for_another_model_says_so() -> None:
    other = book(REEF, model_match=ModelMatch(enabled=True, patterns=("claude",)))

    trace = ctxlab.build(chat("the reef"), model="gpt-4o", books=[other])

    row = rows(trace)["lore:island/0"]
    assert (row["gate"], row["nearest"]) == ("model", {"book": {"modelMatch": None}})


def test_a_book_of_which_nothing_fires_earns_a_note() -> None:
    trace = ctxlab.build(chat("hello"), books=[book(REEF), book(id="bare")])

    told = [note.text for note in trace.result.notes if note.processor == "worldbook-processor"]

    assert told == ["book 'island': none of its entries fires (1 not called up by a key)", "book 'bare' has no entries"]


def test_what_fired_comes_back_and_counts_in_the_next_build() -> None:
    sticky = [book({**REEF, "sticky": 4, "scanDepth": 1})]
    session = chat("the reef")
    first = ctxlab.build(session, books=sticky)
    longer = session.append("hm", role="assistant").append("and?")

    with_record = ctxlab.build(longer, books=sticky, activations=first.activations)
    without = ctxlab.build(longer, books=sticky)

    assert first.activations == {"lore:island/0": session.active_leaf_id}
    assert rows(with_record)["lore:island/0"]["reason"] == "it is sticky for 4 messages"
    assert not rows(without)["lore:island/0"]["fired"]


def test_the_same_build_again_has_the_same_lore() -> None:
    books = [book({**REEF, "cooldown": 5, "probability": 50, "group": "g"}, {**REEF, "group": "g"})]
    first = ctxlab.build(chat("the reef"), books=books, seed=3)

    again = ctxlab.build(chat("the reef"), books=books, seed=3, activations=first.activations)

    assert left(again.result, "lore") == left(first.result, "lore")


def test_the_report_is_the_scan_which_can_be_asked_again_with_changes_in_another_process() -> None:
    trace = ctxlab.build(chat("the reef"), books=[book({"key": ["volcano"]}, REEF)])

    again = pickle.loads(pickle.dumps(trace)).result.report(LoreScan)

    assert again is not None
    assert again.summary() == "1 of 2 entries fired"
    assert again.with_change("lore:island/0").summary() == "2 of 2 entries fired"
    assert again.scan_input.dice("x") == trace.result.dice("x")


def test_a_scan_takes_texts_or_sessions() -> None:
    one = ctxlab.lore_scan(book(REEF, {"key": ["wreck"]}), "the reef")
    two = ctxlab.lore_scan([book(REEF)], ["the reef", "b", "c", "d"])
    three = ctxlab.lore_scan(book(REEF), chat("the reef"))

    assert repr(one) == "LoreScan(2 of 2 entries fire, 7 tokens, 3 passes)"
    assert [len(found.fired) for found in (two, three)] == [0, 1]
    assert one.frame().set_index("key").loc["lore:island/1", "where"] == "lore:island/0"


def test_a_scan_is_shown_with_all_text_escaped() -> None:
    found = ctxlab.lore_scan(book({"key": ["<b>"], "comment": "<script>"}), "x")

    shown = found._repr_html_()

    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_texts_of_a_card_are_found_in_the_fields_of_its_agent() -> None:
    texts = {"creator_notes": "about the reef", "extensions": {"depth_prompt": {"prompt": "a wreck"}}}
    agent = card_from({"spec": "chara_card_v2", "data": {"name": "A", "personality": "calm", **texts}}).agent
    build_input = ctxlab.BuildInput(Session(), agent=agent)

    about = chat_of(ctxlab.Context(build_input)).about

    assert (about["creator-notes"], about["depth-prompt"], about["personality"]) == (
        "about the reef",
        "a wreck",
        "calm",
    )


def test_missing_and_wrong_fields_do_not_stop_the_scan() -> None:
    odd = {
        "key": [],
        "order": float("nan"),
        "position": 99,
        "role": 7,
        "groupWeight": -1,
        "scanDepth": -3,
        "group": ",",
    }

    trace = ctxlab.build(chat("x"), books=[book(odd, {"constant": True, **odd})])

    assert [row["fired"] for row in rows(trace).values()] == [True, False]


def test_the_settings_draw_a_form() -> None:
    for name, field in WorldbookProcessor.Settings.model_fields.items():
        assert field.title, name
        assert field.description, name

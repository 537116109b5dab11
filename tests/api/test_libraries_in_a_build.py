"""A build takes a library: a card's book and rules come along, and what is named is looked up in it."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Library, LoreEntry, ModelProfile, Session, Trace, UserProfile, Worldbook
from ctxlab.errors import CtxlabError

SCRIPT = {
    "id": "s",
    "scriptName": "Hush",
    "findRegex": "/\\*[^*]+\\*/g",
    "replaceString": "",
    "placement": [1, 2],
    "promptOnly": True,
}
BOOK = {
    "name": "Hers",
    "entries": [
        {"keys": ["reef"], "content": "The reef is hers.", "enabled": True, "insertion_order": 1, "extensions": {}}
    ],
}
CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Rill",
        "description": "A pilot.",
        "first_mes": "*waves* Ahoy from the reef.",
        "character_book": BOOK,
        "extensions": {"regex_scripts": [SCRIPT]},
    },
}


@pytest.fixture
def card() -> Library:
    return ctxlab.read_data(CARD, source="rill.card.json")


def sent(trace: Trace) -> str:
    return "\n".join(message["content"] for message in trace.messages)


def lore_of(trace: Trace) -> list[str]:
    return [row["title"] for row in trace.table("lore").to_dict("records") if row["fired"]]


def isle(id: str = "isle", content: str = "Old stones.") -> Worldbook:
    return Worldbook(id=id, entries={"0": LoreEntry(uid=0, key=("reef",), comment=content, content=content)})


CHAT = Session(id="s").append("", role="system", id="root").append("The reef?", id="u1")


def test_a_card_brings_its_book_and_its_rules(card: Library) -> None:
    trace = ctxlab.build(ctxlab.begin(card), card)

    assert "The reef is hers." in sent(trace)
    assert "*waves*" not in sent(trace)
    assert trace.start.notes == ()


def test_a_card_as_a_library_is_as_good(card: Library) -> None:
    session = ctxlab.begin(card)

    as_library = ctxlab.build(session, library=card)

    assert as_library.messages == ctxlab.build(session, card).messages
    assert as_library.messages == ctxlab.build(session, card.agents[0], books=card.books).messages


def test_an_agent_alone_says_which_of_its_books_is_missing(card: Library) -> None:
    agent = card.agent()

    trace = ctxlab.build(ctxlab.begin(agent), agent)

    (note,) = trace.start.notes
    assert note.text == (
        "agent 'Rill' names the worldbook 'card-Rill-book', which was not found; none of its entries is sent"
    )
    assert ctxlab.rebuild(trace, books=card.books).start.notes == ()


def test_another_card_comes_with_its_book_too(card: Library) -> None:
    before = ctxlab.build(CHAT, books=[isle()])
    newer = Library(agents=card.agents, books=(isle(card.agent().worldbook_ids[0], "The reef is ours."),))

    trace = ctxlab.rebuild(before, agent=card)
    again = ctxlab.rebuild(trace, agent=newer)

    assert sorted(lore_of(trace)) == ["Old stones.", "reef"]
    assert sorted(lore_of(again)) == ["Old stones.", "The reef is ours."]
    assert lore_of(ctxlab.rebuild(before, agent=card, books=newer.books)) == ["The reef is ours."]


def test_a_card_at_a_preset_keeps_its_book(card: Library) -> None:
    preset = Library(agents=(Agent(id="p", preset_messages=()),))

    whole = ctxlab.joined(preset, card)

    assert [agent.id for agent in whole.agents] == ["card-Rill"]
    assert "The reef is hers." in sent(ctxlab.build(ctxlab.begin(whole), whole))
    assert isinstance(ctxlab.joined(preset.agent(), card.agent()), Agent)


def test_books_and_rules_that_came_with_an_agent_are_in_force_though_it_does_not_name_them() -> None:
    brought = Library(
        agents=(Agent(id="a"),),
        books=(isle(),),
        rules=ctxlab.read_data([{"id": "r", "regex": "Old", "replacement": "New", "scope": "all"}]).rules,
    )

    trace = ctxlab.build(CHAT, brought)

    assert lore_of(trace) == ["Old stones."]
    assert trace.start.input.rules.presets == brought.rules


def test_of_a_library_only_linked_books_are_in_force() -> None:
    library = Library(agents=(Agent(id="a", worldbook_ids=("isle",)),), books=(isle(), isle("other", "Other.")))

    assert lore_of(ctxlab.build(CHAT, library=library)) == ["Old stones."]


def test_a_given_book_takes_the_place_of_the_one_with_its_id() -> None:
    library = Library(agents=(Agent(id="a", worldbook_ids=("isle",)),), books=(isle(),))

    trace = ctxlab.build(CHAT, library=library, books=[isle(content="New stones.")])

    assert lore_of(trace) == ["New stones."]


def test_user_and_model_are_found_in_the_library() -> None:
    library = Library(
        agents=(Agent(id="a", user_profile_id="u2", model_id="small"),),
        users=(UserProfile(id="u1"), UserProfile(id="u2", name="Shen")),
        models=(ModelProfile(id="small", context_window=500),),
    )

    build_input = ctxlab.build(CHAT, library=library).start.input

    assert build_input.user is library.user("u2")
    assert build_input.model is library.models[0]


def test_given_agents_win_over_those_of_the_library() -> None:
    chat = CHAT.append("Yes.", role="assistant", metadata={"agentId": "a"})
    library, edited = Library(agents=(Agent(id="a"),)), Agent(id="a", name="Edited")

    assert ctxlab.build(chat, library=library, agents=[edited]).start.input.agent is edited


def test_a_library_of_several_agents_needs_one() -> None:
    with pytest.raises(CtxlabError, match=r"the library holds 2 agents, not one: 'a', 'b'"):
        ctxlab.build(CHAT, Library(agents=(Agent(id="a"), Agent(id="b"))))


def test_what_is_typed_is_expanded_with_the_library_too(card: Library) -> None:
    assert str(ctxlab.expand_input("{{char}}", ctxlab.begin(card), library=card).text) == "Rill"
    assert str(ctxlab.expand_input("{{char}}", ctxlab.begin(card), card).text) == "Rill"


# --- signatures


@pytest.mark.parametrize("name", ["build", "debug", "analyze", "render", "lore_scan", "lore_timeline", "expand_input"])
def test_options_are_named_one_by_one_and_others_refused(name: str) -> None:
    function = getattr(ctxlab, name)

    named = inspect.signature(function).parameters

    assert {"library", "agents", "user", "model", "leaf", "seed"} <= set(named)
    assert all(each.kind is not each.VAR_KEYWORD for each in named.values())
    arguments: dict[str, Any] = {"books": ()} if name == "lore_timeline" else {}
    with pytest.raises(TypeError, match=r"no argument is called 'sed'; did you mean 'seed'\?"):
        function(*["x", CHAT][: 2 if name in ("lore_scan", "expand_input") else 1], sed=1, **arguments)


# --- a prompt at the head of a list

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(MESSAGES))
    return path


def test_a_loaded_list_keeps_its_system_prompt(listed: Path) -> None:
    session = ctxlab.load(listed)

    trace = ctxlab.build(session)

    assert [(node.id, node.role, node.content) for node in session.path()[1:]] == [
        ("m0", "system", "Be brief."),
        ("m1", "user", "Hi"),
    ]
    assert session.check() == trace.start.notes == ()
    assert [(each["role"], each["content"]) for each in trace.messages] == [("system", "Be brief."), ("user", "Hi")]


def test_a_read_list_makes_it_a_preset(listed: Path) -> None:
    found = ctxlab.read(listed)

    assert [preset.content for preset in found.agent().preset_messages] == ["Be brief."]
    assert [node.content for node in found.session().path()[1:]] == ["Hi"]
    assert [each["content"] for each in ctxlab.build(found).messages] == ["Be brief.", "Hi"]


def test_prompts_beside_the_messages_and_tools_are_kept_too(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    tool = {"type": "function", "function": {"name": "look"}}
    path.write_text(json.dumps({"messages": MESSAGES, "systemPrompts": ["First."], "tools": [tool]}))

    session, found = ctxlab.load(path), ctxlab.read(path)

    assert [node.content for node in session.path()[1:]] == ["First.", "Be brief.", "Hi"]
    assert [node.agent_id for node in session.path()] == ["agent-log"] * 4
    assert len(found.agent().preset_messages) == 2


def test_a_card_and_a_preset_are_joined_in_either_order(card: Library, tmp_path: Path) -> None:
    prompts = {
        "prompts": [{"identifier": "main", "role": "system", "content": "Write."}, {"identifier": "chatHistory"}]
    }
    order = {"prompt_order": [{"character_id": 1, "order": [{"identifier": "main", "enabled": True}]}]}
    file = tmp_path / "one.preset.json"
    file.write_text(json.dumps({**prompts, **order}), encoding="utf-8")
    preset = ctxlab.read(file)
    assert preset.format == "preset"

    assert ctxlab.joined(card, preset) == ctxlab.joined(preset, card)
    for session, agent in ((card, preset), (preset, card)):
        with pytest.raises(ctxlab.CtxlabError, match=r"one agent: whole = ctxlab\.joined\(preset, card\)"):
            ctxlab.build(session, agent)


def test_a_book_that_is_there_under_two_ids_is_taken_once(card: Library) -> None:
    (book,) = card.books
    first = next(iter(book.entries))
    again = book.with_entry(first, use_probability=False, comment="another title").with_(id="another")
    twice = card | Library(books=(again,))

    (note,) = twice.check()
    alone, both = ctxlab.build(card), ctxlab.build(card, books=[again])

    assert "have the same entries" in note.text
    assert any("taken once" in each.text for each in both.result.notes)
    assert both.messages == alone.messages
    assert [each.book_id for each in both.start.input.books] == [book.book_id]  # which the card names
    assert ctxlab.build(twice).messages == alone.messages
    assert card.check() == ()


def test_books_with_entries_in_common_are_noted_with_what_helps(card: Library) -> None:
    (book,) = card.books
    first = next(iter(book.entries))
    edited = book.with_entry(first, order=7).with_(id="another")

    (note,) = (card | Library(books=(edited,))).check()
    trace = ctxlab.build(card, books=[edited])

    assert "sent twice: leave one of them out" in note.text
    assert any("sent twice: leave one of them out" in each.text for each in trace.result.notes)
    assert len(trace.start.input.books) == 2


def test_a_user_that_is_no_file_is_refused_by_the_function_that_was_called(card: Library) -> None:
    with pytest.raises(ctxlab.CtxlabError, match=r"^begin: user "):
        ctxlab.begin(card, user="Mara")


def test_a_system_prompt_of_one_conversation_is_sent_with_no_other(tmp_path: Path) -> None:
    question = {"role": "user", "content": "Which way?"}
    prompted = [{"role": "system", "content": "You are a pirate."}, question]
    for name, messages in (("a", prompted), ("b", [question])):
        (tmp_path / f"{name}.json").write_text(json.dumps(messages))
    runs = [{"id": name, "messages": messages} for name, messages in (("a", prompted), ("b", [question]))]

    for found in (ctxlab.read(tmp_path), ctxlab.read_data(runs)):
        texts = [[message["content"] for message in ctxlab.build(found, pick=at).messages] for at in (0, 1)]

        assert texts == [["You are a pirate.", "Which way?"], ["Which way?"]]


def test_a_card_beside_conversations_is_for_all_that_name_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"role": "system", "content": "Be brief."}, ASKED]))
    (tmp_path / "b.json").write_text(json.dumps([ASKED]))
    data = {"name": "Rill", "description": "A pilot."}
    (tmp_path / "card.json").write_text(json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}))
    found = ctxlab.read(tmp_path)

    heads = {session.id: ctxlab.build(found, pick=session.id).messages[0]["content"] for session in found.sessions}

    assert heads == {"a": "Be brief.", "b": "A pilot."}


ASKED = {"role": "user", "content": "Which way?"}

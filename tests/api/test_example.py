"""Bundled conversations as libraries, and what a library brings into a build that it gives the session of."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctxlab
from ctxlab import Agent, Library, LoreEntry, RegexPreset, RegexRule, Session, Trace, UserProfile, Worldbook
from ctxlab.api import examples
from ctxlab.errors import CtxlabError, ReadError, SeveralSessions, UnknownName

CHAT = Session(id="s").append("", role="system", id="root").append("The reef?", id="u1")


def isle(id: str, content: str = "Old stones.") -> Worldbook:
    return Worldbook(id=id, entries={"0": LoreEntry(uid=0, key=("reef",), comment=id, content=content)})


def hush(id: str = "hush", replacement: str = "That") -> RegexPreset:
    rule = RegexRule(id="r", regex="The", replacement=replacement, apply_to={"request": True})
    return RegexPreset(id=id, rules=(rule,))


def lore_of(trace: Trace) -> list[str]:
    return [row["title"] for row in trace.table("lore").to_dict("records") if row["fired"]]


@pytest.mark.parametrize("name", ["harbour", "harbour_attachments", "coding", "research"])
def test_an_example_is_built_as_it_is(name: str) -> None:
    found = ctxlab.example(name)

    trace = ctxlab.build(found)

    assert type(found) is Library
    assert found.check() == trace.start.notes == ()
    assert trace.start.input.agent is found.agent()
    assert trace.messages


def test_the_harbour_brings_its_user_its_book_and_its_rules() -> None:
    found = ctxlab.example("harbour")
    session, agent = found.session(), found.agent()

    trace = ctxlab.build(found, budget_tokens=1800)

    by_hand = ctxlab.build(session, agent, user=found.user(), books=found.books, rules=found.rules, budget_tokens=1800)
    assert trace.messages == by_hand.messages
    assert trace.start.input.user is found.user()
    assert trace.table("lore")["fired"].any()
    assert ctxlab.debug(found, budget_tokens=1800).run().messages == trace.messages


def test_the_harbour_s_attachments_bring_their_files() -> None:
    found = ctxlab.example("harbour_attachments")

    attached = [asset for node in found.session().nodes.values() for asset in node.attachments or ()]

    assert {asset.path: asset.size for asset in attached} == {path: len(data) for path, data in found.files.items()}
    assert "海燕号".encode("gb18030") in found.files["harbour_files/潮汐表.txt"]


@pytest.mark.parametrize("wrong", [None, "habour", 3, ["harbour"]])
def test_without_a_known_name_the_examples_are_listed(wrong: object) -> None:
    with pytest.raises(UnknownName) as refused:
        ctxlab.example(wrong)  # type: ignore[arg-type]

    assert all(f"'{name}', " in str(refused.value) for name in examples.EXAMPLES)
    assert "\n" not in str(refused.value)


def test_examples_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(examples, "__file__", str(tmp_path / "ctxlab" / "api" / "examples.py"))

    with pytest.raises(CtxlabError, match=r"^harbour_roleplay\.session\.json of ctxlab is not installed here; "):
        ctxlab.example("harbour")


# --- a library that gives the session


def test_its_rules_and_the_books_that_nobody_names_are_in_force() -> None:
    found = Library(sessions=(CHAT,), books=(isle("isle"),), rules=(hush(),))

    trace = ctxlab.build(found)

    assert lore_of(trace) == ["isle"]
    assert trace.messages[-1]["content"] == "That reef?"


def test_a_book_that_only_another_agent_names_is_not() -> None:
    agents = (Agent(id="a", worldbook_ids=("hers",)), Agent(id="b", worldbook_ids=("his",)))
    users = (UserProfile(id="u", worldbook_ids=("theirs",)), UserProfile(id="v"))
    books = tuple(isle(id, f"Stones, {id}.") for id in ("hers", "his", "theirs", "everyone's"))
    found = Library(sessions=(CHAT,), agents=agents, users=users, books=books)

    trace = ctxlab.build(found, agents[0])

    assert sorted(lore_of(trace)) == ["everyone's", "hers"]


def test_what_is_given_takes_the_place_of_what_has_its_id() -> None:
    found = Library(sessions=(CHAT,), books=(isle("isle"),), rules=(hush(),))

    trace = ctxlab.build(found, books=[isle("isle", "New stones.")], rules=[hush(replacement="What")])

    assert "New stones." in str(trace.messages)
    assert "Old stones." not in str(trace.messages)
    assert trace.messages[-1]["content"] == "What reef?"


def test_of_several_sessions_pick_says_which() -> None:
    other = Session(id="t").append("", role="system").append("Land?")
    found = Library(sessions=(CHAT, other))

    with pytest.raises(SeveralSessions, match="say which with pick="):
        ctxlab.build(found)
    assert ctxlab.build(found, pick="t").messages[-1]["content"] == "Land?"
    assert ctxlab.debug(found, pick=0).run().messages[-1]["content"] == "The reef?"
    assert ctxlab.analyze(found, pick=1).trace.messages[-1]["content"] == "Land?"
    with pytest.raises(CtxlabError, match="pick=1 says which session of a library"):
        ctxlab.build(CHAT, pick=1)


def test_an_agent_without_a_session_begins_with_its_greeting() -> None:
    agent = Agent(id="a", greetings=({"id": "g", "content": "Ahoy, {{user}}!"},))
    card = Library(agents=(agent,), users=(UserProfile(id="u", name="Mara"),))

    assert ctxlab.build(card, pick=0).messages[-1]["content"] == "Ahoy, Mara!"
    assert list(ctxlab.lore_timeline(card, books=isle("isle")))
    with pytest.raises(ReadError, match="holds no session, only 1 agent"):
        ctxlab.build(card, pick=1)
    with pytest.raises(ReadError, match="holds no session, only 2 agents"):
        ctxlab.build(card | Library(agents=(Agent(id="b"),)))


def test_of_several_agents_that_no_message_names_none_is_taken_and_a_note_says_so() -> None:
    found = Library(sessions=(CHAT,), agents=(Agent(id="a"), Agent(id="b")))

    trace = ctxlab.build(found)

    assert trace.start.input.agent is None
    assert [note.text for note in trace.start.notes] == [
        "no message names its agent, so none of the 2 is taken; say which: 'a', 'b'"
    ]
    assert ctxlab.build(found, found.agent("b")).start.notes == ()

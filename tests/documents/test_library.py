"""A library: lookups by id and name, joining, and what it says of itself."""

from __future__ import annotations

import pickle

import pytest

from ctxlab import Agent, Library, RegexPreset, RegexRule, Session, UserProfile, Worldbook
from ctxlab.documents import RegexConfig
from ctxlab.errors import CtxlabError, ReadError, SeveralSessions, UnknownName
from ctxlab.formats import Import, Loss

GUIDE, PILOT = Agent(id="a1", name="Guide"), Agent(id="a2", name="Pilot", display_name="Rill")
LIBRARY = Library(
    sessions=(Session(id="s1", name="First night"), Session(id="s2")),
    agents=(GUIDE, PILOT),
    users=(UserProfile(id="u", name="Shen"),),
    books=(Worldbook(id="isle", name="The isle"), Worldbook(name="Harbour")),
    rules=(RegexPreset(id="tidy"),),
)


def test_values_are_found_by_id_by_name_and_by_the_name_that_is_shown() -> None:
    assert LIBRARY.agent("a1") is LIBRARY.agent("Guide") is GUIDE
    assert LIBRARY.agent("Rill") is LIBRARY.agent("Pilot") is PILOT
    assert LIBRARY.book("The isle") is LIBRARY.book("isle")
    assert LIBRARY.book("Harbour").book_id == "Harbour"
    assert LIBRARY.session("First night").id == "s1"


def test_without_a_name_it_is_the_only_one() -> None:
    assert LIBRARY.user().id == "u"
    assert LIBRARY.rule_set().id == "tidy"
    with pytest.raises(CtxlabError, match=r"the library holds 2 agents, not one: 'a1', 'a2'; say which"):
        LIBRARY.agent()
    with pytest.raises(CtxlabError, match="the library holds 0 models, not one"):
        LIBRARY.model()
    with pytest.raises(SeveralSessions, match="holds 2 sessions"):
        LIBRARY.session()
    with pytest.raises(ReadError, match="the library holds no session, only 1 agent"):
        Library(agents=(GUIDE,)).session()


@pytest.mark.parametrize("name", ["Giude", "guide"])
def test_an_unknown_name_is_answered_with_the_nearest(name: str) -> None:
    with pytest.raises(UnknownName, match=rf"the library has no agent '{name}'; did you mean 'Guide'\?"):
        LIBRARY.agent(name)


def test_an_id_wins_over_a_name_and_a_name_of_several_needs_the_id() -> None:
    library = LIBRARY | Library(agents=(Agent(id="Guide"), Agent(id="a3", name="Pilot")))

    assert library.agent("Guide").id == "Guide"
    with pytest.raises(CtxlabError, match=r"holds 2 agents named 'Pilot': 'a2', 'a3'; say which by its id"):
        library.agent("Pilot")


def test_of_two_values_with_one_id_both_are_kept_and_the_later_one_is_found() -> None:
    edited = GUIDE.with_(description="now edited")

    library = LIBRARY | Library(agents=(edited,))

    assert library.agents == (GUIDE, PILOT, edited)
    assert library.agent("a1") is library.agent("Guide") is edited
    assert [note.text for note in library.check()] == ["agent 'a1' is there 2 times; the last is used"]
    assert (library | Library(agents=(GUIDE,))).agent("a1") is GUIDE


def test_what_is_equal_is_there_once_and_joining_nothing_changes_nothing() -> None:
    assert LIBRARY | LIBRARY == LIBRARY
    assert LIBRARY | Library() is LIBRARY
    assert Library() | LIBRARY is LIBRARY


def test_a_file_that_another_replaces_is_kept_beside_it() -> None:
    first, second = Library(files={"icon.png": b"one"}), Library(files={"icon.png": b"two"})

    both = first | second

    assert both.files["icon.png"] == b"two"
    assert sorted(both.files.values()) == [b"one", b"two"]
    assert [note.text for note in both.check()] == ["file 'icon.png' is there 2 times; the last is used"]


def test_books_are_linked_by_agent_and_user() -> None:
    agent, user = Agent(worldbook_ids=("isle",)), UserProfile(worldbook_ids=("Harbour", "gone"))
    newer = Worldbook(id="isle", name="The isle", scan_depth=9)

    assert LIBRARY.books_for() == ()
    assert [book.book_id for book in LIBRARY.books_for(agent, user)] == ["isle", "Harbour"]
    assert (LIBRARY | Library(books=(newer,))).books_for(agent) == (newer,)


def test_rules_are_its_own_or_those_that_its_agents_bring() -> None:
    preset = RegexPreset(id="hers", rules=(RegexRule(regex="a"),))
    agent = Agent(regex_config=RegexConfig(presets=(preset,)))

    assert Library(agents=(agent,)).rules_inside() == (preset,)
    assert (LIBRARY | Library(agents=(agent,))).rules_inside() == LIBRARY.rules


def test_an_import_stays_one_when_it_is_joined() -> None:
    card = Import(agents=(GUIDE,), losses=(Loss("x", "y"),), format="card", source="guide.png")
    lore = Import(books=(Worldbook(id="b"),), losses=(Loss("", "z"),), format="lorebook", source="b.json")

    both = card | lore

    assert (both.source, both.format) == ("guide.png, b.json", "card, lorebook")
    assert both.losses == (Loss("x", "y"), Loss("", "z"))
    assert isinstance(Library(agents=(PILOT,)) | card, Import)
    assert (Library(agents=(PILOT,)) | card).agents == (PILOT, GUIDE)
    with pytest.raises(UnknownName, match=r"guide\.png has no agent 'Pilot'"):
        card.agent("Pilot")


def test_lists_are_taken_and_nothing_can_be_changed() -> None:
    library = Library(agents=[GUIDE], files={"a": b""})  # pyright: ignore[reportArgumentType]

    assert library.agents == (GUIDE,)
    with pytest.raises(TypeError):
        library.files["b"] = b""  # pyright: ignore[reportIndexIssue]
    assert pickle.loads(pickle.dumps(library)) == library


def test_it_says_what_it_holds() -> None:
    hostile = Library(agents=(Agent(id="<script>"),))

    assert repr(LIBRARY) == "Library(2 sessions, 2 agents, 1 user, 2 books, 1 set of rules)"
    assert repr(Library()) == "Library(empty)"
    assert "First night" in LIBRARY._repr_html_()
    assert "<script>" not in hostile._repr_html_()

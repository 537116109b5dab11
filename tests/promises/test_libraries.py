"""Promises of libraries: joining is associative, keeps everything, and the later one is found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxlab import Agent, KnowledgeBase, Library, QuickActionSet, RegexPreset, Session, UserProfile, Worldbook
from ctxlab.documents import ModelProfile
from ctxlab.formats import Import, Loss

ids = st.sampled_from(["", "a", "b", "a~1"])
few = {"max_size": 3}
contents = st.sampled_from([b"", b"one", b"two", b"three"])
fields = {
    "sessions": st.lists(st.builds(Session, id=ids, name=ids), **few).map(tuple),
    "agents": st.lists(st.builds(Agent, id=ids, name=ids, description=ids), **few).map(tuple),
    "users": st.lists(st.builds(UserProfile, id=ids, content=ids), **few).map(tuple),
    "models": st.lists(st.builds(ModelProfile, id=ids), **few).map(tuple),
    "books": st.lists(st.builds(Worldbook, id=ids, description=ids), **few).map(tuple),
    "rules": st.lists(st.builds(RegexPreset, id=ids), **few).map(tuple),
    "quick_actions": st.lists(st.builds(QuickActionSet, id=ids), **few).map(tuple),
    "knowledge_bases": st.lists(st.builds(KnowledgeBase, id=ids), **few).map(tuple),
    "files": st.dictionaries(st.sampled_from(["a", "b", "a~1"]), contents, **few),
}
libraries = st.builds(Library, **fields) | st.builds(
    Import, **fields, losses=st.lists(st.builds(Loss, ids, ids), **few).map(tuple), format=ids, source=ids
)
VALUES = ("sessions", "agents", "users", "models", "books", "rules", "quick_actions", "knowledge_bases")


@given(libraries, libraries, libraries)
def test_joining_is_associative(a: Library, b: Library, c: Library) -> None:
    assert (a | b) | c == a | (b | c)


@given(libraries)
def test_an_empty_library_adds_nothing(library: Library) -> None:
    assert library | Library() == library
    assert Library() | library == library


@given(libraries, libraries)
def test_nothing_is_lost_and_nothing_is_made_up(a: Library, b: Library) -> None:
    both = a | b

    for name in VALUES:
        ours, theirs, joined = getattr(a, name), getattr(b, name), getattr(both, name)
        assert all(value in joined for value in (*ours, *theirs))
        assert all(value in ours or value in theirs for value in joined)
    assert set(both.files.values()) == {*a.files.values(), *b.files.values()}
    losses = [loss for each in (a, b) if isinstance(each, Import) for loss in each.losses]
    assert set(losses) == set(both.losses if isinstance(both, Import) else ())


@given(libraries, libraries)
def test_the_later_one_is_found(a: Library, b: Library) -> None:
    for agent in b.agents:
        last = [each for each in b.agents if each.id == agent.id][-1]
        assert (a | b).agent(agent.id) == last
    for path, data in b.files.items():
        assert (a | b).files[path] == data


@given(libraries)
def test_every_id_is_found(library: Library) -> None:
    for agent in library.agents:
        assert library.agent(agent.id).id == agent.id
    for book in library.books:
        assert library.book(book.book_id).book_id == book.book_id

"""Promises of undo and redo: every state comes back to the byte, whatever led away from it."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import History, Session
from ctxlab.documents.history import LIMIT
from tests.promises.acting import Act, acts
from tests.promises.strategies import sessions
from tests.promises.test_documents import broken_sessions


def recorded(history: History, act: Act) -> None:
    history.record(act.or_nothing(history.session), act.verb.__name__)


def travelled(session: Session, data: st.DataObject, *, most: int = 8) -> tuple[History, list[bytes]]:
    """A history of some verbs, and what each of its states is."""
    history, states = History(session), [session.to_json()]
    for _ in range(data.draw(st.integers(1, most))):
        recorded(history, data.draw(acts(history.session)))
        if history.index == len(states):
            states.append(history.session.to_json())
    return history, states


@settings(deadline=None)
@given(sessions(), st.data())
def test_undo_and_redo_lead_through_the_same_states(session: Session, data: st.DataObject) -> None:
    history, states = travelled(session, data)

    back = [history.session.to_json(), *(history.undo().to_json() for _ in states[1:])]
    forth = [history.session.to_json(), *(history.redo().to_json() for _ in states[1:])]

    assert back == states[::-1]
    assert forth == states
    assert not history.can_redo


@settings(deadline=None)
@given(sessions(), st.data())
def test_a_jump_leads_to_any_state(session: Session, data: st.DataObject) -> None:
    history, states = travelled(session, data)

    for index in data.draw(st.lists(st.integers(0, len(states) - 1), max_size=5)):
        assert history.jump(index).to_json() == states[index]
        assert history.session.check() == ()


@settings(deadline=None)
@given(sessions(), st.data())
def test_what_comes_after_an_undo_replaces_what_was_undone(session: Session, data: st.DataObject) -> None:
    history, states = travelled(session, data)
    index = data.draw(st.integers(0, len(states) - 1))

    history.jump(index)
    history.do(Session.append, "another way")
    new = history.session.to_json()

    assert (history.index, history.can_redo) == (index + 1, False)
    assert history.undo().to_json() == states[index]
    assert history.redo().to_json() == new


@settings(deadline=None)
@given(sessions(), st.data())
def test_a_history_that_was_kept_leads_through_the_same_states(session: Session, data: st.DataObject) -> None:
    history, states = travelled(session, data)
    history.jump(data.draw(st.integers(0, len(states) - 1)))

    kept = json.loads(json.dumps(history.to_data()))
    again = History.from_data(Session.model_validate(history.session.to_data()), kept)

    assert (again.index, again.labels, again.entries()) == (history.index, history.labels, history.entries())
    for index in (0, len(states) - 1):
        assert again.jump(index).to_json() == states[index]


@settings(deadline=None, max_examples=15)
@given(sessions(), st.data())
def test_past_the_cap_the_newest_states_are_all_there(session: Session, data: st.DataObject) -> None:
    history, states = History(session), [session.to_json()]
    for n in range(LIMIT):
        history.do(Session.append, f"text {n}")
        states.append(history.session.to_json())
        recorded(history, data.draw(acts(history.session)))
        if history.session.to_json() != states[-1]:
            states.append(history.session.to_json())

    assert len(history.labels) == LIMIT
    assert [history.jump(index).to_json() for index in range(LIMIT)] == states[-LIMIT:]
    assert [history.jump(index).to_json() for index in reversed(range(LIMIT))] == states[: -LIMIT - 1 : -1]


@settings(deadline=None)
@given(broken_sessions(), broken_sessions())
def test_any_two_sessions_can_be_states_of_one_history(session: Session, other: Session) -> None:
    history = History(session)

    history.record(other, "something else")

    assert history.undo().to_json() == session.to_json()
    assert dict(history.session.children_by_parent) == dict(session.children_by_parent)
    assert history.redo().to_json() == other.to_json()
    assert dict(history.session.children_by_parent) == dict(other.children_by_parent)


@settings(deadline=None)
@given(sessions(), st.data())
def test_the_entries_tell_every_node_that_came_and_went(session: Session, data: st.DataObject) -> None:
    history, _ = travelled(session, data)
    there = set(session.nodes)

    for entry in history.entries()[1:]:
        there |= {delta["node"]["id"] for delta in entry["deltas"] if delta["type"] == "create"}
        there -= {delta["deletedNode"]["id"] for delta in entry["deltas"] if delta["type"] == "delete"}

    assert there == set(history.session.nodes)

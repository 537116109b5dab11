"""Promises of undo and redo: every state comes back to the byte, whatever led away from it."""

from __future__ import annotations

import json
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import History, Session
from ctxlab.documents.history.history import LIMIT
from tests.promises.acting import Act, acts
from tests.promises.strategies import sessions
from tests.promises.test_documents import broken_sessions


class Travel(NamedTuple):
    """A history of some verbs, and what each of its states is."""

    history: History
    states: list[bytes]


def travel(session: Session, acting: list[Act]) -> Travel:
    history, states = History(session), [session.to_json()]
    for act in acting:
        before = history.session
        if history.record(act.or_nothing(before), act.verb.__name__) is not before:
            states.append(history.session.to_json())
    return Travel(history, states)


travels = st.builds(travel, sessions(), st.lists(acts, min_size=1, max_size=8))
numbers = st.integers(0, 99)


@settings(deadline=None)
@given(travels)
def test_undo_and_redo_lead_through_the_same_states(travelled: Travel) -> None:
    history, states = travelled

    back = [history.session.to_json(), *(history.undo().to_json() for _ in states[1:])]
    forth = [history.session.to_json(), *(history.redo().to_json() for _ in states[1:])]

    assert back == states[::-1]
    assert forth == states
    assert not history.can_redo


@settings(deadline=None)
@given(travels, numbers)
def test_a_jump_leads_to_any_state(travelled: Travel, number: int) -> None:
    history, states = travelled

    for index in (number % len(states), 0, number % len(states), len(states) - 1):
        assert history.jump(index).to_json() == states[index]
        assert history.session.check() == ()


@settings(deadline=None)
@given(travels, numbers)
def test_what_comes_after_an_undo_replaces_what_was_undone(travelled: Travel, number: int) -> None:
    history, states = travelled
    index = number % len(states)

    history.jump(index)
    history.do(Session.append, "another way")
    new = history.session.to_json()

    assert (history.index, history.can_redo) == (index + 1, False)
    assert history.undo().to_json() == states[index]
    assert history.redo().to_json() == new


@settings(deadline=None)
@given(travels, numbers)
def test_a_history_that_was_kept_leads_through_the_same_states(travelled: Travel, number: int) -> None:
    history, states = travelled
    history.jump(number % len(states))

    kept = json.loads(json.dumps(history.to_data()))
    again = History.from_data(Session.model_validate(history.session.to_data()), kept)

    assert (again.index, again.labels, again.entries()) == (history.index, history.labels, history.entries())
    for index in (0, len(states) - 1):
        assert again.jump(index).to_json() == states[index]


@settings(deadline=None, max_examples=25)
@given(sessions(), st.lists(acts, min_size=1, max_size=8))
def test_past_the_cap_the_newest_states_are_all_there(session: Session, acting: list[Act]) -> None:
    append = Act(Session.append, ("more",), {})

    history, states = travel(session, [append, *acting] * LIMIT)

    assert len(history.labels) == LIMIT < len(states)
    assert [history.jump(index).to_json() for index in range(LIMIT)] == states[-LIMIT:]
    assert [history.jump(index).to_json() for index in reversed(range(LIMIT))] == states[: -LIMIT - 1 : -1]


@settings(deadline=None)
@given(broken_sessions(), broken_sessions())
def test_any_two_sessions_can_be_states_of_one_history(session: Session, other: Session) -> None:
    history = History(session)

    history.record(other, "something else")

    for index, state in ((0, session), (history.index, other)):
        assert history.jump(index).to_json() == state.to_json()
        assert dict(history.session.children_by_parent) == dict(state.children_by_parent)


@settings(deadline=None)
@given(travels)
def test_the_entries_tell_every_node_that_came_and_went(travelled: Travel) -> None:
    history, _ = travelled
    newest = set(history.session.nodes)
    there = set(history.jump(0).nodes)

    for entry in history.entries()[1:]:
        there |= {delta["node"]["id"] for delta in entry["deltas"] if delta["type"] == "create"}
        there -= {delta["deletedNode"]["id"] for delta in entry["deltas"] if delta["type"] == "delete"}

    assert there == newest

"""Promises of the verbs: a sound tree stays sound, the old session stays as it was, only what is deleted goes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import Session
from ctxlab.errors import Refused, UnknownNode
from tests.promises.acting import Act, acts, creating
from tests.promises.strategies import sessions
from tests.promises.test_documents import broken_sessions

several = st.lists(acts, min_size=1, max_size=8)


@settings(deadline=None)
@given(sessions(), several)
def test_a_sound_tree_stays_sound(session: Session, acting: list[Act]) -> None:
    for act in acting:
        session = act.or_nothing(session)

        assert session.check() == ()


@settings(deadline=None)
@given(sessions(), acts)
def test_the_session_that_a_verb_is_asked_of_stays_as_it_was(session: Session, act: Act) -> None:
    before, children = session.to_json(), {key: session.children(key) for key in session.nodes}

    act.or_nothing(session)

    assert session.to_json() == before
    assert {key: session.children(key) for key in session.nodes} == children


@settings(deadline=None)
@given(sessions(), several)
def test_the_children_that_are_carried_over_are_those_of_the_nodes(session: Session, acting: list[Act]) -> None:
    for act in acting:
        session = act.or_nothing(session)
        read = Session.model_validate(session.to_data())

        assert dict(session.children_by_parent) == dict(read.children_by_parent)


@settings(deadline=None)
@given(sessions(), acts)
def test_only_deleting_takes_messages_away(session: Session, act: Act) -> None:
    after = act.or_nothing(session)

    gone = session.nodes.keys() - after.nodes.keys()
    if act.verb is not Session.delete:
        assert not gone
    elif gone:
        (deleted,) = act.args_for(session)
        alone = session[deleted].is_summary
        assert gone == ({deleted} if alone else {deleted, *session.descendants(deleted)})


@settings(deadline=None)
@given(sessions(), creating)
def test_what_is_new_is_looked_at_and_remembered(session: Session, act: Act) -> None:
    after = act.or_nothing(session)

    if after is not session:
        assert after.active_leaf_id in after.nodes.keys() - session.nodes.keys()
        assert after.root_node_id is not None
        assert after.leaf_below(after.root_node_id) == after.active_leaf_id


@settings(deadline=None)
@given(sessions(), several)
def test_the_way_to_a_leaf_that_was_switched_to_stays_remembered(session: Session, acting: list[Act]) -> None:
    session = session.switched(session.leaves()[-1])

    for act in acting:
        session = act.or_nothing(session)

        assert session.leaf_is_remembered
        assert Session.model_validate(session.to_data()).leaf_is_remembered


@settings(deadline=None)
@given(sessions(), st.data())
def test_going_to_a_sibling_and_back_leads_to_where_one_was(session: Session, data: st.DataObject) -> None:
    session = session.switched(data.draw(st.sampled_from(session.leaves())))
    fork = data.draw(st.sampled_from([node.id for node in session.path()]))

    beside = session.switched_to_sibling(fork)
    there = next((node.id for node in beside.path() if node.parent_id == session[fork].parent_id), fork)

    assert beside.switched_to_sibling(there, "previous").active_leaf_id == session.active_leaf_id


@settings(deadline=None)
@given(broken_sessions(), acts)
def test_a_broken_tree_makes_verbs_refuse_at_worst(session: Session, act: Act) -> None:
    try:
        act.on(session).check()
    except (Refused, UnknownNode) as refusal:
        assert len(str(refusal)) > 20


@settings(deadline=None)
@given(sessions(), st.data())
def test_relations_are_the_same_from_both_sides(session: Session, data: st.DataObject) -> None:
    node, other = (data.draw(st.sampled_from(sorted(session.nodes))) for _ in range(2))
    opposite = {"ancestor": "descendant", "descendant": "ancestor"}

    there = session.relation(node, other)

    assert session.relation(other, node) == opposite.get(there, there)
    assert (there == "ancestor") is (other in session.ancestors(node))
    assert (there == "descendant") is (other in session.descendants(node))

"""Looking at another branch, and how messages stand to one another."""

from typing import Any

import pytest

from ctxlab.documents import Session
from ctxlab.errors import UnknownNode


def test_one_can_look_at_a_message_in_the_middle(forked: Session) -> None:
    session = forked.switched("u2")

    assert session.active_leaf_id == "u2"
    assert session["q"].last_selected_child_id == "a2"


def test_a_parent_of_one_child_needs_no_memory(forked: Session) -> None:
    session = forked.switched("b2")

    assert [key for key in session.nodes if session[key] is not forked[key]] == ["q", "u2"]


def test_looking_where_one_looks_already_is_the_same_session(forked: Session) -> None:
    session = forked.switched("b2")

    assert session.switched("b2") is session


def test_the_sibling_is_shown_down_to_where_one_was(forked: Session) -> None:
    session = forked.switched("b3").switched_to_sibling("a2")

    assert session.active_leaf_id == "b1"
    assert session.switched_to_sibling("a1").active_leaf_id == "b3"


def test_siblings_go_round_in_both_directions(forked: Session) -> None:
    three = forked.append("third", parent="q", role="assistant", id="a3")

    assert three.switched_to_sibling("a3").active_leaf_id == "b1"
    assert three.switched_to_sibling("a1", "previous").active_leaf_id == "a3"
    assert three.switched_to_sibling("a2", "previous").active_leaf_id == "b1"


@pytest.mark.parametrize("only", ["root", "q", "u1"])
def test_beside_an_only_child_there_is_nothing(forked: Session, only: str) -> None:
    assert forked.switched_to_sibling(only) is forked


def test_unremembered_branches_lead_to_the_first_child(forked: Session) -> None:
    assert forked.leaf_below("a2") == "b2"
    assert forked.leaf_below("b3") == "b3"


def test_a_memory_of_what_is_no_child_leads_nowhere(forked: Session) -> None:
    stale = forked["u2"].with_(last_selected_child_id="b1")

    assert forked.with_nodes({"u2": stale}).leaf_below("a2") == "b2"


def test_descendants_come_in_tree_order_and_ancestors_from_near_to_far(forked: Session) -> None:
    assert forked.descendants("q") == ("a1", "u1", "b1", "a2", "u2", "b2", "b3")
    assert forked.ancestors("b3") == ("u2", "a2", "q", "root")
    assert forked.descendants("b1") == forked.ancestors("root") == ()


@pytest.mark.parametrize(
    ("node", "other", "relation"),
    [
        ("a1", "a1", "same"),
        ("b1", "q", "ancestor"),
        ("q", "b1", "descendant"),
        ("a1", "a2", "sibling"),
        ("b1", "b2", "other"),
    ],
)
def test_a_relation_says_what_the_other_is(forked: Session, node: str, other: str, relation: str) -> None:
    assert forked.relation(node, other) == relation


@pytest.mark.parametrize(
    "question",
    [
        Session.switched,
        Session.switched_to_sibling,
        Session.leaf_below,
        Session.ancestors,
        Session.descendants,
        lambda session, key: session.relation("a1", key),
    ],
)
def test_unknown_messages_are_named(forked: Session, question: Any) -> None:
    with pytest.raises(UnknownNode, match="'nowhere'"):
        question(forked, "nowhere")


def test_a_leaf_is_remembered_once_it_was_switched_to(forked: Session) -> None:
    assert forked.leaf_is_remembered  # by being the first child of first children
    assert not forked.with_(active_leaf_id="b3").leaf_is_remembered
    assert forked.switched("b3").leaf_is_remembered
    assert not Session().leaf_is_remembered


def test_other_nodes_make_what_was_looked_up_forgotten(forked: Session) -> None:
    assert forked.children("q") == ("a1", "a2")

    nodes = {key: node for key, node in forked.nodes.items() if key != "a1"}

    assert forked.with_(nodes=nodes).children("q") == ("a2",)

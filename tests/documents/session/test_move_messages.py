"""Verbs that hang messages elsewhere or take them away."""

from typing import Any

import pytest

from ctxlab.documents import Session
from ctxlab.errors import Refused, UnknownNode


def links(session: Session) -> dict[str, tuple[str, ...]]:
    """The children of every node that has some."""
    assert session.check() == ()
    return {key: session.children(key) for key in session.nodes if session.children(key)}


@pytest.fixture
def summarised(forked: Session) -> Session:
    """A summary between a2 and two messages, u2 and u3; u3 is the one remembered, b1 is looked at."""
    summary = {"role": "system", "metadata": {"isCompressionNode": True, "compressedNodeIds": ["q", "a2"]}}
    session = forked.append("summary", parent="a2", id="S", **summary).graft("u2", "S")
    return session.append("u3", parent="S", id="u3").switched("b1")


def test_a_grafted_branch_hangs_after_the_children_that_are_there(forked: Session) -> None:
    session = forked.graft("u1", "u2")

    assert links(session) == {
        "root": ("q",),
        "q": ("a1", "a2"),
        "a2": ("u2",),
        "u2": ("b2", "b3", "u1"),
        "u1": ("b1",),
    }
    assert session.active_leaf_id == "b1"


def test_a_moved_message_goes_alone_and_its_children_take_its_place(forked: Session) -> None:
    session = forked.move("a1", "b3")

    assert links(session)["q"] == ("u1", "a2")
    assert links(session)["b3"] == ("a1",)
    assert session.children("a1") == ()
    assert [node.id for node in session.path()] == ["root", "q", "u1", "b1"]


def test_transferred_children_come_after_those_that_are_there(forked: Session) -> None:
    session = forked.transfer_children("a1", "u2")

    assert links(session)["u2"] == ("b2", "b3", "u1")
    assert session.children("a1") == ()
    assert forked.transfer_children("b2", "q") is forked


@pytest.mark.parametrize("verb", [Session.graft, Session.move])
def test_what_hangs_there_already_stays(forked: Session, verb: Any) -> None:
    assert verb(forked, "a1", "q") is forked


@pytest.mark.parametrize("verb", [Session.graft, Session.move, Session.transfer_children])
@pytest.mark.parametrize(("parent", "where"), [("a1", "itself"), ("b1", "'b1', which is below it")])
def test_nothing_hangs_on_what_is_below_it(forked: Session, verb: Any, parent: str, where: str) -> None:
    with pytest.raises(Refused, match=f"below node 'a1' can't hang on {where}"):
        verb(forked, "a1", parent)


@pytest.mark.parametrize(("verb", "what"), [(Session.graft, "grafted"), (Session.move, "moved")])
def test_the_root_stays_where_it_is(forked: Session, verb: Any, what: str) -> None:
    with pytest.raises(Refused, match=f"'root' is a root and can't be {what}"):
        verb(forked, "root", "b1")


@pytest.mark.parametrize("verb", [Session.graft, Session.move, Session.transfer_children])
@pytest.mark.parametrize("ends", [("nowhere", "q"), ("a1", "nowhere")])
def test_unknown_messages_are_named(forked: Session, verb: Any, ends: tuple[str, str]) -> None:
    with pytest.raises(UnknownNode, match="'nowhere'"):
        verb(forked, *ends)


def test_a_branch_that_is_looked_at_stays_remembered_when_it_is_grafted(forked: Session) -> None:
    session = forked.switched("b2").switched("b1").graft("u1", "u2")

    assert session["u2"].last_selected_child_id == "u1"
    assert session.switched_to_sibling("a2").switched_to_sibling("a1").active_leaf_id == "b1"


def test_a_parent_forgets_the_branch_that_left_it(forked: Session) -> None:
    session = forked.switched("b3").switched("b1").graft("b3", "root")

    assert "lastSelectedChildId" not in session["u2"].to_data()
    assert session.check() == ()


def test_a_deleted_branch_goes_with_all_below(forked: Session) -> None:
    session = forked.delete("a2")

    assert set(session.nodes) == {"root", "q", "a1", "u1", "b1"}
    assert session.active_leaf_id == "b1"


@pytest.mark.parametrize(
    ("looks_at", "deleted", "then"),
    [
        ("b2", "b2", "b3"),  # the next sibling
        ("b3", "b3", "b2"),  # else the one before
        ("b1", "b1", "u1"),  # else the parent
        ("b1", "u1", "a1"),
        ("b1", "a1", "b2"),  # down to the first child of the sibling
        ("b1", "q", "root"),
    ],
)
def test_after_a_deletion_the_leaf_is_the_nearest(forked: Session, looks_at: str, deleted: str, then: str) -> None:
    session = forked.switched(looks_at).delete(deleted)

    assert session.active_leaf_id == then
    assert session.check() == ()


def test_after_a_deletion_one_stands_where_switching_would_lead(forked: Session) -> None:
    session = forked.switched("b3").switched("b1")

    assert session.delete("a1").active_leaf_id == session.switched_to_sibling("a1").active_leaf_id == "b3"


def test_a_deleted_summary_leaves_its_children_in_its_place(summarised: Session) -> None:
    session = summarised.append("beside", parent="a2", id="x").switched("b1").delete("S")

    assert session.children("a2") == ("u2", "u3", "x")
    assert session.active_leaf_id == "b1"
    assert session.check() == ()


def test_the_way_through_a_deleted_summary_is_remembered(summarised: Session) -> None:
    session = summarised.delete("S")

    assert session["a2"].last_selected_child_id == "u3"
    assert session.leaf_below("a2") == "u3"


def test_where_a_summary_was_looked_at_its_parent_is(summarised: Session) -> None:
    assert summarised.switched("S").delete("S").active_leaf_id == "a2"


def test_a_summary_without_children_is_deleted_like_any_other(forked: Session) -> None:
    session = forked.append("summary", parent="q", id="S", metadata={"isCompressionNode": True})

    assert session.delete("S").active_leaf_id == "b2"


def test_the_root_is_not_deleted(forked: Session) -> None:
    with pytest.raises(Refused, match="'root' is a root and can't be deleted: name a message below it"):
        forked.delete("root")


def test_what_hangs_nowhere_waits_for_a_repair() -> None:
    nodes = {"root": {"id": "root"}, "lost": {"id": "lost", "parentId": "gone"}}
    session = Session.model_validate({"rootNodeId": "root", "activeLeafId": "root", "nodes": nodes})

    with pytest.raises(Refused, match=r"hangs on 'gone', which does not exist; run repaired\(\) first"):
        session.delete("lost")
    assert "lost" not in session.repaired()[0].delete("lost").nodes

"""The tree: reading it, and the verbs that return a new one."""

import pytest

from ctxlab.documents import MessageNode, Session
from ctxlab.errors import Refused, UnknownNode


@pytest.fixture
def chat() -> Session:
    """Root, a question, two answers; the second is looked at."""
    return (
        Session(id="s")
        .append("", role="system", id="root")
        .append("Why?", id="q")
        .append("Because.", role="assistant", id="a1")
        .append("Why not?", role="assistant", parent="q", id="a2")
    )


def tree(**parents: str | None) -> Session:
    """Nodes that only know their parents; the first is the root, the last the leaf."""
    nodes = {key: MessageNode.model_validate({"id": key, "parentId": parent}) for key, parent in parents.items()}
    return Session(id="s", nodes=nodes, root_node_id=next(iter(nodes)), active_leaf_id=next(reversed(nodes)))


def test_a_path_leads_from_the_root_to_the_leaf(chat: Session) -> None:
    assert [node.id for node in chat.path()] == ["root", "q", "a2"]
    assert [node.id for node in chat.path("a1")] == ["root", "q", "a1"]


def test_a_path_says_where_it_breaks_off() -> None:
    lost = tree(root=None, a="nowhere", b="a")
    circle = tree(root=None, a="b", b="a")

    assert [n.id for n in lost.walk().nodes] == ["a", "b"]
    assert lost.walk().broken == "node 'nowhere' does not exist"
    assert [n.id for n in circle.walk().nodes] == ["a", "b"]
    assert "run in a circle" in (circle.walk().broken or "")
    assert Session().walk().broken == "there is no active leaf"


def test_children_are_derived_from_parents_where_none_are_stored() -> None:
    session = tree(root=None, a="root", b="root", c="a")

    assert session.children("root") == ("a", "b")
    assert session.children("c") == ()
    assert session.check() == ()


def test_the_stored_order_of_children_wins_and_unlisted_ones_follow() -> None:
    session = tree(root=None, a="root", b="root", c="root")
    root = session["root"].with_(children_ids=("c", "a"))

    assert session.with_(nodes={**session.nodes, "root": root}).children("root") == ("c", "a", "b")


def test_leaves_come_in_tree_order_and_unreachable_ones_last() -> None:
    session = tree(root=None, lost="nowhere", b="root", a="root", deep="b")

    assert session.leaves() == ("deep", "a", "lost")
    assert [node.id for node in session.in_order()] == ["root", "b", "deep", "a", "lost"]


def test_depth_counts_from_the_root(chat: Session) -> None:
    assert (chat.depth("root"), chat.depth("a1")) == (0, 2)


def test_siblings_are_the_children_of_one_parent_in_order(chat: Session) -> None:
    session = chat.append("b", id="b", parent=chat.root_node_id).append("c", id="c", parent=chat.root_node_id)

    assert session.siblings("c") == session.children(str(chat.root_node_id))
    assert session.siblings("c")[-2:] == ("b", "c")
    assert session.siblings(str(chat.root_node_id)) == (chat.root_node_id,)
    with pytest.raises(UnknownNode):
        session.siblings("nowhere")


def test_an_unknown_node_offers_the_nearest(chat: Session) -> None:
    with pytest.raises(UnknownNode, match="did you mean 'root'"):
        chat["rot"]


def test_an_id_that_isnt_there_yet_gets_the_number_of_messages_and_the_last_one() -> None:
    session = Session(id="s")
    for n in range(1, 53):
        session = session.append(f"turn {n}", id=f"m{n}")

    with pytest.raises(UnknownNode) as refused:
        session.node("m53")

    assert str(refused.value) == "session 's' has no node 'm53'; it has 52 messages, the last is 'm52'"


def test_append_hangs_a_message_on_the_leaf_and_moves_there(chat: Session) -> None:
    longer = chat.append("Hm.", timestamp="2025-01-01T00:00:00Z")

    assert longer.active_leaf_id == "node-4"
    assert longer["node-4"].parent_id == "a2"
    assert longer["node-4"].timestamp == "2025-01-01T00:00:00Z"
    assert longer["a2"].last_selected_child_id == "node-4"
    assert longer.check() == ()


def test_append_leaves_the_session_it_was_asked_of_as_it_was(chat: Session) -> None:
    before = chat.to_json()

    chat.append("Hm.")
    chat.switched("a1")

    assert chat.to_json() == before
    assert chat.children("a2") == ()


def test_append_lists_the_children_that_were_only_derived() -> None:
    session = tree(root=None, a="root").append("new", parent="root", id="b")

    assert session["root"].children_ids == ("a", "b")
    assert session.check() == ()


def test_append_refuses_what_would_break_the_tree(chat: Session) -> None:
    with pytest.raises(Refused, match="already has a node 'q'"):
        chat.append("x", id="q")
    with pytest.raises(UnknownNode, match="'nowhere'"):
        chat.append("x", parent="nowhere")
    with pytest.raises(Refused, match="repaired"):
        chat.model_copy(update={"active_leaf_id": None, "root_node_id": None}).append("x")


def test_switched_remembers_the_branch_on_the_whole_way(chat: Session) -> None:
    session = chat.append("Go on.", parent="a1", id="deep").switched("a2").switched("deep")

    assert session.active_leaf_id == "deep"
    assert session["q"].last_selected_child_id == "a1"
    assert session["a1"].last_selected_child_id == "deep"


def test_a_node_that_calls_itself_otherwise_is_not_doubled() -> None:
    session = tree(root=None, a="root", b="a")
    session = session.with_(nodes={**session.nodes, "a": session["a"].with_(id="other")})

    assert list(session.switched("b").nodes) == ["root", "a", "b"]
    assert session.leaves() == ("b",)


def test_looking_something_up_does_not_make_sessions_differ(chat: Session) -> None:
    other = Session.model_validate(chat.to_data())

    assert other == chat
    assert other.children("q") == ("a1", "a2")
    assert other == chat
    assert other != chat.append("more")


def test_the_repr_of_a_large_session_is_one_line() -> None:
    session = tree(**{"root": None, **{f"n{i}": "root" for i in range(2000)}})

    assert repr(session) == "Session('s', 2001 nodes, leaf 'n1999')"
    assert "n1999" in session._repr_html_()
    assert len(session._repr_html_()) < 2_000

"""Promises of trees: mending loses nothing, verbs change nothing."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import Session

NAMES = [f"n{i}" for i in range(8)]
ids = st.sampled_from([*NAMES, "gone"])


@st.composite
def broken_sessions(draw: st.DrawFn) -> Session:
    """Sessions whose links point anywhere."""
    nodes: dict[str, dict[str, Any]] = {}
    for key in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        nodes[key] = {
            "id": draw(st.sampled_from([key, key, key, "other"])),
            "parentId": draw(st.none() | ids),
            "childrenIds": draw(st.lists(ids, max_size=4)),
            "lastSelectedChildId": draw(st.none() | ids),
            "content": f"text of {key}",
        }
    ends = {"rootNodeId": draw(st.none() | ids), "activeLeafId": draw(st.none() | ids)}
    return Session.model_validate({"id": "s", "nodes": nodes, **ends})


@st.composite
def sound_sessions(draw: st.DrawFn) -> Session:
    """Sessions grown by appending."""
    session = Session(id="s").append("", role="system", id="root")
    for n in range(draw(st.integers(0, 12))):
        session = session.append(f"text {n}", parent=draw(st.sampled_from(sorted(session.nodes))))
    return session


@settings(deadline=None)
@given(broken_sessions())
def test_a_repaired_tree_is_sound_and_has_every_message(broken: Session) -> None:
    broken.check()

    mended, _ = broken.repaired()

    assert mended.check() == ()
    assert {key: node.content for key, node in mended.nodes.items() if key in broken.nodes} == {
        key: node.content for key, node in broken.nodes.items()
    }
    assert {node.id for node in mended.in_order()} == set(mended.nodes)


@settings(deadline=None)
@given(broken_sessions())
def test_repairing_twice_changes_nothing_more(broken: Session) -> None:
    mended, _ = broken.repaired()

    assert mended.repaired() == (mended, ())


@settings(deadline=None)
@given(broken_sessions(), ids)
def test_every_walk_of_any_tree_ends(broken: Session, leaf: str) -> None:
    walked = broken.walk(leaf)

    assert len(walked.nodes) <= len(broken)
    assert len(list(broken.in_order())) == len(broken)


@settings(deadline=None)
@given(sound_sessions(), st.data())
def test_switching_changes_what_is_remembered_and_nothing_else(session: Session, data: st.DataObject) -> None:
    node_id = data.draw(st.sampled_from(sorted(session.nodes)))

    switched = session.switched(node_id)

    assert switched.check() == ()
    assert switched.active_leaf_id == node_id
    assert [node.id for node in switched.in_order()] == [node.id for node in session.in_order()]


@settings(deadline=None)
@given(sound_sessions())
def test_appending_keeps_every_message_and_every_path(session: Session) -> None:
    paths = {leaf: [node.id for node in session.path(leaf)] for leaf in session.nodes}

    longer = session.append("one more")

    assert longer.check() == ()
    assert {leaf: [node.id for node in longer.path(leaf)] for leaf in paths} == paths
    assert longer.path()[-1].content == "one more"

"""Every way in which a tree can be broken is named, and can be mended with nothing lost."""

import time
from typing import Any

import pytest

from ctxlab.documents import Session


def session(nodes: dict[str, dict[str, Any]], **fields: Any) -> Session:
    data = {key: {"id": key, "content": f"text of {key}", **node} for key, node in nodes.items()}
    return Session.model_validate({"id": "s", "rootNodeId": "root", "activeLeafId": "a", "nodes": data, **fields})


ROOT: dict[str, Any] = {"parentId": None}
A: dict[str, Any] = {"parentId": "root"}

BROKEN: list[tuple[str, Session]] = [
    ("empty", Session(id="s")),
    ("no-root", session({"root": ROOT, "a": A}, rootNodeId=None)),
    ("missing-root", session({"root": ROOT, "a": A}, rootNodeId="gone")),
    ("root-has-parent", session({"root": {"parentId": "a"}, "a": A})),
    ("no-leaf", session({"root": ROOT, "a": A}, activeLeafId=None)),
    ("missing-leaf", session({"root": ROOT, "a": A}, activeLeafId="gone")),
    ("leaf-off-tree", session({"root": ROOT, "a": {"parentId": None}})),
    ("id-mismatch", session({"root": ROOT, "a": {**A, "id": "b"}})),
    ("second-root", session({"root": ROOT, "a": A, "b": {"parentId": None}})),
    ("missing-parent", session({"root": ROOT, "a": A, "b": {"parentId": "gone"}})),
    ("duplicate-child", session({"root": {**ROOT, "childrenIds": ["a", "a"]}, "a": A})),
    ("missing-child", session({"root": {**ROOT, "childrenIds": ["a", "gone"]}, "a": A})),
    ("foreign-child", session({"root": {**ROOT, "childrenIds": ["a", "b"]}, "a": A, "b": {"parentId": "a"}})),
    ("unlisted-child", session({"root": {**ROOT, "childrenIds": ["a"]}, "a": A, "b": A})),
    ("stale-memory", session({"root": {**ROOT, "lastSelectedChildId": "gone"}, "a": A})),
    ("cycle", session({"root": ROOT, "a": A, "b": {"parentId": "c"}, "c": {"parentId": "b"}})),
    ("unreachable", session({"root": ROOT, "a": A, "b": {"parentId": None}, "c": {"parentId": "b"}})),
]


@pytest.mark.parametrize(("kind", "broken"), BROKEN, ids=[kind for kind, _ in BROKEN])
def test_what_is_broken_is_named_and_mended(kind: str, broken: Session) -> None:
    assert kind in {note.details["kind"] for note in broken.check()}

    mended, notes = broken.repaired()

    assert mended.check() == ()
    assert notes
    assert {node.content for node in mended.nodes.values()} >= {node.content for node in broken.nodes.values()}


def test_a_sound_tree_is_left_as_it_is() -> None:
    sound = session({"root": {**ROOT, "childrenIds": ["a"]}, "a": A})

    assert sound.check() == ()
    assert sound.repaired() == (sound, ())


def test_a_problem_names_the_node() -> None:
    (note,) = session({"root": {**ROOT, "lastSelectedChildId": "gone"}, "a": A}).check()

    assert note.text == "node 'root' remembers branch 'gone', which is not its child"
    assert note.details == {"kind": "stale-memory", "node": "root"}


def test_a_repair_says_what_it_did() -> None:
    mended, notes = session({"root": ROOT, "a": A, "b": {"parentId": "gone"}}).repaired()

    assert [note.text for note in notes] == ["node 'b' hangs on the root now, was 'gone'"]
    assert mended.children("root") == ("a", "b")


def test_the_order_of_children_survives_a_repair() -> None:
    broken = session({"root": {**ROOT, "childrenIds": ["b", "gone", "a"]}, "a": A, "b": A})

    assert broken.repaired()[0].children("root") == ("b", "a")


def test_a_missing_leaf_is_replaced_along_the_remembered_branches() -> None:
    nodes = {"root": {**ROOT, "lastSelectedChildId": "a"}, "a": A, "b": A, "deep": {"parentId": "a"}}

    assert session(nodes, activeLeafId="gone").repaired()[0].active_leaf_id == "deep"


def seconds(broken: Session) -> float:
    """Processor time to check and mend."""
    begun = time.process_time()
    broken.check()
    broken.repaired()
    return time.process_time() - begun


def test_a_star_takes_no_longer_than_a_chain() -> None:
    names = [f"n{i}" for i in range(20_000)]
    orphans = {f"x{i}": {"parentId": "gone"} for i in range(20_000)}
    chain = {name: {"parentId": above} for name, above in zip(names, ["root", *names], strict=False)}

    star = session({"root": {**ROOT, "childrenIds": names}, **dict.fromkeys(names, A), **orphans})

    assert seconds(star) < 3 * seconds(session({"root": ROOT, **chain, **orphans}))

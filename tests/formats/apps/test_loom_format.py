"""Trees of Loom."""

from typing import Any

import ctxlab
from ctxlab.formats import read_data


def text(id: str, words: str, *children: Any, **more: Any) -> dict[str, Any]:
    return {"id": id, "text": words, "children": list(children), "visited": True, **more}


TREE = {
    "root": text(
        "r",
        "",
        text("a", "The keeper woke.", text("b", " Fog.", text("c", " Then light.")), text("d", " Rain.", source="x")),
    ),
    "selected_node_id": "b",
    "chapters": {},
}
BY_A_MODEL = {"meta": {"source": "AI"}}


def test_a_tree_is_read_with_its_branches_and_stands_below_what_was_selected() -> None:
    found = read_data(TREE)
    session = found.pick()
    assert (found.format, session.check()) == ("loom", ())
    assert [node.content for node in session.path()[1:]] == ["The keeper woke.", " Fog.", " Then light."]
    assert session.children("a") == ("b", "d")
    assert ["its pieces are messages now" in loss.text for loss in found.losses] == [True]


def test_what_a_model_wrote_is_its_message() -> None:
    tree = {"root": text("a", "The keeper woke.", text("b", " Fog.", **BY_A_MODEL)), "selected_node_id": "b"}
    assert [(each["role"], each["content"]) for each in ctxlab.build(read_data(tree).pick()).messages] == [
        ("user", "The keeper woke."),
        ("assistant", " Fog."),
    ]


def test_texts_of_the_program_beside_the_story_are_losses() -> None:
    tree = {"root": text("a", "The keeper woke.", memories=["the lamp is broken"]), "memory": "a story of the sea"}
    found = read_data(tree)
    assert [loss.field for loss in found.losses if loss.field] == ["memories", "memory"]


def test_equal_and_absent_ids_are_no_hindrance() -> None:
    root: dict[str, Any] = {"text": "A", "children": [text("x", "B", text("x", "C")), {"text": "D", "children": []}]}
    session = read_data({"root": root}).pick()
    assert session.check() == ()
    assert sorted(node.content for node in session.nodes.values() if node.content) == ["A", "B", "C", "D"]

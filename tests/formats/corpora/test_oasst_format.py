"""OpenAssistant trees."""

from typing import Any

from ctxlab.formats import read_data


def message(name: str, *replies: dict[str, Any], role: str = "assistant", **fields: Any) -> dict[str, Any]:
    return {"message_id": name, "text": f"text of {name}", "role": role, "replies": list(replies), **fields}


def tree(prompt: dict[str, Any]) -> dict[str, Any]:
    return {"message_tree_id": "t", "tree_state": "ready_for_export", "prompt": prompt}


def test_the_whole_tree_is_there_under_an_empty_root() -> None:
    asked = message("p", message("a", message("q", role="prompter")), message("b"), role="prompter")

    session = read_data(tree(asked)).pick()

    assert session.check() == ()
    assert session.children("p") == ("a", "b")
    assert [(n.id, n.role) for n in session.path("q")] == [
        ("root", "system"),
        ("p", "user"),
        ("a", "assistant"),
        ("q", "user"),
    ]
    assert session.to_data()["oasst"] == {"tree_state": "ready_for_export"}


def test_the_leaf_follows_the_lowest_rank_and_children_keep_their_order() -> None:
    worse, unranked = message("worse", rank=1), message("unranked", rank=None)
    best = message("best", message("on", role="prompter"), rank=0)

    found = read_data(tree(message("p", unranked, worse, best, role="prompter")))
    session = found.pick()

    assert session.children("p") == ("unranked", "worse", "best")
    assert session.active_leaf_id == "on"
    assert not session.leaf_is_remembered
    assert [loss.text for loss in found.losses] == [
        "the file doesn't say which branch is active; that of the best ranked replies is taken"
    ]


def test_facts_of_a_message_are_kept() -> None:
    asked = message("p", role="prompter", lang="en", emojis={"+1": 2}, created_date="2023-02-05T13:32:13+00:00")

    node = read_data(tree(asked)).pick()["p"]

    assert node.metadata == {"oasst": {"lang": "en", "emojis": {"+1": 2}}}
    assert node.timestamp == "2023-02-05T13:32:13+00:00"


def test_doubled_ids_and_strange_replies_are_said() -> None:
    asked = message("p", message("p"), {"message_id": "n", "role": "moderator", "text": None}, role="prompter")
    asked["replies"].append("not a message")

    found = read_data(tree(asked))

    assert found.pick().check() == ()
    assert len(found.pick()) == 4
    assert [str(loss) for loss in found.losses] == [
        "message 'p': 1 of its replies is no message",
        "message 'p': its id is there twice; this one is 'p~2' now",
        "message 'n': role 'moderator' is not known; it is a user message now",
        "message 'n': it has no text; it is empty now",
        "active branch: the file doesn't say which branch is active; that of the best ranked replies is taken",
    ]


def test_a_tree_may_be_deeper_than_the_stack() -> None:
    deep = message("n0")
    for n in range(1, 450):
        deep = message(f"n{n}", deep)

    assert len(read_data(tree(deep)).pick().path()) == 451

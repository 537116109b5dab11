"""One branch of a session as a session, and as a JSON of messages."""

import json
from typing import Any

from ctxlab.documents import Session
from ctxlab.formats import branch_data, branch_session, read_data

FORKED = (
    Session(id="s", name="Tea", created_at="2026-01-01T00:00:00Z")
    .append("", role="system", id="root")
    .append("Hi", id="u", timestamp="2026-01-01T00:00:01Z")
    .append("Hello", role="assistant", id="a", metadata={"agentId": "x"})
    .append("Hey", role="assistant", id="b", parent="u", is_enabled=False)
    .append("Bye", id="v", parent="a")
)


def test_a_branch_is_a_sound_session_of_its_own() -> None:
    branch = branch_session(FORKED, "v")

    assert branch.check() == ()
    assert [(node.id, node.children_ids) for node in branch.in_order()] == [
        ("root", ("u",)),
        ("u", ("a",)),
        ("a", ("v",)),
        ("v", ()),
    ]
    assert (branch.active_leaf_id, branch.name, branch.created_at) == ("v", "Tea", FORKED.created_at)


def test_a_span_of_a_branch_hangs_on_the_root() -> None:
    branch = branch_session(FORKED, "v", span=(2, 3))

    assert branch.check() == ()
    assert [node.id for node in branch.path()] == ["root", "a", "v"]


def test_what_a_summary_stands_for_comes_along() -> None:
    shortened = FORKED.append(
        "short", role="system", id="S", metadata={"isCompressionNode": True, "compressedNodeIds": ["u", "a"]}
    )

    assert [node.id for node in branch_session(shortened).path()] == ["root", "u", "a", "v", "S"]
    assert [message["id"] for message in branch_data(shortened).data["messages"]] == ["u", "a", "v", "S"]


def test_the_json_holds_messages_as_they_are_stored_but_for_their_links() -> None:
    export = branch_data(FORKED, "b", exported_at="2026-01-02T00:00:00Z")

    assert export.losses == ()
    assert export.data == {
        "session": {"id": "s", "name": "Tea", "createdAt": "2026-01-01T00:00:00Z"},
        "exportTime": "2026-01-02T00:00:00Z",
        "messageCount": 2,
        "messages": [
            {"id": "u", "role": "user", "content": "Hi", "status": "complete", "timestamp": "2026-01-01T00:00:01Z"},
            {"id": "b", "role": "assistant", "content": "Hey", "status": "complete", "isEnabled": False},
        ],
    }


def test_the_json_is_read_again() -> None:
    found = read_data(json.loads(json.dumps(branch_data(FORKED, "v").data)))

    assert (found.format, found.losses) == ("branch", ())
    assert found.pick().check() == ()
    assert [(node.id, node.content) for node in found.pick().path()] == [
        ("root", ""),
        ("u", "Hi"),
        ("a", "Hello"),
        ("v", "Bye"),
    ]
    assert branch_data(found.pick()).data == branch_data(FORKED, "v").data


def test_messages_that_are_none_and_ids_that_are_there_twice_are_said() -> None:
    message = {"id": "u", "role": "user", "content": "Hi"}
    data: dict[str, Any] = {"session": {"id": "s"}, "messageCount": 4, "messages": [message, 7, message, message]}

    found = read_data(data)

    assert [node.id for node in found.pick().path()] == ["root", "u", "u~2", "u~3"]
    assert [loss.place for loss in found.losses] == ["messages[1]", "messages[2]", "messages[3]"]


def test_an_empty_branch_is_read_again() -> None:
    empty = Session(id="s").append("", role="system", id="root")

    assert [node.id for node in branch_session(empty).path()] == ["root"]
    assert len(read_data(branch_data(empty).data).pick()) == 1

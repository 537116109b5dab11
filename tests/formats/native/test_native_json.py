"""The seeds' own JSON: nothing is converted, nothing is lost in silence."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import UnknownFormat
from ctxlab.formats import read, read_data, session_json


def node(node_id: str, parent: str | None, **fields: Any) -> dict[str, Any]:
    return {
        "id": node_id,
        "parentId": parent,
        "childrenIds": [],
        "role": "user",
        "content": f"says {node_id}",
        **fields,
    }


def chat(**fields: Any) -> dict[str, Any]:
    return {
        "id": "s1",
        "name": "A chat",
        "rootNodeId": "root",
        "activeLeafId": "a",
        "nodes": {
            "root": node("root", None, role="system", content="", childrenIds=["u"]),
            "u": node("u", "root", childrenIds=["a"], isEnabled=True),
            "a": node("a", "u", role="assistant", metadata={"agentId": "x", "usage": {"totalTokens": 3}}),
        },
        **fields,
    }


def written(name: str, text: str, folder: Path) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_read_is_written_again_with_fields_that_nobody_knows() -> None:
    data = chat(isFavorite=True, history=[], historyIndex=0, agentUsage={"x": 2})
    data["nodes"]["u"]["attachments"] = [{"id": "f", "type": "image", "path": "p.png", "thumb": [1, 2]}]

    found = read_data(data)

    assert found.format == "native"
    assert found.losses == ()
    assert json.loads(session_json(found.pick()).data) == data


def test_an_undo_history_is_left_out_and_said() -> None:
    found = read_data(chat(history=[{"action": "a"}, {"action": "b"}], historyIndex=1))

    assert [str(loss) for loss in found.losses] == ["history: undo history can't be carried over; 2 steps are left out"]
    assert json.loads(session_json(found.pick()).data) == chat()


def test_index_and_detail_make_one_session() -> None:
    whole = chat()
    index = {"id": "s1", "name": whole.pop("name"), "messageCount": 2}

    session = read_data({"index": index, "detail": whole}).pick()

    assert session.name == "A chat"
    assert session.to_data()["messageCount"] == 2
    assert [n.id for n in session.path()] == ["root", "u", "a"]


def test_a_detail_without_a_name_is_a_session() -> None:
    whole = chat()
    del whole["name"]

    assert json.loads(session_json(read_data(whole).pick()).data) == whole


@pytest.mark.parametrize("wrap", [lambda s: {"session": s}, lambda s: {"sessions": [s]}, lambda s: [s]])
def test_wrappers_are_looked_into(wrap: Any) -> None:
    assert read_data(wrap(chat())).pick().id == "s1"


def test_a_bundle_brings_agent_and_user_along() -> None:
    agent = {"id": "x", "name": "Nova", "presetMessages": [{"id": "p", "role": "system", "content": "Be kind."}]}
    user = {"id": "u1", "name": "Ann", "content": "Likes tea."}

    found = read_data({"session": chat(), "agent": agent, "user": user, "exportedAt": "now"})

    assert (len(found.sessions), found.agents[0].name, found.users[0].content) == (1, "Nova", "Likes tea.")
    assert found.agents[0].to_data() == agent
    assert [loss.text for loss in found.losses] == ["exportedAt: not part of what it wraps; left out"]


def test_agents_may_come_in_a_list() -> None:
    found = read_data([{"id": "a", "name": "A", "presetMessages": []}, {"id": "b", "name": "B", "modelId": "m"}])

    assert [agent.id for agent in found.agents] == ["a", "b"]


def test_a_user_profile_is_no_agent() -> None:
    found = read_data({"id": "u", "name": "Ann", "displayName": "Annie", "content": "Likes tea.", "icon": "🙂"})

    assert found.users[0].shown_name == "Annie"
    assert found.sessions == found.agents == ()


def test_nodes_without_an_id_get_the_one_of_their_key() -> None:
    data = chat()
    for one in data["nodes"].values():
        del one["id"]

    session = read_data(data).pick()

    assert session.check() == ()
    assert session["u"].id == "u"


def test_a_list_of_nodes_keeps_both_of_two_with_one_id() -> None:
    data = chat()
    data["nodes"] = [*data["nodes"].values(), node("u", "root", content="the other")]

    found = read_data(data)

    assert found.pick()["u~2"].content == "the other"
    assert [str(loss) for loss in found.losses] == ["node 'u': its id is there twice; the second is 'u~2' now"]


def test_a_bare_list_of_nodes_is_a_tree_and_no_chat_log() -> None:
    found = read_data(list(chat()["nodes"].values()))

    assert found.format == "native"
    assert found.pick()["a"].parent_id == "u"


def test_an_object_with_one_key_twice_keeps_both_nodes(tmp_path: Path) -> None:
    whole = json.dumps(chat())
    doubled = whole.replace('"nodes": {', '"nodes": {"u": ' + json.dumps(node("u", "root", content="first")) + ", ")

    found = read(written("s.json", doubled, tmp_path))

    assert found.pick()["u"].content == "says u"
    assert found.pick()["u~2"].content == "first"
    assert [str(loss) for loss in found.losses] == [
        "node 'u': its id is there twice; the last keeps it, the other is 'u~2' now"
    ]


def test_a_text_that_speaks_of_parent_links_is_not_taken_for_doubled_ids(tmp_path: Path) -> None:
    data = chat()
    data["nodes"]["u"]["content"] = '{"parentId": null, "parentId": 1}'

    assert read(written("s.json", json.dumps(data), tmp_path)).losses == ()


def test_wrong_values_are_replaced_and_named_with_their_node() -> None:
    data = chat()
    data["nodes"]["u"]["role"] = "narrator"
    data["nodes"]["a"]["content"] = 7

    found = read_data(data)

    assert found.pick()["u"].role == "user"
    assert found.pick()["a"].content == ""
    assert [loss.place for loss in found.losses] == ["session 's1', node 'u'", "session 's1', node 'a'"]
    assert "'narrator'" in found.losses[0].text


def test_a_file_full_of_wrong_values_is_read_all_the_same() -> None:
    nodes = {f"n{i}": node(f"n{i}", None, timestamp=i) for i in range(1500)}

    found = read_data({"id": "s", "rootNodeId": "n0", "nodes": nodes})

    assert len(found.pick()) == 1500
    assert len(found.losses) == 1500


def test_ids_that_are_numbers_still_make_a_tree() -> None:
    nodes = {
        "1": {"id": 1, "parentId": None, "childrenIds": [2], "content": ""},
        "2": {"id": 2, "parentId": 1, "childrenIds": [], "content": "hi"},
    }

    session = read_data({"id": 9, "rootNodeId": 1, "activeLeafId": 2, "nodes": nodes}).pick()

    assert session.check() == ()
    assert [n.id for n in session.path()] == ["1", "2"]


def test_a_broken_tree_is_read_as_it_is() -> None:
    data = chat(rootNodeId="nowhere")
    data["nodes"]["u"]["parentId"] = "a"

    found = read_data(data)

    assert found.losses == ()
    assert {note.details["kind"] for note in found.pick().check()} >= {"missing-root", "cycle"}


def test_equal_session_ids_are_told_apart() -> None:
    found = read_data({"sessions": [chat(), chat()]})

    assert [session.id for session in found.sessions] == ["s1", "s1~2"]
    assert [loss.place for loss in found.losses] == ["sessions[1]"]


def test_a_session_without_messages_is_a_session() -> None:
    assert len(read_data({"id": "s", "nodes": {}}).pick()) == 0


@pytest.mark.parametrize(
    "data",
    [
        {"nodes": [{"id": 1}, {"id": 2}], "links": []},
        {"nodes": {"3": {"class_type": "KSampler"}}},
        {"sessions": [{"id": "s1", "name": "only in the index", "messageCount": 4}]},
    ],
)
def test_what_only_looks_alike_is_not_taken_for_a_session(data: Any) -> None:
    with pytest.raises(UnknownFormat):
        read_data(data)

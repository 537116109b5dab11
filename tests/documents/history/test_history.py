"""Undo and redo."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.documents import History, Session
from ctxlab.documents.history.history import LIMIT
from ctxlab.errors import BrokenFile, Refused


@pytest.fixture
def history(forked: Session) -> History:
    """Three states behind the present one: an edit, a branch and a deletion."""
    history = History(forked)
    history.do(Session.edit, "u1", "other words")
    history.do(Session.branch, "a1", id="a3")
    history.do(Session.delete, "a2")
    return history


def test_steps_are_named_after_the_verbs(history: History) -> None:
    assert history.labels == ("start", "edit", "branch", "delete")
    assert repr(history) == "History('s', state 3 of 0 to 3: delete)"


def test_undo_brings_back_nodes_order_leaf_and_memory(history: History, forked: Session) -> None:
    for _ in range(3):
        history.undo()

    assert history.session.to_json() == forked.to_json()
    assert (history.can_undo, history.can_redo) == (False, True)


def test_redo_takes_a_step_again(history: History) -> None:
    newest = history.session

    history.undo()

    assert "a2" in history.session.nodes
    assert history.redo().to_json() == newest.to_json()


def test_a_step_after_undo_takes_the_place_of_what_was_undone(history: History) -> None:
    history.jump(1)
    history.do(Session.append, "another way")

    assert history.labels == ("start", "edit", "append")
    with pytest.raises(Refused, match="nothing to redo"):
        history.redo()


def test_what_changes_nothing_is_no_step(history: History) -> None:
    history.do(Session.graft, "a1", "q")
    history.record(history.session.model_copy(), "copy")

    assert history.index == 3


def test_a_refused_verb_leaves_the_history_as_it_was(history: History) -> None:
    with pytest.raises(Refused, match="'root' is a root"):
        history.do(Session.delete, "root")

    assert history.index == 3


def test_the_ends_of_a_history_are_named(history: History) -> None:
    history.jump(0)

    with pytest.raises(Refused, match="nothing to undo: this is the oldest state"):
        history.undo()
    with pytest.raises(Refused, match="there is no state 4: they are 0 to 3"):
        history.jump(4)
    with pytest.raises(Refused, match="there is no state -1"):
        history.jump(-1)


def test_undo_stops_at_a_breakpoint_unless_asked_to_pass_it(history: History) -> None:
    history.breakpoint("send")

    assert not history.can_undo
    with pytest.raises(Refused, match=r"at the breakpoint 'send'; undo\(past_breakpoint=True\) goes on"):
        history.undo()
    assert "a2" in history.undo(past_breakpoint=True).nodes
    assert history.can_undo
    history.redo()
    assert not history.can_undo


def test_a_breakpoint_at_the_start_stops_nothing_more(forked: Session) -> None:
    history = History(forked)
    history.breakpoint("send")

    history.do(Session.append, "x")

    assert history.undo() == forked


def test_the_oldest_states_go_and_the_oldest_that_is_left_is_state_0(forked: Session) -> None:
    history = History(forked)
    for n in range(60):
        history.do(Session.edit, "u1", f"words {n}")

    assert (history.index, len(history.labels)) == (LIMIT - 1, LIMIT)
    assert history.jump(0)["u1"].content == "words 10"
    assert history.labels[0] == "start"


def test_fields_of_the_session_are_part_of_a_step(forked: Session) -> None:
    history = History(forked)

    history.record(forked.with_(name="Forks").with_(parameterOverrides={"a": 1}), "rename")

    assert history.undo().to_json() == forked.to_json()
    assert history.redo().to_data()["parameterOverrides"] == {"a": 1}


def test_the_first_message_can_be_undone() -> None:
    history = History(Session(id="s"))

    history.do(Session.append, "Hello")

    assert history.undo().to_json() == Session(id="s").to_json()


@pytest.mark.parametrize(
    ("verb", "args", "tag", "deltas", "count"),
    [
        (Session.edit, ("u1", "x"), "NODE_EDIT", ["update"], 1),
        (Session.update, ("u1",), "NODE_DATA_UPDATE", ["update"], 1),
        (Session.delete, ("a2",), "NODES_DELETE", ["delete"] * 4, 4),
        (Session.disable, ("u1",), "NODE_TOGGLE_ENABLED", ["update"], 1),
        (Session.move, ("a1", "b3"), "NODE_MOVE", ["relation"], 2),
        (Session.graft, ("a2", "b1"), "BRANCH_GRAFT", ["relation"], 1),
        (Session.branch, ("u1",), "BRANCH_CREATE", ["create", "active_leaf_change"], 1),
        (Session.branch_from_edit, ("u1", "x"), "BRANCH_CREATE_FROM_EDIT", ["create", "active_leaf_change"], 1),
        (Session.switched, ("b3",), "ACTIVE_NODE_SWITCH", ["active_leaf_change"], 0),
        (Session.transfer_children, ("a2", "b1"), "BRANCH_GRAFT", ["relation"], 1),
    ],
)
def test_entries_are_in_the_seeds_words(
    forked: Session, verb: Any, args: tuple[str, ...], tag: str, deltas: list[str], count: int
) -> None:
    history = History(forked)
    history.do(verb, *args, **({"name": "Ann"} if verb is Session.update else {}))

    start, entry = history.entries()

    assert start == {"actionTag": "INITIAL_STATE", "context": {}, "isSnapshot": True}
    assert entry["actionTag"] == tag
    assert [delta["type"] for delta in entry["deltas"]] == deltas
    assert (entry["context"]["targetNodeId"], entry["context"]["affectedNodeCount"]) == (
        forked.active_leaf_id if not args else "b3" if verb is Session.switched else args[0],
        count,
    )


def test_an_entry_of_a_graft_says_from_where_to_where(forked: Session) -> None:
    history = History(forked)
    history.do(Session.graft, "u2", "b1")

    entry = history.entries()[1]

    assert entry["context"]["sourceNodeId"] == "a2"
    assert entry["context"]["destinationNodeId"] == "b1"
    assert entry["deltas"][0]["changes"] == [
        {
            "nodeId": "u2",
            "oldParentId": "a2",
            "newParentId": "b1",
            "affectedParents": {
                "a2": {"oldChildren": ["u2"], "newChildren": []},
                "b1": {"oldChildren": [], "newChildren": ["u2"]},
            },
        }
    ]


def test_a_label_that_is_no_verb_has_the_nearest_tag(forked: Session) -> None:
    history = History(forked)
    history.record(forked.append("summary", role="system"), "compress", target="q", timestamp="2026-01-01T00:00:00Z")

    entry = history.entries()[1]

    assert (history.labels[1], entry["actionTag"]) == ("compress", "BRANCH_CREATE")
    assert entry["timestamp"] == "2026-01-01T00:00:00Z"
    assert entry["context"]["targetNodeId"] == "q"


def test_a_history_is_kept_beside_its_session(history: History, tmp_path: Path) -> None:
    history.breakpoint("send")
    history.undo(past_breakpoint=True)
    states = [history.jump(index).to_json() for index in (0, 1, 3, 2)]

    history.save(tmp_path / "history.json")
    read = History.load(Session.model_validate_json(history.session.to_json()), tmp_path / "history.json")

    assert [path.name for path in tmp_path.iterdir()] == ["history.json"]
    assert (read.index, read.labels) == (2, history.labels)
    assert [read.jump(index).to_json() for index in (0, 1, 3, 2)] == states
    read.jump(3)
    assert not read.can_undo


def test_a_session_may_be_renamed_beside_its_history(history: History) -> None:
    renamed = history.session.with_(name="Forks", updated_at="2026-01-01T00:00:00Z")

    again = History.from_data(renamed, history.to_data())

    assert again.undo().name == "Forks"


def test_the_history_of_another_state_is_refused(history: History, forked: Session) -> None:
    with pytest.raises(Refused, match=r"another state of session 's'.*History\(session\) begins a new one"):
        History.from_data(forked, history.to_data())


@pytest.mark.parametrize(
    "broken", [None, [], {"version": 2}, {"steps": 7}, {"steps": [], "index": 3, "of": ""}, {"steps": [{"patch": 1}]}]
)
def test_what_is_no_history_is_named(forked: Session, broken: Any) -> None:
    with pytest.raises(BrokenFile, match="no history of a session"):
        History.from_data(forked, broken)


def test_a_file_that_is_no_json_is_named(forked: Session, tmp_path: Path) -> None:
    (tmp_path / "history.json").write_text("{")

    with pytest.raises(BrokenFile, match=r"history\.json is no JSON"):
        History.load(forked, tmp_path / "history.json")


def test_odd_values_survive_being_kept(forked: Session, tmp_path: Path) -> None:
    history = History(forked)
    history.do(Session.update, "u1", content="half \ud83d", metadata={"n": 10**30})

    history.save(tmp_path / "history.json")
    read = History.load(Session.model_validate(json.loads(history.session.to_json())), tmp_path / "history.json")

    assert read.undo().to_json() == forked.to_json()
    assert read.redo().to_json() == history.session.to_json()

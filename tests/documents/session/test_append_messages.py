"""Verbs that add messages."""

from typing import Any

import pytest

from ctxlab import build
from ctxlab.documents import Asset, History, Session
from ctxlab.errors import Refused, UnknownNode, WrongArgument


def test_a_pair_is_a_question_and_an_answer_that_is_being_generated(forked: Session) -> None:
    session = forked.append_pair("And now?", ids=("u", "b"), timestamp="2026-01-01T00:00:00Z", answer={"name": "Ann"})

    question, answer = session.path()[-2:]
    assert (question.id, question.parent_id, question.role, question.content) == ("u", "b1", "user", "And now?")
    assert (answer.role, answer.content, answer.status, answer.name) == ("assistant", "", "generating", "Ann")
    assert question.timestamp == answer.timestamp == "2026-01-01T00:00:00Z"
    assert session.leaf == answer.id
    assert session.check() == ()


def test_new_messages_have_the_next_free_ids_and_no_times(forked: Session) -> None:
    session = forked.append_pair("And now?").append("More.")

    assert list(session.nodes)[-3:] == ["node-9", "node-10", "node-11"]
    assert session.nodes["node-9"].timestamp is None


def test_an_id_that_lost_messages_name_as_their_parent_is_not_given_out() -> None:
    lost = {"lost": {"id": "lost", "parentId": "node-2"}}
    session = Session.model_validate({"rootNodeId": "root", "nodes": {"root": {"id": "root"}, **lost}})

    assert session.append("Hello").active_leaf_id == "node-3"


def test_the_first_pair_begins_a_conversation() -> None:
    session = Session(id="s").append_pair("Hello", ids=("node-0", "a"))

    assert [(node.id, node.role, node.content) for node in session.path()] == [
        ("node-1", "system", ""),
        ("node-0", "user", "Hello"),
        ("a", "assistant", ""),
    ]
    assert session.check() == ()


def test_b1_the_first_message_hangs_below_an_empty_root_and_is_sent() -> None:
    session = Session(id="new").append("My very first question").append("answer", role="assistant").append("second")

    assert [message["content"] for message in build(session).messages] == ["My very first question", "answer", "second"]
    assert session.root is not None
    assert session.root.is_empty_root
    assert session.message_count == 3
    assert session.check() == ()


def test_b1_a_system_message_that_says_nothing_is_the_root_of_an_empty_session() -> None:
    session = Session(id="s").append("", role="system", id="root", timestamp="2026-01-01T00:00:00Z")

    assert list(session.nodes) == ["root"]
    assert (session.root_node_id, session.leaf, session.message_count) == ("root", "root", 0)
    assert list(session.append("", role="system", id="x").nodes) == ["root", "x"]


@pytest.mark.parametrize(
    "fields",
    [{"role": "user"}, {"role": "system", "attachments": ({"id": "f"},)}, {"role": "system", "content": "Be brief."}],
)
def test_b1_any_other_first_message_gets_a_root_above_it(fields: dict[str, Any]) -> None:
    session = Session(id="s").append(**{"content": "", **fields}, id="first")

    assert [node.id for node in session.path()] == ["node-0", "first"]
    assert session.message_count == 1


def test_b1_the_first_message_and_its_root_are_undone_in_one_step() -> None:
    history = History(Session(id="s"))
    history.do(Session.append, "Hello", id="q")

    assert history.undo() == Session(id="s")
    assert [node.id for node in history.redo().path()] == ["node-0", "q"]


def test_a_user_message_is_answered_anew_below_it(forked: Session) -> None:
    session = forked.regenerate("u2", metadata={"modelId": "m"})

    assert session.children("u2") == ("b2", "b3", session.active_leaf_id)
    assert session.leaf_node is not None
    assert (session.leaf_node.role, session.leaf_node.content, session.leaf_node.status) == (
        "assistant",
        "",
        "generating",
    )
    assert session.leaf_node.metadata == {"modelId": "m"}


def test_an_answer_is_regenerated_beside_it(forked: Session) -> None:
    session = forked.regenerate("a1", id="a3")

    assert session.children("q") == ("a1", "a2", "a3")
    assert session.active_leaf_id == "a3"


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_answers_to_the_user_are_regenerated(forked: Session, role: Any) -> None:
    session = forked.append("before", role=role, id="x").append("after", role="assistant", id="y")

    with pytest.raises(Refused, match="answers no user message but 'x'"):
        session.regenerate("y")


@pytest.mark.parametrize("verb", [Session.regenerate, Session.continue_from, Session.branch])
def test_system_and_tool_messages_are_no_turns(forked: Session, verb: Any) -> None:
    with pytest.raises(Refused, match="'root' is a system message"):
        verb(forked, "root")


def test_an_answer_goes_on_in_a_copy_that_knows_where_the_new_text_begins(forked: Session) -> None:
    ran = {"agentId": "ag", "requestParameters": {"a": 1}, "usage": {"totalTokens": 3}, "error": "e", "tokenCount": 5}

    session = forked.update("a1", metadata=ran).continue_from("a1", id="a3")

    assert session.children("q") == ("a1", "a2", "a3")
    assert (session["a3"].content, session["a3"].status) == ("text of a1", "generating")
    assert session["a3"].metadata == {
        "agentId": "ag",
        "requestParameters": {"a": 1},
        "continuationPrefix": "text of a1",
        "isContinuation": True,
    }


def test_after_a_user_message_the_continuation_is_empty(forked: Session) -> None:
    session = forked.continue_from("u2", id="b4")

    assert (session["b4"].parent_id, session["b4"].content) == ("u2", "")
    assert session["b4"].metadata == {"isContinuation": True}


def test_a_branch_is_a_copy_without_traces_of_a_run(forked: Session) -> None:
    stored = {
        "name": "Ann",
        "attachments": [{"id": "f"}],
        "isEnabled": False,
        "status": "error",
        "updatedAt": "2026-01-01T00:00:00Z",
        "metadata": {
            "agentId": "ag",
            "isGreeting": True,
            "reasoningContent": "hm",
            "reasoningArtifacts": [1],
            "toolCallsRequested": [{"requestId": "c", "toolName": "look"}],
            "sessionVariableSnapshot": {},
            "emptyResponseDiagnostic": "?",
            "performance": {"usage": {}, "modelId": "m"},
        },
    }

    copy = forked.update("a1", **stored).branch("a1", id="a3", timestamp="2026-01-02T00:00:00Z")["a3"]

    assert copy.to_data() == {
        "id": "a3",
        "parentId": "q",
        "role": "assistant",
        "content": "text of a1",
        "name": "Ann",
        "attachments": [{"id": "f"}],
        "timestamp": "2026-01-02T00:00:00Z",
        "metadata": {"agentId": "ag", "isGreeting": True, "performance": {"modelId": "m"}},
    }


def test_a_copy_of_a_tool_result_still_answers_its_call(forked: Session) -> None:
    session = forked.append("4", role="tool", id="t", metadata={"toolCall": {"requestId": "c"}}, toolCallId="c")

    copy = session.branch_from_edit("t", "5", id="t2")["t2"]

    assert (copy.content, copy.result_of) == ("5", "c")


def test_a_copy_asks_for_no_calls_in_either_spelling(forked: Session) -> None:
    calls = [{"id": "c", "function": {"name": "look"}}]
    session = forked.append("", role="assistant", id="x", toolCalls=calls)

    assert session["x"].tool_calls != ()
    assert session.branch("x", id="y")["y"].tool_calls == ()


@pytest.mark.parametrize(
    ("given", "has"),
    [
        (None, (Asset(id="f"),)),
        ((), None),
        ([{"id": "g"}], (Asset(id="g"),)),
    ],
)
def test_other_words_come_with_the_old_files_unless_others_are_given(forked: Session, given: Any, has: Any) -> None:
    session = forked.update("u1", attachments=[{"id": "f"}]).branch_from_edit("u1", "variant", attachments=given)

    assert session.leaf_node is not None
    assert (session.leaf_node.content, session.leaf_node.attachments) == ("variant", has)
    assert ("attachments" in session.leaf_node.to_data()) is (has is not None)


def test_a_branch_from_an_edit_can_be_of_any_role(forked: Session) -> None:
    session = forked.append("Be brief.", role="system", id="x").branch_from_edit("x", "Be long.")

    assert session.leaf_node is not None
    assert (session.leaf_node.role, session.leaf_node.parent_id) == ("system", "b1")


@pytest.mark.parametrize("verb", [Session.branch_from_edit, Session.branch])
def test_a_root_has_no_sibling(verb: Any) -> None:
    talk = {"rootNodeId": "root", "nodes": {"root": {"id": "root", "role": "user", "content": "Hello"}}}
    session = Session.model_validate(talk)

    with pytest.raises(Refused, match="'root' is a root and can't be given a sibling"):
        verb(session, "root", *(["x"] if verb is Session.branch_from_edit else []))


def test_a_new_message_is_the_branch_that_all_parents_with_a_choice_remember(forked: Session) -> None:
    session = forked.append("Go on.", parent="b3", id="new")

    memory = {key: node.last_selected_child_id for key, node in session.nodes.items() if node.last_selected_child_id}
    assert memory == {"q": "a2", "u2": "b3", "b3": "new"}
    assert session.leaf_below("root") == "new"


def test_appending_to_a_leaf_that_nobody_remembers_makes_it_remembered(forked: Session) -> None:
    session = forked.with_(active_leaf_id="b3").append("Go on.")

    assert session.leaf_below("root") == session.active_leaf_id


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"role": "narrator"}, "role takes 'system', 'user', 'assistant' or 'tool', got the str 'narrator'"),
        ({"children_ids": ("q",)}, "'children_ids' is structure"),
        ({"parentId": "q"}, "'parent_id' is structure"),
        ({"id": "q"}, "already has a node 'q'"),
    ],
)
def test_fields_that_would_break_the_tree_are_refused(forked: Session, fields: dict[str, Any], reason: str) -> None:
    with pytest.raises((Refused, WrongArgument), match=reason):
        forked.append("x", **fields)


def test_the_two_of_a_pair_have_two_ids(forked: Session) -> None:
    with pytest.raises(Refused, match="already has a node 'x'"):
        forked.append_pair("x", ids=("x", "x"))


@pytest.mark.parametrize(
    "verb", [Session.regenerate, Session.continue_from, Session.branch, lambda s, i: s.branch_from_edit(i, "x")]
)
def test_unknown_messages_are_named(forked: Session, verb: Any) -> None:
    with pytest.raises(UnknownNode, match="no node 'nowhere'; it has 9 messages, the last is 'b1'"):
        verb(forked, "nowhere")

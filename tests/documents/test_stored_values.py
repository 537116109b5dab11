"""The seeds' JSON as values: wrong values of a file become notes, unknown fields survive."""

import sys
from typing import Any

import pytest
from pydantic import ValidationError

from ctxlab.documents import Agent, MessageNode, Session, read_stored


def test_only_what_was_given_is_written() -> None:
    data = {"id": "a", "parentId": None, "role": "user", "content": "x", "pinned": True}

    assert MessageNode.model_validate(data).to_data() == data


def test_values_do_not_change_in_place() -> None:
    node = MessageNode.model_validate({"id": "a"})

    with pytest.raises(ValidationError):
        node.content = "other"  # type: ignore[misc]
    assert node.with_(content="other").content == "other"
    assert node.content == ""


def test_a_wrong_value_in_python_is_an_error() -> None:
    with pytest.raises(ValidationError):
        MessageNode.model_validate({"role": "narrator"})


@pytest.mark.parametrize(
    ("data", "field", "value"),
    [
        ({"role": "narrator"}, "role", "user"),
        ({"content": None}, "content", ""),
        ({"metadata": [1]}, "metadata", None),
        ({"childrenIds": "a"}, "children_ids", ()),
        ({"isEnabled": "perhaps"}, "is_enabled", None),
    ],
)
def test_a_wrong_value_in_a_file_is_a_note_and_the_default(data: dict[str, Any], field: str, value: Any) -> None:
    node, (note,) = read_stored(MessageNode, {"id": "n3", **data}, place="node 'n3'")

    assert node.id == "n3"
    assert getattr(node, field) == value
    assert note.text.startswith(f"node 'n3': {next(iter(data))} is ")
    assert note.details["place"] == "node 'n3'"


def test_only_the_wrong_items_of_a_list_go() -> None:
    node, notes = read_stored(MessageNode, {"childrenIds": ["a", 1, "b", None]}, place="node 'n'")

    assert node.children_ids == ("a", "b")
    assert len(notes) == 2


def test_a_wrong_value_deep_inside_leaves_the_rest() -> None:
    data = {"presetMessages": [{"id": "p", "injectionStrategy": {"depth": "deep", "order": 5}}, 7]}

    agent, notes = read_stored(Agent, data, place="agent 'x'")

    (preset,) = agent.preset_messages
    assert preset.injection_strategy is not None
    assert (preset.injection_strategy.depth, preset.injection_strategy.order) == (None, 5)
    assert len(notes) == 2


def test_thousands_of_wrong_values_are_thousands_of_notes() -> None:
    agent, notes = read_stored(Agent, {"presetMessages": [{"role": 5}] * 1500}, place="agent 'x'")

    assert (len(agent.preset_messages), len(notes)) == (1500, 1500)


def test_what_is_no_object_is_a_value_of_defaults() -> None:
    session, (note,) = read_stored(Session, 7, place="the session")

    assert session == Session()
    assert note.text == "the session is int, not an object; defaults are used"


def test_metadata_is_read_flat_and_in_groups() -> None:
    flat = MessageNode.model_validate({"metadata": {"isCompressionNode": True, "compressedNodeIds": ["a"]}})
    nested = MessageNode.model_validate({"metadata": {"compression": flat.metadata}})

    assert flat.is_summary is nested.is_summary is True
    assert flat.hides == nested.hides == ("a",)


@pytest.mark.parametrize(
    "data",
    [
        {"metadata": {"toolCallsRequested": [{"requestId": "c", "toolName": "look", "args": {"at": 1}}]}},
        {"toolCalls": [{"id": "c", "function": {"name": "look", "arguments": '{"at":1}'}}]},
    ],
)
def test_tool_calls_are_read_in_both_forms(data: dict[str, Any]) -> None:
    (call,) = MessageNode.model_validate({"role": "assistant", **data}).tool_calls

    assert (call.id, call.name, call.arguments) == ("c", "look", '{"at":1}')


@pytest.mark.parametrize("data", [{"metadata": {"toolCall": {"requestId": "c"}}}, {"toolCallId": "c"}])
def test_results_name_their_call_in_both_forms(data: dict[str, Any]) -> None:
    assert MessageNode.model_validate({"role": "tool", **data}).result_of == "c"
    assert MessageNode.model_validate({"role": "user", **data}).result_of is None


def test_not_said_means_enabled() -> None:
    said = [MessageNode.model_validate({"isEnabled": value}).enabled for value in (None, True, False)]

    assert said == [True, True, False]


def test_calls_on_a_result_are_those_it_answers() -> None:
    node = MessageNode.model_validate(
        {"role": "tool", "metadata": {"toolCalls": [{"requestId": "c", "toolName": "x"}]}}
    )

    assert (node.tool_calls, node.result_of) == ((), "c")


def test_numbers_beyond_64_bits_are_no_trouble() -> None:
    call = {"requestId": "c", "toolName": "x", "args": {"n": 10**30}}
    node = MessageNode.model_validate({"role": "assistant", "metadata": {"toolCallsRequested": [call]}})

    assert node.tool_calls[0].arguments == f'{{"n":{10**30}}}'
    assert str(10**30).encode() in node.to_json()


def test_messages_share_the_names_of_their_fields() -> None:
    one, other = (MessageNode.model_validate({"id": key, "content": key, "metadata": {"k": key}}) for key in "ab")
    edited = one.with_(content="c", status="error")

    for node in (one, other, edited):
        assert sys.getsizeof(node.__dict__) * 2 < sys.getsizeof(dict(node.__dict__))
    assert one.model_fields_set is other.model_fields_set
    assert edited.model_fields_set == {"id", "content", "metadata", "status"}
    assert one.model_fields_set == {"id", "content", "metadata"}
    assert edited.sent_fields == one.sent_fields

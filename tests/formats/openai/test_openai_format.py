"""OpenAI's chat form, in and out."""

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.api import build
from ctxlab.documents import Agent
from ctxlab.formats import Import, openai_messages, read, read_data, write

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":"x"}'}}
RESULT = {"role": "tool", "tool_call_id": "c1", "name": "look", "content": "a cat"}
PIXEL = "data:image/png;base64,iVBORw0K"


def said(found: Import) -> list[str]:
    return [node.content for node in found.pick().path()[1:]]


def again(found: Import) -> list[dict[str, Any]]:
    agent = found.agents[0] if found.agents else None
    export = openai_messages(found.pick(), agent=agent)
    assert export.losses == ()
    return export.data


def test_a_list_becomes_a_row_of_nodes_under_an_empty_root() -> None:
    found = read_data([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])

    session = found.pick()
    assert [(n.id, n.role, n.content) for n in session.path()] == [
        ("root", "system", ""),
        ("m0", "user", "Hi"),
        ("m1", "assistant", "Hello"),
    ]
    assert session.check() == ()
    assert (found.format, found.agents, found.losses) == ("openai", (), ())


def with_ids(*ids: Any) -> list[dict[str, Any]]:
    return [{"role": ("user", "assistant")[i % 2], "content": f"{i}", "id": each} for i, each in enumerate(ids)]


def test_a_message_keeps_its_id_and_one_without_is_named_by_its_place() -> None:
    messages = [*with_ids("k1", "m3", 7), {"role": "assistant", "content": "3"}]

    found = read_data({"messages": messages})

    assert [(n.id, n.content) for n in found.pick().path()[1:]] == [("k1", "0"), ("m3", "1"), ("7", "2"), ("m3~2", "3")]
    assert found.losses == ()
    assert again(found) == messages


def test_an_id_that_cannot_be_kept_is_a_loss() -> None:
    found = read_data(with_ids("a", "a", "root", "", ["x"], True))

    assert [n.id for n in found.pick().path()[1:]] == ["a", "a~2", "root~2", "m3", "m4", "m5"]
    assert [str(loss) for loss in found.losses] == [
        "messages[1]: id 'a' is taken by another message; it is 'a~2' now",
        "messages[2]: id 'root' is taken by another message; it is 'root~2' now",
        *[f"messages[{i}]: its id is no text, so nothing can name it; it is named by its place" for i in (3, 4, 5)],
    ]


def test_a_leading_system_message_becomes_a_preset_that_the_nodes_name() -> None:
    found = read_data(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}], source="log.json"
    )

    assert [p.content for p in found.agents[0].preset_messages] == ["Be brief."]
    assert {n.agent_id for n in found.pick().nodes.values()} == {"agent-log"} == {found.agents[0].id}


def test_a_later_system_message_stays_where_it_was() -> None:
    found = read_data([{"role": "user", "content": "Hi"}, {"role": "system", "content": "Be brief."}])

    assert found.agents == ()
    assert found.pick()["m1"].role == "system"


def test_calls_and_results_are_linked_and_arguments_stay_as_written() -> None:
    found = read_data(
        [{"role": "user", "content": "?"}, {"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT]
    )

    asked, answer = found.pick()["m1"], found.pick()["m2"]
    assert [call.as_data() for call in asked.tool_calls] == [CALL]
    assert answer.result_of == "c1"
    assert answer.name == "look"


def test_the_older_function_form_is_linked_too() -> None:
    found = read_data(
        [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
            {"role": "function", "name": "look", "content": "a cat"},
        ]
    )

    assert found.pick()["m2"].role == "tool"
    assert found.pick()["m2"].result_of == found.pick()["m1"].tool_calls[0].id


def test_text_parts_are_joined_and_pictures_become_attachments() -> None:
    parts = [
        {"type": "text", "text": "one"},
        {"type": "text", "text": "two"},
        {"type": "image_url", "image_url": {"url": PIXEL, "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}},
        {"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"}},
    ]

    found = read_data([{"role": "user", "content": parts}])

    node = found.pick()["m0"]
    assert node.content == "one\ntwo"
    assert [(a.type, a.mime_type, a.size) for a in node.attachments or ()] == [
        ("image", "image/png", 6),
        ("image", "", None),
        ("audio", "audio/wav", 3),
        ("document", "application/pdf", 3),
    ]
    assert (node.attachments or ())[0].to_data()["inlineData"] == {"base64": "iVBORw0K", "mimeType": "image/png"}
    assert found.losses == ()
    assert again(found)[0]["content"] == [{"type": "text", "text": "one\ntwo"}, *parts[2:]]


def test_a_part_that_nobody_knows_is_kept_and_said() -> None:
    strange = {"type": "hologram", "hologram": {"cells": 4}}

    found = read_data([{"role": "user", "content": [{"type": "text", "text": "see"}, strange]}])

    assert [loss.place for loss in found.losses] == ["messages[0].content[1]"]
    assert again(found) == [{"role": "user", "content": [{"type": "text", "text": "see"}, strange]}]


def test_facts_without_a_field_of_their_own_come_back() -> None:
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Hi", "name": "ann", "weight": 1},
        {"role": "assistant", "content": "Hello", "reasoning_content": "They greet.", "refusal": "no"},
    ]

    found = read_data(messages)

    assert found.pick()["m2"].reasoning == "They greet."
    assert again(found) == messages


def test_an_unknown_role_becomes_user_with_a_loss() -> None:
    found = read_data([{"role": "user", "content": "Hi"}, {"role": "narrator", "content": "Night falls."}])

    assert found.pick()["m1"].role == "user"
    assert [str(loss) for loss in found.losses] == [
        "messages[1]: role 'narrator' is not known; it is a user message now"
    ]


def test_broken_messages_amongst_good_ones_are_named() -> None:
    found = read_data([{"role": "user", "content": "Hi"}, 7, {"role": "assistant", "content": {"a": 1}}])

    assert said(found) == ["Hi", '{"a": 1}']
    assert [loss.place for loss in found.losses] == ["messages[1]", "messages[2]"]


def test_a_request_body_keeps_its_tools_and_settings() -> None:
    tool = {"type": "function", "function": {"name": "look", "parameters": {}}}

    found = read_data(
        {"model": "gpt-4o", "temperature": 0, "tools": [tool], "messages": [{"role": "user", "content": "?"}]}
    )

    assert found.agents[0].tools == (tool,)
    assert found.agents[0].parameters == {"temperature": 0}
    assert found.agents[0].model_id == "gpt-4o"


def test_lines_make_several_sessions_and_equal_prompts_one_agent(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    lines = [{"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": f"q{i}"}]} for i in range(3)]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    found = read(path)

    assert [session.id for session in found.sessions] == ["chats-1", "chats-2", "chats-3"]
    assert len(found.agents) == 1


def test_a_line_separator_inside_a_string_does_not_cut_a_line(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    line = json.dumps({"messages": [{"role": "user", "content": "a\u2028b\x85c"}]}, ensure_ascii=False)
    path.write_text(f"{line}\n{line}\n", encoding="utf-8")

    assert [s["m0"].content for s in read(path).sessions] == ["a\u2028b\x85c"] * 2


# --- out


def test_the_path_of_a_leaf_is_written() -> None:
    session = read_data([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "A"}]).pick()
    session = session.append("B", role="assistant", parent="m0", id="b")

    assert [m["content"] for m in openai_messages(session).data] == ["Hi", "B"]
    assert [m["content"] for m in openai_messages(session, leaf="m1").data] == ["Hi", "A"]


def test_what_the_form_cannot_carry_is_said() -> None:
    session = (
        read_data([{"role": "user", "content": "Hi"}])
        .pick()
        .append("off", id="off", is_enabled=False)
        .append("file", id="file", attachments=[{"id": "a1", "path": "assets/a1.png", "type": "image"}])
        .append("named", id="named", speaker="First Message")
        .append("label", id="label", name="Greeting")
    )

    export = openai_messages(session)

    assert [m["content"] for m in export.data] == ["Hi", "file", "named", "label"]
    assert [loss.place for loss in export.losses] == ["node 'off'", "node 'file'", "node 'named'", "labels"]


def test_a4_who_speaks_is_read_sent_and_written() -> None:
    messages = [
        {"role": "system", "content": "You are two.", "name": "example_user"},
        {"role": "user", "content": "hi", "name": "Bob"},
        {"role": "user", "content": "yo", "name": "Ann"},
    ]
    found = read_data(messages)

    assert [node.speaker for node in found.pick().path() if node.content] == ["Bob", "Ann"]
    assert again(found) == messages
    assert [(m.get("name"), m["content"]) for m in build(found).messages] == [
        ("example_user", "You are two."),
        ("Bob", "hi"),
        ("Ann", "yo"),
    ]


def test_a_summary_stands_for_what_it_hides() -> None:
    session = read_data([{"role": "user", "content": "old"}, {"role": "assistant", "content": "older"}]).pick()
    session = session.append(
        "sum", role="system", metadata={"isCompressionNode": True, "compressedNodeIds": ["m0", "m1"]}
    )

    export = openai_messages(session.append("new"))

    assert [m["content"] for m in export.data] == ["sum", "new"]
    assert len(export.losses) == 2


def test_presets_need_their_agent() -> None:
    found = read_data([{"role": "system", "content": "S"}, {"role": "user", "content": "Hi"}])

    export = openai_messages(found.pick())

    assert [m["role"] for m in export.data] == ["user"]
    assert [str(loss) for loss in export.losses] == [
        "agent 'agent-data': its presets are not in the list; give agent= to have them"
    ]


def test_presets_that_only_a_pipeline_can_place_are_left_out() -> None:
    session = read_data([{"role": "user", "content": "Hi"}]).pick()
    agent = Agent.model_validate(
        {
            "presetMessages": [
                {"id": "a", "role": "system", "content": "before", "name": "Main prompt"},
                {"id": "h", "type": "chat_history"},
                {"id": "b", "role": "system", "content": "after"},
                {"id": "d", "role": "system", "content": "deep", "injectionStrategy": {"depth": 2}},
            ]
        }
    )

    export = openai_messages(session, agent=agent)

    assert [m["content"] for m in export.data] == ["before", "Hi", "after"]
    assert [loss.place for loss in export.losses] == ["preset 'd'"]


def test_finished_messages_lose_only_the_bookkeeping() -> None:
    export = openai_messages([{"role": "user", "content": "Hi", "source": ["node", "u"], "tokens": 1}])

    assert export.data == [{"role": "user", "content": "Hi"}]


def test_the_written_file_is_read_again(tmp_path: Path) -> None:
    found = read_data(
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT]
    )

    export = write(found.pick(), tmp_path / "out.openai.json")

    assert export.losses == ()
    assert said(read(tmp_path / "out.openai.json")) == said(found)


def test_equal_ids_of_conversations_are_told_apart() -> None:
    item = {"id": "c", "messages": [{"role": "user", "content": "Hi"}]}

    found = read_data([item, item])

    assert [session.id for session in found.sessions] == ["c", "c~2"]
    assert [loss.place for loss in found.losses] == ["[1]"]


@pytest.mark.parametrize("prompt", ["Be brief.", [{"type": "text", "text": "Be brief."}]])
@pytest.mark.parametrize("field", ["system", "instructions"])
def test_a_request_s_prompt_and_model_are_taken(field: str, prompt: object) -> None:
    body = {"model": "claude-sonnet-4-5", field: prompt, "messages": [{"role": "user", "content": "Hello"}]}

    found = ctxlab.read_data(body)
    trace = ctxlab.build(found)

    assert [(message["role"], message["content"]) for message in trace.messages] == [
        ("system", "Be brief."),
        ("user", "Hello"),
    ]
    assert trace.start.input.model is not None
    assert trace.start.input.model.id == "claude-sonnet-4-5"
    assert found.losses == ()


def test_a_cache_mark_of_a_request_s_prompt_is_a_loss() -> None:
    block = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}

    found = ctxlab.read_data({"instructions": [block], "messages": [{"role": "user", "content": "Hello"}]})

    (loss,) = found.losses
    assert loss.place == "instructions"
    assert found.pick().to_data()["openai"] == {"instructions": [block]}

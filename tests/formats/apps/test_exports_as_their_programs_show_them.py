"""Exports of chat programs: links in any order, calls, thoughts, files' texts, and a loss for whatever stays aside."""

import json
from typing import Any

import pytest

import ctxlab
from ctxlab.formats import Import, openai_messages, read_data

FIRST = "00000000-0000-4000-8000-000000000000"


def claude(*messages: dict[str, Any], **chat: Any) -> Import:
    return read_data([{"uuid": "c", "name": "Tides", "chat_messages": list(messages), "account": {}, **chat}])


def of_claude(uuid: str, parent: str | None, text: str, **more: Any) -> dict[str, Any]:
    sender = "human" if uuid.startswith("u") else "assistant"
    content = [{"type": "text", "text": text}] if text else []
    named = {} if parent is None else {"parent_message_uuid": parent}
    return {"uuid": uuid, "sender": sender, "text": text, "content": content, **named, **more}


def libre(*messages: dict[str, Any]) -> Import:
    return read_data({"conversationId": "c", "title": "Tides", "messages": list(messages), "options": {}})


def of_libre(id: str, parent: str | None, text: str, **more: Any) -> dict[str, Any]:
    named = {} if parent is None else {"parentMessageId": parent}
    return {"messageId": id, "text": text, "isCreatedByUser": id.startswith("u"), **named, **more}


def web_ui(*messages: dict[str, Any], current: str = "a1") -> Import:
    stored = {message["id"]: message for message in messages}
    return read_data([{"id": "c", "chat": {"title": "Tides", "history": {"currentId": current, "messages": stored}}}])


def of_web_ui(id: str, parent: str | None, text: str, **more: Any) -> dict[str, Any]:
    named = {} if parent is None else {"parentId": parent}
    return {"id": id, "role": "user" if id.startswith("u") else "assistant", "content": text, **named, **more}


PROGRAMS = [(claude, of_claude), (libre, of_libre), (web_ui, of_web_ui)]


def words(found: Import) -> list[str]:
    return [node.content for node in found.pick().path()[1:]]


@pytest.mark.parametrize(("export", "said"), PROGRAMS)
def test_links_do_not_depend_on_the_order_in_the_file(export: Any, said: Any) -> None:
    row = [said("u1", FIRST, "Q1"), said("a1", "u1", "A1"), said("u2", "a1", "Q2"), said("a2", "u2", "A2")]
    more = {"current": "a2"} if export is web_ui else {}
    for order in ([3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 3, 1]):
        found = export(*(row[place] for place in order), **more)
        assert (words(found), [*found.losses]) == (["Q1", "A1", "Q2", "A2"], [])


@pytest.mark.parametrize(("export", "said"), PROGRAMS)
def test_a_parent_that_is_not_there_is_a_loss(export: Any, said: Any) -> None:
    found = export(said("u1", FIRST, "Q1"), said("a1", "gone", "A1"))
    assert any("its parent 'gone' is not there" in str(loss) for loss in found.losses)


@pytest.mark.parametrize(("export", "said"), PROGRAMS)
def test_a_message_that_names_no_parent_amid_others_that_do_follows_the_one_before_it(export: Any, said: Any) -> None:
    rows = [said("u1", FIRST, "Q1"), said("a0", "u1", "A0"), said("u2", None, "Q2"), said("a1", "u2", "A1")]
    found = export(*rows)
    assert words(found) == ["Q1", "A0", "Q2", "A1"]
    assert [loss.place for loss in found.losses] == ["message 'u2'"]


def test_a_message_that_only_its_parent_lists_hangs_on_it() -> None:
    found = web_ui(of_web_ui("u1", FIRST, "Q1", childrenIds=["a1"]), of_web_ui("a1", None, "A1"))
    assert (words(found), [*found.losses]) == (["Q1", "A1"], [])


def test_messages_without_links_are_put_in_time_and_a_question_comes_before_its_answer() -> None:
    times = [("a1", 1), ("u1", 1), ("a2", 3), ("u2", 2)]
    found = claude(*(of_claude(id, None, id, created_at=f"2026-01-01T00:00:0{time}.5Z") for id, time in times))
    assert words(found) == ["u1", "a1", "u2", "a2"]


def test_branches_are_in_time_and_the_newest_end_is_the_leaf_where_none_is_named() -> None:
    rows = [
        of_claude("a2", "u1", "newer", created_at="2026-01-01T10:00:00+08:00"),  # 02:00 in UTC
        of_claude("a1", "u1", "older", created_at="2026-01-01T01:00:00Z"),
        of_claude("u1", FIRST, "Q", created_at="2026-01-01T00:00:00Z"),
    ]
    session = claude(*rows).pick()
    assert [*session.children("u1")] == ["a1", "a2"]
    assert session.active_leaf_id == "a2"


@pytest.mark.parametrize(
    ("export", "said", "file"),
    [
        (claude, of_claude, {"attachments": [{"file_name": "n.txt", "extracted_content": "潮汐表 tide table"}]}),
        (libre, of_libre, {"files": [{"filename": "n.txt", "file_id": "f", "text": "潮汐表 tide table"}]}),
        (web_ui, of_web_ui, {"files": [{"name": "n.txt", "file": {"data": {"content": "潮汐表 tide table"}}}]}),
    ],
)  # fmt: skip
def test_the_text_of_a_file_that_is_in_the_export_is_sent(export: Any, said: Any, file: Any) -> None:
    found = export(said("u1", FIRST, "look", **file), said("a1", "u1", "ok"))
    assert [*found.losses] == []
    sent = ctxlab.build(found.pick()).messages[0]["content"]
    assert "潮汐表 tide table" in sent
    assert "n.txt" in sent


@pytest.mark.parametrize(
    ("export", "said", "name"),
    [(claude, of_claude, "file_name"), (libre, of_libre, "filename"), (web_ui, of_web_ui, "name")],
)
def test_a_file_that_is_only_named_is_a_loss(export: Any, said: Any, name: str) -> None:
    found = export(said("u1", FIRST, "look", files=[{name: "n.txt"}]), said("a1", "u1", "ok"))
    assert [loss.text for loss in found.losses] == ["1 file is named without content"]


def test_calls_inside_an_answer_of_claude_are_messages_of_their_own() -> None:
    content = [
        {"type": "thinking", "thinking": "Look first."},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "tide"}},
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"title": "Tide tables of the bay", "text": "14:20"}]},
        {"type": "tool_use", "name": "artifacts", "input": {"content": "# Tides", "id": "tides"}},
        {"type": "tool_result", "name": "artifacts", "content": [{"type": "text", "text": "OK"}]},
        {"type": "text", "text": "High at 14:20."},
    ]  # fmt: skip
    shell = "I look.\n```\nThis block is not supported on your current device yet.\n```\n\nHigh at 14:20."
    found = claude(of_claude("u1", FIRST, "When?"), of_claude("a1", "u1", "") | {"content": content, "text": shell})
    messages = openai_messages(found.pick()).data
    assert [(message["role"], message.get("content") or "") for message in messages] == [
        ("user", "When?"),
        ("assistant", "I look."),
        ("tool", "14:20"),
        ("assistant", ""),
        ("tool", "OK"),
        ("assistant", "High at 14:20."),
    ]
    assert json.loads(messages[3]["tool_calls"][0]["function"]["arguments"])["content"] == "# Tides"
    assert found.pick()["a1"].meta("reasoningContent") == "Look first."
    assert [str(loss) for loss in found.losses] == ["message 'a1': blocks: kept in the metadata, not sent"]


def test_words_of_claudes_screen_for_what_it_can_not_show_are_not_sent() -> None:
    shell = "See:\n```\nThis block is not supported on your current device yet.\n```\n\nDone."
    found = claude(of_claude("u1", FIRST, "When?"), of_claude("a1", "u1", "") | {"text": shell})
    assert words(found)[1] == "See:\n\nDone."
    assert len(found.losses) == 1


@pytest.mark.parametrize(("export", "said"), PROGRAMS)
def test_text_that_is_kept_in_the_metadata_alone_is_a_loss(export: Any, said: Any) -> None:
    found = export(said("u1", FIRST, "Q", excerpt={"of": ["the tide tables of 1911"]}), said("a1", "u1", "A"))
    assert [(loss.place, loss.field) for loss in found.losses] == [("message 'u1'", "excerpt")]
    assert "the tide tables of 1911" in json.dumps(found.pick().to_data())


CALL = (
    '<details type="tool_calls" done="true" id="t1" name="look" '
    'arguments="&quot;{\\&quot;at\\&quot;: \\&quot;sea\\&quot;}&quot;"'
    ' result="&quot;fog \\u6d77&quot;">\n<summary>Tool Executed</summary>\n</details>\n'
)  # fmt: skip
THOUGHT = '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> Look\n> first.\n</details>\n'
CODE = (
    '<details type="code_interpreter" done="true">\n<summary>Analyzed</summary>\n```python\nprint(1)\n```\n</details>\n'
)
OUTPUT = [
    {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Look\nfirst."}]},
    {"type": "function_call", "call_id": "t1", "name": "look", "arguments": '{"at": "sea"}', "id": "f"},
    {"type": "function_call_output", "call_id": "t1", "output": [{"type": "input_text", "text": "fog 海"}]},
    {"type": "message", "content": [{"type": "output_text", "text": "Fog."}]},
]  # fmt: skip


@pytest.mark.parametrize("stored", [{}, {"output": OUTPUT}])
def test_thoughts_and_calls_of_open_webui_are_not_sent_as_its_screen_shows_them(stored: Any) -> None:
    found = web_ui(of_web_ui("u1", None, "Look."), of_web_ui("a1", "u1", THOUGHT + CALL + "Fog.", **stored))
    messages = openai_messages(found.pick()).data
    assert [(message["role"], message.get("content") or "") for message in messages] == [
        ("user", "Look."),
        ("assistant", ""),
        ("tool", "fog 海"),
        ("assistant", "Fog."),
    ]
    assert messages[1]["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"at": "sea"}'}
    assert found.pick()["a1"].meta("reasoningContent") == "Look\nfirst."
    assert [*found.losses] == []


def test_code_that_open_webui_takes_out_is_kept_with_a_loss() -> None:
    found = web_ui(of_web_ui("u1", None, "Count."), of_web_ui("a1", "u1", CODE + "One."))
    assert words(found)[1] == "One."
    assert ["takes code" in loss.text for loss in found.losses] == [True]
    assert "print(1)" in json.dumps(found.pick()["a1"].meta("openWebui"))


def test_details_that_never_end_stay_text_and_take_no_longer_than_their_length() -> None:
    text = '<details type="reasoning"' * 40_000
    assert words(web_ui(of_web_ui("u1", None, "Q"), of_web_ui("a1", "u1", text)))[1] == text


def test_a_thought_inside_the_text_of_librechat_is_a_thought() -> None:
    found = libre(of_libre("u1", FIRST, "Q"), of_libre("a1", "u1", ":::thinking\nHm, tides.\n:::\nEast."))
    assert (words(found)[1], found.pick()["a1"].meta("reasoningContent")) == ("East.", "Hm, tides.")

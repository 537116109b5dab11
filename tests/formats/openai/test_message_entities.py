"""Messages as chat programs store them: entities, calls in camel case, segments, summaries."""

from typing import Any

import pytest

import ctxlab
from ctxlab.formats import Import, read_data

Data = dict[str, Any]


def call(call_id: str, name: str = "execute_command") -> Data:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": '{"command":"ls"}'}}


def entity(number: int, role: str, content: Any = None, **body: Any) -> Data:
    said = {} if content is None else {"content": content}
    return {"id": number, "chatId": 7, "tokens": 3, "body": {"role": role, "segments": [], **said, **body}}


CHAT = [
    entity(1, "user", "执行命令 ls"),
    entity(2, "assistant", toolCalls=[call("call_1")]),
    entity(3, "tool", "a.txt", toolCallId="call_1"),
    entity(4, "assistant", "命令执行完成"),
    entity(5, "user", "再执行 pwd"),
    entity(6, "assistant", toolCalls=[call("call_2")]),
    entity(7, "tool", "/home", toolCallId="call_2"),
    entity(8, "assistant", ""),
]
SUMMARY = {"id": 1, "messageIds": [1, 2, 3, 4], "startMessageId": 1, "summary": "用户执行了 ls 命令，查看了目录内容"}


def sent(found: Import) -> list[tuple[str, str | None]]:
    return [(message["role"], message["content"]) for message in ctxlab.build(found).messages]


def test_item_4_a_bare_list_of_messages_with_tool_calls_in_camel_case_is_read() -> None:
    found = read_data([stored["body"] for stored in CHAT])

    session = found.pick()
    assert (found.format, found.losses, session.check()) == ("openai", (), ())
    assert [(node.role, node.content) for node in session.path()[1:4]] == [
        ("user", "执行命令 ls"),
        ("assistant", ""),
        ("tool", "a.txt"),
    ]
    (asked,) = session["m1"].tool_calls
    assert (asked.id, asked.name, asked.arguments) == ("call_1", "execute_command", '{"command":"ls"}')
    assert session["m2"].result_of == "call_1"


def test_item_4_entities_are_read_as_the_messages_that_they_hold() -> None:
    found = read_data(CHAT)

    session = found.pick()
    assert (found.losses, len(session.path())) == ((), 9)
    assert session["7"].result_of == "call_2"
    assert session["7"].meta("openai") == {"segments": [], "entity": {"id": 7, "chatId": 7, "tokens": 3}}


def test_item_4_reasoning_words_and_pictures_come_through() -> None:
    segments = [
        {"type": "reasoning", "content": "Hm."},
        {"type": "text", "content": "Yes"},
        {"type": "text", "content": "."},
    ]
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}

    session = read_data(
        [
            {"role": "user", "content": [{"type": "text", "text": "see"}, picture], "segments": []},
            {"role": "assistant", "segments": segments},
            {"role": "assistant", "content": "b", "reasoningContent": "So.", "segments": segments},
            {"role": "user", "content": "c", "attachments": [{"id": "f", "type": "document", "name": "a.pdf"}]},
        ]
    ).pick()

    assert [asset.type for asset in session["m0"].attachments or ()] == ["image"]
    assert (session["m1"].content, session["m1"].reasoning) == ("Yes.", "Hm.")
    assert (session["m2"].content, session["m2"].reasoning) == ("b", "So.")
    assert [asset.name for asset in session["m3"].attachments or ()] == ["a.pdf"]
    assert session["m1"].meta("openai") == {"segments": segments}


def test_item_4_a_summary_stands_where_the_messages_were_that_it_stands_for() -> None:
    for data in ([*CHAT, SUMMARY], {"messageEntities": CHAT, "compressionSummary": SUMMARY}):
        found = read_data(data)

        summary = found.pick()["summary-1"]
        assert (found.losses, found.pick().check()) == ((), ())
        assert (summary.is_summary, summary.hides) == (True, ("1", "2", "3", "4"))
        assert summary.meta("openai") == {"id": 1}
        assert sent(found) == [
            ("system", "[Previous conversation summary...]\n\n用户执行了 ls 命令，查看了目录内容"),
            ("user", "再执行 pwd"),
            ("assistant", ""),
            ("tool", "/home"),
        ]


def test_item_4_a_summary_in_the_middle_stands_before_the_first_message_that_it_hides() -> None:
    middle = {"messageIds": [3, 2, 4], "summary": "ls was run"}

    assert [words for _, words in sent(read_data([middle, *CHAT]))][:2] == [
        "执行命令 ls",
        "[Previous conversation summary...]\n\nls was run",
    ]


def test_the_newest_active_summary_is_sent_and_the_others_are_switched_off() -> None:
    older = {**SUMMARY, "id": 1, "messageIds": [1], "summary": "older", "createdAt": 10}
    newest = {**SUMMARY, "id": 2, "summary": "newest", "createdAt": 30, "status": "active"}
    gone = {**SUMMARY, "id": 3, "summary": "gone", "createdAt": 40, "isActive": False}

    for summaries in ([older, newest, gone], [gone, newest, older]):
        found = read_data({"messageEntities": CHAT, "compressedSummaries": summaries})

        nodes = [node for node in found.pick().path() if node.is_summary]
        assert {node.content.rpartition("\n")[2]: node.enabled for node in nodes} == {
            "older": False,
            "newest": True,
            "gone": False,
        }
        assert [words for role, words in sent(found) if role == "system"] == [
            "[Previous conversation summary...]\n\nnewest"
        ]


def test_without_an_active_summary_the_messages_are_sent() -> None:
    found = read_data({"messageEntities": CHAT, "compressionSummary": {**SUMMARY, "status": "archived"}})

    assert [words for _, words in sent(found)][:2] == ["执行命令 ls", ""]


@pytest.mark.parametrize("when", ["createdAt", "id", None])
def test_the_newest_summary_is_that_of_the_latest_time_or_id_or_place(when: str | None) -> None:
    bare = {"messageIds": [1], "startMessageId": 1}
    stamps = [{when: n} if when else {} for n in (1, 9, 10)]
    summaries = [{**bare, "summary": f"s{n}", **stamp} for n, stamp in enumerate(stamps)]

    found = read_data({"messageEntities": CHAT, "summaries": summaries})

    assert [node.content[-2:] for node in found.pick().path() if node.is_summary and node.enabled] == ["s2"]


def test_the_heading_is_put_once() -> None:
    headed = {**SUMMARY, "summary": "[Previous conversation summary...]\n\nls"}

    assert sent(read_data([*CHAT, headed]))[0] == ("system", "[Previous conversation summary...]\n\nls")


def test_item_4_a_summary_of_messages_that_are_not_there_says_so() -> None:
    found = read_data([{**SUMMARY, "messageIds": [1, 99], "startMessageId": 98}, *CHAT])

    assert [str(loss) for loss in found.losses] == ["summary 1: 1 of the 2 messages that it stands for are not there"]
    assert found.pick()["summary-1"].hides == ("1",)


def test_item_4_system_prompts_beside_the_messages_are_one_preset() -> None:
    found = read_data({"systemPrompts": ["Be brief.", "Be kind."], "messages": CHAT[:1]})

    (agent,) = found.agents
    assert [preset.content for preset in agent.preset_messages] == ["Be brief.\nBe kind."]
    assert sent(found) == [("system", "Be brief.\nBe kind."), ("user", "执行命令 ls")]

"""Chats that Open WebUI, LibreChat, Chatbot UI and Claude export."""

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.formats import Import, openai_messages, read_data
from ctxlab.testing import generated_session


def web_ui(**fields: Any) -> dict[str, Any]:
    picture = {"type": "image", "url": "data:image/png;base64,iVBORw0KGgo="}
    messages = {
        "u": {"id": "u", "parentId": None, "role": "user", "content": "灯塔？", "files": [picture], "timestamp": 1.7e9},
        "a": {"id": "a", "parentId": "u", "role": "assistant", "content": "A", "model": "m", "usage": {}},
        "b": {"id": "b", "parentId": "u", "role": "assistant", "content": "B", "model": "n", "sources": ["map"]},
    }  # fmt: skip
    params = {"system": "Be brief.", "temperature": 0.5}
    chat = {"title": "Lights", "history": {"currentId": "a", "messages": messages}, "params": params}
    return {"id": "c1", "title": "Lights", "chat": chat, "created_at": 1_700_000_000, "pinned": True, **fields}


def libre(messages: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    return {"conversationId": "c2", "title": "Lights", "messages": messages, "options": {"model": "m", **options}}


def said(id: str, parent: str, text: str, *, user: bool = False, **more: Any) -> dict[str, Any]:
    return {"messageId": id, "parentMessageId": parent, "text": text, "isCreatedByUser": user, **more}


def test_a_chat_of_open_webui_is_its_whole_tree_with_an_agent_for_its_system_prompt() -> None:
    found = read_data([web_ui()])
    session = found.pick()
    assert (found.format, found.losses, session.check()) == ("open-webui", (), ())
    assert (session.id, session.name, session.active_leaf_id) == ("c1", "Lights", "a")
    assert [node.content for node in session.path()[1:]] == ["灯塔？", "A"]
    assert [*session.children("u")] == ["a", "b"]
    assert session["u"].timestamp == "2023-11-14T22:13:20Z"
    assert [asset.mime_type for asset in session["u"].attachments] == ["image/png"]
    assert (session["a"].meta("modelId"), session["b"].meta("openWebui")) == ("m", {"sources": ["map"]})
    (agent,) = found.agents
    assert [preset.content for preset in agent.preset_messages] == ["Be brief."]
    assert session.to_data()["openWebui"] == {"pinned": True}


def test_the_system_prompt_stays_in_the_tree_where_it_is_asked_for() -> None:
    from ctxlab.formats import read_source
    from ctxlab.formats.source import Source

    session = read_source(Source([web_ui()], "chats.json", keep_prompts=True)).pick()
    assert [node.role for node in session.path()[1:]] == ["system", "user", "assistant"]


def test_a_conversation_of_librechat_is_the_same_tree_nested_or_in_a_row() -> None:
    row = [
        said("u", "00000000", "灯塔？", user=True),
        said("a", "u", "A", createdAt="2026-01-01T00:00:00Z"),
        said("b", "u", "B", createdAt="2026-01-02T00:00:00Z", promptTokens=12, tokenCount=3),
    ]
    nested = [{**row[0], "children": [{**each, "children": []} for each in row[1:]]}]
    for messages in (row, nested):
        found = read_data(libre(messages, promptPrefix="Be brief.", temperature=0.1))
        session = found.pick()
        assert (found.format, session.check()) == ("librechat", ())
        assert [str(loss) for loss in found.losses] == [
            "active branch: the file doesn't say which branch is active; the newest message's is taken"
        ]
        assert not session.leaf_is_remembered
        assert [(node.id, node.content) for node in session.path()[1:]] == [("u", "灯塔？"), ("b", "B")]
        assert [*session.children("u")] == ["a", "b"]
        assert session["a"].meta("modelId") == "m"
        assert session["b"].meta("librechat")["usage"] == {"prompt_tokens": 12, "completion_tokens": 3}
        assert [preset.content for preset in found.agents[0].preset_messages] == ["Be brief."]


def test_a_leaf_that_the_file_names_is_remembered_and_one_that_it_does_not_is_not() -> None:
    named, unnamed = web_ui(), web_ui()
    unnamed["chat"]["history"]["currentId"] = "gone"
    for chat, losses in ((named, 0), (unnamed, 1)):
        found = read_data([chat])
        assert (len(found.losses), found.pick()["u"].last_selected_child_id is None) == (losses, bool(losses))


def test_a_row_of_librechat_has_one_branch_and_needs_no_word() -> None:
    found = read_data(libre([said("u", "", "Look.", user=True), said("a", "u", "A")]))
    assert (found.losses, found.pick().leaf_is_remembered) == ((), True)


def test_calls_inside_an_answer_of_librechat_are_messages_of_their_own() -> None:
    call = {"id": "t1", "name": "look", "args": '{"at": "sea"}', "output": "fog"}
    content = [
        {"type": "think", "think": "Look first."},
        {"type": "tool_call", "tool_call": call},
        {"type": "text", "text": {"value": "Fog."}},
        {"type": "agent_update"},
    ]
    found = read_data(libre([said("u", "", "Look.", user=True), said("a", "u", "", content=content)]))
    session = found.pick()
    assert [loss.place for loss in found.losses] == ["message 'a'"]
    assert session.check() == ()
    messages = openai_messages(session).data
    assert [(message["role"], message.get("content") or "") for message in messages] == [
        ("user", "Look."),
        ("assistant", ""),
        ("tool", "fog"),
        ("assistant", "Fog."),
    ]
    assert session["a"].meta("reasoningContent") == "Look first."


def test_chats_of_claude_and_chatbot_ui_are_rows() -> None:
    blocks = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "East."}]
    talk = [{"uuid": "u", "sender": "human", "text": "Where?"}, {"uuid": "a", "sender": "assistant", "content": blocks}]
    claude = read_data([{"uuid": "c", "name": "Lights", "chat_messages": talk, "account": {}}])
    rows = [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "East."}]
    chat = {"id": "x", "name": "Lights", "messages": rows, "prompt": "Be brief.", "model": {"id": "m"}}
    chatbot = read_data({"version": 4, "history": [chat], "folders": [], "prompts": []})
    for found, form in ((claude, "claude"), (chatbot, "chatbot-ui")):
        assert (found.format, found.losses, found.pick().check()) == (form, (), ())
        assert [node.content for node in found.pick().path()[1:]] == ["Where?", "East."]
    assert claude.pick()["a"].meta("reasoningContent") == "Hm."


@pytest.mark.parametrize(
    "messages",
    [
        [said("a", "b", "x"), said("b", "a", "y")],
        [said("a", "", "x"), said("a", "", "y")],
        [said("a", "gone", "x"), {"messageId": 7}, "no"],
        [said("", "", "x"), said("", "", "y")],
    ],
)
def test_broken_conversations_lose_what_is_named_and_nothing_else(messages: list[Any]) -> None:
    found = read_data(libre(messages))
    assert isinstance(found, Import)
    assert found.pick().check() == ()


def test_other_files_are_none_of_these() -> None:
    assert read_data(generated_session(4, seed=1)).format == "native"
    assert read_data([{"role": "user", "content": "Hi"}]).format == "openai"


def test_a_workspace_imports_them(tmp_path: Path) -> None:
    (tmp_path / "chats.json").write_text(json.dumps([web_ui()]), encoding="utf-8")
    (tmp_path / "libre.json").write_text(json.dumps(libre([said("u", "", "Hi", user=True)])), encoding="utf-8")
    with ctxlab.open_workspace(tmp_path / "kept") as workspace:
        for name in ("chats.json", "libre.json"):
            workspace.import_files(tmp_path / name)
        assert sorted(row.id for row in workspace.sessions()) == ["c1", "c2"]

"""Names of conversations: when one is due, what the model is asked, and what becomes of its answer."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab.chat.topic.context import shortened
from ctxlab.chat.topic.title import title_of
from ctxlab.documents import Session
from ctxlab.errors import MissingKey, Refused
from ctxlab.testing import FakeReply, FakeServer

KEY = "sk-never-to-be-seen-42"
CHAT = Session(id="s", name="会话 3").append("量子是什么？", id="u1").append("是……", role="assistant", id="a1")
ON = {"enabled": True}


def test_a_name_is_asked_for_with_the_newest_messages_and_can_be_undone() -> None:
    asked: list[Any] = []
    history = ctxlab.History(CHAT)

    name = ctxlab.name_topic(CHAT, model=lambda messages: asked.append(messages) or "标题：“量子入门”")

    assert (name.name, name.session.name, CHAT.name) == ("量子入门", "量子入门", "会话 3")
    assert "用户：量子是什么？\n助手：是……" in asked[0][0]["content"]
    assert name.applied(history).name == history.session.name == "量子入门"
    assert history.labels[-1] == "name_topic" and history.undo() == CHAT


def test_a_name_goes_to_a_history_that_went_on_and_not_to_one_that_was_renamed() -> None:
    name = ctxlab.name_topic(CHAT, model=lambda messages: "Quanta")
    grown = ctxlab.History(CHAT.append("And then?", id="u2"))

    assert (name.applied(grown).name, "u2" in grown.session.nodes) == ("Quanta", True)
    with pytest.raises(Refused, match="renamed"):
        name.applied(ctxlab.History(CHAT.with_(name="Mine")))
    with pytest.raises(Refused, match="is of session"):
        name.applied(ctxlab.History(CHAT.with_(id="other")))


@pytest.mark.parametrize(
    ("answer", "why"),
    [("", "empty"), ("好的，这是标题", "is no name"), ("<think>hm", "is no name")],
)
def test_an_answer_that_is_no_name_leaves_the_old_one_and_says_so(answer: str, why: str) -> None:
    name = ctxlab.name_topic(CHAT, model=lambda messages: answer)

    assert (name.name, name.session) == ("会话 3", CHAT)
    assert name.error is not None and why in name.error
    with pytest.raises(Refused, match="there is no name"):
        name.applied()


def test_a_model_that_fails_is_an_error_and_a_talk_without_words_asks_nobody() -> None:
    def failing(messages: Any) -> str:
        raise RuntimeError("no memory left")

    assert "no memory left" in str(ctxlab.name_topic(CHAT, model=failing).error)
    assert ctxlab.name_topic(Session(id="s"), model=failing).error == "no message has words yet"


def test_a_vendor_is_held_to_json_and_asked_plainly_where_that_gives_none() -> None:
    replies = ['{"title": "Quanta"}']
    with FakeServer(replies) as server:
        name = ctxlab.name_topic(CHAT, model="gpt-4o", base_url=server.base_url("openai"), key=KEY)
    with FakeServer([FakeReply("sorry, no JSON. Not here. Never."), "Quanta"]) as server:
        again = ctxlab.name_topic(CHAT, model="gpt-4o", base_url=server.base_url("openai"), key=KEY)

    (request,) = name.requests
    assert name.name == again.name == "Quanta"
    assert request.body["response_format"]["json_schema"]["strict"] is True
    assert ["response_format" in one.body for one in again.requests] == [True, False]
    assert "attempt 1" in again.notes[0].text
    assert KEY not in repr(name) + name._repr_html_() + str([one.as_data() for one in name.requests])


def test_settings_name_the_model_and_the_prompt() -> None:
    settings = {"modelIdentifier": "openai:gpt-4o-mini", "prompt": "Name: {context}", "maxTokens": 9, "wrong": 1}
    with FakeServer(['{"title": "x"}']) as server:
        name = ctxlab.name_topic(CHAT, settings=settings, base_url=server.base_url("openai"), key=KEY)

    (body,) = [request.body for request in name.requests]
    assert (body["model"], body["max_completion_tokens" if "max_completion_tokens" in body else "max_tokens"]) == (
        "gpt-4o-mini",
        9,
    )
    assert body["messages"][0]["content"].startswith("Name: 用户：")
    assert "'wrong'" in name.notes[0].text


def test_without_a_key_it_raises_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(MissingKey):
        ctxlab.name_topic(CHAT, model="gpt-4o")


def test_a_name_is_due_after_so_many_messages_of_the_user_unless_it_has_one() -> None:
    two = CHAT.append("b", id="u2").append("c", role="assistant").append("d", id="u3")

    assert ctxlab.topic_due(two, ON) and ctxlab.topic_due(two.with_(name=""), ON)
    assert not ctxlab.topic_due(CHAT, ON)
    assert not ctxlab.topic_due(two) and not ctxlab.topic_due(two.with_(name="Mine"), ON)
    assert not ctxlab.topic_due(two.disable("u2"), ON), "a message that is off doesn't count"
    assert ctxlab.topic_due(CHAT, {**ON, "autoTriggerThreshold": 1})


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ('```json\n{"title": "Hello"}\n```', "Hello"),
        ("**Title:** Fix it", "Fix it"),
        ("《红楼梦》讨论", "《红楼梦》讨论"),
        ("「海港」", "海港"),
        ('{"name": "x"}', None),
        ("x" * 60, "x" * 50 + "..."),
        ("C#", "C#"),
        ("F# 入门。", "F# 入门"),
        ("**Learning C#**", "Learning C#"),
        (".NET 部署", ".NET 部署"),
        ("#include 的用法", "#include 的用法"),
        ("`--help` 选项", "`--help` 选项"),
        ("**kwargs 与 *args", "**kwargs 与 *args"),
        ("__init__ 方法", "__init__ 方法"),
        ("Centering a <div> in CSS", "Centering a <div> in CSS"),
        ("Vec<T> und Box<T>", "Vec<T> und Box<T>"),
        ("用户登录流程设计", "用户登录流程设计"),
        ("首先出场的人物", "首先出场的人物"),
        ("根据地的历史", "根据地的历史"),
        ("OK Computer", "OK Computer"),
        ("Sure-footed goats", "Sure-footed goats"),
        ("C++ vs. Rust vs. Go vs. Zig", "C++ vs. Rust vs. Go vs. Zig"),
        ("Привет, мир", "Привет, мир"),
        ("مرحبا بالعالم", "مرحبا بالعالم"),
        ("日本語のテスト", "日本語のテスト"),
        ("<title>Sea walls</title>", "Sea walls"),
        ("# Title\n", "Title"),
        ("**量子入门**", "量子入门"),
        ("用户想知道量子是什么", None),
        ("Sure, here is a name", None),
        ("Here's a title for it", None),
        ("根据对话，这个标题很好", None),
        ("<answer>x", None),
    ],
)
def test_the_name_in_an_answer(answer: str, name: str | None) -> None:
    assert title_of(answer) == name


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    found = shortened("Begin. " + "word " * 1000 + "The end.")

    assert found.startswith("Begin.") and found.endswith("The end.") and len(found) < 1300

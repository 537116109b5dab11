"""Things of a chat that stay: its conversation after a restart, a change tried in a view below it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import Session
from ctxlab.errors import CtxlabError
from ctxlab_widgets import ChatPanel, TokenBudget
from ctxlab_widgets.chat_panel.setup import echo
from ctxlab_widgets.section_form.settings_form import SettingsForm
from tests.widgets.chat_models import LONG, HeldModel, Page, because, chat, until

KEPT = "talk.json.chat.json"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ctxlab.write(chat(), tmp_path / "talk.json")
    return tmp_path / "talk.json"


def say(panel: ChatPanel, text: str) -> Session:
    panel.send_message(text)
    return panel.wait(LONG)


# --- the conversation after a restart


def test_a_rerun_goes_on_with_the_conversation_and_says_so(path: Path) -> None:
    before = path.read_bytes()
    first = ChatPanel(path, model=because)
    assert first.keeping.told == ""
    said = say(first, "Why? 为什么?")  # the kernel ends here: nothing is closed

    again = ChatPanel(str(path), model=because)

    assert again.session == said
    assert again.keeping.told == f"This goes on with 6 messages kept in {KEPT}."
    assert again.page.kept.text == again.keeping.told
    assert KEPT in again.keeping.place
    assert path.read_bytes() == before
    assert ctxlab.load(path.with_name(KEPT)) == said


def test_an_edit_is_kept_too_and_looking_writes_nothing(path: Path) -> None:
    ChatPanel(path).close()
    assert not path.with_name(KEPT).exists()
    page = ChatPanel(path)
    page.change(Session.edit, "a2", "Nobody does.")
    page.close()

    assert ChatPanel(path).session.node("a2").content == "Nobody does."


def test_begin_anew_puts_what_was_kept_aside(path: Path) -> None:
    said = say(ChatPanel(path, model=because), "Why?")
    again = ChatPanel(path, model=because)

    again.page.kept.button.click()

    assert again.session == chat()
    assert again.page.kept.text == ""
    assert ctxlab.load(path.with_name("talk.json.1.chat.json")) == said
    assert ChatPanel(path).session == chat()


def test_what_another_chat_wrote_meanwhile_is_never_written_over(path: Path) -> None:
    one, other = ChatPanel(path, model=because), ChatPanel(path, model=because)
    said = say(one, "Why?")

    say(other, "How?")

    assert "changed by another chat" in other.error
    assert ctxlab.load(path.with_name(KEPT)) == said


def test_conversations_of_one_file_are_kept_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    ctxlab.write([chat(), Session(id="t").append("Hello.", id="h")], path)
    one, other = (ChatPanel(path, model=because, pick=id) for id in ("s", "t"))
    said = say(one, "Why?"), say(other, "How?")

    assert other.error == ""
    assert tuple(ChatPanel(path, pick=id).session for id in ("s", "t")) == said


@pytest.mark.parametrize("content", [b"\xff", b"[]", b'{"nodes": 7}', b""])
def test_what_cant_be_read_stays_as_it_is(path: Path, content: bytes) -> None:
    kept = path.with_name(KEPT)
    kept.write_bytes(content)

    panel = ChatPanel(path, model=because)
    say(panel, "Why?")

    assert "can't be read" in panel.error
    assert kept.read_bytes() == content


def test_a_session_given_as_a_value_is_written_nowhere_unless_it_is_saved(tmp_path: Path) -> None:
    panel = ChatPanel(chat(), model=because)
    assert "kept nowhere" in panel.keeping.place
    said = say(panel, "Why?")
    assert list(tmp_path.iterdir()) == []

    panel.save_as(tmp_path / "out.json")

    assert ctxlab.load(tmp_path / "out.json") == said
    assert "out.json" in panel.effect["text"]
    with pytest.raises(CtxlabError, match="goes on with no conversation"):
        panel.begin_anew()


def test_with_a_workspace_it_is_saved_there(tmp_path: Path) -> None:
    workspace = ctxlab.open_workspace(tmp_path / "ws")
    panel = ChatPanel(chat(), model=because, workspace=workspace)
    assert "s" not in workspace

    said = say(panel, "Why?")
    assert [node.content for node in workspace.session("s").path()] == [node.content for node in said.path()]
    panel.change(Session.edit, "a2", "Nobody does.")

    assert workspace.session("s").node("a2").content == "Nobody does."
    assert panel.session is panel.history.session
    assert "workspace ws" in panel.keeping.place
    assert panel.error == ""


# --- a change in a view below the chat


def long_chat(budget: int) -> Page:
    session = chat()
    for n in range(12):
        session = session.append(f"The {n}th box holds letters from the old harbour and its long winter.")
        session = session.append("Yes, it does hold them.", role="assistant")
    page = Page(session, model=because, budget_tokens=budget)
    page.panel.rest(LONG)
    return page


def sent_budget(page: Page) -> Any:
    page.panel.rest(LONG)
    assert page.panel.preview is not None
    return page.panel.preview.budget


def test_a_remedy_in_a_view_is_tried_there_and_holds_in_the_chat_once_it_is_used() -> None:
    page = long_chat(200)
    page.asks("open", view="budget", key="")
    view, tried = page.panel.page.opened, page.panel.page.tried
    assert isinstance(view, TokenBudget)
    assert tried is not None
    assert tried.text == ""

    view._handle_custom_msg({"command": "apply_remedy", "key": "node:u1"}, [])
    assert "the chat sends as before" in tried.text
    assert view.effect["text"].endswith("the chat sends as before.")
    assert sent_budget(page) == 200

    tried.use()
    assert tried.text == "The chat sends so from now on."
    assert view.effect["text"].endswith("from now on.")
    raised = sent_budget(page)
    assert raised > 200
    assert f"of {raised:,} tokens" in page.shown("head")["sentence"]
    assert page.panel.plugin_settings.values("sending")["budget_tokens"] == raised
    with pytest.raises(CtxlabError, match="nothing was changed"):
        tried.use()


def test_budget_and_strategy_are_set_in_the_settings_and_go_back_to_those_of_the_beginning() -> None:
    page = long_chat(200)
    page.asks("open", view="settings", key="")
    form = page.panel.page.opened
    assert isinstance(form, SettingsForm)

    form.set_value("sending", "budget_tokens", 300)
    form.set_value("sending", "strategy", "middle-out")
    assert sent_budget(page) == 300
    assert page.panel.preview is not None
    assert page.panel.preview.trace.pipeline.stage("token-limiter").processor.settings.strategy == "middle-out"

    form.reset("sending", "budget_tokens")
    assert sent_budget(page) == 200


# --- smaller things that a chat says


def test_nothing_was_asked_for_a_greeting() -> None:
    agent = ctxlab.Agent(id="sera", name="Sera", greetings=[{"id": "g", "content": "Welcome."}])
    session = ctxlab.begin(agent)
    page = Page(session, agent, model=because)
    greeting = session.leaf or ""

    assert page.asks("got", key=greeting) == ""
    assert page.shown("got")["sentence"] == "This is a greeting of the agent: no request was made for it."
    assert page.shown("got")["tokens"] == 0
    assert "no request was made" in page.asks("open", view="steps", key=greeting)


def test_the_echo_says_the_words_of_a_message_with_files_back() -> None:
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "x"}}]
    assert echo([{"role": "user", "content": parts}]) == "(no model: an echo) What is this? [image_url]"
    assert echo([{"role": "user", "content": [7, None]}]) == "(no model: an echo)"


def test_a_persona_that_is_not_sent_is_said_in_the_head() -> None:
    user = ctxlab.UserProfile(id="lin", name="Lin", content="Lin keeps the light.")
    page = Page(chat(), ctxlab.Agent(id="a", name="A"), user=user, model=because)
    page.panel.rest(LONG)
    assert "The persona of Lin is not sent" in page.shown("head")["sentence"]

    asks = ctxlab.Agent(
        id="a", name="A", preset_messages=[{"id": "p", "role": "system", "content": user.content, "enabled": True}]
    )
    page = Page(chat(), asks, user=user, model=because)
    page.panel.rest(LONG)
    assert "persona" not in page.shown("head")["sentence"]


def test_a_running_answer_stays_on_its_branch() -> None:
    session = chat().append("Who else?", parent="a1", id="v2").append("Nobody.", role="assistant", id="b2")
    model = HeldModel("Be", "cause.")
    page = Page(session.switched("a2"), model=model)
    page.asks("send", text="Why?")
    until(page, lambda: any(piece["text"] for piece in page.pieces))

    page.asks("switch", key="b2")
    page.panel.rest(LONG)
    assert page.shown("running")["elsewhere"] is True
    assert all(row["state"] != "generating" for row in page.rows)
    assert page.panel.preview is not None
    assert page.panel.preview.trace.start.input.session.leaf == "b2"
    page.asks("switch", key="a2")
    page.asks("switch", key="b2")

    model.go_on.set()
    after = page.done()
    assert after.leaf == "b2"
    assert [node.content for node in after.path(after.leaf_below("a2"))[-2:]] == ["Why?", "Because."]


def test_translation_that_is_switched_off_is_not_offered() -> None:
    page = Page(model=because, translation={"enabled": False})
    assert page.shown("head")["languages"] == []
    assert "switched off" in page.asks("translate", key="a1", to="")


def test_the_name_echo_asks_nobody() -> None:
    turn = ctxlab.send(chat(), "Why? And how?", model="echo")
    assert turn.reply is not None
    assert turn.reply.content == "Echo, no model was asked: Why? And how?"


def test_the_page_gets_the_conversation_as_a_file() -> None:
    page = Page(chat().with_(name="Light/../守"), model=because)

    assert page.asks("export", format="json") == ""
    assert page.asks("export", format="md") == ""

    (first, json_bytes), (second, markdown) = page.sent[-2:]
    assert (first["name"], second["name"]) == ("Light-守.session.json", "Light-守.md")
    assert ctxlab.read_data(json.loads(json_bytes[0])).sessions[0] == page.panel.session
    assert "Who keeps the light?" in markdown[0].decode()
    assert "is one of json, md" in page.asks("export", format="../../x")

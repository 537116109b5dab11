"""The Python half of a chat: turns in their thread, rows and drafts for the page, commands that are checked."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Library, Session, UserProfile
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.testing import FakeReply, FakeServer
from ctxlab_widgets import AgentForm, ChatPanel
from ctxlab_widgets.chat_panel.commands import COMMANDS
from ctxlab_widgets.chat_panel.latest_worker import LatestWorker
from ctxlab_widgets.chat_panel.pieces import PieceSender
from tests.widgets.chat_models import LONG, HeldModel, Page, because, chat, until

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001"
    "e221bc330000000049454e44ae426082"
)


# --- a turn


def test_a_reply_is_written_in_pieces_and_the_session_is_set_once() -> None:
    page = Page(model=HeldModel("Be", "cau", "se."))
    page.panel.setup.model.go_on.set()

    assert page.asks("send", text="Why?") == ""
    session = page.done()

    assert [node.content for node in session.path()[-2:]] == ["Why?", "Because."]
    assert page.sessions == [session]
    assert "".join(piece["text"] for piece in page.pieces) == "Because."
    assert [piece["number"] for piece in page.pieces] == list(range(1, len(page.pieces) + 1))
    assert page.panel.running == ""
    assert page.panel.input == ""
    assert page.rows[-1]["text"] == "Because."


def test_while_it_is_written_the_page_has_the_question_and_the_turn_whole() -> None:
    model = HeldModel("Be", "cause.")
    page = Page(model=model)
    page.asks("send", text="Why?")
    until(page, lambda: any(piece["text"] for piece in page.pieces))

    page.asks("resend")
    running = page.shown("running")

    assert (running["text"], running["verb"], running["phase"]) == ("Be", "send", "writing")
    assert running["number"] == page.pieces[-1]["number"]
    assert [row["state"] for row in page.rows[-2:]] == ["complete", "generating"]
    assert page.rows[-1]["key"] == running["key"]
    assert page.sessions == []
    model.go_on.set()
    page.done()


def test_stop_ends_a_turn_at_any_moment_and_keeps_what_came() -> None:
    model = HeldModel("Be", "cause.")
    page = Page(model=model)
    page.asks("send", text="Why?")
    assert model.begun.wait(LONG)
    until(page, lambda: any(piece["text"] for piece in page.pieces))

    page.asks("stop")
    session = page.done()
    model.go_on.set()

    assert session.leaf_node is not None
    assert session.leaf_node.content == "Be"
    assert page.rows[-1]["state"] == "stopped"
    assert len(page.sessions) == 1


def test_stop_waits_for_no_other_command() -> None:
    model = HeldModel("Be", "cause.")
    page = Page(model=model)
    page.asks("send", text="Why?")
    assert model.begun.wait(LONG)

    with page.panel.lock:  # as while another command is carried out
        stopping = threading.Thread(target=page.asks, args=("stop",))
        stopping.start()
        until(page, lambda: page.panel.turns.running is None or page.panel.turns.running.stream.is_cancelled)
    stopping.join(LONG)
    model.go_on.set()

    assert page.done().leaf_node is not None
    assert page.rows[-1]["state"] == "stopped"


def test_messages_that_are_sent_meanwhile_go_out_together_when_the_answer_is_there() -> None:
    model = HeldModel("Be", "cause.")
    page = Page(model=model)
    page.asks("send", text="Why?")
    page.asks("send", text="And?")
    page.asks("send", text="Then?")
    assert page.shown("running")["queued"] == ["And?", "Then?"]

    model.go_on.set()
    session = page.done()

    assert [node.content for node in session.path()[-4:]] == ["Why?", "Because.", "And?\n\nThen?", "Because."]
    assert len(page.sessions) == 2
    counting = {piece["key"] for piece in page.pieces if "about" in piece["facts"][0]}
    assert counting == {session.path()[-3].id, session.path()[-1].id}


def test_messages_that_wait_are_given_back_when_the_turn_is_stopped() -> None:
    model = HeldModel("Be", "cause.")
    page = Page(model=model)
    page.asks("send", text="Why?")
    page.asks("send", text="And?")
    page.panel.input = "half a"

    page.asks("stop")
    page.done()
    model.go_on.set()

    assert page.panel.input == "And?\n\nhalf a"
    assert model.calls <= 1


def test_without_a_model_an_echo_answers_and_says_so() -> None:
    page = Page()
    page.asks("send", text="Why?")

    session = page.done()

    assert session.leaf_node is not None
    assert session.leaf_node.content == "(no model: an echo) Why?"
    assert page.shown("head")["isEcho"] is True


def test_an_error_stands_at_its_place_and_can_be_tried_again() -> None:
    replies = iter([OSError("the line is dead"), "Because."])

    def model(messages: list[dict[str, Any]]) -> str:
        found = next(replies)
        if isinstance(found, Exception):
            raise found
        return found

    page = Page(model=model)
    page.asks("send", text="Why?")
    failed = page.done().leaf or ""
    assert page.row(failed)["state"] == "failed"
    assert "the line is dead" in page.row(failed)["error"]
    assert page.row(failed)["actions"][0] == "retry"

    page.asks("retry", key=failed)
    page.done()

    assert page.rows[-1]["text"] == "Because."
    assert page.rows[-1]["siblings"]["at"] == 2


def test_a_conversation_that_is_changed_meanwhile_keeps_the_change_and_gets_the_turn() -> None:
    model = HeldModel("Be", "cause.")
    page = Page(model=model)
    page.asks("send", text="Why?")
    page.panel.session = page.panel.session.edit("a2", "Nobody does.")

    model.go_on.set()
    session = page.done()

    assert [node.content for node in session.path()[-3:]] == ["Nobody does.", "Why?", "Because."]
    assert page.panel.history.session is session


def test_who_goes_to_another_branch_while_an_answer_is_written_stays_there() -> None:
    model = HeldModel("Be", "cause.")
    page = Page(chat().switched("a1").append("And the mail?", id="u3").switched("a2"), model=model)
    page.asks("send", text="Why?")
    until(page, lambda: bool(page.pieces))
    writing = page.rows[-1]["key"]

    page.asks("switch", key="u3")
    page.panel.rest(LONG)

    assert [row["key"] for row in page.rows] == ["u1", "a1", "u3"]
    assert page.shown("running")["elsewhere"] is True
    assert not any("generating" in note for note in page.shown("draft")["notes"])
    assert page.panel.preview is not None
    assert "Why?" not in str(page.panel.preview.trace.messages)

    page.asks("switch", key="u2")
    assert page.rows[-1]["key"] == writing
    assert "elsewhere" not in page.shown("running")

    page.asks("switch", key="u3")
    model.go_on.set()
    session = page.done()

    assert session.leaf == "u3"
    assert session.node(writing).content == "Because."
    assert page.panel.error == "the answer is there, in the branch in which it was asked for"
    assert page.rows[-1]["key"] == "u3"


def test_another_conversation_ends_the_turn_and_gets_nothing_of_it() -> None:
    model = HeldModel("Be", "cause.")
    page = Page(model=model)
    page.asks("send", text="Why?")
    other = Session(id="other").append("Another.", id="x")

    page.panel.session = other
    session = page.done()
    model.go_on.set()

    assert session is other


def test_a_closed_chat_ends_its_turn_and_waits_for_nothing() -> None:
    model = HeldModel("Be", "cause.")
    page = Page(model=model)
    page.asks("send", text="Why?")

    page.panel.close()
    page.panel.close()
    page.panel.wait(LONG)
    model.go_on.set()

    with pytest.raises(CtxlabError, match="closed"):
        page.panel.send_message("And?")


def test_nobody_waits_for_a_turn_from_inside_a_command() -> None:
    page = Page(model=because)
    found: list[str] = []

    def waits(_: object) -> None:
        try:
            page.panel.wait(LONG)
        except CtxlabError as problem:
            found.append(str(problem))

    page.panel.observe(waits, "session")
    page.asks("delete", key="a2")

    assert found == ["a chat can't wait for a turn while it carries out a command: wait in another cell"]


# --- a vendor's model and tools


def test_a_vendors_reply_has_its_facts_and_the_key_is_nowhere() -> None:
    with FakeServer(FakeReply("It is 42.", piece_characters=3)) as server:
        page = Page(model="gpt-4o", key="sk-very-secret", base_url=server.base_url("openai"))
        page.asks("send", text="Why?")
        session = page.done()

    reply = session.leaf_node
    assert reply is not None
    assert reply.content == "It is 42."
    assert any("in" in fact for fact in page.rows[-1]["got"]["facts"])
    page.asks("got", key=reply.id)
    assert page.shown("got")["sentence"] == "This is the very run whose request was sent."
    state = {name: getattr(page.panel, name) for name in page.panel.traits(sync=True) if name not in ("_esm", "_css")}
    assert "very-secret" not in repr((state, page.panel, page.panel.setup, page.sent))


def test_a_call_waits_for_the_word_of_the_page() -> None:
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    replies = iter(
        [
            {
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a":2,"b":3}'}}
                ]
            },
            {"content": "It is 5."},
        ]
    )
    agent = Agent(id="wei", name="Wei", tool_call_config={"enabled": True, "defaultToolEnabled": True})
    page = Page(None, agent, model=lambda messages: next(replies), tools=[add])
    page.asks("send", text="2 + 3?")
    until(page, lambda: (page.shown("running") or {}).get("phase") == "asking" or page.asks("resend") != "")
    assert "waits for a word" in page.asks("approve", call="another", yes=True)

    until(page, lambda: page.asks("approve", call="c1", yes=True) == "")
    session = page.done()

    assert [node.content for node in session.path()[-2:]] == ["5", "It is 5."]
    (call,) = next(row["calls"] for row in page.rows if row.get("calls"))
    assert (call["name"], call["state"]) == ("add", "done")


def test_the_next_request_is_counted_with_the_tools_of_the_turn() -> None:
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    page = Page(model=because, tools=[add])
    page.panel.input = "And then?"
    page.panel.rest(LONG)
    foreseen = page.shown("draft")["tokens"]

    page.asks("send", text="And then?")
    reply = page.done().leaf or ""
    page.asks("got", key=reply)

    assert page.shown("got")["tokens"] == foreseen
    page.asks("got", key="a2")
    assert ["tools", "tools"] in [each[:2] for each in page.shown("got")["totals"]]


# --- rows


def test_rows_have_what_the_page_shows_of_messages() -> None:
    session = chat().regenerate("a2").update(chat().regenerate("a2").leaf or "", content="Nobody.", status="complete")
    agent = Agent(
        id="wei",
        name="Wei",
        display_preset_count=1,
        preset_messages=[
            {"id": "p0", "role": "system", "content": "Hidden.", "isEnabled": False},
            {"id": "p1", "role": "system", "content": "Be kind."},
            {"id": "p2", "role": "system", "content": "Be brief."},
        ],  # pyright: ignore[reportArgumentType]
    )
    page = Page(session, agent, user=UserProfile(id="ada", name="Ada"), model=because)

    assert [row["key"] for row in page.rows[:3]] == ["preset:1", "u1", "a1"]
    assert [row["who"] for row in page.rows[1:3]] == ["Ada", "Wei"]
    assert page.rows[-1]["siblings"] == {"at": 2, "ids": ["a2", page.rows[-1]["key"]]}
    assert page.rows[0]["kind"] == "preset"
    assert page.rows[0]["actions"] == ["copy"]


def test_a_finished_reply_of_a_long_conversation_sends_its_rows_alone() -> None:
    session = chat()
    for n in range(300):
        session = session.append(f"Question {n}").append(f"Answer {n}", role="assistant")
    page = Page(session, model=because)
    page.panel.rest(LONG)
    before = page.panel.view

    page.asks("send", text="Why?")
    page.done()

    assert page.panel.view == before
    delta = page.shown("delta")
    assert [row["text"] for row in delta["rows"]] == ["Why?", "Because."]
    assert [row["key"] for row in page.rows] == [
        node.id for node in page.panel.session.path() if not node.is_empty_root
    ]


def test_of_a_long_conversation_the_newest_rows_are_counted_and_old_ones_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ctxlab_widgets.chat_panel.rows.COUNTED", 30)
    page = Page(model=because)
    assert ["tokens" in row for row in page.rows] == [False, False, True, True]

    page.asks("send", text="Why does she keep the light at night?")
    page.done()

    assert ["tokens" in row for row in page.rows] == [False, False, True, True, False, True]
    assert len(page.shown("delta")["rows"]) == 2


def test_what_is_done_to_messages_goes_through_the_history() -> None:
    page = Page(model=because)

    assert page.asks("edit", key="a2", text="She does.") == ""
    assert page.row("a2")["text"] == "She does."
    assert page.asks("disable", key="a2") == ""
    assert page.row("a2")["state"] == "disabled"
    assert page.asks("enable", key="a2") == ""
    assert page.asks("branch", key="a2", text="Nobody.") == ""
    assert page.rows[-1]["text"] == "Nobody."
    assert page.asks("switch", key="a2") == ""
    assert page.rows[-1]["text"] == "She does."
    assert page.asks("delete", key="a2") == ""
    assert page.rows[-1]["text"] == "Nobody."
    for _ in range(6):
        assert page.asks("undo") == ""
    assert page.row("a2")["text"] == "I do."
    assert page.asks("redo") == ""
    assert page.row("a2")["text"] == "She does."
    assert page.panel.session is page.panel.history.session


def test_a_branch_has_a_date_as_its_neighbours_have() -> None:
    page = Page(model=because, timestamp="2026-03-05T20:00:00Z")

    page.asks("branch", key="a2", text="Nobody.")

    assert page.panel.session.leaf_node is not None
    assert page.panel.session.leaf_node.timestamp == "2026-03-05T20:00:00Z"
    assert "2026-03-05 20:00" in page.rows[-1]["facts"]


def test_the_outline_leaves_it_to_the_page_to_say_that_an_answer_failed() -> None:
    page = Page(chat().append("Why?", id="u3").append("", role="assistant", id="a3", status="error"), model=because)

    failed = page.shown("around")["nodes"][-1]

    assert (failed["label"], failed["state"]) == ("Assistant", "failed")


def test_the_outline_has_plain_words_and_says_how_far_an_answer_came() -> None:
    asked = chat().append("## 灯塔 **why** see [the log](https://a.example)?", id="u3")
    page = Page(asked.append("I `saw`", role="assistant", id="a3", status="error"), model=because)

    question, broken = page.shown("around")["nodes"][-2:]

    assert question["label"] == "User: 灯塔 why see the log?"
    assert (broken["label"], broken["note"]) == ("Assistant: I saw", "broke off after 7 characters")


def test_messages_that_are_cut_are_named_as_they_follow_each_other() -> None:
    session = Session()
    for n in range(6):
        session = session.append(f"Question {n}. " * (30 - 4 * n), id=f"u{n}")
        session = session.append("Words. " * (5 + 8 * n), role="assistant", id=f"a{n}")
    page = Page(session, model=because, budget_tokens=400, settings={"token-limiter.strategy": "head-and-tail"})
    page.panel.input = "Why? " * 60
    page.panel.rest(LONG)
    assert page.panel.preview is not None
    assert [each.key for each in page.panel.preview.cut] == ["node:u4", "node:a3"]

    cut = [each["key"] for each in page.shown("draft")["cut"]]

    assert cut == ["a3", "u4"]
    assert "cuts a3, u4 for the draft" in page.shown("head")["sentence"]


def test_a_summary_of_a_summary_has_one_number_everywhere() -> None:
    session = chat()
    for n in range(6):
        session = session.append(f"The {n}th box holds {n}40 letters from the old harbour.")
        session = session.append("They tell of the keeper and of his long winter there.", role="assistant")
        if n % 3 == 2:
            done = ctxlab.compress(session, everything=True, compression={"protect_recent_count": 2})
            session = done.with_summary("Boxes were opened.").session
    page = Page(session, model=because)

    stands = next(row for row in reversed(page.rows) if row["kind"] == "summary")["standsFor"]

    assert len(stands["ids"]) > stands["count"]
    assert stands["sentence"].startswith(f"stands for {stands['count']} messages")
    assert f"{stands['count']} of them as a summary" in page.shown("head")["sentence"]


def test_an_edit_of_ones_own_words_as_a_branch_is_answered() -> None:
    page = Page(model=because)

    page.asks("branch", key="u2", text="Who paints?")
    session = page.done()

    assert [node.content for node in session.path()[-2:]] == ["Who paints?", "Because."]
    assert len(session.siblings(session.path()[-2].id)) == 2


def test_the_agent_can_have_edits_sent_as_branches() -> None:
    agent = Agent.model_validate({"id": "wei", "interactionConfig": {"sendButtonCreateBranch": True}})
    page = Page(None, agent, model=because)

    page.asks("edit", key="u2", text="Who paints?")
    session = page.done()

    assert session.node("u2").content == "Who keeps the light?"
    assert [node.content for node in session.path()[-2:]] == ["Who paints?", "Because."]


def test_an_answer_is_written_again_by_another_model_for_one_time() -> None:
    page = Page(model=because)

    page.asks("regenerate", key="a2", model="echo")
    session = page.done()

    assert session.leaf_node is not None
    assert session.leaf_node.content.startswith("(no model: an echo)")
    assert page.shown("head")["model"]["now"] == "function:because"
    assert "no model 'nobody' to choose" in page.asks("regenerate", key="a2", model="nobody")


def test_an_answer_goes_on_and_the_users_turn_is_written() -> None:
    page = Page(model=lambda messages: " And so on.")
    page.asks("continue", key="a2")
    page.done()
    assert page.rows[-1]["text"] == "I do. And so on."

    page.asks("relay", text="")
    session = page.done()

    assert session.leaf_node is not None
    assert session.leaf_node.role == "user"


def test_who_takes_part_is_switched_in_place() -> None:
    ada, luo = UserProfile(id="ada", name="Ada"), UserProfile(id="luo", name="Luo")
    wei, shen = (
        Agent(id="wei", name="Wei"),
        Agent(id="shen", name="Shen", greetings=[{"id": "g", "content": "Come in, {{user}}."}]),
    )  # pyright: ignore[reportArgumentType]
    page = Page(Session(id="s"), wei, library=Library(agents=(wei, shen), users=(ada, luo)), model=because)

    page.asks("choose", what="user", id="luo")
    page.asks("choose", what="agent", id="shen")

    assert [page.shown("head")[what]["now"] for what in ("agent", "user")] == ["shen", "luo"]
    assert page.rows[0]["text"] == "Come in, Luo."
    assert "no agent 'nobody' to choose" in page.asks("choose", what="agent", id="nobody")


# --- the draft


def test_a_draft_is_looked_at_when_typing_stops_and_the_newest_wins() -> None:
    page = Page(model=because, budget_tokens=60)
    for text in ("We", "We lay", "We lay {{usr}} 😀 {{user}}"):
        page.panel.input = text
    page.panel.rest(LONG)

    draft = page.shown("draft")
    preview = ctxlab.preview(page.panel.session, page.panel.input, budget_tokens=60)
    assert draft["text"] == "We lay {{usr}} 😀 {{user}}"
    assert (draft["tokens"], draft["budget"], draft["free"]) == (preview.tokens, 60, 60 - preview.tokens)
    assert sum(tokens for *_, tokens in draft["totals"]) == preview.tokens
    assert [(mark["kind"], mark["start"], mark["end"]) for mark in draft["marks"]] == [
        ("unknown-macro", 7, 14),
        ("macro", 18, 26),
    ]


def test_drafts_on_one_conversation_share_what_doesnt_depend_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from ctxlab_widgets.chat_panel import draft_analysis

    built: list[str] = []
    for name in ("draft_run", "previous_request"):
        kept = getattr(draft_analysis, name)
        monkeypatch.setattr(
            draft_analysis, name, lambda *given, made=kept, said=name: (built.append(said), made(*given))[1]
        )
    page = Page(model="gpt-4o", key="sk-none")
    for draft in ("And", "And then", "And then?"):
        page.panel.input = draft
        page.panel.rest(LONG)
        assert page.shown("draft")["text"] == draft

    assert built.count("previous_request") == 1
    assert built.count("draft_run") <= 4


def test_a_cached_prefix_is_told_only_after_an_answer_of_the_model_that_is_asked_next() -> None:
    session = Session(id="s").append("why " * 3_000, id="u1")

    def cache(page: Page) -> str:
        page.panel.input = "Go on."
        page.panel.rest(LONG)
        return " ".join(page.shown("draft")["cache"])

    with FakeServer([FakeReply("So."), FakeReply(status=401)]) as server:
        page = Page(session, model="gpt-4o", key="sk-none", base_url=server.base_url("openai"))
        assert cache(page) == ""
        page.asks("send", text="")
        page.done()
        assert "may have them cached" in cache(page)
        answered, setup = page.panel.history.session, page.panel.setup
        page.panel.use(replace(setup, model="gpt-4o-mini"))
        assert cache(page) == ""
        page.panel.use(setup)

        page.asks("send", text="And?")
        page.done()
        assert page.rows[-1]["state"] == "failed"
        assert cache(page) == ""

    assert "may have them cached" in cache(Page(answered, model="gpt-4o", key="sk-none"))
    assert cache(Page(answered, model="gpt-4o-mini", key="sk-none")) == ""
    assert cache(Page(answered, model="claude-sonnet-4-5", key="sk-none")) == ""
    assert cache(Page(answered, model=because)) == ""


def test_a_message_that_a_draft_cuts_is_kept_by_a_click() -> None:
    page = Page(model=because)
    page.panel.rest(LONG)
    room = page.panel.preview.tokens if page.panel.preview is not None else 0
    page = Page(model=because, budget_tokens=room)
    page.panel.input = "What is in the box on the table?"
    page.panel.rest(LONG)
    cut = page.shown("draft")["cut"]
    assert cut[0]["keep"]["label"].startswith("Keep")

    assert page.asks("keep", key=cut[0]["key"]) == ""
    page.panel.rest(LONG)

    assert cut[0]["key"] not in [each["key"] for each in page.shown("draft")["cut"]]
    assert "doesn't cut" in page.asks("keep", key=cut[0]["key"])


def test_messages_that_are_cut_without_a_draft_have_their_cause_and_a_way_to_what_cuts_them() -> None:
    page = Page(Library((chat().append("x " * 60, id="u3"),)), model=because, budget_tokens=80)
    page.panel.rest(LONG)
    run = page.panel.preview.trace if page.panel.preview is not None else None
    assert run is not None
    gone = {draft.key.removeprefix("node:") for group in run.result.dropped for draft in group.drafts}

    unsent = page.shown("unsent")

    assert gone
    assert {key for group in unsent for key in group["keys"]} == gone
    assert all(group["cause"] for group in unsent)
    assert page.shown("draft")["cut"] == []
    assert page.asks("why", key=min(gone)) == ""
    assert page.panel.opened == ("budget", run)
    assert page.panel.page.opened is not None
    assert page.panel.page.opened.selected == f"node:{min(gone)}"


def test_a_draft_that_fits_nowhere_is_an_error_of_the_draft() -> None:
    page = Page(model=because, budget_tokens=12)
    page.panel.input = "word " * 50
    page.panel.rest(LONG)

    assert "budget" in page.shown("draft")["error"]
    assert page.panel.error == ""


def test_a_draft_is_there_again_after_a_restart_and_not_in_the_sessions_file(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    ctxlab.write(chat(), path)
    before = path.read_bytes()
    first = ChatPanel(str(path), model=because)
    first.input = "half a thought 灯塔"
    first.close()

    again = ChatPanel(str(path), model=because)

    assert again.input == "half a thought 灯塔"
    assert path.read_bytes() == before
    again.send_message(again.input)
    again.wait(LONG)
    again.close()
    assert sorted(tmp_path.iterdir()) == [path, tmp_path / "talk.json.chat.json"]


def test_a_workspace_keeps_the_drafts_of_its_sessions(tmp_path: Path) -> None:
    with ctxlab.open_workspace(tmp_path / "w") as workspace:
        one, other = workspace.save(chat().with_(id="one")), workspace.save(chat().with_(id="other"))
        first = ChatPanel(one, model=because, workspace=workspace)
        first.input = "half a thought 灯塔"
        first.session = other
        first.input = "another"
        first.close()

        again = ChatPanel(workspace.session("one"), model=because, workspace=workspace)

        assert again.input == "half a thought 灯塔"
        assert workspace.drafts.read("other") == "another"
        again.input = ""
        again.close()
        assert workspace.drafts.read("one") == ""


@pytest.mark.parametrize("content", [b"\xff", b"[]", b'{"drafts": [1]}', b'{"drafts": {"s": 7}}', b"[" * 100_000])
def test_what_stands_in_the_file_of_drafts_is_data(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "talk.json"
    ctxlab.write(chat(), path)
    (tmp_path / "talk.json.drafts.json").write_bytes(content)

    assert ChatPanel(str(path)).input == ""


# --- what answers got, and other views


def test_an_answers_run_is_shown_and_opens_below_the_chat() -> None:
    page = Page(model=because, budget_tokens=4000)
    page.asks("send", text="Why?")
    reply = page.done().leaf or ""

    page.asks("got", key="a2")
    assert page.shown("got")["sentence"].startswith("Rebuilt from the messages above it")
    assert page.asks("open", view="steps", key=reply) == ""
    assert page.panel.trace is not None
    assert page.panel.trace.start.input.leaf_id == page.panel.session.node(reply).parent_id
    assert page.panel.page.opened is not None
    assert type(page.panel.page.opened).__name__ == "StepDebugger"
    for view in ("budget", "lore", "request", "compression", "tree"):
        assert page.asks("open", view=view, key="") == ""
        assert page.panel.page.opened is not None
    page.asks("got", key="")
    assert page.panel.got == ""
    page.panel.page.close()


def test_the_agent_is_edited_below_the_chat_which_goes_on_with_the_edited_one() -> None:
    wei, lo = Agent(id="wei", name="Wei"), Agent(id="lo", name="Lo")
    page = Page(Library(sessions=(chat(),), agents=(wei, lo)), wei, model=because)

    assert page.asks("open", view="agent", key="") == ""
    form = page.panel.page.opened
    assert isinstance(form, AgentForm)
    form.agent = wei.model_copy(update={"name": "Wei the signalman"})
    assert page.row("a1")["who"] == "Wei the signalman"

    for agent, name in (("lo", "Lo"), ("wei", "Wei the signalman")):
        assert page.asks("choose", what="agent", id=agent) == ""
        assert page.row("a1")["who"] == name
    page.panel.page.close()


def test_without_an_agent_there_is_none_to_edit() -> None:
    assert Page(model=because).asks("open", view="agent", key="") == "no agent takes part: there is none to edit"


def test_what_an_answer_got_is_held_against_the_budget_of_its_run() -> None:
    page = Page(model=because, budget_tokens=500)
    page.asks("got", key="a2")
    assert page.shown("got")["budget"] == 500
    page = Page(model=because, budget_tokens=None)
    page.asks("got", key="a2")
    assert page.shown("got")["budget"] is None


def test_a_compression_that_is_applied_below_is_a_step_of_the_chat() -> None:
    session = chat()
    for n in range(8):
        session = session.append(f"The {n}th box holds {n}40 letters from the old harbour.")
        session = session.append("They tell of the keeper and of his long winter there.", role="assistant")
    page = Page(session, model=because)
    page.panel.rest(LONG)
    view = page.panel.page
    page.asks("open", view="compression", key="")
    assert view.opened is not None
    view.opened._handle_custom_msg({"command": "apply"}, [])

    summary = next(row for row in page.rows if row["kind"] == "summary")
    assert summary["standsFor"]["ids"]
    assert page.asks("undo-summary", key=summary["key"]) == ""
    assert all(row["kind"] != "summary" for row in page.rows)


# --- files


def test_a_file_is_attached_once_and_goes_with_the_next_message() -> None:
    page = Page(model=because)
    picture, note = {"name": "lever.png", "type": "image/png"}, {"name": "轨道.txt", "type": "text/plain"}

    assert page.asks("attach", files=[picture, note], buffers=[PNG, "罗走了".encode()]) == ""
    page.panel.rest(LONG)
    assert [chip["name"] for chip in page.shown("files")] == ["lever.png", "轨道.txt"]
    assert all("goes as" in chip["facts"] for chip in page.shown("files"))
    assert "attached already" in page.asks("attach", files=[picture], buffers=[PNG])
    assert "is empty" in page.asks("attach", files=[note], buffers=[b""])
    page.asks("detach", id=page.shown("files")[1]["id"])
    page.asks("send", text="What is this?")
    session = page.done()

    question = session.node(session.node(session.leaf or "").parent_id or "")
    assert [asset.name for asset in question.attachments or ()] == ["lever.png"]
    assert page.panel.files == ""
    (chip,) = page.row(question.id)["files"]
    assert chip["kind"] == "picture"
    page.asks("asset", id=chip["id"])
    assert page.sent[-1] == ({"kind": "asset", "id": chip["id"], "type": "image/png"}, [PNG])
    page.asks("asset", id="../../etc/passwd")
    assert page.sent[-1][1] == [b""]


def test_a_picture_of_the_agent_is_drawn_by_its_address_and_nothing_else_is() -> None:
    asset = {"id": "wave", "group": "stickers", "filename": "波.png", "path": "stickers/wave.png", "type": "image"}
    agent = Agent(id="wei", name="Wei", assets=[asset])
    files = {"agents/wei/stickers/wave.png": PNG, "secret.txt": b"secret"}
    page = Page(Library(agents=[agent], sessions=[chat()], files=files), agent, model=because)
    page.panel.rest(LONG)

    page.asks("asset", id="agent-asset://stickers/%E6%B3%A2.png")
    assert page.sent[-1][0]["type"] == "image/png"
    assert page.sent[-1][1] == [PNG]
    for address in (
        "secret.txt",
        "agent-asset://../../secret.txt",
        "agent-asset://secret",
        "data:image/png;base64,AAAA",
    ):
        page.asks("asset", id=address)
        assert page.sent[-1][1] == [b""]


# --- what threads do


def test_pieces_that_come_while_one_is_on_its_way_go_out_together() -> None:
    sent: list[str] = []
    first, go_on = threading.Event(), threading.Event()

    def send(message: dict[str, Any]) -> None:
        sent.append(message["text"])
        first.set()
        assert go_on.wait(LONG)

    sender = PieceSender(send, interval=0.0)
    sender.add(text="a")
    assert first.wait(LONG)
    for letter in "bcdef":
        sender.add(text=letter)
    go_on.set()
    sender.flush()

    assert sent == ["a", "bcdef"]
    sender.close()


def test_the_first_piece_goes_at_once_and_the_next_not_before_its_time() -> None:
    sent: list[str] = []
    first = threading.Event()
    sender = PieceSender(lambda message: (sent.append(message["text"]), first.set()), interval=3600.0)

    sender.add(text="a")
    assert first.wait(LONG)
    sender.add(text="b")

    assert sent == ["a"]
    sender.close()
    sender.flush()


def test_of_several_jobs_the_newest_alone_is_delivered() -> None:
    begun, go_on, delivered = threading.Event(), threading.Event(), list[str]()

    def work(job: str) -> str:
        if job == "old":
            begun.set()
            assert go_on.wait(LONG)
        return job.upper()

    worker = LatestWorker[str, str](work, lambda job, result: delivered.append(result), wait_seconds=0.0)
    worker.ask("old")
    assert begun.wait(LONG)
    worker.ask("newer")
    worker.ask("new")
    go_on.set()

    assert worker.rest(LONG)
    assert delivered == ["NEW"]


def test_a_chat_without_a_kernel_has_its_rows_in_the_view_alone() -> None:
    page = Page(model=because)
    page.asks("edit", key="a2", text="She does.")
    assert page.panel.delta

    page.panel.live = False

    assert page.panel.delta == ""
    assert page.shown("view")["rows"][-1]["text"] == "She does."


# --- hostile pages


@pytest.mark.parametrize(
    "odd",
    [None, 7, -1, 1e308, 10**400, "x", [], {}, {"targetLang": []}, {"content": "x", "displayMode": {}}, [{}], True],
)
def test_odd_metadata_of_a_file_is_shown_or_passed_over(odd: Any) -> None:
    names = (
        "usage translation error toolCall toolCalls requestStartTime firstTokenTime requestEndTime modelId providerType"
    )
    names += (
        " reasoningContent reasoningStartTime reasoningEndTime agentDisplayName unfinishedToolCalls isCompressionNode"
    )
    session = chat().update("a2", metadata=dict.fromkeys(names.split(), odd))
    session = session.update("u2", metadata={"userProfileDisplayName": odd, "error": odd}, status="error")
    usage = dict.fromkeys(("promptTokens", "completionTokens", "promptTokensDetails"), odd)
    session = session.update("a1", metadata={"usage": usage, "providerType": "openai", "modelId": "gpt-4o"})
    session = session.append("r", role="tool", id="t", metadata={"toolCall": {"status": odd, "durationMs": odd}})

    page = Page(session, model=because)
    page.panel.rest(LONG)

    assert [row["key"] for row in page.rows] == ["u1", "a1", "u2", "a2", "t"]
    assert all(isinstance(fact, str) for row in page.rows for fact in row["facts"])


HOSTILE: list[dict[str, Any]] = [
    {},
    {"command": 7},
    {"command": "explode"},
    {"command": "send"},
    {"command": "send", "text": 7},
    {"command": "send", "text": "a", "parent": "u1"},
    {"command": "edit", "key": "u1", "text": None},
    {"command": "edit", "key": "nobody", "text": "x"},
    {"command": "edit", "key": "root", "text": "x"},
    {"command": "delete", "key": "preset:0"},
    {"command": "delete", "key": ["u1"]},
    {"command": "delete", "key": "u" * 100_000},
    {"command": "regenerate", "key": "a1", "model": 3},
    {"command": "retry", "key": "a1"},
    {"command": "undo-summary", "key": "a1"},
    {"command": "approve", "call": "c1", "yes": "yes"},
    {"command": "approve", "call": "c1", "yes": True},
    {"command": "open", "view": "files", "key": ""},
    {"command": "open", "view": "steps", "key": "u1"},
    {"command": "got", "key": "u1"},
    {"command": "choose", "what": "key", "id": "x"},
    {"command": "keep", "key": "u1"},
    {"command": "attach", "files": [{"name": "a"}]},
    {"command": "attach", "files": [{"name": "a", "type": "b"}]},
    {"command": "attach", "files": "all"},
    {"command": "detach", "id": "x"},
    {"command": "button", "key": "a1", "does": "send", "text": "words that it never wrote"},
    {"command": "button", "key": "u1", "does": "input", "text": "Hello"},
    {"command": "button", "key": "a1", "does": "run", "text": "Good"},
    {"command": "complete", "caret": True, "asksModel": True},
    {"command": "translate", "key": "a1", "to": "zh"},
    {"command": "undo"},
    {"command": "translate", "key": "root", "to": "Chinese"},
    {"command": "translate", "key": "", "to": "Chinese"},
    {"command": "show_translation", "key": "a1", "shown": "both"},
    {"command": "show_translation", "key": "a1", "shown": "none"},
    {"command": "complete", "caret": -1, "asksModel": False},
    {"command": "complete", "caret": 0, "asksModel": True},
    {"command": "quick", "id": "x", "start": 0, "end": 0},
    {"command": "quick", "id": "x", "start": 0.5, "end": 0},
    {"command": "message_action", "key": "a1", "id": "x"},
    {"command": "message_action", "key": "nobody", "id": "x"},
    {"command": "late_code", "name": "../host"},
    {"command": "late_code", "name": 7},
    {"command": "bundle", "name": "katex"},
]


@pytest.mark.parametrize("message", HOSTILE, ids=lambda message: json.dumps(message)[:60])
def test_what_is_no_command_is_refused_in_one_sentence_and_does_nothing(message: dict[str, Any]) -> None:
    page = Page(model=because)
    page.panel.rest(LONG)
    before = page.panel.session

    page.panel._handle_custom_msg(message, [])

    assert page.panel.error
    assert "\n" not in page.panel.error
    assert len(page.panel.error) < 700
    assert page.panel.session is before
    assert page.panel.turns.running is None


def test_bytes_are_taken_with_files_alone_and_each_command_is_carried_out_somewhere() -> None:
    from ctxlab_widgets.chat_panel.carry_out import DONE

    page = Page(model=because)

    assert "takes no bytes" in page.asks("undo", buffers=[b"x"])
    assert {*DONE, "attach"} == {*COMMANDS}


def test_a_wrong_option_is_named() -> None:
    with pytest.raises(WrongArgument, match="there is no option 'temprature'"):
        ChatPanel(chat(), temprature=1)
    with pytest.raises(WrongArgument, match="pending is what is typed"):
        ChatPanel(chat(), pending="x")


def test_words_are_found_on_all_branches_as_a_search_compares_them() -> None:
    tree = Session(id="s").append("", role="system").append("The Ｌａｍｐ of 雾港")
    tree = tree.branch_from_edit(tree.leaf, "Caf\u00e9, no light")
    page = Page(tree)
    first, second = (node.id for node in tree.in_order() if node.content)

    for words, keys in (("lamp", [first]), ("cafe\u0301", [second]), ("雾港", [first]), (" ", []), ("nowhere", [])):
        assert page.asks("find", text=words) == ""
        assert page.sent[-1][0] == {"kind": "found", "text": words, "keys": keys}
    page.asks("find", text="o")
    assert page.sent[-1][0]["keys"] == [first, second]

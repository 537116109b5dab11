"""A chat as people use it: typing, sending, an answer as it is written, files, keys, and what strangers wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Library, Session
from ctxlab.documents import UserProfile
from tests.browser.conftest import Opened
from tests.gallery.chat_pages import ChatInPage, open_chat
from tests.gallery.looking import HOSTILE
from tests.gallery.pages import open_widget
from tests.gallery.samples import SAMPLES, agent, book, session
from tests.widgets.chat_models import HeldModel, because, chat

Open = Callable[..., ChatInPage]
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001"
    "e221bc330000000049454e44ae426082"
)
DROP = """([kind, name, type, bytes]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([new Uint8Array(bytes)], name, { type }));
  const at = document.querySelector(".ctxlab .inp");
  at.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: carried }));
}"""
PASTE = """([name, type, bytes]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([new Uint8Array(bytes)], name, { type }));
  const at = document.querySelector(".ctxlab textarea");
  at.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: carried }));
}"""
COMPOSE = """() => {
  const at = document.querySelector(".ctxlab textarea");
  const press = (more) => at.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }));
  press({ isComposing: true });
  press({ keyCode: 229 });
}"""
# A page that is behind a kernel, and that the kernel has got what was sent.
COUNTS = "() => window.ctxlabHost.model.put({ received: 0 })"
COUNTED = "() => window.ctxlabHost.model.put({ received: 1 })"
# Controls that a finger would miss: lower than 40 pixels.
SMALL = """() => [...document.querySelectorAll(".ctxlab :is(button, summary, input, textarea)")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 40)
  .map((each) => each.textContent || each.getAttribute("aria-label"))"""
FIELD = "document.querySelector('.ctxlab textarea')"


@pytest.fixture
def of(opened: Opened, tmp_path: Path) -> Iterator[Open]:
    """Opens chats, and ends what runs in them."""
    all: list[ChatInPage] = []

    def open(given: Session | Library | None = None, **options: Any) -> ChatInPage:
        made = open_chat(opened, tmp_path, given if given is not None else chat(), **options)
        all.append(made)
        return made

    yield open
    for each in all:
        each.panel.close()


# --- sending


def test_enter_sends_what_was_typed_and_the_answer_is_a_row(of: Open) -> None:
    chat = of(model=because)
    chat.type("Why 灯塔?")

    sent = chat.press("Enter")
    session = chat.finish()

    assert sent == [{"command": "send", "text": "Why 灯塔?"}]
    assert chat.field.input_value() == ""
    question, answer = session.path()[-2:]
    assert chat.row(question.id).locator(".ct.md").inner_text().strip() == "Why 灯塔?"
    assert chat.row(answer.id).locator(".ct.md").inner_text().strip() == "Because."


def test_without_a_model_the_echo_says_that_it_is_one(of: Open) -> None:
    chat = of()
    assert "The model is an echo" in chat.page.locator(".answer").inner_text()
    chat.type("Hello?")

    chat.press("Enter")

    assert "echo" in chat.row(chat.finish().path()[-1].id).locator(".ct.md").inner_text()


def test_python_has_the_whole_text_before_it_is_told_to_send(of: Open) -> None:
    chat = of(model=because)
    chat.field.focus()
    chat.page.keyboard.insert_text("no pause")
    chat.field.press("Enter")

    saved = chat.page.evaluate("() => window.ctxlabHost.model.saved")

    assert saved == [{"input": "no pause"}]
    assert chat.pump() == [{"command": "send", "text": "no pause"}]
    chat.finish()


def test_shift_enter_is_a_line_and_composing_never_sends(of: Open) -> None:
    chat = of(model=because)
    chat.type("one")

    assert chat.press("Shift+Enter") == []
    chat.page.evaluate(COMPOSE)

    assert chat.pump() == []
    assert chat.field.input_value() == "one\n"


def test_nothing_is_sent_where_nothing_was_typed(of: Open) -> None:
    chat = of(model=because)

    chat.type("  ")

    assert chat.press("Enter") == []
    assert chat.page.get_by_role("button", name="Send").get_attribute("aria-disabled") == "true"


def test_a_text_that_was_refused_comes_back_with_the_reason(of: Open) -> None:
    chat = of(model=because)
    chat.type("Why?")
    chat.field.press("Enter")
    chat.page.evaluate("() => window.ctxlabHost.model.put({ error: 'there is no room for it' })")
    chat.opened.painted()

    assert chat.field.input_value() == "Why?"
    assert chat.page.locator(".inp > .er").inner_text() == "there is no room for it"


def test_a_text_stays_until_python_took_it_and_a_silent_python_is_told(of: Open) -> None:
    chat = of(model=because)
    chat.type("Why 灯塔?")
    chat.page.evaluate(COUNTS)
    chat.field.press("Enter")
    chat.field.press("Enter")
    silence = chat.page.locator(".inp > .silent")
    assert (chat.field.input_value(), silence.is_visible()) == ("Why 灯塔?", False)

    silence.wait_for(state="visible")

    assert "Python doesn't answer, and what you typed is kept" in silence.inner_text()
    assert chat.field.input_value() == "Why 灯塔?"
    assert chat.pump() == [{"command": "send", "text": "Why 灯塔?"}]
    chat.finish()
    chat.page.evaluate(COUNTED)
    assert (chat.field.input_value(), silence.is_visible()) == ("", False)


def test_an_edit_that_nobody_hears_is_open_again_until_python_has_it(of: Open) -> None:
    chat = of(model=because)
    key = chat.panel.session.path()[1].id
    row = chat.row(key)
    row.hover()
    row.get_by_role("button", name="Edit").click()
    row.locator("textarea").fill("Other words")
    chat.page.evaluate(COUNTS)

    row.get_by_role("button", name="Save").click()

    assert row.locator("textarea").count() == 0
    chat.page.locator(".inp > .silent").wait_for(state="visible")
    assert row.locator("textarea").input_value() == "Other words"
    chat.pump()
    chat.page.evaluate(COUNTED)
    assert chat.page.locator(".inp > .silent").is_hidden()
    assert (row.locator("textarea").count(), row.locator(".ct.md").inner_text().strip()) == (0, "Other words")


# --- by finger


def test_a_finger_reaches_all_that_a_pointer_does(opened: Opened, tmp_path: Path) -> None:
    browser = opened.page.context.browser
    assert browser is not None
    context = browser.new_context(has_touch=True, is_mobile=True, viewport={"width": 412, "height": 900})
    page = context.new_page()
    panel = SAMPLES["chat_panel"]()
    open_widget(page, panel, tmp_path)
    row = page.locator("article.r-user").last
    edit = row.get_by_role("button", name="Edit", exact=True)

    row.locator(".ct.md").tap()
    assert edit.is_visible()
    small = page.evaluate(SMALL)
    edit.tap()

    assert row.locator("textarea").is_visible()
    assert small == []
    context.close()
    panel.close()


# --- an answer as it is written


def test_an_answer_is_drawn_as_it_comes_and_can_be_stopped(of: Open) -> None:
    model = HeldModel("He **tur", "ns** round")
    chat = of(model=model)
    chat.type("Who?")
    chat.press("Enter")
    chat.until(lambda: chat.page.locator(".ct strong").count() > 0)
    assert chat.page.locator(".ct strong").inner_text() == "tur"

    stop = chat.page.locator(".inp").get_by_role("button", name="Stop")
    stop.click()
    sent = chat.pump()
    model.go_on.set()

    assert sent == [{"command": "stop"}]
    answer = chat.finish().path()[-1]
    assert answer.content == "He **tur"
    assert "stopped" in chat.row(answer.id).inner_text()
    assert chat.page.locator(".inp").get_by_role("button", name="Send").is_visible()


def test_both_buttons_say_stopping_before_python_does_and_ask_once(of: Open) -> None:
    model = HeldModel("He **tur", "ns** round")
    chat = of(model=model)
    chat.type("Who?")
    chat.press("Enter")
    chat.until(lambda: chat.page.locator(".ct strong").count() > 0)
    buttons = chat.page.get_by_role("button", name=re.compile("^Stop"))
    assert buttons.all_inner_texts() == ["Stop", "Stop"]

    buttons.first.click()
    stopping = buttons.all_inner_texts()
    chat.page.locator(".inp .go button").last.click(force=True)
    chat.field.press("Escape")
    sent = chat.pump()
    model.go_on.set()
    chat.finish()

    assert stopping == ["Stopping…", "Stopping…"]
    assert sent == [{"command": "stop"}]
    assert buttons.count() == 0


def test_escape_stops_and_what_waited_is_in_the_field_again(of: Open) -> None:
    model = HeldModel("Be", "cause.")
    chat = of(model=model)
    chat.type("Why?")
    chat.press("Enter")
    chat.until(lambda: model.begun.is_set())
    chat.type("And then?")
    chat.press("Enter")
    assert chat.page.get_by_role("list", name="Waiting to be sent").inner_text() == "waits: And then?"

    sent = chat.press("Escape")
    model.go_on.set()
    chat.finish()

    assert sent == [{"command": "stop"}]
    assert chat.field.input_value() == "And then?"
    assert not chat.page.get_by_role("list", name="Waiting to be sent").is_visible()


def test_what_is_sent_meanwhile_waits_for_its_turn(of: Open) -> None:
    model = HeldModel("Be", "cause.")
    chat = of(model=model)
    chat.type("Why?")
    chat.press("Enter")
    chat.until(lambda: model.begun.is_set())
    chat.type("And then?")
    assert chat.page.locator(".inp .pri").inner_text() == "Queue"

    chat.page.locator(".inp .pri").click()
    chat.pump()
    model.go_on.set()
    session = chat.finish()

    said = [node.content for node in session.path()[-4:]]
    assert said == ["Why?", "Because.", "And then?", "Because."]


def test_pieces_that_were_missed_are_asked_for(of: Open) -> None:
    model = HeldModel("Be", "cau", "se.")
    chat = of(model=model)
    chat.type("Why?")
    chat.press("Enter")
    chat.until(lambda: "Be" in chat.page.locator("article").last.locator(".ct.md").inner_text())
    running = json.loads(chat.panel.running)
    gap = {**running, "kind": "pieces", "number": running["number"] + 9, "text": "lost", "thought": ""}

    chat.page.evaluate("(piece) => window.ctxlabHost.model.hear(piece)", gap)

    assert {"command": "resend"} in chat.pump()
    assert "lost" not in chat.page.locator("article").last.locator(".ct.md").inner_text()
    model.go_on.set()
    answer = chat.finish().path()[-1]
    assert chat.row(answer.id).locator(".ct.md").inner_text().strip() == "Because."


def test_a_second_view_of_a_running_chat_asks_for_what_came(of: Open) -> None:
    model = HeldModel("Be", "cause.")
    chat = of(model=model)
    chat.type("Why?")
    chat.press("Enter")
    chat.until(lambda: model.begun.is_set())

    chat.page = chat.opened.show(chat.panel, Path(chat.page.url.removeprefix("file://")).parent)

    assert chat.pump() == [{"command": "resend"}]
    chat.until(lambda: "Be" in chat.page.locator("article").last.locator(".ct.md").inner_text())
    model.go_on.set()
    chat.finish()


# --- the next request


@pytest.fixture
def harbour(of: Open) -> ChatInPage:
    return of(session(), agent=agent(), books=[book()], budget_tokens=1800, model=because)


def test_while_one_types_the_bar_says_what_it_takes(harbour: ChatInPage) -> None:
    harbour.type("I lay the compass down, so that {{char}} can read it. {{nope}}")

    live = harbour.page.locator(".inp .lw").inner_text()
    draft = json.loads(harbour.panel.draft)
    assert f"{draft['tokens']:,} of 1,800" in live
    assert harbour.page.locator(".inp .sm i").first.get_attribute("class") == "fill src-preset"
    assert harbour.page.locator(".inp .sm .draft").count() == 1
    marked = harbour.page.locator(".marks .s").all_inner_texts()
    assert {"{{char}}", "{{nope}}"} <= set(marked)
    assert harbour.page.locator(".marks").evaluate("each => each.scrollHeight") == harbour.field.evaluate(
        "each => each.clientHeight"
    )
    assert "nope" in harbour.page.locator(".inp .lw .cause").first.inner_text()


def test_figures_of_an_older_text_are_grey(harbour: ChatInPage) -> None:
    harbour.type("compass")
    assert harbour.page.locator(".live.old, .next.old").count() == 0

    harbour.page.keyboard.insert_text(" and lamp")
    harbour.opened.painted()

    assert harbour.page.locator(".live.old, .next.old").count() == 2
    harbour.opened.rest()
    harbour.pump()
    assert harbour.page.locator(".live.old, .next.old").count() == 0


def test_what_a_long_draft_cuts_is_said_greyed_and_hangs_outside(harbour: ChatInPage) -> None:
    harbour.type("The lamp is cold and the log is wet. " * 20)

    draft = json.loads(harbour.panel.draft)
    assert draft["cut"]
    keys = {cut["key"] for cut in draft["cut"]}
    assert "will cut" in harbour.page.locator(".inp .lw").inner_text()
    classes = harbour.page.locator(".inp .sm i").evaluate_all("all => all.map((each) => each.className)")
    assert classes[-1] == "fill src-cut"
    end, cut = (harbour.page.locator(f".inp {each}").bounding_box() for each in (".end", ".sm .src-cut"))
    assert end is not None
    assert cut is not None
    assert cut["x"] >= end["x"] - 1
    key = next(iter(keys))
    assert harbour.page.locator(".side .next").get_by_role("button", name="Compress").is_visible()
    if any("keep" in each for each in draft["cut"]):
        harbour.page.locator(".side .next .ways button").first.click()
        assert harbour.pump()[0]["command"] == "keep"
    assert key


# --- files


def test_a_file_that_is_dropped_is_attached_and_can_be_taken_off(of: Open) -> None:
    chat = of(model=because)
    chat.page.evaluate(DROP, ["dragover", "plate.png", "image/png", list(PNG)])
    assert "Drop to attach 1 file" in chat.page.locator(".drop").inner_text()
    assert "image/png" in chat.page.locator(".drop").inner_text()

    chat.page.evaluate(DROP, ["drop", "plate.png", "image/png", list(PNG)])
    chat.until(lambda: chat.page.locator(".inp .filec.ready").count() == 1)

    assert not chat.page.locator(".drop").is_visible()
    assert "plate.png" in chat.page.locator(".inp .filec").inner_text()
    assert [each.name for each in chat.panel.waiting.assets] == ["plate.png"]
    chat.page.get_by_role("button", name="Take plate.png off").click()
    chat.pump()
    assert chat.page.locator(".inp .filec").count() == 0


def test_a_pasted_file_is_attached_and_goes_with_the_message(of: Open) -> None:
    chat = of(model=because)

    chat.page.evaluate(PASTE, ["灯.png", "image/png", list(PNG)])
    chat.until(lambda: chat.page.locator(".inp .filec.ready").count() == 1)
    chat.press("Enter")
    session = chat.finish()

    question = session.path()[-2]
    assert [each.name for each in question.attachments or ()] == ["灯.png"]
    assert chat.row(question.id).locator(".filec").count() == 1
    assert chat.page.locator(".inp .filec").count() == 0


def test_a_file_that_python_refuses_is_gone_again_with_a_sentence(of: Open) -> None:
    chat = of(model=because)

    chat.page.evaluate(DROP, ["drop", "empty.txt", "text/plain", []])
    chat.until(lambda: chat.page.locator(".inp > .er").is_visible())

    assert "empty.txt is empty" in chat.page.locator(".inp > .er").inner_text()
    assert chat.page.locator(".inp .filec").count() == 0


# --- keys, actions, suggestions


def put(chat: ChatInPage, name: str, value: Any) -> None:
    chat.page.evaluate("(values) => window.ctxlabHost.model.put(values)", {name: json.dumps(value)})
    chat.opened.painted()


def asked(chat: ChatInPage) -> list[dict[str, Any]]:
    return chat.page.evaluate("() => window.ctxlabHost.model.sent.splice(0)")


def test_alt_and_a_digit_is_a_quick_action_on_what_is_selected(of: Open) -> None:
    chat = of(model=because)
    chat.type("a long way")
    quick = {"description": "", "hotkey": "", "from": "agent", "sends": False}
    put(chat, "quick", [{"id": "q1", "label": "润色 Polish", **quick}, {"id": "q2", "label": "Shorter", **quick}])
    chat.page.evaluate(f"() => {FIELD}.setSelectionRange(2, 6)")
    asked(chat)

    chat.field.press("Alt+2")
    chat.page.get_by_role("button", name="润色 Polish").click()

    assert asked(chat) == [{"command": "quick", "id": each, "start": 2, "end": 6} for each in ("q2", "q1")]


def test_quick_actions_of_several_sets_stand_by_sets(of: Open) -> None:
    chat = of(model=because)
    quick = {"description": "", "hotkey": "", "sends": False}
    ids = [("q1", "Tone, of agent Wei"), ("q2", "Tone, of agent Wei"), ("q3", "Mine, for everyone")]
    put(chat, "quick", [{"id": id, "label": id, "from": whose, **quick} for id, whose in ids])

    tone = chat.page.get_by_role("group", name="Tone, of agent Wei")
    assert tone.get_by_role("button").all_inner_texts() == ["q1", "q2"]
    assert chat.page.get_by_role("group", name="Mine, for everyone").get_by_role("button").count() == 1
    put(chat, "quick", [{"id": "q1", "label": "q1", "from": "Tone", **quick}])
    assert chat.page.locator(".qa .set").count() == 0


def test_signs_that_turn_words_around_are_named_while_they_are_typed(of: Open) -> None:
    chat = of(model=because)
    chat.type("from left to right")
    signs = chat.page.locator(".inp .signs")
    assert not signs.is_visible()

    chat.field.fill("from \u202eleft to right")
    assert "turn words around" in signs.inner_text()
    chat.field.fill("from left")
    assert not signs.is_visible()


def test_a_text_that_an_action_gave_stays_until_it_is_closed(of: Open) -> None:
    chat = of(model=because)
    chat.panel.effect = {"label": "Count", "text": "10 characters\n<b>\u202egnp</b>"}
    chat.pump()

    told = chat.page.locator(".ctxlab .effect")
    assert told.inner_text().startswith("Count 10 characters")
    assert "\u202e" not in told.inner_text()
    assert told.locator("b").count() == 1
    told.get_by_role("button", name="Close").click()
    chat.pump()
    assert chat.panel.effect == {}
    assert not told.is_visible()


def test_the_agent_can_be_edited_from_its_picker(harbour: ChatInPage) -> None:
    harbour.page.get_by_role("button", name="Agent: ").click()
    assert harbour.page.get_by_role("menuitemradio", checked=True).count() == 1
    harbour.page.get_by_role("menuitem", name="Edit").click()
    assert asked(harbour) == [{"command": "open", "view": "agent", "key": ""}]


def test_settings_and_the_user_open_from_the_head_and_a_bound_one_is_said(of: Open) -> None:
    ada = UserProfile(id="ada", name="Ada")
    guide = Agent(id="guide", name="沈砚", user_profile_id="ada")
    chat = of(Library(sessions=(session(),), agents=(guide,), users=(ada,)), agent=guide, model=because)
    asked(chat)

    chat.page.get_by_role("button", name="User profile: Ada, bound to the agent 沈砚").click()
    chat.page.get_by_role("menuitem", name="Edit Ada").click()
    chat.page.get_by_role("button", name="More", exact=True).click()
    chat.page.get_by_role("menuitem", name="Settings").click()

    assert [command["view"] for command in asked(chat)] == ["user", "settings"]


def test_suggestions_open_over_the_field_and_are_taken_by_keys(of: Open) -> None:
    chat = of(model=because)
    chat.type("so that {{ch")

    chat.field.press("Control+Space")
    assert asked(chat) == [{"command": "complete", "caret": 12, "asksModel": False}]
    items = [{"insert": f"{{{{{name}}}}}", "replace": 4, "label": name, "hint": "a macro"} for name in ("char", "chat")]
    completion = {"text": "so that {{ch", "caret": 12, "items": items}
    chat.page.evaluate("(completion) => ctxlabHost.model.hear({ kind: 'completion', completion })", completion)
    assert chat.page.get_by_role("option", selected=True).inner_text().startswith("char")
    chat.field.press("ArrowDown")
    chat.field.press("Enter")

    assert chat.field.input_value() == "so that {{chat}}"
    assert not chat.page.get_by_role("listbox", name="Suggestions").is_visible()
    assert asked(chat) == []


def test_what_python_types_is_shown_but_not_over_what_is_being_typed(of: Open) -> None:
    chat = of(model=because)
    chat.panel.input = "from a cell"
    chat.pump()
    assert chat.field.input_value() == "from a cell"

    chat.field.focus()
    chat.page.keyboard.press("End")
    chat.page.keyboard.insert_text(" and me")
    chat.page.evaluate("() => window.ctxlabHost.model.put({ input: 'another' })")

    assert chat.field.input_value() == "from a cell and me"
    chat.opened.rest()
    chat.pump()
    assert chat.panel.input == "from a cell and me"


def test_control_z_is_the_chats_but_in_the_field_it_is_the_texts(of: Open) -> None:
    chat = of(model=because)
    chat.field.focus()
    chat.page.keyboard.press("Control+z")
    assert asked(chat) == []

    chat.page.locator("article").last.focus()
    chat.page.keyboard.press("Control+z")
    chat.page.keyboard.press("Control+Shift+z")

    assert asked(chat) == [{"command": "undo"}, {"command": "redo"}]


# --- head and side


def test_who_takes_part_is_chosen_from_a_list_by_keys(of: Open) -> None:
    chat = of(model=because)
    choices = [{"id": "m1", "label": "ridge-8k"}, {"id": "m2", "label": "<b>ridge</b>-8k-mini"}]
    head = json.loads(chat.panel.head) | {"model": {"now": "m1", "choices": choices}}
    put(chat, "head", head)
    asked(chat)

    chat.page.get_by_role("button", name="Model: ridge-8k").press("Enter")
    assert chat.page.get_by_role("option", selected=True).inner_text() == "ridge-8k"
    chat.page.keyboard.press("ArrowDown")
    chat.page.keyboard.press("Enter")

    assert asked(chat) == [{"command": "choose", "what": "model", "id": "m2"}]
    assert chat.page.locator(".ctxlab .menu").count() == 0


def test_words_are_found_in_messages_and_counted(harbour: ChatInPage) -> None:
    find = harbour.page.get_by_role("searchbox", name="Find")
    find.fill("compass")
    harbour.opened.rest()
    first = harbour.page.locator(".count").inner_text()

    find.press("Enter")

    at, of, count = harbour.page.locator(".count").inner_text().split(" ")
    assert (first, of) == (f"1 of {count}", "of")
    assert at == ("2" if int(count) > 1 else "1")
    assert harbour.page.locator("mark.current").count() == 1
    find.press("Escape")
    assert harbour.page.locator("mark.hit, mark.current").count() == 0


def test_words_on_other_branches_are_counted_and_gone_to_one_after_the_other(of: Open) -> None:
    chat = Session(id="s").append("", role="system").append("Where is the lamp?")
    question = chat.leaf
    for words in ("Ｌａｍｐ, I said.", "No light at all"):
        chat = chat.append("Here.", role="assistant").branch_from_edit(question, words)
    in_page = of(chat, model=because)
    count, other = in_page.page.locator(".count"), in_page.page.get_by_role("button", name="on other branches")
    in_page.page.get_by_role("searchbox", name="Find").fill("lamp")
    in_page.opened.rest()
    in_page.pump()
    assert (count.inner_text(), other.inner_text()) == ("none found", "2 on other branches")

    read = []
    for _ in range(3):
        other.click()
        in_page.pump()
        assert count.inner_text() == "1 of 1, on another branch now"
        read.append(in_page.page.locator("mark.current").inner_text())

    assert read == ["lamp", "Ｌａｍｐ", "lamp"]
    assert other.inner_text() == "1 on other branches"


def test_what_an_answer_got_opens_beside_and_goes(harbour: ChatInPage) -> None:
    key = [node.id for node in harbour.panel.session.path() if node.role == "assistant"][-1]
    harbour.page.evaluate("(key) => window.ctxlabHost.model.send({ command: 'got', key })", key)
    harbour.pump()

    part = harbour.page.get_by_role("region", name=f"What {key} got")
    got = json.loads(harbour.panel.got)
    assert got["sentence"] in part.inner_text()
    assert f"{got['tokens']:,}" in part.inner_text()
    assert f"sent, {1800 - got['tokens']:,} free" in part.inner_text()
    part.get_by_role("button", name="Lore").click()
    part.get_by_role("button", name="Close").click()
    assert asked(harbour) == [{"command": "open", "view": "lore", "key": key}, {"command": "got", "key": ""}]


def test_the_little_tree_goes_to_a_sibling_by_keys(of: Open) -> None:
    forked = chat().branch_from_edit("u2", "And who keeps the log?")
    page = of(forked, model=because)
    items = page.page.get_by_role("treeitem")
    others = page.page.locator("[role=treeitem]:not(.active)").all()
    assert others
    assert items.evaluate_all("all => all.filter((each) => each.tabIndex === 0).length") == 1

    others[0].focus()
    page.page.keyboard.press("Enter")

    (switch,) = page.pump()
    assert switch == {"command": "switch", "key": "u2"}
    assert "u2" in [node.id for node in page.panel.session.path()]


def test_tree_and_list_follow_python_and_the_page(of: Open) -> None:
    chat = of(model=because)

    chat.page.get_by_role("radio", name="Tree").click()
    chat.pump()
    assert chat.panel.opened[0] == "tree"

    chat.panel.opened = ("", None)
    chat.pump()
    assert chat.page.get_by_role("radio", name="List").get_attribute("aria-checked") == "true"


def test_a_greeting_offers_three_first_sentences(of: Open) -> None:
    greeted = ctxlab.greeted(Session(id="s"), agent(), user=UserProfile(name="Ada"))
    chat = of(greeted, agent=agent(), model=because)
    row = chat.page.get_by_role("toolbar", name="Begin with")
    first = row.get_by_role("button").first.inner_text()
    assert 1 <= row.get_by_role("button").count() <= 3

    row.get_by_role("button").first.click()

    assert chat.field.input_value() == first
    assert asked(chat) == []


# --- what a message brings


def test_the_agents_pictures_formulas_and_links_are_drawn_from_what_python_sends(of: Open) -> None:
    asset = {"id": "wave", "group": "stickers", "filename": "wave.png", "path": "stickers/wave.png", "type": "image"}
    wei = Agent(id="wei", name="Wei", assets=[asset])
    text = "![波](agent-asset://stickers/wave.png) $x^2$ &copy; &notit; 见 https://a.example/x_(y)?q=1。"
    library = Library(
        agents=[wei],
        sessions=[chat().append(text, role="assistant", id="a3")],
        files={"agents/wei/stickers/wave.png": PNG},
    )
    page = of(library, agent=wei, model=because)

    shown = page.row("a3")
    page.until(lambda: shown.locator("img").count() == 1 and shown.locator("math").count() == 1)

    assert shown.locator("img").get_attribute("src").startswith("blob:")  # type: ignore[union-attr]
    assert shown.locator("a").get_attribute("href") == "https://a.example/x_(y)?q=1"
    assert "\u00a9 &notit; 见" in shown.inner_text()


# --- what strangers wrote


def test_hostile_text_is_text_everywhere(of: Open) -> None:
    strange = chat()
    for i, text in enumerate(HOSTILE):
        strange = strange.append(text, role="user" if i % 2 else "assistant", id=f"h{i}")
    page = of(strange, model=because)
    words = HOSTILE[0] + " \u202egnp"
    head = json.loads(page.panel.head)
    whole = {"id": "x", "label": words, "hint": words}
    put(page, "head", head | {"sentence": words, "model": {"now": "x", "choices": [whole, {"id": "y", "label": "y"}]}})
    put(
        page,
        "got",
        {"key": words, "who": words, "sentence": words, "totals": [[words, words, 5]], "tokens": 5, "budget": 6}
        | {"cut": words, "notes": [words]},
    )
    draft = json.loads(page.panel.draft)
    fires = [{"name": words, "tokens": 3, "cause": words, "chance": words}]
    marks = [{"start": 0, "end": 3, "kind": words, "note": words}]
    cut = [{"key": words, "cause": words, "keep": {"label": words}}]
    put(
        page,
        "draft",
        draft
        | {"fires": fires, "marks": marks, "cut": cut, "cutTokens": 4, "cache": [words]}
        | {"notes": [words], "text": "abcdef"},
    )
    put(
        page,
        "around",
        {
            "nodes": [
                {
                    "key": words,
                    "label": words,
                    "role": words,
                    "column": 0,
                    "parent": "",
                    "isActive": True,
                    "state": "failed",
                }
            ]
        },
    )
    put(page, "quick", [{"id": "q", "label": words, "description": words, "hotkey": "", "from": words, "sends": True}])
    put(
        page,
        "files",
        [
            {
                "id": "f",
                "name": words,
                "facts": words,
                "kind": words,
                "state": "ready",
                "thumbnail": "https://example.org/x.png",
            }
        ],
    )
    page.page.evaluate("() => window.ctxlabHost.model.put({ error: '<img src=x onerror=alert(5)> \\u202egnp' })")
    page.opened.painted()

    assert page.page.locator(".ctxlab :is(img, script, iframe, a)").count() == 0
    assert "\u202e" not in page.page.locator(".ctxlab").inner_text()
    assert page.page.title() != "gone"


def test_a_report_can_be_read_and_asks_for_nothing(opened: Opened, tmp_path: Path) -> None:
    made = open_chat(opened, tmp_path, session(), agent=agent(), books=[book()], budget_tokens=1800, model=because)
    made.panel.live = False
    made.page = opened.show(made.panel, tmp_path)
    page = made.page

    assert page.locator("article").count() > 0
    assert page.locator(".side .next .kv").is_visible()
    assert not page.locator(".ctxlab textarea").is_visible()
    for name in ("Send", "Attach", "More", "Open the tree"):
        assert page.get_by_role("button", name=name, exact=True).count() == 0
    for button in page.locator(".ctxlab button:visible").all():
        button.click(force=True)
    assert made.opened.sent() == []
    made.panel.close()


def test_below_700_pixels_the_next_request_comes_first_under_the_list(opened: Opened, harbour: ChatInPage) -> None:
    harbour.type("compass")

    def tops() -> list[float]:
        boxes = [harbour.page.locator(f".ctxlab {each}").bounding_box() for each in (".inp", ".next", ".grow")]
        return [box["y"] for box in boxes if box is not None]

    wide = tops()
    opened.resize(420)
    narrow = tops()

    assert wide[2] < wide[1]
    assert narrow == sorted(narrow)
    page_width = harbour.page.evaluate("() => document.documentElement.scrollWidth")
    assert page_width <= 420


# --- what lies outside of what is seen

BESIDE = """() => {
  const root = document.querySelector(".ctxlab");
  const page = root.parentElement;
  page.classList.add("ctxlab-page");
  const view = document.createElement("div");
  view.className = "ctxlab";
  view.style.cssText = "height: 2000px; margin-top: 1200px";
  const place = document.createElement("div");
  place.className = "beside";
  page.append(place);
  place.append(view);
}"""
BACK = """() => {
  document.querySelector(".ctxlab-page").classList.remove("ctxlab-page");
  document.querySelector(".beside").remove();
  scrollTo(0, 0);
}"""


def test_a_view_that_opens_below_the_chat_is_brought_into_sight(of: Open) -> None:
    chat = of(model=because)
    chat.page.locator(".ctxlab").first.evaluate("(root) => root.parentElement.classList.add('ctxlab-page')")
    chat.page.get_by_role("button", name="More", exact=True).click()
    chat.page.get_by_role("menuitem", name="Settings").click()
    before = chat.page.evaluate("() => scrollY")

    chat.page.evaluate(BESIDE)
    chat.opened.painted()
    top = chat.page.evaluate("() => document.querySelector('.beside .ctxlab').getBoundingClientRect().top")
    after = chat.page.evaluate("() => scrollY")
    chat.page.evaluate(BACK)

    assert after > before
    assert abs(top) < 2


def test_sending_goes_to_the_end_of_the_list_from_wherever_one_was(of: Open) -> None:
    long = chat()
    for n in range(30):
        long = long.append("words " * 30, id=f"n{n}", role="assistant" if n % 2 else "user")
    shown = of(long, model=because)
    shown.page.locator(".log").evaluate("(log) => { log.scrollTop = 0; }")
    shown.opened.painted()
    shown.type("Why?")

    shown.press("Enter")
    session = shown.finish()

    assert session.leaf is not None
    left = shown.page.locator(".log").evaluate("(log) => log.scrollHeight - log.clientHeight - log.scrollTop")
    assert left < 24


def test_a_text_of_very_many_characters_is_laid_out_once_and_keeps_its_field(of: Open) -> None:
    chat = of(model=because)
    chat.field.fill("x" * 30_000)
    chat.opened.painted()
    marks = chat.page.locator(".both .marks")

    assert len(marks.inner_text()) <= 1
    assert chat.field.evaluate("(each) => [each.clientHeight, getComputedStyle(each).overflowY]") == [240, "auto"]
    chat.field.fill("short")
    chat.opened.painted()
    assert marks.inner_text().startswith("short")


def test_without_an_agent_its_picker_says_how_one_comes(of: Open) -> None:
    chat = of(model=because)

    chat.page.get_by_role("button", name="Agent: No agent").click()

    assert "agent=" in chat.page.get_by_role("menuitem").inner_text()
    chat.page.keyboard.press("Escape")

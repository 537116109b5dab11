"""What a chat does beside its turns: translations, names, completions, quick actions, actions of packages."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from ctxlab import Agent, Library, MessageAction, QuickAction, QuickActionSet, Session
from ctxlab.errors import WrongArgument
from ctxlab_widgets.chat_panel.model_beside import options_beside
from ctxlab_widgets.chat_panel.thoughts_in_text import ComingText, with_words, words_and_thoughts
from ctxlab_widgets.chat_panel.utf16 import characters_before, units_before
from tests.widgets.chat_models import LONG, Page, because, chat


def german(messages: list[dict[str, Any]]) -> str:
    return "Guten Abend."


def rested(page: Page) -> None:
    assert page.panel.jobs.rest(LONG)


# --- translations


def test_a_message_is_translated_beside_the_conversation_as_a_step_that_can_be_undone() -> None:
    page = Page(model=german, translation={"displayMode": "translation"})
    assert page.shown("head")["languages"][0] == {"id": "Chinese", "label": "Chinese"}

    assert page.asks("translate", key="a1", to="German") == ""
    rested(page)

    assert page.row("a1")["translation"] == {"text": "Guten Abend.", "to": "German", "shown": "translation"}
    assert page.row("a1")["text"] == "Good evening."
    assert page.panel.session["a1"].content == "Good evening."
    assert page.asks("show_translation", key="a1", shown="both") == ""
    assert page.row("a1")["translation"]["shown"] == "both"
    page.asks("undo")
    assert page.row("a1")["translation"]["shown"] == "translation"
    page.asks("undo")
    assert "translation" not in page.row("a1")


def test_the_kernel_is_free_while_a_model_translates_and_the_row_says_so() -> None:
    go_on = threading.Event()

    def slow(messages: list[dict[str, Any]]) -> str:
        assert go_on.wait(LONG)
        return "Guten Abend."

    page = Page(model=slow)
    assert page.asks("translate", key="a1", to="German") == ""
    assert page.row("a1")["facts"][-1] == "being translated into German"

    go_on.set()
    rested(page)

    assert "being translated into German" not in page.row("a1")["facts"]


def test_segments_that_stay_as_they_were_are_told_with_the_message_until_it_changes() -> None:
    session = chat().edit("a1", "Good evening.\n\n" + "x" * 40 + " {{user}} asks.")
    page = Page(session, model=german, translation={"segmentCharacters": 20})

    page.asks("translate", key="a1", to="German")
    rested(page)

    assert any("as it was in the translation: " in fact for fact in page.row("a1")["facts"])
    page.asks("undo")
    assert not any("in the translation" in fact for fact in page.row("a1")["facts"])


def test_what_is_asked_beside_the_conversation_is_shown_and_can_be_cancelled() -> None:
    go_on = threading.Event()

    def slow(messages: list[dict[str, Any]]) -> str:
        assert go_on.wait(LONG)
        return "Guten Abend."

    page = Page(model=slow)
    page.asks("translate", key="a1", to="German")
    page.asks("name_topic")
    topic, before = page.shown("asides")[1], page.panel.session
    labels = [each["label"] for each in page.shown("asides")]
    assert labels == ["Translating a1 into German", "Looking for a name for the topic"]

    page.asks("give_up", id=topic["id"])
    assert [each["label"] for each in page.shown("asides")] == labels[:1]
    assert page.row("a1")["facts"][-1] == "being translated into German"
    page.asks("give_up", id=page.shown("asides")[0]["id"])

    assert page.shown("asides") is None
    assert "being translated into German" not in page.row("a1")["facts"]
    go_on.set()
    rested(page)
    assert page.panel.session is before


def test_a_translation_that_fails_is_told_where_it_was_asked_for() -> None:
    def fails(messages: list[dict[str, Any]]) -> str:
        raise OSError("the line is dead")

    page = Page(model=fails)
    before = page.panel.session

    page.asks("translate", key="a1", to="German")
    rested(page)

    assert page.row("a1")["facts"][-1].startswith("not translated: ")
    assert "the line is dead" in page.row("a1")["facts"][-1]
    assert page.panel.session is before


def test_the_draft_is_translated_in_its_place_unless_one_goes_on_typing() -> None:
    page = Page(model=german)
    page.panel.input = "Good evening."
    assert page.asks("translate", key="", to="German") == ""
    rested(page)
    assert page.panel.input == "Guten Abend."

    def types(messages: list[dict[str, Any]]) -> str:
        page.panel.input = "Good evening, all."
        return "Guten Abend."

    page.panel.use(replace(page.panel.setup, model=types))
    page.panel.input = "Good evening!"
    page.asks("translate", key="", to="German")
    rested(page)
    assert page.panel.input == "Good evening, all."
    assert page.panel.error == "the draft was changed while it was translated, and stays as it is"


def test_the_echo_is_asked_for_nothing_beside_the_conversation() -> None:
    page = Page()
    page.panel.input = "Good"

    for command, fields in (
        ("translate", {"key": "a1", "to": "German"}),
        ("name_topic", {}),
        ("complete", {"caret": 4, "asksModel": True}),
    ):
        assert "there is no model to ask, only the echo" in page.asks(command, **fields)


def test_a_key_of_the_chat_goes_to_its_own_vendor_alone() -> None:
    setup = Page(model="gpt-4o", key="sk-own", base_url="http://localhost:9").panel.setup

    assert options_beside(setup, "") == {"model": "gpt-4o", "key": "sk-own", "base_url": "http://localhost:9"}
    assert options_beside(setup, "openai:gpt-4o-mini")["key"] == "sk-own"
    assert options_beside(setup, "anthropic:claude-sonnet-4-5") == {}
    assert options_beside(setup, "mine:claude-sonnet-4-5") == {}


# --- the name


def test_a_conversation_gets_its_name_when_asked_to_and_undo_takes_it_back() -> None:
    page = Page(model=lambda messages: "The Light")
    assert page.asks("name_topic") == ""
    rested(page)

    assert page.shown("head")["name"] == "The Light"
    page.asks("undo")
    assert page.panel.session.name == ""


def test_a_name_comes_by_itself_after_a_reply_where_the_settings_say_so() -> None:
    page = Page(model=lambda messages: "The Light", topic_naming={"enabled": True, "autoTriggerThreshold": 3})
    assert page.panel.session.name == ""

    page.asks("send", text="Why?")
    page.done()

    assert page.panel.session.name == "The Light"
    assert page.shown("head")["name"] == "The Light"


def test_a_name_that_fails_is_not_asked_for_by_itself_again() -> None:
    asked: list[int] = []

    def model(messages: list[dict[str, Any]]) -> str:
        if len(messages) == 1 and "Why" in str(messages[0]["content"]) and messages[0]["content"] != "Why?":
            asked.append(1)
            raise OSError("the line is dead")
        return "Because."

    page = Page(model=model, topic_naming={"enabled": True, "autoTriggerThreshold": 1})
    page.asks("send", text="Why?")
    page.done()
    assert page.panel.error.startswith("the conversation has no new name: ")
    page.asks("send", text="Why now?")
    page.done()

    assert len(asked) == 1
    assert page.panel.session.path()[-1].content == "Because."


# --- completions


def completion(page: Page) -> dict[str, Any]:
    return [content["completion"] for content, _ in page.sent if content["kind"] == "completion"][-1]


@pytest.mark.parametrize(
    ("typed", "caret", "after"),
    [("😀 {{us", 7, "😀 {{user}}"), ("{{us}} x", 4, "{{user}} x"), ("{{us", 4, "{{user}}")],
)
def test_macros_complete_at_once_and_the_page_can_put_them_in(typed: str, caret: int, after: str) -> None:
    page = Page(model=because)
    page.panel.input = typed

    assert page.asks("complete", caret=caret, asksModel=False) == ""

    found = completion(page)
    assert (found["text"], found["caret"]) == (typed, caret)
    item = next(item for item in found["items"] if item["label"] == "user")
    units = typed.encode("utf-16-le")
    front, behind = units[: 2 * (caret - item["replace"])], units[2 * caret :]
    assert (front + item["insert"].encode("utf-16-le") + behind).decode("utf-16-le") == after


def test_a_model_goes_on_from_the_caret_and_a_newer_wish_takes_its_place() -> None:
    page = Page(model=lambda messages: f"{messages[-1]['content']} light")
    page.panel.input = "Who keeps the"
    assert page.asks("complete", caret=13, asksModel=True) == ""
    rested(page)
    assert completion(page)["items"][0]["insert"] == " light"

    begun, go_on = threading.Event(), threading.Event()

    def slow(messages: list[dict[str, Any]]) -> str:
        begun.set()
        assert go_on.wait(LONG)
        return "late"

    other = Page(model=slow)
    other.panel.input = "{{us"
    other.asks("complete", caret=4, asksModel=True)
    assert begun.wait(LONG)
    other.asks("complete", caret=4, asksModel=False)
    go_on.set()
    rested(other)

    assert [item["label"] for item in completion(other)["items"]][-1:] == ["user"]
    assert sum(content["kind"] == "completion" for content, _ in other.sent) == 1


# --- quick actions


def with_actions(*actions: QuickAction, **options: Any) -> Page:
    library = Library(sessions=(chat(),), quick_actions=(QuickActionSet(id="q", name="Mine", actions=actions),))
    return Page(library, model=because, **options)  # pyright: ignore[reportArgumentType]


def test_quick_actions_are_buttons_with_their_keys_and_work_on_what_is_selected() -> None:
    page = with_actions(QuickAction(id="b", label="Bold", content="**{{input}}**", hotkey="alt + B"))
    (button,) = page.shown("quick")
    assert (button["label"], button["hotkey"], button["from"], button["sends"]) == (
        "Bold",
        "Alt+B",
        "Mine, for everyone",
        False,
    )

    page.panel.input = "😀 very good"
    assert page.asks("quick", id=button["id"], start=3, end=7) == ""

    assert page.panel.input == "😀 **very** good"


def test_a_quick_action_that_sends_sends_and_what_it_drops_is_told() -> None:
    page = with_actions(QuickAction(id="g", label="Greet", content="Good evening!", auto_send=True))
    page.panel.input = "half a"

    error = page.asks("quick", id="q/g", start=0, end=0)
    page.done()

    assert "takes the place of" in error
    assert page.panel.input == ""
    assert [node.content for node in page.panel.session.path()[-2:]] == ["Good evening!", "Because."]


# --- actions on messages


def shout(session: Session, key: str) -> Session:
    return session.edit(key, session[key].content.upper())


def breaks(session: Session, key: str) -> bool:
    raise ZeroDivisionError("no")


def test_actions_on_messages_are_buttons_and_steps_and_broken_ones_are_named() -> None:
    actions = (
        MessageAction("shout", "Shout", shout, roles=("assistant",)),
        MessageAction(
            "count",
            "Count",
            lambda session, key: f"{len(session[key].content)} characters",
            description="Its characters",
            question="Count\u202e it?",
        ),
        MessageAction("odd", "Odd one", shout, applies=breaks),
    )
    page = Page(model=because, message_actions=actions)

    assert "'Odd one' is left out" in page.panel.error
    assert [each["id"] for each in page.shown("head")["messageActions"]] == ["shout", "count", "odd"]
    count = page.shown("head")["messageActions"][1]
    assert count == {"id": "count", "label": "Count", "hint": "Its characters", "question": "Count\ufffd it?"}
    assert "plugin:shout" in page.row("a1")["actions"]
    assert "plugin:shout" not in page.row("u1")["actions"]
    assert page.asks("message_action", key="a1", id="shout") == ""
    assert page.row("a1")["text"] == "GOOD EVENING."
    page.asks("message_action", key="u1", id="count")
    assert page.panel.effect == {"label": "Count", "text": "10 characters"}
    page.panel.set_state({"effect": {}})
    assert page.panel.effect == {}
    assert "there is no action 'shout'" in page.asks("message_action", key="u1", id="shout")
    page.asks("undo")
    assert page.row("a1")["text"] == "Good evening."


# --- thoughts in texts, files of agents, summaries, code


def test_thoughts_in_an_answer_stand_apart_from_its_words_and_stay_when_these_are_edited() -> None:
    text = "<muse>hm</muse>\n\nYes."
    agent = Agent(id="wei", name="Wei", llm_think_rules=[{"kind": "xml_tag", "tagName": "muse"}])  # pyright: ignore[reportArgumentType]
    page = Page(
        chat().edit("a2", text), agent, model=lambda messages: iter(["<mu", "se>so</mu", "se>\n", "Why ", "not?"])
    )
    assert (page.row("a2")["text"], page.row("a2")["thought"]["text"]) == ("Yes.", "hm")
    assert page.panel.session["a2"].content == text

    page.asks("send", text="Why?")
    page.done()
    assert "".join(piece["text"] for piece in page.pieces) == page.rows[-1]["text"] == "Why not?"
    assert "".join(piece["thought"] for piece in page.pieces) == "so"

    page.asks("edit", key="a2", text="No.")
    assert page.panel.session["a2"].content == "<muse>hm</muse>\n\nNo."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "a < b",
        "<think>x</think>y",
        "\n<think>x</think>\n\ny<think>z</think>w",
        "<think>open",
        "a<think>b</think>",
    ],
)
def test_the_words_of_a_text_put_back_give_the_text_and_pieces_give_the_same_words(text: str) -> None:
    words, _ = words_and_thoughts(text, ())
    coming = ComingText()
    pieces = [coming.more(letter) for letter in text]

    assert with_words(text, words, ()) == text
    assert words.startswith("".join(piece for piece, _ in pieces).lstrip("\n"))
    assert words_and_thoughts(with_words(text, "Other.", ()), ())[0] == "Other."


def test_an_edit_of_an_answer_whose_thought_never_ended_is_not_swallowed_by_it() -> None:
    assert with_words("<think>open", "Yes.", ()) == "<think>open</think>Yes."


def test_a_file_of_the_agent_is_found_by_the_address_that_texts_name_it_with() -> None:
    agent = Agent(
        id="wei", name="Wei", assets=[{"id": "wave", "group": "stickers", "path": "assets/wave.png", "type": "image"}]
    )  # pyright: ignore[reportArgumentType]
    library = Library(sessions=(chat(),), agents=(agent,), files={"assets/wave.png": b"\x89PNG\r\n\x1a\n" + b"0" * 40})
    page = Page(library, agent, model=because)  # pyright: ignore[reportArgumentType]

    page.asks("asset", id="agent-asset://stickers/wave.png")
    content, (data,) = page.sent[-1]
    assert (content["type"], data[:4]) == ("image/png", b"\x89PNG")
    page.asks("asset", id="https://example.org/wave.png")
    assert page.sent[-1][1] == [b""]


def test_a_summary_is_told_what_it_lost_when_it_is_asked_for_or_made_here() -> None:
    session = chat()
    for n in range(14):
        session = session.append(f"Never name Ada Lovelace before {n + 1} pm.", id=f"q{n}")
        session = session.append("Agreed.", role="assistant", id=f"r{n}")
    page = Page(session, model=because)
    page.panel.rest(LONG)
    page.asks("open", view="compression", key="")
    view = page.panel.page.opened
    view._handle_custom_msg({"command": "apply"}, [])
    (row,) = [row for row in page.rows if row["kind"] == "summary"]
    assert "facts that were found in them" in row["standsFor"]["kept"]

    page.panel.change(Session.update, row["key"], content="They talked.")
    assert page.row(row["key"])["standsFor"]["kept"] == ""
    assert page.asks("got", key=row["key"]) == ""
    assert any(lost.startswith("rule: Never name Ada Lovelace") for lost in page.row(row["key"])["standsFor"]["lost"])


def test_late_code_is_sent_to_a_chat_too() -> None:
    page = Page(model=because)
    assert page.asks("late_code", name="mermaid") == ""
    content, (code,) = page.sent[-1]
    assert content == {"late_code": "mermaid"}
    assert len(code) > 100_000


def test_places_in_units_and_in_characters_are_the_same_places() -> None:
    text = "a😀b沈"
    for n in range(len(text) + 1):
        assert characters_before(text, units_before(text, n)) == n


# --- a translator of the chat's own


@pytest.mark.parametrize("given", [german, {"model": german, "displayMode": "translation"}])
def test_a_function_translates_where_the_chat_has_another_model(given: Any) -> None:
    page = Page(model=because, translation=given)

    assert page.asks("translate", key="a1", to="German") == ""
    rested(page)

    assert page.row("a1")["translation"]["text"] == "Guten Abend."


def test_a_model_that_translates_gets_key_and_address_of_the_chat_where_it_is_of_its_vendor() -> None:
    setup = Page(model="gpt-4o", key="secret", base_url="http://127.0.0.1:1/v1").panel.setup

    assert options_beside(setup, "", "gpt-4o-mini")["key"] == "secret"
    assert "key" not in options_beside(setup, "", "claude-sonnet-4-5")


def test_a_translator_that_is_none_is_refused() -> None:
    with pytest.raises(WrongArgument, match=r"the model of translation is a model's name, .* not 7"):
        Page(model=because, translation={"model": 7})


def test_a_misspelt_setting_names_the_nearest() -> None:
    page = Page(model=because, translation={"mesageTargetLang": "German"})

    assert "no setting 'mesageTargetLang'; it is left out; did you mean 'messageTargetLang'?" in page.panel.error

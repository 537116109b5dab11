"""Translations: what is asked, cached, mended and said, and the message that has one."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import ctxlab
from ctxlab.chat.translation.translation import displayed, with_display_mode
from ctxlab.documents import Session
from ctxlab.errors import Refused, WrongArgument
from ctxlab.testing import FakeReply, FakeServer

KEY = "sk-never-to-be-seen-42"
CHAT = Session(id="s").append("See <b>{{user}}</b> at https://a.example/x?y=1.", id="u1")
BARE = {"prompt": "<<{text}>>", "attempts": 1}


def asked(messages: list[dict[str, str]]) -> str:
    return messages[-1]["content"].partition("<<")[2].rpartition(">>")[0]


def shouting(messages: list[dict[str, str]]) -> str:
    return asked(messages).upper()


def test_a_message_gets_its_translation_which_can_be_undone_and_goes_with_an_edit() -> None:
    history = ctxlab.History(CHAT)

    made = ctxlab.translate(CHAT.node("u1"), to="Loud", model=shouting, settings=BARE, timestamp="2026-01-02T03:04:05Z")
    session = made.applied(history)

    assert made.text == "SEE <b>{{user}}</b> AT https://a.example/x?y=1."
    assert session.node("u1").meta("translation") == {
        "content": made.text,
        "targetLang": "Loud",
        "modelIdentifier": "shouting",
        "timestamp": "2026-01-02T03:04:05Z",
        "visible": True,
        "displayMode": "both",
    }
    assert session.edit("u1", "Other words").node("u1").meta("translation") is None
    assert history.undo() == CHAT
    with pytest.raises(Refused, match="was changed since"):
        made.applied(ctxlab.History(CHAT.edit("u1", "Other words")))


def test_what_is_shown_goes_by_the_stored_mode() -> None:
    session = ctxlab.translate(CHAT.node("u1"), model=shouting, settings=BARE).applied(CHAT)
    original, loud = CHAT.node("u1").content, session.node("u1").meta("translation")["content"]

    shown = [
        displayed(with_display_mode(session, "u1", mode).node("u1")) for mode in ("original", "translation", "both")
    ]

    assert [(each.original, each.translation) for each in shown] == [(original, None), (None, loud), (original, loud)]
    assert displayed(CHAT.node("u1")).translation is None


def test_the_model_never_sees_the_pieces_and_is_told_of_the_marks() -> None:
    seen: list[str] = []
    ctxlab.translate(CHAT.node("u1"), model=lambda messages: seen.append(messages[-1]["content"]) or "x")

    assert not any(piece in seen[0] for piece in ("<b>", "{{user}}", "https://a.example"))
    assert "into Chinese" in seen[0] and "⟦1⟧" in seen[0] and "4 marks" in seen[0]


def test_the_language_is_that_of_the_settings_for_a_message_and_for_what_is_typed() -> None:
    settings = {"messageTargetLang": "Korean", "inputTargetLang": "French"}

    assert ctxlab.translate(CHAT.node("u1"), model=shouting, settings=settings).to == "Korean"
    assert ctxlab.translate("你好", model=shouting, settings=settings).to == "French"
    assert ctxlab.translate("你好", to="German", model=shouting, settings=settings).to == "German"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("voir ⟦ 1 ⟧ ici", "voir `x` ici"),
        ("voir ⟦１⟧ ici", "voir `x` ici"),
        ("voir ⟦1 ici", "voir `x` ici"),
        ("voir [1⟧ ici", "voir `x` ici"),
        ("voir ⟦1⟧ ⟦1⟧ ici", "voir `x` ici"),
        ("```\nvoir ⟦1⟧ ici\n```", "voir `x` ici"),
        ("<think>⟦1⟧</think>voir ⟦1⟧ ici", "voir `x` ici"),
    ],
)
def test_a_mark_that_can_only_have_been_one_is_mended(answer: str, text: str) -> None:
    made = ctxlab.translate("see `x` here", model=lambda messages: answer)

    assert (made.text, made.error) == (text, None)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "is empty"),
        ("voir ici", "lost 2 of 2 protected pieces (first the code '`x`')"),
        ("voir ⟦1⟧ ⟦2⟧ et ⟦1⟧", "doubled"),
        ("voir ⟦1⟧ ⟦2⟧ ⟦3⟧", "made up 1 mark"),
        ("voir ⟦1⟧ ⟦2⟧ <script>x</script>", "new piece, the element '<script>x</script>'"),
        ("voir ⟦1⟧ ⟦2⟧ {{setvar::a::b}}", "new piece, the macro"),
        ("⟦1⟧ ⟦2⟧", "has no words"),
    ],
)
def test_an_answer_that_cannot_be_proved_right_falls_back_and_says_why(answer: str, why: str) -> None:
    made = ctxlab.translate("see `x` here {{user}}", model=lambda messages: answer)

    assert made.text == made.original
    assert why in made.notes[0].text and why in str(made.error)


def test_pieces_move_with_their_words_but_not_across_tags() -> None:
    def model(messages: Any) -> str:
        return asked(messages).replace("put ⟦1⟧ in ⟦2⟧", "in ⟦2⟧ put ⟦1⟧")

    assert ctxlab.translate("put `a` in `b`", model=model, settings=BARE).text == "in `b` put `a`"
    moved = ctxlab.translate("put <i>this</i> in `b`", model=lambda messages: "⟦3⟧ into ⟦1⟧that⟦2⟧")
    assert moved.error == "the model moved a piece across a tag"


def test_only_the_segment_that_went_wrong_falls_back() -> None:
    def model(messages: Any) -> str:
        return "" if "two" in asked(messages) else shouting(messages)

    made = ctxlab.translate("one\n\ntwo\n\nthree", model=model, settings={**BARE, "segmentCharacters": 5})

    assert made.text == "ONE\n\ntwo\n\nTHREE"
    assert [segment.state for segment in made.segments] == ["translated", "fell back", "translated"]
    assert made.error is None and "segment 2 of 3 (characters 5 to 8)" in made.notes[0].text


def test_a_segment_is_asked_for_again_before_it_falls_back() -> None:
    answers = iter(["", "good"])

    assert ctxlab.translate("gut", model=lambda messages: next(answers)).text == "good"


def test_nothing_is_asked_twice_with_a_cache_unless_the_settings_are_others() -> None:
    cache, calls = ctxlab.TranslationCache(), list[str]()

    def model(messages: Any) -> str:
        calls.append(asked(messages))
        return shouting(messages)

    for to in ("A", "A", "B"):
        made = ctxlab.translate(
            "hello", to=to, model=model, settings={"prompt": "{targetLang} <<{text}>>"}, cache=cache
        )
        assert made.text == "HELLO"
    other = ctxlab.translate(
        "hello", to="A", model=lambda messages: "other", settings={"prompt": "{targetLang} <<{text}>>"}, cache=cache
    )

    assert (len(calls), len(cache), other.text) == (2, 3, "other")


def test_a_cache_forgets_the_oldest_and_keeps_nothing_that_fell_back() -> None:
    cache = ctxlab.TranslationCache(most=2)
    for text in ("one", "two", "three"):
        ctxlab.translate(text, model=shouting, settings=BARE, cache=cache)
    ctxlab.translate("four", model=lambda messages: "", cache=cache)

    assert len(cache) == 2
    with pytest.raises(WrongArgument, match="most takes a whole number"):
        ctxlab.TranslationCache(0)


def test_a_vendor_gets_segments_side_by_side_and_the_key_is_in_no_text() -> None:
    rest = {"base_url": "", "key": KEY, "model": "gpt-4o"}
    with FakeServer("fine") as server:
        made = ctxlab.translate(
            "one\n\ntwo\n\nthree",
            settings={"segmentCharacters": 5, "parallel": 3},
            **{**rest, "base_url": server.base_url("openai")},
        )

    assert made.text == "fine\n\nfine\n\nfine" and made.model == "openai:gpt-4o"
    assert len(made.requests) == len(server.requests) == 3 and server.refusals == ()
    assert KEY not in repr(made) + made._repr_html_() + str([request.as_data() for request in made.requests])


def test_an_answer_that_broke_off_and_a_vendor_that_fails_fall_back() -> None:
    options = {"key": KEY, "model": "gpt-4o", "retries": ctxlab.RetryPolicy(attempts=1)}
    with FakeServer([FakeReply(status=500)]) as server:
        made = ctxlab.translate("one", base_url=server.base_url("openai"), **options)

    assert made.text == "one" and made.error is not None and len(made.requests) == 1


def test_stop_leaves_the_rest_as_it_is() -> None:
    stop = threading.Event()

    def model(messages: Any) -> str:
        stop.set()
        return shouting(messages)

    made = ctxlab.translate("one\n\ntwo", model=model, settings={**BARE, "segmentCharacters": 3}, stop=stop)

    assert made.text == "ONE\n\ntwo" and made.fallen_back[0].state == "not asked"


def test_code_alone_asks_nobody_and_wrong_calls_raise() -> None:
    made = ctxlab.translate("```py\nx\n```", model=lambda messages: 1 / 0)

    assert (made.text, made.segments, made.error) == (made.original, (), None)
    with pytest.raises(WrongArgument, match="no model is named"):
        ctxlab.translate("x")
    with pytest.raises(WrongArgument, match="name of a language"):
        ctxlab.translate("x", to=" ", model=shouting)
    with pytest.raises(WrongArgument, match="translation of a text"):
        ctxlab.translate("x", model=shouting).applied(CHAT)

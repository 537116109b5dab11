"""A chat's list of messages in a browser: very many rows, an answer that is being written, keys, editing in place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opened
from tests.gallery.chat_rows import Row, call, many, open_rows, pieces, put_rows, row, running
from tests.gallery.looking import colours_of

TOP_OF = "(key) => document.querySelector(`article[data-key='${key}']`)?.getBoundingClientRect().top ?? null"
SCROLLED = """() => {
  const { scrollTop, scrollHeight, clientHeight } = document.querySelector(".log");
  return { top: scrollTop, left: scrollHeight - clientHeight - scrollTop };
}"""
SCROLL_TO = """(top) => new Promise((done) => {
  document.querySelector(".log").scrollTop = top;
  requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
})"""
CONTRAST = (Path(__file__).parents[1] / "gallery" / "contrast.js").read_text(encoding="utf-8")
FOCUSED = "() => document.activeElement.closest('[data-key]')?.dataset.key ?? document.activeElement.localName"
# A row in the middle of what is seen, and how far it moves while the list is scrolled up in small steps.
JUMPS = """async () => {
  const log = document.querySelector(".log");
  const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const seen = () => [...log.querySelectorAll("article")].map((e) => [e.dataset.key, e.getBoundingClientRect().top])
    .filter(([, top]) => top > 150 && top < 500);
  const jumps = [];
  for (let step = 0; step < 30; step++) {
    const before = new Map(seen());
    log.scrollTop -= 60;
    await painted();
    for (const [key, top] of seen()) if (before.has(key)) jumps.push(Math.abs(top - before.get(key) - 60));
  }
  return { worst: Math.max(...jumps), looked: jumps.length };
}"""


@pytest.fixture(scope="module")
def thousands() -> list[Row]:
    return many(10_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


def article(page: Page, key: str) -> Locator:
    return page.locator(f"article[data-key='{key}']")


def left_below(page: Page) -> float:
    return page.evaluate(SCROLLED)["left"]


def few(count: int = 40) -> list[Row]:
    return [row(f"{'ua'[i % 2]}{i}", f"Message {i}. " * (3 + i % 7)) for i in range(count)]


# --- very many


def test_of_ten_thousand_messages_few_are_in_the_page_and_the_newest_is_seen(
    opened: Opened, folder: Path, thousands: list[Row]
) -> None:
    page = open_rows(opened, folder, thousands)

    expect(article(page, "a9999")).to_be_in_viewport()
    assert page.locator("article").count() < 80
    assert left_below(page) < 2
    assert page.locator(".nav .at").inner_text() == "10,000/10,000"
    assert article(page, "a9999").get_attribute("aria-setsize") == "10000"


def test_nothing_jumps_while_one_scrolls_up_through_rows_of_any_height(
    opened: Opened, folder: Path, thousands: list[Row]
) -> None:
    page = open_rows(opened, folder, thousands)
    call(page, "reveal", "u5000")

    found = page.evaluate(JUMPS)

    assert found["looked"] > 30
    assert found["worst"] <= 2
    assert page.locator("article").count() < 80


def test_the_ends_are_one_press_away(opened: Opened, folder: Path, thousands: list[Row]) -> None:
    page = open_rows(opened, folder, thousands)

    page.get_by_role("button", name="First", exact=True).click()
    expect(article(page, "u0")).to_be_in_viewport()
    page.get_by_role("button", name="Last", exact=True).click()

    expect(article(page, "a9999")).to_be_in_viewport()
    assert left_below(page) < 2


def test_words_are_found_in_rows_that_were_never_drawn(opened: Opened, folder: Path, thousands: list[Row]) -> None:
    rows = [*thousands[:4000], row("u-lamp", "A Compass, and a compass again."), *thousands[4000:]]
    page = open_rows(opened, folder, rows)

    assert call(page, "find", "compass") == {"at": 1, "count": 2}
    assert call(page, "findNext", 1) == {"at": 2, "count": 2}

    expect(page.locator("mark.current")).to_be_in_viewport()
    assert page.locator("mark.hit").all_inner_texts() == ["Compass", "compass"]
    call(page, "find", "")
    assert page.locator("mark").count() == 0


# --- what changes


def test_rows_that_say_the_same_keep_their_elements(opened: Opened, folder: Path) -> None:
    rows = few()
    page = open_rows(opened, folder, rows)
    page.evaluate("() => { for (const each of document.querySelectorAll('article')) each.wasThere = true; }")

    put_rows(page, [*rows[:38], {**rows[38], "text": "Said otherwise."}, rows[39], row("u40", "New.")])

    expect(article(page, "u38")).to_contain_text("Said otherwise.")
    kept = page.evaluate(
        "() => [...document.querySelectorAll('article')].filter((e) => !e.wasThere).map((e) => e.dataset.key)"
    )
    assert kept == ["u40"]
    assert left_below(page) < 2


def test_a_row_that_grows_above_does_not_move_what_is_read(opened: Opened, folder: Path) -> None:
    rows = few()
    page = open_rows(opened, folder, rows)
    call(page, "reveal", "u20")
    page.evaluate(SCROLL_TO, page.evaluate(SCROLLED)["top"] + 80)
    before = page.evaluate(TOP_OF, "u22")

    rows[19] = {**rows[19], "text": "Much longer. " * 200}
    put_rows(page, rows)

    assert abs(page.evaluate(TOP_OF, "u22") - before) <= 2


def test_an_answer_grows_by_its_pieces_at_the_end(opened: Opened, folder: Path) -> None:
    rows = few()
    page = open_rows(opened, folder, rows)
    call(page, "running", running("a99", "He holds", parent="a39"))
    page.evaluate("() => { document.querySelector('[data-key=a99]').wasThere = true; }")

    call(page, "pieces", pieces(1, "a99", " the lamp.\n\n" + "And on. " * 300))
    call(page, "pieces", pieces(2, "a99", "Luo signed", facts=["writing, 64 tokens"]))

    answer = article(page, "a99")
    assert answer.locator(".ct").first.inner_text().startswith("He holds the lamp.")
    assert answer.locator(".ct").first.inner_text().endswith("Luo signed")
    expect(answer.locator(".got")).to_have_text("writing, 64 tokens")
    assert answer.evaluate("(element) => element.wasThere")
    assert left_below(page) < 2
    answer.get_by_role("button", name="Stop").click()
    answer.focus()
    page.keyboard.press("Escape")
    assert opened.sent() == [{"command": "stop"}] * 2


def test_stop_is_pressed_though_its_row_is_drawn_anew_under_the_pointer(opened: Opened, folder: Path) -> None:
    rows = few()
    page = open_rows(opened, folder, rows)
    call(page, "running", running("a99", "He holds", parent="a39"))
    box = article(page, "a99").get_by_role("button", name="Stop").bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down()
    put_rows(page, [*rows, {**row("a99", "He holds the lamp."), "state": "generating", "facts": ["19:05"]}])
    page.mouse.up()

    assert opened.sent() == [{"command": "stop"}]


def test_of_an_answer_that_grows_only_the_last_block_changes(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few(4))
    call(page, "running", running("a9", "# Box 7\n\n| line | lever |\n|--|--|\n| 1 | 7 |\n\nHe holds", parent="a3"))
    page.evaluate(
        "() => { for (const each of document.querySelectorAll('[data-key=a9] .ct > *')) each.wasThere = true; }"
    )

    call(page, "pieces", pieces(1, "a9", " the **lam"))

    blocks = "() => [...document.querySelectorAll('[data-key=a9] .ct:not(.tr) > *')].map((each) => !!each.wasThere)"
    assert page.evaluate(blocks)[:2] == [True, True]
    assert article(page, "a9").locator("strong").inner_text() == "lam"


def test_who_reads_further_up_stays_there_and_is_told_of_what_is_new(opened: Opened, folder: Path) -> None:
    rows = few()
    page = open_rows(opened, folder, rows)
    page.evaluate(SCROLL_TO, 300)
    before = page.evaluate(SCROLLED)["top"]

    put_rows(page, [*rows, row("u40")])
    call(page, "running", running("a41", "He holds", parent="u40"))
    for number in range(1, 5):
        call(page, "pieces", pieces(number, "a41", " the lamp." * 50))

    assert abs(page.evaluate(SCROLLED)["top"] - before) <= 2
    last = page.get_by_role("button", name="Last, 2 new")
    last.click()
    assert left_below(page) < 2
    assert page.locator(".nav button").last.inner_text().strip() == "⤓"


def test_a_gap_between_pieces_asks_for_the_whole_turn_once(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few(4))
    call(page, "running", running("a9", "one"))

    call(page, "pieces", pieces(2, "a9", " three"))
    call(page, "pieces", pieces(3, "a9", " four"))
    assert opened.sent() == [{"command": "resend"}]
    call(page, "running", running("a9", "one two three four", number=3))
    call(page, "pieces", pieces(4, "a9", " five"))

    expect(article(page, "a9").locator(".ct").first).to_have_text("one two three four five")


def test_a_finished_answer_is_read_out_and_one_being_written_is_not(opened: Opened, folder: Path) -> None:
    rows = few(4)
    page = open_rows(opened, folder, rows)
    said = page.locator("[aria-live=polite]")
    call(page, "running", running("a9", "Three lines", parent="a3"))
    assert said.inner_text() == ""

    put_rows(page, [*rows, row("a9", "Three lines, two hands.")])
    call(page, "running", None)

    assert said.inner_text() == "Signalman Wei: Three lines, two hands."
    assert "is-complete" in (article(page, "a9").get_attribute("class") or "")


# --- keys and buttons


def test_the_keys_of_a_message(opened: Opened, folder: Path) -> None:
    rows = few(6)
    rows[3] = {**rows[3], "siblings": {"at": 2, "ids": ["x1", "a3", "x3"]}}
    page = open_rows(opened, folder, rows)
    page.locator("article[tabindex='0']").focus()
    assert page.evaluate(FOCUSED) == "a5"

    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(FOCUSED) == "a3"
    for key in ("r", "c", "ArrowLeft"):
        page.keyboard.press(key)

    sent = opened.sent()
    assert sent == [
        {"command": "regenerate", "key": "a3"},
        {"copied": rows[3]["text"]},
        {"command": "switch", "key": "x1"},
    ]
    rows[3] = {**row("x1", "Another."), "siblings": {"at": 1, "ids": ["x1", "a3", "x3"]}}
    put_rows(page, rows)
    assert page.evaluate(FOCUSED) == "x1"
    page.keyboard.press("End")
    assert page.evaluate(FOCUSED) == "a5"
    assert page.locator("article[tabindex='0']").count() == 1


def test_tab_leaves_the_list_after_the_message_that_holds_the_keys(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few(6))
    article(page, "u2").focus()

    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("() => !document.activeElement.closest('article')"):
            break
        assert page.evaluate(FOCUSED) == "u2"

    assert page.evaluate("() => !document.activeElement.closest('article')")


def test_a_message_is_edited_in_its_place(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few(6))
    article(page, "u2").focus()

    page.keyboard.press("e")
    page.keyboard.type("她")
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUSED) == "u2"
    assert opened.sent() == []
    page.keyboard.press("e")
    page.locator("textarea").fill("Said otherwise, 她说。")
    page.keyboard.press("Control+Enter")

    assert opened.sent() == [{"command": "edit", "key": "u2", "text": "Said otherwise, 她说。"}]
    assert page.locator("textarea").count() == 0


def test_b_makes_the_edit_a_branch_and_what_was_refused_comes_back(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few(6))
    article(page, "u2").focus()

    page.keyboard.press("b")
    page.locator("textarea").fill("Another way.")
    page.keyboard.press("Control+Enter")
    assert opened.sent() == [{"command": "branch", "key": "u2", "text": "Another way."}]
    call(page, "refused")

    assert page.locator("textarea").input_value() == "Another way."


def test_what_is_typed_outlasts_a_new_row_and_scrolling_away(opened: Opened, folder: Path) -> None:
    rows = many(400)
    page = open_rows(opened, folder, rows)
    call(page, "reveal", "u100")
    article(page, "u100").focus()
    page.keyboard.press("e")
    page.locator("textarea").fill("half a sen")

    page.get_by_role("button", name="Last", exact=True).click()
    put_rows(page, [*rows, row("u400")])
    page.evaluate("() => document.activeElement.blur()")
    call(page, "reveal", "u300")
    call(page, "reveal", "u100")

    assert page.locator("textarea").input_value() == "half a sen"


def test_more_offers_the_rest_and_another_model(opened: Opened, folder: Path) -> None:
    models = [{"id": "m1", "label": "ridge-8k"}, {"id": "m2", "label": "ridge-mini", "hint": "8,192"}]
    page = open_rows(opened, folder, few(6), models=models)
    article(page, "a3").focus()

    page.keyboard.press("m")
    assert page.get_by_role("menuitem").all_inner_texts()[:2] == ["Switch off", "Delete"]
    page.get_by_role("menuitem", name="Again with another model").click()
    page.get_by_role("menuitem", name="ridge-mini").press("Enter")

    assert opened.sent() == [{"command": "regenerate", "key": "a3", "model": "m2"}]
    assert page.get_by_role("menu").count() == 0
    assert page.evaluate(FOCUSED) == "a3"


def test_a_menu_stays_open_while_an_answer_grows(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few())
    call(page, "running", running("a99", "He holds", parent="a39"))
    article(page, "a39").focus()
    page.keyboard.press("m")

    for number in range(1, 4):
        call(page, "pieces", pieces(number, "a99", " the lamp." * 40))

    assert page.get_by_role("menu").count() == 1
    page.keyboard.press("Escape")
    assert page.get_by_role("menu").count() == 0
    assert page.evaluate(FOCUSED) == "a39"


def test_a_call_that_asks_is_allowed_or_refused(opened: Opened, folder: Path) -> None:
    asks = {"id": "c1", "name": "ring_bell", "arguments": "times=2", "state": "asks", "facts": ""}
    page = open_rows(opened, folder, few(4))
    call(page, "running", running("a9", "I ring.", phase="asking", calls=[asks]))

    page.get_by_role("button", name="Allow").click()
    call(
        page,
        "pieces",
        pieces(1, "a9", "", calls=[{**asks, "state": "done", "facts": "0.4 s", "result": "rung\n" * 200}]),
    )

    assert opened.sent() == [{"command": "approve", "call": "c1", "yes": True}]
    box = page.get_by_role("group", name="ring_bell")
    assert box.locator("pre").inner_text().count("rung") == 3
    box.get_by_role("button").click()
    assert box.locator("pre").inner_text().count("rung") == 200


def test_what_will_be_cut_is_grey_with_its_cause_and_what_keeps_it(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few(6))
    cut = {
        "key": "u0",
        "cause": "goes with this draft: 3,107 needed, 3,072 allowed",
        "keep": {"label": "Keep it, budget +35"},
    }
    heights = "() => [...document.querySelectorAll('article')].map((each) => each.offsetHeight)"
    before = page.evaluate(heights)

    call(page, "cut", [cut])

    assert "3,107 needed" in article(page, "u0").inner_text()
    assert page.evaluate(heights) == before
    page.get_by_role("button", name="Keep it, budget +35").click()
    assert opened.sent() == [{"command": "keep", "key": "u0"}]
    call(page, "cut", [])
    assert page.locator(".cm.gone").count() == 0


def test_what_a_summary_stands_for_is_shown_and_hidden(opened: Opened, folder: Path) -> None:
    stands: dict[str, Any] = {
        "sentence": "stands for 2 messages",
        "count": 2,
        "ids": ["u0", "a1"],
        "kept": "",
        "lost": ["the watch"],
    }
    rows = few(6)
    rows.insert(2, row("s1", "Earlier.", kind="summary", standsFor=stands, actions=["copy", "undo-summary"]))
    page = open_rows(opened, folder, rows)
    assert article(page, "u0").count() == 0
    assert "Lost: the watch" in article(page, "s1").inner_text()

    page.get_by_role("button", name="Show the 2").click()
    expect(article(page, "u0")).to_be_visible()
    page.get_by_role("button", name="Hide the 2").click()
    assert article(page, "u0").count() == 0

    assert call(page, "find", "Message 1.")["count"] > 0
    expect(article(page, "a1")).to_be_visible()


def test_of_a_summary_that_is_opened_python_is_asked_what_it_lost_until_that_is_said(
    opened: Opened, folder: Path
) -> None:
    stands = {"sentence": "stands for 2 messages", "count": 2, "ids": ["u0", "a1"], "kept": "", "lost": []}
    summary = row("s1", "Earlier.", kind="summary", standsFor=stands, actions=["copy"])
    page = open_rows(opened, folder, [*few(2), summary, *few(6)[2:]])
    page.get_by_role("button", name="Show the 2").click()
    page.get_by_role("button", name="Hide the 2").click()
    assert opened.sent() == [{"command": "got", "key": "s1"}]


def test_a_question_of_an_action_is_asked_before_it_is_done(opened: Opened, folder: Path) -> None:
    plugins = [{"id": "burn", "label": "Burn", "question": "Really burn it?"}, {"id": "count", "label": "Count"}]
    offered = row("a1", actions=["copy", "plugin:burn", "plugin:count"])
    page = open_rows(opened, folder, [row("u0"), offered], actions=plugins)
    article(page, "a1").focus()

    page.keyboard.press("m")
    page.get_by_role("menuitem", name="Burn").click()
    asked = page.get_by_role("menu", name="Really burn it?")
    assert asked.locator(".asked").inner_text() == "Really burn it?"
    assert opened.sent() == []
    page.get_by_role("menuitem", name="Leave it").click()
    assert opened.sent() == []

    article(page, "a1").focus()
    page.keyboard.press("m")
    page.get_by_role("menuitem", name="Burn").click()
    page.get_by_role("menuitem", name="Burn").click()
    assert opened.sent() == [{"command": "message_action", "key": "a1", "id": "burn"}]


def test_an_error_stands_in_its_place_with_what_may_be_done(opened: Opened, folder: Path) -> None:
    failed = {**row("a4"), "text": "", "state": "failed", "error": "529 Overloaded", "actions": ["retry"]}
    page = open_rows(opened, folder, [*few(4), failed])

    page.get_by_role("button", name="Retry").click()
    page.get_by_role("button", name="Request").click()

    assert opened.sent() == [
        {"command": "retry", "key": "a4"},
        {"command": "open", "view": "request", "key": "a4"},
    ]


def test_beside_an_answer_is_what_it_got_one_click_away(opened: Opened, folder: Path) -> None:
    answer = row("a1", got={"facts": ["1,645 in", "212 out"], "cached": 0.93})
    page = open_rows(opened, folder, [row("u0"), answer])
    assert (
        article(page, "a1")
        .locator(".got")
        .inner_text()
        .replace("\n", " ")
        .startswith("1,645 in 93\u00a0% cached 212 out")
    )

    for name in ("What it got", "Steps", "Budget", "Lore", "Request"):
        page.get_by_role("button", name=name, exact=True).click()

    views = [{"command": "open", "view": view, "key": "a1"} for view in ("steps", "budget", "lore", "request")]
    assert opened.sent() == [{"command": "got", "key": "a1"}, *views]


def test_where_nobody_answers_there_is_only_copy(opened: Opened, folder: Path) -> None:
    failed = {
        **row("a4"),
        "state": "failed",
        "error": "529",
        "actions": ["retry", "edit", "copy"],
        "got": {"facts": ["got 3"]},
    }
    page = open_rows(opened, folder, [*few(4), failed], live=False)
    names = page.evaluate("() => [...document.querySelectorAll('article button')].map((each) => each.textContent)")
    assert set(names) == {"Copy"}


def test_hostile_words_are_words(opened: Opened, folder: Path) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(1)</script>\u202e"
    asks = {"id": evil, "name": evil, "arguments": evil, "state": "done", "facts": evil, "result": evil}
    file = {
        "id": evil,
        "name": evil,
        "facts": evil,
        "kind": "picture",
        "state": "ready",
        "thumbnail": "https://a.example/x.png",
    }
    hostile = row(
        "a-evil",
        evil,
        who=evil,
        facts=[evil],
        error=evil,
        calls=[asks],
        files=[file],
        got={"facts": [evil], "cached": 9e9},
    )
    page = open_rows(opened, folder, [*few(2), hostile])

    assert page.locator("article img, article script").count() == 0
    assert "\u202e" not in page.locator("article").last.inner_text()


def every_state() -> list[Row]:
    """A chat in which each state of a message and of a call is there once."""
    calls = [
        {
            "id": state,
            "name": f"tool_{state}",
            "arguments": "box=7",
            "state": state,
            "facts": "0.4 s",
            "result": "22:10",
        }
        for state in ("asks", "allowed", "running", "done", "failed", "refused")
    ]
    files = [
        {"id": state, "name": f"{state}.pdf", "facts": "3 pages", "kind": "document", "state": state}
        for state in ("ready", "waiting", "refused")
    ]
    stands = {
        "sentence": "stands for 1 message",
        "count": 1,
        "ids": ["gone"],
        "kept": "11 of 12 kept.",
        "lost": ["the watch"],
    }
    translation = {"text": "The lamp.", "to": "English", "shown": "both"}
    return [
        row("preset:0", "You are the signalman.", kind="preset", role="system"),
        row("s1", "Earlier tonight.", kind="summary", role="user", standsFor=stands, actions=["copy", "undo-summary"]),
        row("u1", "灯。", files=files, translation=translation),
        row(
            "a1",
            calls=calls,
            siblings={"at": 2, "ids": ["x", "a1", "y"]},
            got={"facts": ["got 12", "212 out"], "cached": 0.9},
        ),
        row("t1", "22:10 lever 7", kind="tool", role="tool"),
        row("a2", thought={"text": "He wants the lines.", "facts": "6.2 s"}, state="stopped"),
        row("a3", state="failed", error="529 Overloaded", actions=["retry"]),
        row("u4", state="disabled"),
        row("u5"),
    ]


CUT = {"key": "u5", "cause": "goes with this draft", "keep": {"label": "Keep it, budget +35"}}


@pytest.mark.parametrize("key", ["s1", "u1", "u5"])
def test_everything_can_be_read_and_told_apart(opened: Opened, folder: Path, theme: str, key: str) -> None:
    page = open_rows(opened, folder, every_state())
    page.add_style_tag(content=".ctxlab { --log-height: 1400px }")
    call(page, "cut", [CUT])
    call(page, "running", running("a9", "He holds"))
    article(page, key).focus()

    found = page.evaluate(CONTRAST)

    assert found["texts"] > 50
    assert found["wrong"] == []


def test_forced_colours_leave_rails_bars_and_marks(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, every_state())
    call(page, "running", running("a9", "He holds"))
    call(page, "find", "lamp")

    page.emulate_media(forced_colors="active")
    try:
        assert colours_of(article(page, "a1")) > 3
        assert colours_of(article(page, "u1")) > 3
    finally:
        page.emulate_media(forced_colors="none")


def test_on_a_narrow_screen_a_tap_brings_the_actions(opened: Opened, folder: Path) -> None:
    opened.resize(384)
    page = open_rows(opened, folder, few(6))
    edit = article(page, "u2").get_by_role("button", name="Edit")
    assert edit.count() == 0

    article(page, "u2").locator(".ct").first.click()
    edit.click()

    assert page.locator("textarea").input_value() == few(6)[2]["text"]
    assert article(page, "u2").locator("textarea").count() == 1


@pytest.mark.parametrize("width", [1000, 384])
def test_nothing_stands_out_at_the_side(opened: Opened, folder: Path, width: int) -> None:
    opened.resize(width)
    word = "w" * 400
    wide = row("a-wide", word, who=word, facts=[word], siblings={"at": 1, "ids": ["a-wide", "b"]}, error=word)
    page = open_rows(opened, folder, [*few(4), wide])
    article(page, "a-wide").focus()

    sizes = page.evaluate(
        "() => [document.querySelector('.log').scrollWidth, document.querySelector('.log').clientWidth]"
    )

    assert sizes[0] <= sizes[1]


def test_an_empty_chat_says_so(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, [])
    expect(page.locator(".empty")).to_be_visible()
    assert page.locator(".nav").is_hidden()

    put_rows(page, [row("u0")])
    assert page.locator(".empty").is_hidden()


# --- what isn't sent, who speaks, where the pointer is


def test_what_is_not_sent_is_grey_with_a_line_below_it_and_says_why_when_asked(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few(6))
    call(page, "cut", [], [{"cause": "sliding: 40 tokens were left", "keys": ["u0", "a1"]}])

    assert "gone" in (article(page, "a1").get_attribute("class") or "")
    assert "sliding: 40 tokens were left" in article(page, "a1").inner_text()
    line = "Sent from here on; of the messages above 2 are not sent."
    assert page.locator(".cutline p").all_inner_texts() == [line]
    assert article(page, "u2").locator(".cutline").inner_text() == line
    article(page, "a1").hover()
    article(page, "a1").get_by_role("button", name="More\u2026").click()
    page.get_by_role("menuitem", name="Why isn\u2019t this sent?").click()
    assert page.evaluate("() => window.ctxlabHost.model.sent.at(-1)") == {"command": "why", "key": "a1"}


def test_actions_never_lie_over_the_count_of_tokens(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, [row("a0", facts=["a long fact " * 12], tokens=1234), row("u1")])
    article(page, "a0").hover()
    count = article(page, "a0").locator(".right .num").bounding_box()
    acts = article(page, "a0").locator(".acts").bounding_box()

    assert count is not None
    assert acts is not None
    assert acts["x"] + acts["width"] <= count["x"]


def test_a_pointer_whose_end_nobody_told_does_not_hold_the_list(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few(4))
    article(page, "a3").dispatch_event("pointerdown")
    article(page, "u2").hover()
    article(page, "u2").locator(".ct").first.hover()

    assert article(page, "u2").get_by_role("button", name="Edit").is_visible()


def test_the_place_in_a_long_list_is_not_cut_in_the_middle_of_a_number(
    opened: Opened, folder: Path, thousands: list[Row]
) -> None:
    page = open_rows(opened, folder, thousands)
    at = page.locator(".nav .at")

    assert at.inner_text() == "10,000/10,000"
    assert at.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    assert at.evaluate("(each) => each.clientHeight") <= 2 * 14 + 4


def test_while_a_message_is_edited_its_actions_are_away(opened: Opened, folder: Path) -> None:
    page = open_rows(opened, folder, few(2))
    article(page, "u0").hover()
    article(page, "u0").get_by_role("button", name="Edit").click()

    assert article(page, "u0").locator(".acts").count() == 0
    assert article(page, "u0").get_by_role("button", name="As a branch, and send").is_visible()


def test_what_is_sent_is_seen_wherever_one_was_reading(opened: Opened, folder: Path) -> None:
    rows = few(60)
    page = open_rows(opened, folder, rows)
    page.evaluate(SCROLL_TO, 0)
    call(page, "toNewest")
    put_rows(page, [*rows, row("u60", "And now?")])

    assert left_below(page) < 24
    assert article(page, "u60").is_visible()

"""The token view in a page: what is clicked and typed arrives in Python, and any text is text, in its lines."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import ctxlab
from ctxlab_widgets._shared.html_page import page as page_of
from ctxlab_widgets._shared.widget import bundle_path, synced_state
from ctxlab_widgets.token_view import TokenView
from tests.browser.conftest import Opened
from tests.gallery.looking import HOSTILE, colours_of

WORDS = "The keeper of Harbour Light wrote one line a day, and none of them was about the light. "
LONG = "".join(f"{i}. {WORDS}灯塔里的看守人。\n" for i in range(600))
SIGNS = {
    "\n": "⏎",
    "\t": "→\u00a0\u00a0\u00a0",
    "\r": "\\r",
    "\x1b": "\\u001b",
    "\u202e": "\\u202e",
    "\u200f": "\\u200f",
}
AWKWARD = {
    "Chinese and English": "The 灯塔 in 港口, 第 3 号（北）：“今天没有来。” " * 12,
    "emoji joined to one": "👩‍👩‍👧‍👦 and 🇯🇵🇩🇪 and 👍🏽 and ❤️‍🔥 " * 20,
    "combining marks": "cafe\u0301 Z\u0351\u036b\u0343algo n\u0303 " * 20,
    "tabs": "\tone\t\ttwo\n\t\tthree\t" * 5,
    "CRLF": "one\r\ntwo\r\n\r\nthree",
    "ANSI": "\x1b[31mred\x1b[0m plain \x1b[1mbold\x1b[0m",
    "right to left": "a \u202egnp.exe and שלום עולם \u200fمرحبا بالعالم end " * 8,
    "no break": "x" * 10_000,
    "no break in Chinese": "字" * 10_000,
    "no break in Arabic": "م" * 2_000,
    "Thai and Hindi": "สวัสดีชาวโลก ก็ नमस्ते दुनिया " * 12,
    "markup": "<img src=x onerror=alert(1)><b>bold</b> &lt; </script><!-- " * 6,
    "one character": "x",
    "one character of three tokens": "🫠",
    "newlines": "\n\n\n",
    "blanks": " " * 500 + "end",
}


def run() -> ctxlab.Trace:
    said = [("user", "Where is the keeper?"), ("assistant", "灯塔里。"), ("user", "And the boat?")]
    messages = [{"role": role, "content": text} for role, text in said]
    return ctxlab.build(ctxlab.read_data(messages).pick())


def pane(page: Page, at: int) -> Any:
    return page.locator(".scroll").nth(at)


def in_focus(page: Page) -> str:
    return page.evaluate("() => [...document.querySelectorAll('.line .at')].map((e) => e.textContent).join('')")


def shown_text(page: Page, at: int) -> str:
    """All lines, scrolled through from the top."""
    return page.evaluate(
        """async (at) => {
            const box = document.querySelectorAll('.scroll')[at], found = new Map();
            for (let top = 0; ; top += box.clientHeight / 2) {
                box.scrollTop = top;
                await new Promise(requestAnimationFrame);
                box.dispatchEvent(new Event('scroll'));
                for (const line of box.querySelectorAll('.line'))
                    found.set(parseFloat(line.style.top), line.textContent);
                if (top >= box.scrollHeight - box.clientHeight) break;
            }
            return [...found].sort((a, b) => a[0] - b[0]).map((each) => each[1]).join('');
        }""",
        at,
    )


def test_it_draws_in_light_and_in_dark(opened: Opened, tmp_path: Path, theme: str) -> None:
    page = opened.show(TokenView(LONG[:2000]), tmp_path)
    tinted = colours_of(pane(page, 0))
    page.get_by_role("radio", name="Plain").click()
    plain = colours_of(pane(page, 0))

    ground = page.evaluate("() => getComputedStyle(document.querySelector('.w')).backgroundColor")

    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(26, 28, 32)"}[theme]
    assert tinted > plain > 10


def test_neighbours_differ_and_every_token_is_drawn(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView("Hello, harbour! 灯塔 came 🫠 late.")
    page = opened.show(widget, tmp_path)

    for at in (0, 1):
        cells = page.evaluate(
            "(at) => [...document.querySelectorAll('.scroll')[at].querySelectorAll('.t')]"
            ".map((e) => [Number(e.dataset.first), Number(e.dataset.last), getComputedStyle(e).backgroundColor])",
            at,
        )
        held = {token for first, last, _ in cells for token in range(first, last + 1)}
        assert held == set(range(len(widget.bounds[at])))
        alone = [(one, other) for one, other in pairwise(cells) if one[0] == one[1] and other[0] == other[1]]
        assert len(alone) > 3
        assert all(one[2] != other[2] for one, other in alone)


def test_a_character_of_several_tokens_has_a_part_for_each(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView("a守b🫠"), tmp_path)
    cell = pane(page, 1).locator(".shared").first
    emoji = pane(page, 0).locator(".shared").last

    assert [cell.inner_text(), emoji.inner_text()] == ["守", "🫠"]
    assert cell.evaluate("(e) => [e.dataset.first, e.dataset.last]") == ["1", "2"]
    assert emoji.evaluate("(e) => e.style.backgroundImage.match(/--t/g).length") == 3
    box = cell.bounding_box()
    assert box is not None
    for at, token in ((0.25, 2), (0.75, 3)):
        page.mouse.move(box["x"] + box["width"] * at, box["y"] + 8)
        assert page.locator(".card").inner_text().startswith(f"Token {token}\n")
        assert "part of" in page.locator(".card").inner_text()


def test_the_sentence_counts_and_compares(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView("灯塔里的看守人，今天没有来。")
    page = opened.show(widget, tmp_path)
    one, two = map(len, widget.bounds)

    said = page.locator(".answer")
    assert (
        said.inner_text()
        == f"{one} tokens by o200k_base, {two} by cl100k_base, {(two - one) / one:.1%} more".replace("%", " %")
    )
    widget.set_tokenizers("o200k_base", "o200k_base")
    opened.pump(widget)
    assert said.inner_text() == f"{one} tokens by o200k_base, {one} by o200k_base, as many"


def test_arrows_move_by_token_and_by_line(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView(LONG)
    page = opened.show(widget, tmp_path)
    pane(page, 0).focus()

    def press(key: str) -> int:
        page.keyboard.press(key)
        opened.pump(widget)
        return widget.token

    assert [press("ArrowRight"), press("ArrowRight"), press("ArrowLeft")] == [1, 2, 1]
    below = press("ArrowDown")
    assert below > 5
    assert press("ArrowUp") == 1
    assert press("PageDown") > below * 5
    assert press("PageUp") == 1
    assert press("End") == len(widget.bounds[0]) - 1
    assert in_focus(page) == "⏎" or in_focus(page).endswith("⏎")
    assert press("ArrowRight") == len(widget.bounds[0]) - 1
    assert press("Home") == 0
    assert pane(page, 0).evaluate("(e) => e.scrollTop") < 22


def test_walking_down_keeps_the_column(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView("one two three four five six\nx\none two three four five six\n")
    page = opened.show(widget, tmp_path)
    pane(page, 0).focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert in_focus(page) == " five"

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")

    assert in_focus(page) == " five"
    opened.pump(widget)
    assert widget.token > 8


def test_tab_leaves_and_other_keys_are_left_alone(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView("some words"), tmp_path)
    pane(page, 0).focus()

    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement === document.querySelectorAll('.scroll')[1]")
    page.keyboard.press("Tab")
    assert page.evaluate("() => !document.activeElement.closest('.scroll')")
    heard = page.evaluate(
        """() => ['ArrowDown', 'x', 'Enter'].map((key) => {
            const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
            document.querySelector('.scroll').dispatchEvent(event);
            return event.defaultPrevented; })"""
    )
    assert heard == [True, False, False]


def test_a_click_in_either_pane_puts_the_focus_on_a_token(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView("Hello, harbour! 灯塔里的看守人")
    page = opened.show(widget, tmp_path)

    pane(page, 0).locator("[data-first='2']").click()
    opened.pump(widget)
    assert widget.token == 2
    assert in_focus(page) == " harbour"
    pane(page, 1).locator(".t", has_text="塔").first.click()
    opened.pump(widget)
    start = widget.bounds[0].ends[widget.token - 1]
    assert widget.text[start : widget.bounds[0].ends[widget.token]].strip().startswith(("灯", "塔"))
    assert pane(page, 0).locator(".also").count() >= 1


def test_python_moves_the_focus_and_brings_it_into_sight(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView(LONG)
    page = opened.show(widget, tmp_path)

    widget.token = 10_000
    opened.pump(widget)

    start, end = widget.bounds[0].ends[9_999], widget.bounds[0].ends[10_000]
    assert in_focus(page) == widget.text[start:end].replace("\n", "⏎")
    box, frame = page.locator(".at").first.bounding_box(), pane(page, 0).bounding_box()
    assert box is not None
    assert frame is not None
    assert frame["y"] <= box["y"] < frame["y"] + frame["height"]
    assert f"Token {10_001:,}" in page.locator(".card").inner_text()


def test_both_panes_stand_at_the_same_part_of_the_text(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView(LONG), tmp_path)

    for from_, top in ((0, 3000), (1, 9000), (0, 0)):
        pane(page, from_).evaluate("(e, top) => { e.scrollTop = top }", top)
        opened.rest()
        tops, texts = page.evaluate(
            """() => { const all = [...document.querySelectorAll('.scroll')];
            const lines = (e) => [...e.querySelectorAll('.line')].map((l) => [l.style.top, l.textContent]).sort();
            return [all.map((e) => e.scrollTop), all.map(lines)]; }"""
        )
        assert tops == [top, top]
        assert texts[0] == texts[1]
        assert any(abs(float(at.removesuffix("px")) - top) < 23 for at, _ in texts[0])


def test_the_card_tells_of_the_token_under_the_pointer(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView("Hello, harbour keeper")
    page = opened.show(widget, tmp_path)
    card = page.locator(".card")
    before = card.inner_text()

    pane(page, 1).locator(".t", has_text="harbour").hover()

    told = card.inner_text()
    assert "“ harbour”" in told
    assert "cl100k_base" in told
    assert str(widget.bounds[1].ids[2]) in told
    assert "8, at 6\u201314" in told
    assert "o200k_base has 1 token here" in told
    assert pane(page, 0).locator(".over").inner_text() == " harbour"
    page.mouse.move(5, 5)
    assert card.inner_text() == before


def test_offsets_in_the_card_are_those_of_python(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView("😀😀 harbour")
    page = opened.show(widget, tmp_path)

    pane(page, 0).locator(".t", has_text="harbour").hover()

    assert "8, at 2\u201310" in page.locator(".card").inner_text()
    assert widget.text[2:10] == " harbour"


def test_boundaries_in_both_are_counted_and_the_others_stand_out(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView(LONG[:300])
    page = opened.show(widget, tmp_path)
    found = widget.boundaries
    share = found["both"] / (found["first"] + found["second"] - found["both"])

    table = page.locator(".side table").inner_text().split()
    assert table == [
        *("o200k_base", str(found["first"])),
        *("cl100k_base", str(found["second"])),
        "in",
        "both",
        str(found["both"]),
    ]
    assert f"{share * 100:.1f} % in both" in page.locator(".side").inner_text()
    for at, name in enumerate(("first", "second")):
        assert pane(page, at).locator(".own").count() == found[name] - found["both"]


def test_finding_marks_all_and_walks_through_them(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView(LONG)
    page = opened.show(widget, tmp_path)
    pane(page, 0).focus()
    page.keyboard.press("/")
    page.keyboard.type("HARBOUR light")
    found = page.locator(".found")
    assert found.inner_text() == "600 hits"

    page.keyboard.press("Enter")
    assert found.inner_text() == "1 of 600"
    page.keyboard.press("Enter")
    assert found.inner_text() == "2 of 600"
    opened.pump(widget)
    assert widget.find == "HARBOUR light"
    assert widget.text[widget.bounds[0].ends[widget.token - 1] :].lstrip().startswith("Harbour Light")
    marks = pane(page, 0).locator("mark").all_inner_texts()
    assert "".join(marks).startswith("Harbour Light")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    assert found.inner_text() == "600 of 600"
    page.get_by_role("button", name="Next hit").click()
    assert found.inner_text() == "1 of 600"
    page.get_by_label("Find").focus()
    page.keyboard.press("Escape")
    assert page.locator("mark").count() == 0
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.matches('.scroll')")


def test_what_is_not_there_has_no_hits(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView("some words"), tmp_path)
    page.get_by_label("Find").fill("(no[ such")

    page.get_by_label("Find").press("Enter")

    assert page.locator(".found").inner_text() == "0 hits"
    assert page.get_by_role("button", name="Next hit").get_attribute("aria-disabled") == "true"


def test_other_tokenizers_are_asked_of_python(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView("灯塔里的看守人，今天没有来。")
    page = opened.show(widget, tmp_path)
    page.get_by_label("First tokenizer").select_option("cl100k_base")

    assert opened.pump(widget) == [{"command": "tokenizers", "first": "cl100k_base", "second": "cl100k_base"}]

    assert widget.tokenizers == ["cl100k_base", "cl100k_base"]
    assert page.locator(".pane .bar").first.inner_text().startswith("cl100k_base")
    assert pane(page, 0).locator(".t").count() == pane(page, 1).locator(".t").count()


def test_a_message_of_a_run_is_chosen(opened: Opened, tmp_path: Path) -> None:
    trace = run()
    widget = TokenView(trace)
    page = opened.show(widget, tmp_path)
    which = page.get_by_label("Message")
    assert which.locator("option").all_inner_texts()[0] == "Whole prompt, 3 messages"
    assert "assistant" in which.locator("option").nth(2).inner_text()

    which.select_option(index=2)
    opened.pump(widget)
    assert widget.selected == trace.result.drafts[1].key
    assert pane(page, 0).inner_text() == "灯塔里。"
    widget.selected = ""
    opened.pump(widget)
    assert which.input_value() == ""
    assert "Where is the keeper?" in pane(page, 0).inner_text()


def test_finding_leaves_the_list_of_messages_as_it_is(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView(run()), tmp_path)
    page.locator(".which option").nth(1).evaluate("(e) => { e.dataset.same = 'yes' }")

    page.get_by_label("Find", exact=True).fill("keeper")
    opened.rest()

    assert page.locator("mark").count() > 0
    assert page.locator(".which option").nth(1).get_attribute("data-same") == "yes"


def test_the_choice_of_colour_is_known_to_python(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView("some words")
    page = opened.show(widget, tmp_path)

    page.get_by_role("radio", name="Plain").click()
    opened.pump(widget)
    assert widget.colour == "plain"
    assert page.locator(".plain .t").first.evaluate("(e) => getComputedStyle(e).backgroundColor") == "rgba(0, 0, 0, 0)"
    widget.colour = "token"
    opened.pump(widget)
    assert page.get_by_role("radio", name="Token").get_attribute("aria-checked") == "true"


def test_of_very_many_tokens_only_a_few_lines_are_in_the_page(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView(LONG * 3)
    page = opened.show(widget, tmp_path)
    assert len(widget.bounds[0]) > 50_000
    assert page.evaluate("() => performance.getEntriesByName('ctxlab:token-view:drawn').length") == 1

    for top in (0, 20_000, 10**9):
        pane(page, 0).evaluate("(e, top) => { e.scrollTop = top }", top)
        opened.rest()
        assert page.locator(".ctxlab *").count() < 2500
        assert pane(page, 1).locator(".line").count() >= 12
    pane(page, 1).focus()
    page.keyboard.press("End")
    opened.pump(widget)
    assert widget.token == len(widget.bounds[0]) - 1


@pytest.mark.parametrize("width", [1100, 420])
@pytest.mark.parametrize("name", AWKWARD)
def test_any_text_is_whole_and_in_its_lines(opened: Opened, name: str, width: int, tmp_path: Path) -> None:
    opened.resize(width)
    text = AWKWARD[name]
    page = opened.show(TokenView(text), tmp_path)

    shown = shown_text(page, 0)

    assert shown == "".join(SIGNS.get(sign, sign) for sign in text)
    assert shown_text(page, 1) == shown
    past = page.evaluate(
        """() => [...document.querySelectorAll('.line')].filter((line) => {
            const range = document.createRange();
            range.selectNodeContents(line);
            return range.getBoundingClientRect().right > line.getBoundingClientRect().right + 1;
        }).length"""
    )
    assert past == 0


def test_strangers_text_is_text(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView("\n".join(HOSTILE)), tmp_path)
    pane(page, 0).focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")

    shown = page.locator(".ctxlab").inner_text()

    assert page.locator(".ctxlab img, .ctxlab script, .scroll b, .side b").count() == 0
    assert "<script>" in pane(page, 0).inner_text()
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_a_wider_page_keeps_the_place_in_the_text(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView(LONG), tmp_path)
    pane(page, 0).evaluate("(e) => { e.scrollTop = 6000 }")
    opened.rest()
    first = """() => { const box = document.querySelector('.scroll'), top = box.getBoundingClientRect().top;
        return [...box.querySelectorAll('.line')].filter((e) => e.getBoundingClientRect().bottom > top + 4)
            .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
            .slice(0, 4).map((e) => e.textContent).join('') }"""
    before = page.evaluate(first)

    opened.resize(820)
    opened.rest()

    assert before[:40] in page.evaluate(first) or page.evaluate(first)[40:80] in before


def test_it_fits_a_narrow_page(opened: Opened, tmp_path: Path) -> None:
    opened.resize(420)
    page = opened.show(TokenView(run()), tmp_path)

    assert page.evaluate("() => document.documentElement.scrollWidth") <= 420
    assert page.locator(".two").evaluate("(e) => getComputedStyle(e).gridTemplateColumns.split(' ').length") == 1


def test_nothing_to_show_says_what_to_pass_until_there_is_something(opened: Opened, tmp_path: Path) -> None:
    widget = TokenView()
    page = opened.show(widget, tmp_path)
    assert "TokenView(" in page.locator(".empty:visible").inner_text()
    assert page.locator(".w").is_hidden()

    widget.set_text("Hello")
    opened.pump(widget)
    assert page.locator(".empty:visible").count() == 0
    assert pane(page, 0).inner_text() == "Hello"
    widget.set_text("")
    opened.pump(widget)
    assert page.locator(".empty:visible").inner_text() == "The text is empty: no tokens."
    assert page.locator(".answer").inner_text() == "0 tokens by o200k_base, 0 by cl100k_base, as many"


def test_without_python_what_needs_it_is_off_and_the_rest_works(opened: Opened, tmp_path: Path) -> None:
    state = synced_state(TokenView(run())) | {"live": False}
    file = tmp_path / "report.html"
    file.write_text(page_of(bundle_path(TokenView), state, title="report"), encoding="utf-8")
    page = opened.open(file)

    assert page.get_by_label("First tokenizer").is_disabled()
    assert page.get_by_label("Message").is_hidden()
    pane(page, 0).focus()
    page.keyboard.press("End")
    assert in_focus(page) == "?"
    page.get_by_role("radio", name="Plain").click()
    assert page.locator(".plain").count() == 2


def test_the_widget_leaves_nothing_behind(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenView("some words"), tmp_path)

    page.evaluate("() => window.ctxlabHost.stop()")
    page.evaluate("() => window.ctxlabHost.model.put({ text: 'other', token: 1 })")

    assert page.locator(".ctxlab").count() == 0

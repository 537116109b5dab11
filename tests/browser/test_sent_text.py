"""The text that a model reads, in a browser: tinted by origin, dropped messages in their place, remedies at work."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import ctxlab
from ctxlab import Trace
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab_widgets import SentView, report
from tests.browser.conftest import Opened
from tests.gallery.samples import harbour
from tests.local_models.small_models import hugging_face
from tests.rendering.test_rendered import CHAT, CHATML, FIRST_ALONE, STRICT, run

LATE = "article[data-gone='node:m3']"


def text_of(page: Page) -> str:
    """The text as it stands in the page; signs of line feeds and lines of tokens are no text."""
    return "".join(page.locator("pre.tx").evaluate_all("(all) => all.map((each) => each.textContent)"))


def opened_text(view: SentView, opened: Opened, folder: Path) -> Page:
    page = opened.show(view, folder)
    page.get_by_role("radio", name="As the model reads it").click()
    opened.pump(view)
    opened.pump(view)
    return page


def test_the_third_side_opens_with_the_text_and_its_origins(opened: Opened, tmp_path: Path, theme: str) -> None:
    view = SentView(run(CHAT), template=CHATML)
    page = opened.show(view, tmp_path)
    assert view.model_text == ""

    page.get_by_role("radio", name="As the model reads it").click()
    opened.pump(view)

    assert text_of(page) == view.rendered.text
    assert page.locator(".answer").inner_text().startswith("chatml carries all 5 messages, in order.")
    assert page.locator("article .mk").first.inner_text() == "<|im_start|>"
    page.locator("article[data-row='1'] [data-span]", has_text="Is the lamp lit?").click()
    assert "typed" in page.locator(".pop").inner_text()
    page.keyboard.press("Escape")
    page.locator("article[data-row='1'] .mk").first.click()
    assert "line 1 of chatml" in page.locator(".pop").inner_text()


def test_a_dropped_message_is_a_ghost_in_its_place_and_a_press_brings_it_into_the_text(
    opened: Opened, tmp_path: Path
) -> None:
    view = SentView(run(CHAT), template=FIRST_ALONE)
    page = opened_text(view, opened, tmp_path)

    order = page.locator(".sent:not([hidden]) article").evaluate_all(
        "(all) => all.map((each) => each.dataset.gone ?? each.dataset.row)"
    )
    assert order == ["0", "1", "2", "node:m3", "3"]
    assert "dropped by the template: message 4, system" in page.locator(LATE).inner_text()
    assert "Be brief" not in text_of(page)
    assert page.locator(".fx li .tag").all_inner_texts() == ["dropped"]
    page.locator(LATE).get_by_role("button", name="Keep it").click()
    asked = opened.pump(view)
    opened.pump(view)

    assert {"command": "apply_remedy", "key": "node:m3"} in asked
    assert "Be brief from here on." in text_of(page) == view.rendered.text
    assert page.locator(LATE).count() == 0
    page.locator(".effect").get_by_role("button", name="Back").click()
    opened.pump(view)
    assert page.locator(LATE).count() == 1


def test_a_refusal_is_told_with_its_words_and_line_and_mended(opened: Opened, tmp_path: Path) -> None:
    view = SentView(run(CHAT), template=STRICT)
    page = opened_text(view, opened, tmp_path)
    told = page.locator(".fx")

    assert page.locator(".answer").inner_text().startswith("strict refuses these messages: the model gets nothing.")
    assert "System message must be at the beginning. (line 2)" in told.inner_text()
    assert "raise_exception" in told.locator("pre").inner_text()
    told.get_by_role("button", name="Mend it").click()
    opened.pump(view)

    assert "Be brief from here on." in text_of(page)


def test_nothing_of_a_message_is_read_as_html(opened: Opened, tmp_path: Path) -> None:
    wicked = "<img src=x onerror=alert(1)><b>bold</b>\u202eabc"
    wild = JinjaTemplate(
        "<script>alert(2)</script>{% for m in messages[1:] %}{{ m.content }}{% endfor %}", "<i>wild</i>"
    )
    view = SentView(run([{"role": "system", "content": wicked}, {"role": "user", "content": wicked}]), template=wild)
    page = opened_text(view, opened, tmp_path)

    assert page.locator(".ctxlab :is(img, script, .words b, .fx b, .answer i)").count() == 0
    assert "<img src=x onerror=alert(1)><b>bold</b>" in text_of(page)
    assert "\u202e" not in page.locator(".ctxlab").inner_text()


def test_the_keys_alone_are_enough(opened: Opened, tmp_path: Path) -> None:
    view = SentView(run(CHAT), template=FIRST_ALONE)
    page = opened.show(view, tmp_path)
    page.locator("article").first.focus()
    page.keyboard.press("r")
    page.keyboard.press("r")
    opened.pump(view)
    opened.pump(view)
    assert view.reading == "text"
    page.locator("article[data-row='0']").focus()

    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("() => document.activeElement.dataset.gone") == "node:m3"
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert page.locator(".pop").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "message 2, user, m1"
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("k")
    assert {"command": "apply_remedy", "key": "node:m3"} in opened.pump(view)


def test_tokens_come_when_they_are_asked_for(opened: Opened, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="a vocabulary needs the extra `local`")
    view = SentView(
        ctxlab.build(
            [{"role": "user", "content": "灯塔 and the lamp"}],
            model=ctxlab.local_model(hugging_face(tmp_path / "tiny")),
        )
    )
    page = opened_text(view, opened, tmp_path)
    assert view.tokens == ""
    assert page.locator(".tk").count() == 0

    page.get_by_label("tokens").check()
    opened.rest()
    opened.pump(view)

    tokens = view.rendered.tokens
    assert f"{tokens} tokens by tiny" in page.locator(".answer").inner_text()
    shown = [int(each) for each in page.locator("article[data-row] .num").all_inner_texts()]
    assert sum(shown) == tokens
    assert page.locator(".tk.many").count() == 1  # the second token begins inside the first character
    assert text_of(page) == view.rendered.text


def test_words_are_found_in_the_text(opened: Opened, tmp_path: Path) -> None:
    view = SentView(run(CHAT), template=CHATML)
    page = opened_text(view, opened, tmp_path)

    page.get_by_label("Find in what is sent").fill("im_start")
    page.keyboard.press("Enter")

    assert page.locator(".hits").inner_text() == "1 of 6"
    assert page.locator("article.found mark").first.inner_text() == "im_start"


@pytest.fixture(scope="module")
def long() -> Trace:
    said = [{"role": ("user", "assistant")[i % 2], "content": f"words number {i} " * 9} for i in range(2_000)]
    return ctxlab.build(ctxlab.read_data(said).pick())


def test_of_two_thousand_messages_those_in_sight_are_drawn(opened: Opened, long: Trace, tmp_path: Path) -> None:
    view = SentView(long, template=CHATML)
    page = opened_text(view, opened, tmp_path)
    page.locator("article[data-row]").first.focus()
    assert 5 < page.locator("article[data-row]").count() < 120

    page.keyboard.press("End")
    opened.rest()

    assert page.locator("article[data-row='2000']").is_visible()
    assert page.locator("article[data-row]").count() < 120


def test_without_a_template_there_is_no_third_side_but_a_hint(opened: Opened, tmp_path: Path) -> None:
    view = SentView(harbour())
    page = opened.show(view, tmp_path)

    assert page.get_by_role("radio").count() == 2
    assert "view.read_as(template=" in page.locator(".sum").inner_text()
    view.read_as(template=CHATML)
    opened.pump(view)

    expect(page.get_by_role("radio", name="As the model reads it")).to_be_visible()
    assert "read_as" not in page.locator(".sum").inner_text()


def test_a_report_of_a_run_for_a_model_has_its_text_without_python(opened: Opened, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="a vocabulary needs the extra `local`")
    trace = ctxlab.build(CHAT, model=ctxlab.local_model(hugging_face(tmp_path / "tiny")))

    page = opened.open(report(trace, tmp_path / "run.html"))
    page.get_by_role("radio", name="As the model reads it").click()

    assert text_of(page) == ctxlab.rendered(trace, ctxlab.local_model(tmp_path / "tiny")).text
    assert page.get_by_label("tokens", exact=True).is_hidden()

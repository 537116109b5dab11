"""Files of messages in a browser: their chips at each step, reasons on demand, and small pictures that Python drew."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import ctxlab
from ctxlab_widgets import SentView, StepDebugger, TokenBudget
from tests.browser.conftest import Opened
from tests.gallery.attachments import files_run
from tests.gallery.looking import HOSTILE
from tests.gallery.samples import deciding


def chip(page: Page, name: str) -> Locator:
    return page.locator(".att", has=page.locator("b", has_text=name)).first


def steps_at(step: str) -> StepDebugger:
    widget = StepDebugger(files_run())
    widget.run_to(files_run().index(step) + 1)
    return widget


def test_before_the_decision_a_file_is_as_it_is_stored(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(steps_at("session-loader"), tmp_path)

    expect(chip(page, "lamp.png").locator(".att-s")).to_have_text("as it is stored")


def test_after_it_the_chip_says_what_the_model_gets(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(deciding(), tmp_path)

    expect(chip(page, "evening_light.jpg").locator(".att-s")).to_contain_text("goes as a picture, 425 tokens")
    expect(chip(page, "duty_roster.xlsx").locator(".att-s")).to_contain_text("goes as text, read by xlsx, sheet Watch")
    expect(chip(page, "fog_horn.wav").locator(".att-s")).to_contain_text("goes as a description only")
    expect(chip(page, "lamp.png").locator(".att-p")).to_contain_text("its bytes are a shell script")


def test_files_of_a_message_that_is_cut_are_not_sent(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(steps_at("token-limiter"), tmp_path)

    expect(chip(page, "pilot_notes.pdf").locator(".att-s")).to_contain_text("not sent")


def test_a_small_picture_is_drawn(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(files_run()), tmp_path)
    picture = chip(page, "evening_light.jpg").locator("img")

    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 10
    assert chip(page, "lamp.png").locator("img").count() == 0


@pytest.mark.parametrize("view", [SentView, StepDebugger])
def test_a_click_and_the_key_f_open_the_reason(opened: Opened, view: type, tmp_path: Path) -> None:
    page = opened.show(deciding() if view is StepDebugger else SentView(files_run()), tmp_path)
    message = page.locator("article.m", has=chip(page, "fog_horn.wav"))
    reason = message.locator(".att-y", has_text="gpt-4o reads no sound")

    expect(reason).to_be_hidden()
    chip(page, "fog_horn.wav").locator("summary").click()
    expect(reason).to_be_visible()
    message.focus()
    page.keyboard.press("f")
    expect(message.locator("details.att:not([open])")).to_have_count(0)
    page.keyboard.press("f")
    expect(message.locator("details.att[open]")).to_have_count(0)


def test_words_of_a_file_say_which_page_they_are_from(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(SentView(files_run("deepseek-chat", None)), tmp_path)
    message = page.locator("article.m", has=chip(page, "pilot_notes.pdf"))

    message.locator("[data-span].u-attachment").nth(0).click()
    expect(page.locator(".pop")).to_contain_text("words for pilot_notes.pdf")
    message.locator("[data-span].u-attachment").nth(1).click()

    expect(page.locator(".pop")).to_contain_text("from pilot_notes.pdf, page 1")


def test_the_card_of_attachments_lists_them_by_tokens(opened: Opened, tmp_path: Path) -> None:
    page = opened.show(TokenBudget(files_run(budget_tokens=None)), tmp_path)

    page.locator("tr[data-look='attachment']").dispatch_event("pointerover")

    expect(page.locator(".card .att b").first).to_have_text("pilot_notes.pdf")
    expect(page.locator(".card .att b", has_text="repair_letter.docx")).to_have_count(1)


def test_names_and_reasons_are_text(opened: Opened, tmp_path: Path) -> None:
    asset = {"id": "x", "type": "image", "name": HOSTILE[0], "mimeType": "image/png", "path": "x.png"}
    session = ctxlab.Session(id="s").append("", role="system", id="r").append("see", id="u", attachments=[asset])

    page = opened.show(SentView(ctxlab.build(session, model="gpt-4o")), tmp_path)

    assert page.locator(".att b").inner_text().startswith("<script>")
    assert page.locator(".att script, .att b b, .att img").count() == 0

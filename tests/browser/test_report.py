"""A report opens from disk, walks through the run, and shows strangers' text as text."""

from __future__ import annotations

from pathlib import Path

import pytest

import ctxlab
import ctxlab_widgets
from ctxlab import Agent, Session, Trace
from ctxlab.pipeline.explain.consequential_step import most_consequential_step
from ctxlab.pipeline.explain.cut_causes import cut_causes
from tests.browser.conftest import Opened
from tests.gallery.looking import HOSTILE, colours_of
from tests.gallery.samples import harbour_with, rules

DATASETS = Path(__file__).parents[2] / "datasets"


@pytest.fixture(scope="module")
def harbour() -> Trace:
    return harbour_with(budget_tokens=1500, rules=rules())


def hostile() -> Trace:
    roles = ("user", "assistant")
    said = [{"role": roles[i % 2], "content": text} for i, text in enumerate(HOSTILE)]
    session: Session = ctxlab.read_data(said).pick()
    return ctxlab.build(session, Agent(name="<b>bold</b>"))


def test_it_draws_in_light_and_in_dark(opened: Opened, harbour: Trace, tmp_path: Path, theme: str) -> None:
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))

    colours = page.evaluate(
        """() => { const at = (e, name) => getComputedStyle(e)[name];
        const w = document.querySelector('.ctxlab .w'), now = document.querySelector('.step.now');
        return { surface: at(w, 'backgroundColor'), ink: at(w, 'color'), now: at(now, 'backgroundColor') } }"""
    )

    assert (
        colours
        == {
            "light": {"surface": "rgb(255, 255, 255)", "ink": "rgb(27, 30, 36)", "now": "rgb(223, 233, 251)"},
            "dark": {"surface": "rgb(26, 28, 32)", "ink": "rgb(231, 233, 236)", "now": "rgb(38, 54, 79)"},
        }[theme]
    )
    assert colours_of(page) > 40


def test_it_is_walked_through_by_click_by_key_and_by_slider(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))
    current = page.locator(".step[aria-current=step]")
    steps = [step.id for step in harbour.steps]

    assert current.get_attribute("data-step") == "token-limiter" == steps[most_consequential_step(harbour) or 0]
    page.locator("[data-step=regex-processor]").click()
    assert current.get_attribute("data-step") == "regex-processor"
    assert page.locator("article.k-rewritten").count() == len(harbour.changes("regex-processor").rewritten)
    page.keyboard.press("ArrowRight")
    assert current.get_attribute("data-step") == "worldbook-processor"
    page.keyboard.press("n")
    assert current.get_attribute("data-step") == "injection-assembler"
    page.keyboard.press("Shift+N")
    page.keyboard.press("Home")
    assert current.get_attribute("data-step") == "session-loader"
    slider = page.get_by_label("Steps done")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert current.get_attribute("data-step") == "regex-processor"
    assert "after 2 of" in page.locator("[aria-live]").inner_text()
    page.keyboard.press("End")
    assert current.inner_text().startswith("Result")
    page.keyboard.press("Home")
    assert current.count() == 0
    assert page.locator(".empty").inner_text().startswith("Nothing yet")


def test_a_cut_says_its_cause_and_what_would_keep_it(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))
    dropped = harbour.changes("token-limiter").dropped

    causes = page.locator("article.k-dropped .cause").all_inner_texts()

    why = cut_causes(harbour)
    true = {f"{why[draft.key]}\n{harbour.why(draft.key).remedy}" for g in dropped for draft in g.drafts}
    assert len(causes) > 2
    assert set(causes) <= true
    border = dropped[0].border[0]
    assert f"{why[border]}\n{harbour.why(border).remedy}" in causes


def test_its_result_is_all_that_happened_since_the_start(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))
    page.locator(".step.result").click()

    assert page.locator("[role=radio][aria-checked=true]").all_inner_texts() == ["Since start", "Source"]
    dropped = sum(len(group.drafts) for group in harbour.result.dropped)
    assert page.locator(".msgs .bar").inner_text().endswith(f"10 messages, {dropped} dropped")


def test_messages_just_loaded_are_shown_and_not_called_unchanged(opened: Opened, tmp_path: Path) -> None:
    page = opened.open(ctxlab_widgets.report(hostile(), tmp_path / "page.html"))

    page.locator("[data-step=session-loader]").click()

    assert page.locator("article.k-added").count() == len(HOSTILE)
    assert "unchanged" not in page.locator(".feed").inner_text()
    page.keyboard.press("n")
    assert "5 unchanged messages, 0\u20134" in page.locator(".feed").inner_text()


def test_what_needs_python_is_not_offered(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))
    page.locator("[data-step=token-limiter]").click()

    assert page.get_by_role("radio").all_inner_texts() == ["This step", "Since start", "Source", "Plain"]
    assert page.locator(".side input, .side select, .side textarea, .side button").count() == 0
    settings = page.locator(".side dl").inner_text()
    assert "Budget\n1,500\nfrom this call" in settings


def test_joining_says_what_it_cost_and_the_sum_is_the_messages(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))
    page.locator(".step.result").click()

    numbers = page.evaluate(
        """() => [...document.querySelectorAll('article')].filter((m) => m.querySelector('.seam')).map((m) => ({
        parts: [...m.querySelectorAll('.part > .num:last-child')]
          .map((n) => Number(n.innerText.replace('\u2212', '-'))),
        whole: m.querySelector('.mh .num').innerText.split('\u2192').map((n) => Number(n.trim())) }))"""
    )

    assert len(numbers) == 6
    for message in numbers:
        before, after = message["whole"]
        assert sum(message["parts"]) == after
        assert sum(n for n in message["parts"] if n > 0) == before


def test_selected_characters_tell_their_life(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))
    page.locator("[data-step=injection-assembler]").click()
    page.locator("article ins").first.click()

    chain = page.locator(".pop .chain").inner_text()

    assert "preset" in chain
    assert "{{char}}" in chain
    assert "macro char" in chain
    page.keyboard.press("Escape")
    assert page.locator(".pop").count() == 0


def test_the_keys_alone_are_enough(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))
    page.locator("[data-step=injection-assembler]").click()

    def focused(name: str) -> str | None:
        return page.evaluate("(name) => document.activeElement.getAttribute(name)", name)

    for _ in range(3):  # the two radio groups, then the messages
        page.keyboard.press("Tab")
    for _ in range(20):
        if "preset:0," in (focused("aria-label") or ""):
            break
        page.keyboard.press("ArrowDown")
    assert (focused("data-id") or "").startswith("m:")
    page.keyboard.press("Enter")
    first = focused("data-span")
    assert page.locator(".pop").count() == 1
    page.keyboard.press("ArrowRight")
    assert focused("data-span") != first
    page.keyboard.press("Shift+ArrowRight")
    assert "1 character" in page.locator(".pop .ph").inner_text()
    page.keyboard.press("Escape")
    assert (focused("data-id") or "").startswith("m:")
    stops = page.locator(".feed > [tabindex='0']")
    assert stops.count() == 1


def test_strangers_text_is_text_everywhere(opened: Opened, tmp_path: Path) -> None:
    trace = hostile()
    path = ctxlab_widgets.report(trace, tmp_path / "page.html")
    page = opened.open(path)
    for step in trace.steps:
        page.locator(f"[data-step={step.id}]").click()
    page.locator("[data-step=session-loader]").click()

    shown = page.locator(".feed").inner_text()

    assert page.title().startswith("What is sent")
    assert page.locator(".feed img, .feed script, .feed b").count() == 0
    assert HOSTILE[0] in shown
    assert HOSTILE[1] in shown
    assert "\\u001b[31mred" in shown
    assert "\u202e" not in shown
    assert "👩‍🚀" in shown


def test_a_fold_opens_and_the_focus_stays_at_hand(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))
    page.locator("[data-step=regex-processor]").click()
    before = page.locator("article").count()
    fold = page.locator(".foldrow").first
    fold.focus()

    page.keyboard.press("Enter")

    assert page.locator("article").count() > before
    assert page.evaluate("() => document.activeElement.matches('article')")


def test_it_fits_a_narrow_page(opened: Opened, harbour: Trace, tmp_path: Path) -> None:
    opened.resize(420)
    page = opened.open(ctxlab_widgets.report(harbour, tmp_path / "page.html"))

    assert page.evaluate("() => document.documentElement.scrollWidth") <= 420
    assert (
        page.evaluate("() => getComputedStyle(document.querySelector('.two')).gridTemplateColumns.split(' ').length")
        == 1
    )


def test_a_report_of_nothing_names_no_message(opened: Opened, tmp_path: Path) -> None:
    run = ctxlab.build(Session(id="empty"))

    page = opened.open(ctxlab_widgets.report(run, tmp_path / "page.html"))

    assert page.locator("header p").inner_text() == f"0 messages, {run.tokens} tokens by {run.services.tokenizer.name}"
    assert page.locator(".feed .empty").inner_text() == "No messages here."
